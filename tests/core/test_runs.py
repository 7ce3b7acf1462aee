"""A run folder resumes with the same settings and refuses others."""

import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.errors import RunMismatch, UsageError
from globesumm.runs import Failure, Run, alone, digest, file_name
from globesumm.values import Document, Event, Rejected, Summary

SETTINGS: dict[str, str | int | float | bool | None] = {"target": "en", "max_words": 250}


def summary(event: str) -> Summary:
    return Summary(event=event, recipe="crs.none.lead", model="m", target="en", text="", rounds=())


def test_the_same_settings_resume_and_keep_what_is_done(tmp_path: Path) -> None:
    Run.start(tmp_path / "r", SETTINGS).write_summary(summary("a"))
    started = Run.open(tmp_path / "r").record().facts["started"]
    again = Run.start(tmp_path / "r", dict(SETTINGS))
    assert again.summaries() == [summary("a")]
    assert again.record().facts["started"] == started


def test_other_settings_are_refused_with_the_differing_fields(tmp_path: Path) -> None:
    Run.start(tmp_path / "r", SETTINGS)
    with pytest.raises(RunMismatch, match=r"max_words: 250 there, 100 asked; seed: nothing there"):
        Run.start(tmp_path / "r", {"target": "en", "max_words": 100, "seed": 1})


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        Run.start(tmp_path, SETTINGS)


def test_opening_what_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        Run.open(tmp_path)


def test_a_later_success_removes_the_failure(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "r", SETTINGS)
    failure = Failure(recipe="crs.none.lead", event="a", reason="no text", answer="?")
    run.write_failure(failure)
    assert run.failures() == [failure]
    run.write_summary(summary("a"))
    assert run.failures() == []


HOLD = """
import sys
from pathlib import Path
from globesumm.runs import Run
with Run.open(Path(sys.argv[1])).alone():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_on_the_same_run_is_told_and_a_killed_one_holds_nothing(
    tmp_path: Path,
) -> None:
    run = Run.start(tmp_path / "r", SETTINGS)
    command = [sys.executable, "-c", HOLD, str(run.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match="another process"), run.alone():
            pass
        other.kill()
        other.wait()
    with run.alone():
        pass


@given(st.text(), st.text())
def test_identifiers_become_harmless_file_names_that_do_not_collide(one: str, two: str) -> None:
    name = file_name(one)
    assert set(name) <= set(string.ascii_lowercase + string.digits + "_.+-")
    assert name not in {"", ".", ".."}
    assert not name.startswith(".")
    assert len(name) <= 100
    if one != two:
        assert file_name(two) != name


@pytest.mark.parametrize("name", ["../../etc/passwd", "/root", "a/b", "CON", ".", "", "é" * 300])
def test_an_identifier_never_leaves_its_folder(tmp_path: Path, name: str) -> None:
    run = Run(tmp_path)
    path = run.summary_path("crs.none.lead", name).resolve()
    assert path.parent == (tmp_path / "summaries" / "crs.none.lead").resolve()


def test_events_and_rejections_come_back(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "r", SETTINGS)
    document = Document(id="a", text="t", language="en")
    event = Event(id="e", description="d", documents=(document,))
    rejected = Rejected(where="b.html", reason="no text")
    run.write_events([event], [rejected])
    assert run.events() == [event]
    assert run.rejected() == [rejected]


def test_the_digest_of_data_depends_on_content_and_order() -> None:
    a = Document(id="a", text="t", language="en")
    b = Document(id="b", text="t", language="en")
    assert digest([a, b]) == digest([a, b])
    assert len({digest([a, b]), digest([b, a]), digest([a])}) == 3


def test_an_error_leaves_no_new_folder_but_whatever_was_there_or_made_before_it(
    tmp_path: Path,
) -> None:
    def working(folder: Path, *made: str) -> None:
        with alone(folder):
            for name in made:
                (folder / name).write_text("x")
            raise UsageError("no input")

    def failing(folder: Path, *made: str) -> None:
        with pytest.raises(UsageError, match="no input"):
            working(folder, *made)

    failing(tmp_path / "deep" / "new")
    assert list(tmp_path.iterdir()) == []
    failing(tmp_path / "worth", "calls.sqlite")
    assert (tmp_path / "worth" / "calls.sqlite").exists()
    (tmp_path / "there").mkdir()
    failing(tmp_path / "there")
    assert (tmp_path / "there").is_dir()
