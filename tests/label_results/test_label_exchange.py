"""Items and labels leave for other tools and come back the same."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.labels.exchange import flat, jsonl, label_studio
from annotation.labels.exchange.jsonl import Brought
from annotation.labels.exchange.studio_forms import FORMS
from annotation.labels.exchange.studio_interface import interface, most_documents
from annotation.labels.exchange.taking import take
from annotation.labels.kinds import KINDS
from annotation.labels.store import Store
from annotation.labels.values import Item, Label, Prelabels, Role
from globesumm.errors import DataError, UsageError
from globesumm.records import to_json
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import NO, YES, label, span

SCRIPTS = "الحكومة أعلنت · מעבורת · नदी में बाढ़ · Έξι νεκροί · 연락선 · 渡船 · 🚢\u200f"


def everything() -> tuple[list[Item], list[Label]]:
    """An item of every kind in several scripts, with labels of all sorts."""
    relevance = samples.relevance(
        f"r/{SCRIPTS}", source={"document": "d 1", "rank": 2}, models={"m": YES}, gold=NO
    )
    pair = samples.issues("i")
    review = samples.review(
        "v",
        {"kind": "omission", "first": [1]},
        {"kind": "conflict", "first": [1], "second": [2], "of": "strategy", "text": "The later."},
    )
    key, support = samples.key_fact("k", fact=SCRIPTS), samples.support("s")
    match, points, better = samples.matching("m"), samples.key_points("p"), samples.preference("b")
    conflict = {
        "kind": "conflict", "first": [1], "second": [1, 2], "cause": "update",
        "strategy": "The later: counts / as stated.\nBoth.",
    }  # fmt: skip
    marked = [
        {"kind": "omission", "first": [2]},
        {"kind": "redundancy", "first": [1], "second": [2]},
    ]
    highlighted = {
        "points": [span(samples.DOCUMENT, "The ferry sank", 1), span(samples.DOCUMENT, "Rain", 1)],
        "told": [span(samples.SUMMARY, "A ferry sank"), span(samples.SUMMARY, "fled")],
        "links": [[0, 0]],
    }
    first = label(relevance, "ann", YES, minute=1)
    labels = [
        replace(first, superseded=True),
        label(relevance, "ann", NO, minute=2, id="later", note='=HYPERLINK("x")'),
        replace(label(relevance, f"bob {SCRIPTS}", YES), undone=True, note="'quoted'\r\n\ttwo"),
        label(relevance, "cy", None, note="no such page", consulted=("m", "n", "o")),
        label(relevance, "judge", YES, role=Role.ADJUDICATOR, prelabels=Prelabels.AFTER),
        label(pair, "ann", {"issues": [conflict, *marked]}, seconds=12.25),
        label(pair, "bob", {"issues": []}),
        label(review, "ann", {"reviewed": [True, False]}),
        label(key, "ann", {"key": True}, prelabels=Prelabels.FIRST),
        label(support, "ann", {"supported": False}),
        label(match, "ann", {"sentences": [1, 3]}),
        label(match, "ann", {"sentences": []}, round=2),
        label(points, "ann", highlighted),
        label(better, "ann", {"preferred": "tie", "first": "b"}),
        label(better, "bob", {"preferred": "b", "first": "a"}),
    ]
    return [relevance, pair, review, key, support, match, points, better], labels


def filled(path: Path, items: Iterable[Item], labels: Iterable[Label]) -> Store:
    store = Store.create(path)
    report, _ = take(store, items, labels)
    assert report.refused == []
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return filled(tmp_path_factory.mktemp("project") / "one.sqlite", *everything())


def contents(store: Store) -> tuple[list[Item], list[Label]]:
    return list(store.items()), list(store.labels(counting=False))


def to_jsonl(store: Store, path: Path) -> Brought:
    path.write_text("".join(f"{line}\n" for line in jsonl.lines(store)), encoding="utf-8")
    return jsonl.read(path)


def to_studio(store: Store, path: Path) -> Brought:
    path.write_text("".join(label_studio.chunks(store)), encoding="utf-8")
    return label_studio.read(path)


@pytest.mark.parametrize("there_and_back", [to_jsonl, to_studio])
def test_a_round_trip_keeps_every_item_and_label_exactly(
    store: Store, tmp_path: Path, there_and_back: Callable[[Store, Path], Brought]
) -> None:
    found = there_and_back(store, tmp_path / "file")
    assert found.rejected == []
    items, labels = contents(store)
    assert found.items == items
    assert sorted(found.labels, key=lambda one: one.id) == sorted(labels, key=lambda one: one.id)
    second = filled(tmp_path / "two.sqlite", found.items, found.labels)
    again = contents(second)
    assert again[0] == items
    assert sorted(again[1], key=lambda one: one.id) == sorted(labels, key=lambda one: one.id)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_labels_come_back_from_a_table_exactly(store: Store, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"labels.{form}"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        assert flat.write(store, stream, form) == len(everything()[1])
    found = flat.read(path, form)
    assert found.rejected == []
    assert found.labels == contents(store)[1]


def test_no_cell_of_a_table_is_a_formula(store: Store, tmp_path: Path) -> None:
    import csv

    path = tmp_path / "labels.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        flat.write(store, stream)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert '\'=HYPERLINK("x")' in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(st.none() | st.text())
def test_a_cell_gives_back_what_was_put_in(value: str | None) -> None:
    cell = flat.safe(value)
    assert flat.original(cell) == value
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=10)
@given(texts.filter(str.strip), texts.filter(str.strip), st.sampled_from(sorted(flat.DELIMITERS)))
def test_any_text_survives_a_table(
    tmp_path_factory: pytest.TempPathFactory, who: str, note: str, form: str
) -> None:
    folder = tmp_path_factory.mktemp("table")
    item = samples.key_fact("k")
    said = replace(label(item, who, {"key": True}), note=note)
    path = folder / "labels"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        flat.write(filled(folder / "one.sqlite", [item], [said]), stream, form)
    assert flat.read(path, form).labels == [said]


def test_rows_that_are_no_label_are_named_with_their_line(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        flat.write(store, stream)
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    broken = lines[-1].replace("counts", "perhaps")
    worse = lines[-1].replace('"{""', '"{')
    path.write_text("".join([lines[0], broken, worse, lines[-1]]), encoding="utf-8")
    found = flat.read(path)
    assert len(found.labels) == 1
    assert [one.where.rsplit(" ", 1)[1] for one in found.rejected] == ["2", "3"]
    assert "state" in found.rejected[0].reason
    assert "answer" in found.rejected[1].reason


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00", b"PK\x03\x04"])
def test_a_file_that_is_no_table_of_labels_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"labels\.csv"):
        flat.read(path)
    with pytest.raises(UsageError, match="cannot be read"):
        flat.read(tmp_path / "nowhere.csv")


def test_every_kind_has_a_form_in_label_studio() -> None:
    assert FORMS.keys() == KINDS.keys()


@pytest.mark.parametrize("place", range(len(everything()[1])))
def test_an_answer_comes_back_from_label_studios_own_results(place: int, tmp_path: Path) -> None:
    """As Label Studio itself gives annotations back: without what it has no field for."""
    items, labels = everything()
    one = replace(labels[place], undone=False, superseded=False)
    item = next(item for item in items if item.id == one.item)
    task = label_studio._task(1, (item, item.version), [one], 0)
    for annotation in task["annotations"]:
        del annotation["globesumm"]
        annotation["completed_by"] = 7
    path = tmp_path / "tasks.json"
    path.write_text(to_json([task]), encoding="utf-8")
    found = label_studio.read(path, users={7: "ann"})
    assert found.rejected == []
    (back,) = found.labels
    assert (back.item, back.version, back.annotator, back.answer) == (
        one.item,
        one.version,
        "ann",
        one.answer,
    )
    assert (back.submitted, back.seconds) == (one.submitted, one.seconds)
    assert (back.note is None) == (one.answer is not None)


@pytest.mark.parametrize("kind", KINDS)
def test_the_interface_of_a_kind_has_every_control_and_text_that_its_tasks_name(
    store: Store, kind: str
) -> None:
    documents = most_documents(store)
    tree = ET.fromstring(interface(kind, documents))
    controls = {
        (one.get("name"), to)
        for one in tree.iter()
        for to in (one.get("toName") or "").split(",")
        if to
    }
    texts = {one.get("name") for one in tree.iter("Text")}
    shown = {value for one in tree.iter() if (value := one.get("value", "")).startswith("$")}
    tasks = json.loads("".join(label_studio.chunks(store, kind)))
    assert tasks
    for task in tasks:
        assert {f"${name}" for name in task["data"]} - {"$globesumm"} == shown
        for annotation in task["annotations"]:
            named = {
                (one["from_name"], one["to_name"])
                for one in annotation["result"]
                if "from_name" in one
            }
            assert named <= controls
            assert {to for _, to in named} <= texts


def test_highlights_that_a_browser_counted_are_put_right(tmp_path: Path) -> None:
    text = "🚢 sank. 🚢 rose."
    payload = {"documents": [{"text": text}], "summary": {"text": "s"}}
    item = Item(id="p", kind="key-points", payload=payload)
    start = text.index("rose")
    answer = FORMS["key-points"].read(
        item,
        [
            {
                "id": "x", "type": "labels", "to_name": "document1",
                "value": {"start": start + 2, "end": start + 6, "text": "rose"},
            }
        ],
    )  # fmt: skip
    assert answer["points"] == [span(text, "rose", 1)]


def broken_tasks() -> dict[str, Callable[[list[Any]], None]]:
    def changed(tasks: list[Any]) -> None:
        tasks[0]["data"]["globesumm"]["item"]["payload"]["article"]["text"] = "another"

    def bare(tasks: list[Any]) -> None:
        del tasks[0]["data"]["globesumm"]

    def other_results(tasks: list[Any]) -> None:
        tasks[3]["annotations"][0]["result"][0]["value"]["choices"] = ["not key"]

    def nobody(tasks: list[Any]) -> None:
        tasks[3]["annotations"][0].pop("globesumm")
        tasks[3]["annotations"][0]["completed_by"] = None

    def no_choice(tasks: list[Any]) -> None:
        tasks[3]["annotations"][0].pop("globesumm")
        tasks[3]["annotations"][0]["result"] = []

    def endless(tasks: list[Any]) -> None:
        tasks[3]["annotations"][0].pop("globesumm")
        tasks[3]["annotations"][0]["lead_time"] = 1e300

    def before_the_calendar(tasks: list[Any]) -> None:
        tasks[3]["annotations"][0].pop("globesumm")
        tasks[3]["annotations"][0]["created_at"] = "0001-01-01T00:00:00+14:00"

    def not_a_task(tasks: list[Any]) -> None:
        tasks[3] = 5

    return {
        "was changed": changed,
        "what was judged is not known": bare,
        "say otherwise": other_results,
        "names nobody": nobody,
        "one of key, not key is needed": no_choice,
        "its data has no": not_a_task,
        "no length of time": endless,
        "lead_time: 30.0": before_the_calendar,
    }


@pytest.mark.parametrize("reason", broken_tasks())
def test_what_label_studio_cannot_have_meant_is_named_and_the_rest_read(
    store: Store, tmp_path: Path, reason: str
) -> None:
    tasks = json.loads("".join(label_studio.chunks(store)))
    broken_tasks()[reason](tasks)
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = label_studio.read(path)
    assert len(found.rejected) == 1
    assert reason in found.rejected[0].reason
    assert len(found.items) >= 7


@pytest.mark.parametrize("content", ["{}", "[1", "5", '"x"', "[" * 100_000])
def test_a_file_that_is_no_list_of_tasks_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"tasks\.json"):
        label_studio.read(path)


def test_lines_that_are_neither_items_nor_labels_are_named(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "project.jsonl"
    lines = list(jsonl.lines(store))
    other = json.loads(lines[0])
    other["version"] = "0" * 12
    path.write_text("\n".join([*lines, "5", '{"x": 1}', json.dumps(other)]), encoding="utf-8")
    found = jsonl.read(path)
    assert len(found.items) == len(everything()[0])
    reasons = [one.reason for one in found.rejected]
    assert "neither an item with its version nor a label" in reasons[1]
    assert "was changed" in reasons[2]


@pytest.mark.parametrize(
    "broken",
    [
        ("seconds", math.nan, "seconds"),
        ("seconds", math.inf, "seconds"),
        ("seconds", -1.0, "seconds"),
        ("seconds", "long", "seconds"),
        ("round", 0, "round"),
        ("round", 10**30, "round"),
        ("annotator", " ", "annotator"),
        ("annotator", "a\ud800", "surrogate"),
        ("note", "\udfff", "surrogate"),
        ("id", "", "id"),
        ("started", "yesterday", "started"),
        ("started", "2026-03-01T09:00:00", "zone"),
        ("submitted", None, "submitted"),
        ("role", "boss", "role"),
        ("answer", [1], "answer"),
        ("extra", 1, "extra"),
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "label-studio"])
def test_a_label_that_no_database_can_hold_is_named_and_the_rest_is_taken(
    store: Store, tmp_path: Path, broken: tuple[str, object, str], form: str
) -> None:
    field, value, reason = broken
    path = tmp_path / "file"
    if form == "jsonl":
        lines = [json.loads(line) for line in jsonl.lines(store)]
        lines[-1]["label"][field] = value
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        found = jsonl.read(path)
    else:
        tasks = json.loads("".join(label_studio.chunks(store)))
        tasks[-1]["annotations"][-1]["globesumm"][field] = value
        path.write_text(json.dumps(tasks), encoding="utf-8")
        found = label_studio.read(path)
    assert [reason in one.reason for one in found.rejected] == [True]
    filled(tmp_path / "x.sqlite", found.items, found.labels)
    assert len(found.labels) == len(everything()[1]) - 1


def test_markup_in_an_article_stays_text(tmp_path: Path) -> None:
    item = samples.key_fact("x", fact="<script>alert(1)</script>&amp;")
    store = filled(tmp_path / "one.sqlite", [item], [label(item, "a", {"key": True})])
    assert to_studio(store, tmp_path / "t").items == [item]
    assert to_jsonl(store, tmp_path / "j").items == [item]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def places(plain: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every node of parsed JSON."""
    found = [path]
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(plain, dict):
        pairs = plain.items()
    elif isinstance(plain, list):
        pairs = enumerate(plain)
    for key, one in pairs:
        found += places(one, (*path, key))
    return found


@settings(max_examples=60)
@given(st.data())
def test_no_file_of_tasks_however_broken_ends_in_a_crash(
    tmp_path_factory: pytest.TempPathFactory, store: Store, data: st.DataObject
) -> None:
    text = "".join(label_studio.chunks(store))
    tasks = json.loads(text)
    own = data.draw(st.booleans())
    for task in tasks:
        for annotation in task["annotations"]:
            if not own:
                del annotation["globesumm"]
    *above, last = data.draw(st.sampled_from([one for one in places(tasks) if one]))
    node = tasks
    for key in above:
        node = node[key]
    node[last] = data.draw(anything)
    path = tmp_path_factory.getbasetemp() / "broken.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = label_studio.read(path)
    assert len(found.items) + len(found.rejected) >= len(tasks) - 1
