"""Import, export and merge: files of hostile shape, damaged databases, ends in the middle."""

import json
import multiprocessing
import shutil
import signal
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.exchange import flat, jsonl, label_studio, merging
from annotation.labels.exchange.whole import as_it_is_now, changed_at_once
from annotation.labels.project import DATABASE, Project, Settings
from annotation.labels.values import Annotator, Item
from annotation.labels.writing import add_labels
from globesumm.cli.main import run
from globesumm.errors import DataError, UsageError
from tests.label_results.label_samples import (
    BEGUN,
    issues,
    key_fact,
    key_points,
    label,
    matching,
    preference,
    relevance,
    review,
)

MANY = "9" * 5000


def _project(folder: Path, *items: Item, who: str = "ada") -> Project:
    project = Project.create(folder, Settings(annotators=(Annotator(name=who),)))
    project.store.add_items(items)
    yes = [label(one, who, {"key": True}) for one in items if one.kind == "key-facts"]
    add_labels(project.store, yes)
    return project


def _rows(folder: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / DATABASE)
    tables = ("items", "labels", "people", "assignments", "decisions", "consultations")
    found = [
        (table, *row) for table in tables for row in connection.execute(f"SELECT * FROM {table}")
    ]
    connection.close()
    return found


def _control(name: str, kind: str, values: list[str]) -> dict[str, Any]:
    key = {"choices": "choices", "textarea": "text"}[kind]
    return {"from_name": name, "to_name": "fact", "type": kind, "value": {key: values}}


def _read_one(folder: Path, item: Item, results: list[Any], **more: Any) -> Any:
    task = {
        "data": {"globesumm": {"item": json.loads(_json(item)), "version": item.version}},
        "annotations": [
            {
                "id": 1, "completed_by": 3, "created_at": BEGUN.isoformat(), "lead_time": 9,
                "result": results, **more,
            }
        ],
    }  # fmt: skip
    path = folder / "tasks.json"
    path.write_text(json.dumps([task]))
    return label_studio.read(path)


def _json(item: Item) -> str:
    from globesumm.records import to_json

    return to_json(item)


FINDING = {"kind": "conflict", "first": [1], "second": [1], "cause": "update"}

TOO_MANY_DIGITS: list[tuple[Item, dict[str, Any]]] = [
    (matching("m"), _control("sentences", "choices", [MANY])),
    (issues("i"), _control("issues", "textarea", [f"conflict {MANY} / 1 update"])),
    (issues("i"), _control("issues", "textarea", [f"omission 1,{MANY} /"])),
    (review("r", FINDING), _control("findings", "textarea", [f"{MANY} right"])),
]


@pytest.mark.parametrize(("item", "result"), TOO_MANY_DIGITS)
def test_numbers_of_thousands_of_digits_are_no_sentence(
    tmp_path: Path, item: Item, result: dict[str, Any]
) -> None:
    found = _read_one(tmp_path, item, [result])
    assert found.labels == []
    assert "no number of a sentence" in found.rejected[0].reason
    assert len(found.rejected[0].reason) < 300


TWICE: list[tuple[Item, tuple[str, str], str, str]] = [
    (key_fact("k"), ("key", "choices"), "key", "not key"),
    (matching("m"), ("sentences", "choices"), "1", "2"),
    (relevance("r"), ("criteria", "choices"), "same_event", "none"),
    (preference("p"), ("preferred", "choices"), "a", "b"),
    (issues("i"), ("issues", "textarea"), "omission 1 /", "omission 2 /"),
]


@pytest.mark.parametrize(("item", "control", "one", "other"), TWICE)
def test_two_results_of_one_control_are_an_answer_only_where_they_say_the_same(
    tmp_path: Path, item: Item, control: tuple[str, str], one: str, other: str
) -> None:
    same = [_control(*control, [one])] * 2
    assert len(_read_one(tmp_path, item, same).labels) == 1
    found = _read_one(tmp_path, item, [same[0], _control(*control, [other])])
    assert found.labels == []
    assert "they differ" in found.rejected[0].reason


@pytest.mark.parametrize(
    "who", [10**30, -(10**30), "x" * 1000, "a\nb", "\x1b[31m", {"email": "\x00"}, {}, [], True, ""]
)
def test_who_answered_in_label_studio_has_a_name(tmp_path: Path, who: object) -> None:
    result = _control("key", "choices", ["key"])
    found = _read_one(tmp_path, key_fact("k"), [result], completed_by=who)
    assert found.labels == []
    assert "completed_by" in found.rejected[0].reason


@pytest.mark.parametrize("seconds", [1e308, 4e7, -1, "NaN", float("nan"), float("inf")])
def test_a_time_that_nobody_took_is_refused(tmp_path: Path, seconds: object) -> None:
    found = _read_one(
        tmp_path, key_fact("k"), [_control("key", "choices", ["key"])], lead_time=seconds
    )
    assert found.labels == []
    assert "no length of time" in found.rejected[0].reason


@pytest.mark.parametrize("read", [label_studio.read, flat.read])
def test_what_may_never_end_is_not_read(read: Callable[[Path], Any]) -> None:
    with pytest.raises(UsageError, match="no regular file"):
        read(Path("/dev/zero"))


def _table(folder: Path, change: Callable[[list[str]], list[str]]) -> Any:
    project = _project(folder / "study", key_fact("k"))
    path = folder / "labels.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        flat.write(project.store, stream)
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    path.write_text("\r\n".join(change(lines)), encoding="utf-8")
    return flat.read(path)


