"""A damaged line in any file of a brief is named, with what to do or what was done."""

import shutil
from pathlib import Path

import pytest

from globesumm.cli import main
from tests.briefs.conftest import row, write
from tests.cli_help.test_wrong_uses import REMEDY

QUICK = ("--encoder", "hashed-ngrams", "--entailer", "lexical", "--recipe", "crs.none.lead")
MADE_ANEW = ("corrections.jsonl", "turns.jsonl")
NAMES = (
    "versions.jsonl", "citations.jsonl", "ledger.jsonl", "events.jsonl", "rejected.jsonl",
    "brief/choice.jsonl", "brief/lacks.jsonl", *MADE_ANEW,
)  # fmt: skip


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A brief after two looks, of which the second says something otherwise."""
    folder = tmp_path_factory.mktemp("grown")
    documents, out = folder / "vale.jsonl", folder / "run"
    for names in ("a", "abcd"):
        write(documents, [row(name) for name in names])
        assert main(["brief", str(documents), "--out", str(out), *QUICK]) == 0
    return out


def test_every_file_of_lines_is_tried(grown: Path) -> None:
    held = {path.relative_to(grown).as_posix() for path in grown.rglob("*.jsonl")}
    # What is asked and read for a look is no part of telling a run.
    assert held - {"brief/event.jsonl", "brief/documents.jsonl", "growth.jsonl"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_line_is_named_with_what_to_do_and_the_rest_is_kept(
    name: str, grown: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    shutil.copytree(grown, out)
    path = out / name
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"broken\n')
    capsys.readouterr()
    status = main(["brief", str(out), "--entailer", "lexical"])
    told = [line for line in capsys.readouterr().err.splitlines() if path.name in line]
    line = whole.count(b"\n") + 1
    assert f"{path.name}:{line}: " in told[0]
    if name in MADE_ANEW:
        assert status == 0
        assert "written anew" in told[0]
        assert path.read_bytes() == whole
    else:
        assert status == 2
        assert REMEDY.search(told[0])
        assert path.read_bytes() == whole + b'{"broken\n'
