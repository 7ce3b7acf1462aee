"""Words for a thousand, a million, a milliard and a million millions, in every language."""

import tomllib
from importlib import resources

import pytest

from globesumm.languages import GLOBESUMM
from globesumm.text.details import details

SCALES = (1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000)
# Hindi counts in lakh and crore, Korean in powers of ten thousand, Spanish in "mil millones".
WITHOUT = {"hi": set(SCALES[1:]), "ko": {SCALES[1], SCALES[2]}, "es": {SCALES[2]}}


def written(language: str) -> dict[int, str]:
    """The first word that the language's list has for each scale."""
    path = resources.files("globesumm") / "data" / "details" / f"{language}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))["scales"]
    return {int(scale): str(words).split("|")[0] for scale, words in table.items()}


@pytest.mark.parametrize("language", GLOBESUMM)
def test_every_scale_up_to_a_million_millions_has_a_word_that_is_read(language: str) -> None:
    words = written(language)
    wanted = set(SCALES) - WITHOUT.get(language, set())
    assert wanted <= words.keys()
    for scale in sorted(wanted):
        (quantity,) = details(f"5 {words[scale]}", language).quantities
        assert quantity.value == 5 * scale, (words[scale], quantity)


def test_a_macedonian_bilion_is_a_million_millions() -> None:
    (money,) = details("10 билиони долари", "mk").quantities
    assert money.value == 10 * SCALES[3]
