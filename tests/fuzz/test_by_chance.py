"""Inputs by chance: the same for the same seed, counted, and kept when a parser breaks on them."""

import signal
import sys
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError
from tests.fuzz import by_chance
from tests.fuzz.changes import EDITS, edited
from tests.fuzz.changes import by_chance as drawn
from tests.fuzz.tally import Tally
from tests.fuzz.targets import Target

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "SIGVTALRM"), reason="this system has no clock of computing"
)

SEEDS = [b"first", b"the second one"]


def target(longest: int = 1024) -> Target:
    def run(content: bytes) -> None:
        if b"!" in content:
            raise ValueError("broken")
        raise DataError("nothing in it")

    return Target(run=run, seeds=lambda: SEEDS, words=(b"!", b"word"), longest=longest)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("corpus", "found"):
        (tmp_path / name).mkdir()
    for number, seed in enumerate(SEEDS):
        (tmp_path / "corpus" / f"seed-{number}").write_bytes(seed)
    monkeypatch.setattr(by_chance, "TARGETS", {"own": target()})
    return tmp_path


def main(monkeypatch: pytest.MonkeyPatch, folder: Path, inputs: int) -> None:
    monkeypatch.setattr(sys, "argv", ["by_chance", "own", str(folder), str(inputs), "0"])
    by_chance.main()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("replace", b"abXYef"),
        ("insert", b"abXYcdef"),
        ("repeat", b"abXYcdef"),
        ("delete", b"abef"),
        ("cut", b"ab"),
        ("flip", b"ab\xe3def"),
    ],
)
def test_an_edit_changes_what_it_says(edit: str, expected: bytes) -> None:
    assert edit in EDITS
    assert edited(b"abcdef", edit, 2, 2, b"XY") == expected


def test_the_same_seed_gives_the_same_inputs_none_too_long() -> None:
    one, other = Random(5), Random(5)
    found = [drawn(one, target(60), SEEDS) for _ in range(300)]
    assert found == [drawn(other, target(60), SEEDS) for _ in range(300)]
    assert max(map(len, found)) == 60
    assert len(set(found)) > 200


def test_inputs_are_counted_over_sittings_and_differ_between_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    had: list[bytes] = []
    monkeypatch.setattr(by_chance, "carry_out", lambda _, content: had.append(content))
    main(monkeypatch, folder, 40)
    main(monkeypatch, folder, 60)
    tally = Tally(folder, "by-chance")
    assert tally.count == len(had) == 100
    tally.close()
    assert had[:40] != had[40:80]
    assert by_chance.last_tried(folder) is None


def test_what_breaks_a_parser_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="broken"):
        main(monkeypatch, folder, 10_000)
    (kept,) = (folder / "found").iterdir()
    assert b"!" in kept.read_bytes()
    assert by_chance.last_tried(folder) == kept.read_bytes()
