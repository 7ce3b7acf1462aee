"""A grid's events are read when they are wanted: no step of the verb holds all of them."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.records import write_records
from tests.grid.conftest import event

WORDS = 4000
EXPERIMENT = """
inputs = ["events.jsonl"]
recipes = ["crs.none.lead"]
metrics = []
[slice]
documents = 1
"""


def peak(folder: Path, events: int, *options: str) -> tuple[int, int]:
    """(bytes held at most, bytes of the events)."""
    folder.mkdir()
    words = " ".join(f"word{number}" for number in range(WORDS))
    write_records(
        folder / "events.jsonl",
        (replace(event(number, 2, words)) for number in range(events)),
    )
    path = folder / "mine.toml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    tracemalloc.start()
    try:
        assert main(["grid", str(path), "--out", str(folder / "run"), *options]) == 0
        return tracemalloc.get_traced_memory()[1], (folder / "events.jsonl").stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "options",
    [("--dry-run",), pytest.param(("--only", "crs.none.lead"), marks=pytest.mark.slow)],
)
def test_four_times_the_events_take_no_more_memory(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    peak(tmp_path / "warm", 2, *options)
    few, size_of_few = peak(tmp_path / "few", 15, *options)
    many, size_of_many = peak(tmp_path / "many", 60, *options)
    assert many - few < 0.2 * (size_of_many - size_of_few)