def test_a_row_with_more_cells_or_fewer_is_named_and_no_cell_is_dropped(tmp_path: Path) -> None:
    found = _table(tmp_path, lambda lines: [*lines, f"{lines[1]},more", "k,k"])
    assert len(found.labels) == 1
    assert "18 cells for 17 columns" in found.rejected[0].reason
    assert len(found.rejected) == 2


def test_a_table_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two columns are called 'answer'"):
        _table(tmp_path, lambda lines: [f"{lines[0]},answer", f"{lines[1]},x"])


@pytest.mark.parametrize("where", ["settle_touched", "_take_people", "_take_consultations"])
def test_a_merge_or_import_that_ends_in_the_middle_has_changed_nothing(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = _project(tmp_path / "into", key_fact("a"))
    other = _project(tmp_path / "other", key_fact("b"), key_points("p"))
    before = _rows(tmp_path / "into")

    def ends(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(merging, where, ends)
        with pytest.raises(KeyboardInterrupt):
            merging.merge(into, other)
        assert _rows(tmp_path / "into") == before
        if where == "settle_touched":
            with pytest.raises(KeyboardInterrupt):
                merging.take_in(into, other.store.items(), other.store.labels())
            assert _rows(tmp_path / "into") == before
    merging.merge(into, other)
    assert len(_rows(tmp_path / "into")) > len(before)


def _merge(into: str, other: str) -> None:
    merging.merge(Project.open(Path(into)), Project.open(Path(other)))


def test_merges_at_once_and_a_killed_one_leave_what_one_merge_leaves(tmp_path: Path) -> None:
    _project(tmp_path / "into", key_fact("a"))
    _project(tmp_path / "other", *(key_fact(f"b{n}") for n in range(300)), who="ben")
    shutil.copytree(tmp_path / "into", tmp_path / "once")
    _merge(str(tmp_path / "once"), str(tmp_path / "other"))
    folders = str(tmp_path / "into"), str(tmp_path / "other")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_merge, args=folders) for _ in range(3)]
    for one in processes:
        one.start()
    processes[0].kill()
    for one in processes:
        one.join()
    assert [one.exitcode for one in processes[1:]] == [0, 0]
    assert processes[0].exitcode in (0, -signal.SIGKILL)
    connection = sqlite3.connect(tmp_path / "into" / DATABASE)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert _rows(tmp_path / "into") == _rows(tmp_path / "once")


def test_what_is_exported_is_the_project_at_one_moment(tmp_path: Path) -> None:
    project = _project(tmp_path / "study", key_fact("a"))
    with as_it_is_now(project.store) as store:
        found = [next(lines := jsonl.lines(store))]
        later = Project.open(tmp_path / "study").store
        later.add_items([key_fact("b")])
        add_labels(later, [label(key_fact("b"), "ada", {"key": True}, id="later")])
        found += lines
    assert len(found) == 2
    assert sum(1 for _ in jsonl.lines(project.store)) == 4


def test_changes_at_once_are_kept_together(tmp_path: Path) -> None:
    project = _project(tmp_path / "study", key_fact("a"))
    with changed_at_once(project) as whole:
        whole.store.add_items([key_fact("b")])
        assert project.store.count() == 1
    assert project.store.count() == 2


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_an_export_that_fails_leaves_the_file_that_was_there(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _project(tmp_path / "study", key_fact("a"))
    out = tmp_path / "out" / f"x.{ending}"
    asked = ["label", "export", str(project.folder), "--out", str(out)]
    assert run(asked) == 0
    before = out.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert run(asked) == 2
    assert out.read_bytes() == before
    assert not list(out.parent.glob(".*"))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a table is missing": lambda path: sqlite3.connect(path).execute("DROP TABLE consultations"),
    "pages are overwritten": lambda path: path.write_bytes(
        path.read_bytes()[:8192] + b"\xa5" * 24_576 + path.read_bytes()[32_768:]
    ),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"labels " * 1000),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_project_is_named_and_nothing_is_taken_of_it(
    tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    into = _project(tmp_path / "into", key_fact("a"))
    other = _project(tmp_path / "other", *(key_fact(f"b{n}") for n in range(40)), who="ben")
    other.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.store.close()
    DAMAGE[how](tmp_path / "other" / DATABASE)
    before = _rows(tmp_path / "into")
    assert run(["label", "merge", str(into.folder), str(other.folder)]) == 2
    assert str(other.folder) in capsys.readouterr().err
    assert _rows(tmp_path / "into") == before


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
@pytest.mark.parametrize("verb", [["agreement", "--resamples", "20"], ["results"]])
def test_a_title_cannot_steer_a_terminal_or_a_page_and_tables_fit(
    tmp_path: Path, verb: list[str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    title = "\x1b[31mred\n# not a heading <b>"
    people = tuple(Annotator(name=name) for name in ("ada", "ben"))
    project = Project.create(tmp_path / "study", Settings(title=title, annotators=people))
    items = [preference(f"p{n}") for n in range(6)] + [key_points(f"k{n}") for n in range(3)]
    project.store.add_items(items)
    told = [
        label(
            one,
            who,
            {"preferred": "ab"[(place + len(who) + (who == "ben")) % 2], "first": "a"},
            submitted=BEGUN + timedelta(minutes=place + 1),
        )
        for place, one in enumerate(items[:6])
        for who in ("ada", "ben")
    ]
    add_labels(project.store, told)
    out = ["--out", str(tmp_path / "out")] if verb[0] == "results" else []
    assert run(["label", verb[0], str(project.folder), *verb[1:], *out, "--format", form]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\n# not a heading" not in printed
    if form == "table":
        assert max(map(len, printed.splitlines())) <= 120
    if form == "html":
        assert "<b>" not in printed
