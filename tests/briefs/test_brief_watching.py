"""An event that goes on: only what is new is done, conflicts are followed, corrections are kept."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from baselines.briefs import versions
from baselines.briefs.values import Correction, CorrectionKind, Turn, Turned
from globesumm.cli import main
from globesumm.records import read_own_records
from globesumm.runs import Run
from tests.briefs.conftest import Brief, row, write

ONCE = ("--watch", "--once")
QUICK = ("--entailer", "lexical")


def corrections(out: Path) -> list[Correction]:
    return list(read_own_records(out / "corrections.jsonl", Correction))


def turns(out: Path) -> list[Turned]:
    return list(read_own_records(out / "turns.jsonl", Turned))


def test_a_look_folds_new_reports_in_and_tells_which_conflicts_changed(
    tmp_path: Path, brief: Brief, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, out = tmp_path / "vale.jsonl", tmp_path / "run"
    assert brief(write(documents, [row("a")]), out, *ONCE) == 0
    assert turns(out) == []
    capsys.readouterr()
    assert brief(write(documents, [row("a"), row("b")]), out, *ONCE) == 0
    shown = capsys.readouterr()
    assert "version 2: 1 new report" in shown.err
    assert "version 2, 1 new report" in shown.out
    assert [(one.turn, one.version) for one in turns(out)] == [(Turn.ARISES, 2)]
    assert brief(write(documents, [row("a"), row("b"), row("c"), row("d")]), out, *ONCE) == 0
    last = [one for one in turns(out) if one.version == 3]
    assert Turn.CHANGES in {one.turn for one in last} or Turn.SETTLED in {o.turn for o in last}
    assert any("9: Gazette [fr]" in one.news for one in last)
    assert len(versions.read_versions(Run.open(out))) == 3


def test_nothing_new_changes_no_file_and_says_so(
    tmp_path: Path, brief: Brief, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, out = write(tmp_path / "vale.jsonl", [row("a"), row("b")]), tmp_path / "run"
    assert brief(documents, out) == 0
    before = _contents(out)
    capsys.readouterr()
    assert brief(documents, out, *ONCE) == 0
    shown = capsys.readouterr()
    assert "nothing new" in shown.err
    assert shown.out == ""
    assert _contents(out) == before
    assert brief(documents, out) == 0
    assert "## What happened" in capsys.readouterr().out


def test_a_brief_that_grew_is_the_one_that_all_reports_at_once_would_have_given(
    tmp_path: Path, brief: Brief
) -> None:
    documents, out = tmp_path / "vale.jsonl", tmp_path / "run"
    for count in (2, 3, 4):
        rows = [row(name) for name in "abcd"[:count]]
        assert brief(write(documents, rows), out, *ONCE, *QUICK) == 0
    assert brief(documents, tmp_path / "whole", *QUICK) == 0
    grown, whole = Run.open(out), Run.open(tmp_path / "whole")
    assert grown.summaries() == whole.summaries()
    assert grown.events() == whole.events()
    for name in ("citations.jsonl", "ledger.jsonl"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_what_an_earlier_version_said_otherwise_goes_to_the_correction_log(
    tmp_path: Path, brief: Brief, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, out = tmp_path / "vale.jsonl", tmp_path / "run"
    assert brief(write(documents, [row("a"), row("b")]), out) == 0
    later = row("c", text="At least 7 people were killed when the bridge fell, the police said.")
    assert brief(write(documents, [row("a"), row("b"), later]), out, "--format", "text,json") == 0
    (found,) = corrections(out)
    assert found.kind is CorrectionKind.OTHERWISE
    assert found.before.startswith("Au moins 5 personnes")
    assert found.now == later["text"]
    assert found.sources == ("Le Val [fr], 2023-09-05 10:00Z",)
    assert found.because == ("Hill Herald [en], 2023-09-06 10:00Z",)
    assert (found.version, found.round) == (1, 1)
    assert "## Corrections: what earlier versions said" in capsys.readouterr().out
    exported = json.loads((out / "brief.json").read_text(encoding="utf-8"))
    assert exported["corrections"][0]["before"] == found.before


def test_a_report_older_than_the_last_one_is_taken_or_left_as_asked(
    tmp_path: Path, brief: Brief
) -> None:
    documents = tmp_path / "vale.jsonl"
    write(documents, [row("a"), row("c")])
    lead = ("--recipe", "crs.none.lead", *QUICK)
    assert brief(documents, tmp_path / "taken", *lead) == 0
    assert brief(documents, tmp_path / "left", *lead) == 0
    write(documents, [row("a"), row("b"), row("c")])
    assert brief(documents, tmp_path / "taken", *lead) == 0
    assert brief(documents, tmp_path / "left", *lead, "--no-redo") == 0
    ids = {name: [o.id for o in Run.open(tmp_path / name).events()[0].documents]
           for name in ("taken", "left")}  # fmt: skip
    assert ids == {"taken": ["a", "b", "c"], "left": ["a", "c"]}
    assert "--no-redo" in (tmp_path / "left" / "brief" / "choice.jsonl").read_text()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two looks that nothing cut short."""
    folder = tmp_path_factory.mktemp("undisturbed")
    for names in ("ab", "abc"):
        documents = write(folder / "vale.jsonl", [row(name) for name in names])
        command = ["brief", str(documents), "--out", str(folder / "run"), *QUICK]
        assert main([*command, "--encoder", "hashed-ngrams"]) == 0
    return folder / "run"


