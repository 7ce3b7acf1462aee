"""A toy model, and topics whose reports have the words that its drafts should have."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from baselines.perspectives.values import Side, Topic
from globesumm.values import Document

WORDS = (
    "river", "bridge", "harbour", "ferry", "council", "budget", "mayor", "station", "school",
    "market", "clinic", "museum", "forest", "valley", "winter", "summer",
)  # fmt: skip
"""Every report is made of these; the toy model writes them and words that no report has."""


def topics(count: int, *, seed: int, name: str) -> list[Topic]:
    """Topics of two sides with two short reports each, all of `WORDS` in orders of their own."""
    draw = random.Random(seed)

    def report(identifier: str) -> Document:
        held = [*WORDS, *draw.choices(WORDS, k=8)]
        draw.shuffle(held)
        return Document(id=identifier, text=f"{' '.join(held)}.", language="en")

    return [
        Topic(
            id=f"{name}-{at}",
            topic=f"Question {at} of {name}",
            sides=tuple(
                Side(
                    name=side,
                    documents=tuple(report(f"{name}-{at}-{side}-{one}") for one in "ab"),
                )
                for side in ("north", "south")
            ),
        )
        for at in range(count)
    ]


def write(path: Path, held: Sequence[Topic]) -> Path:
    from baselines.perspectives.layouts import write_topics

    write_topics(path, list(held), "jsonl")
    return path


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of a hundred kilobytes with words and a chat template of its own."""
    torch = pytest.importorskip("torch")
    from baselines.preference.toy import make

    torch.set_num_threads(1)
    return make(tmp_path_factory.mktemp("models") / "toy", WORDS)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with ``train.jsonl`` and ``test.jsonl``, which share nothing."""
    write(tmp_path / "train.jsonl", topics(6, seed=1, name="train"))
    write(tmp_path / "test.jsonl", topics(4, seed=2, name="test"))
    return tmp_path