@pytest.mark.parametrize("point", ["grown", "summarized", "cited", "version"])
def test_a_look_that_was_killed_anywhere_ends_as_an_undisturbed_one(
    tmp_path: Path,
    brief: Brief,
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: Path,
    point: str,
) -> None:
    places = {
        "grown": "globesumm.cli.growing._fold_all",
        "summarized": "globesumm.cli.brief_looking._judge",
        "cited": "baselines.ledger.written.write_ledger",
        "version": "baselines.briefs.versions.keep_version",
    }
    documents, out = tmp_path / "vale.jsonl", tmp_path / "run"
    assert brief(write(documents, [row("a"), row("b")]), out, *QUICK) == 0
    write(documents, [row("a"), row("b"), row("c")])

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(places[point], killed)
        assert brief(documents, out, *QUICK) == 130
    assert brief(documents, out, *QUICK) == 0
    other = undisturbed
    assert Run.open(out).summaries() == Run.open(other).summaries()
    for name in ("citations.jsonl", "ledger.jsonl", "events.jsonl"):
        assert (out / name).read_bytes() == (other / name).read_bytes()
    timeless = [
        [{**json.loads(line), "at": ""} for line in (place / name).read_text().splitlines()]
        for place in (out, other)
        for name in ("versions.jsonl", "corrections.jsonl", "turns.jsonl")
    ]
    assert timeless[:3] == timeless[3:]


def test_a_look_that_a_disk_stops_ends_no_watch(
    tmp_path: Path,
    brief: Brief,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from globesumm.cli import brief_looking

    documents, looks, real = write(tmp_path / "vale.jsonl", [row("a")]), [], brief_looking.look

    def look(*given: Any) -> Any:
        looks.append(given)
        if len(looks) == 2:
            raise OSError(28, "No space left on device")
        if len(looks) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(brief_looking, "look", look)
    assert brief(documents, tmp_path / "run", *QUICK, "--watch", "--every", "0") == 130
    assert len(looks) == 3
    assert "this look failed: " in capsys.readouterr().err


@pytest.mark.slow
def test_watching_looks_again_by_itself_and_an_interrupt_ends_it_cleanly(tmp_path: Path) -> None:
    documents, out = write(tmp_path / "vale.jsonl", [row("a"), row("b")]), tmp_path / "run"
    command = [
        *(sys.executable, "-m", "globesumm", "brief", str(documents), "--out", str(out)),
        *("--recipe", "crs.none.lead", *QUICK, "--encoder", "hashed-ngrams"),
        *("--watch", "--every", "0.2"),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if "nothing new" in line:
                break
        write(documents, [row("a"), row("b"), row("c")])
        for line in process.stderr:
            if "version 2: 1 new report" in line:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 130
    assert "the same command goes on from here" in rest
    assert "Traceback" not in rest
    assert len(Run.open(out).events()[0].documents) == 3


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in {".sqlite", ".npz"}
    }
