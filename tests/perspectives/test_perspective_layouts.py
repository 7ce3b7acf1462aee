"""Topics with their sides are read from every layout, and what cannot stand is named."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.perspectives import samples
from baselines.perspectives.checking import KINDS
from baselines.perspectives.layouts import LAYOUTS, read_topics, write_topics
from baselines.perspectives.values import Topic
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.records import to_json
from globesumm.values import Rejected

SHORT = {
    "topic": "A bridge",
    "language": "en",
    "sides": {
        "for": ["It saves an hour.", "It brings work."],
        "against": ["It is dear.", "Noise."],
    },
}


def lines(folder: Path, *records: object) -> Path:
    path = folder / "topics.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def read(path: Path, layout: str | None = None, least: int = 2) -> list[Topic | Rejected]:
    return list(read_topics(path, layout, least=least))


def only(found: list[Topic | Rejected]) -> Topic:
    [topic] = found
    assert isinstance(topic, Topic), topic
    return topic


def test_a_topic_in_short_is_read_with_ids_and_language(tmp_path: Path) -> None:
    topic = only(read(lines(tmp_path, SHORT)))
    assert [side.name for side in topic.sides] == ["for", "against"]
    documents = [document for side in topic.sides for document in side.documents]
    assert [one.text for one in documents][:2] == ["It saves an hour.", "It brings work."]
    assert len({one.id for one in documents}) == 4
    assert {one.language for one in documents} == {"en"}


def test_a_language_that_nobody_names_is_settled_from_the_text(tmp_path: Path) -> None:
    german = "Die Brücke spart allen, die morgens in die Stadt fahren, eine ganze Stunde am Tag."
    record = {"topic": "Brücke", "sides": {"dafür": [german] * 2, "dagegen": [german] * 2}}
    topic = only(read(lines(tmp_path, record)))
    assert topic.languages == ("de",)
    assert "settled from the text" in topic.sides[0].documents[0].notes[0]


@pytest.mark.parametrize("name", samples.names())
def test_a_topic_written_and_read_again_is_the_same(tmp_path: Path, name: str) -> None:
    topic = samples.load(name)
    path = tmp_path / "topics.jsonl"
    write_topics(path, [topic], texts={f"{topic.id}/{topic.sides[0].name}": "They say so."})
    assert only(read(path)) == topic
    assert json.loads(path.read_text())["sides"][0]["summary"] == "They say so."


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_keeps_topics_sides_texts_and_references(tmp_path: Path, layout: str) -> None:
    record: dict[str, Any] = {
        "topic": 'A bridge, "old" and new',
        "sides": [
            {"name": "left", "documents": ["It saves an hour.", "It brings work."]},
            {"name": "right", "documents": ["It is dear, and ugly.", "Noise at night."],
             "references": ["The right says no."]},
        ],
    }  # fmt: skip
    topic = only(read(lines(tmp_path, record)))
    path = tmp_path / f"out{LAYOUTS[layout].endings[0]}"
    write_topics(path, [topic, topic], layout)
    first = next(iter(read_topics(path, layout)))
    assert isinstance(first, Topic)
    assert first.topic == topic.topic
    for made, given_ in zip(first.sides, topic.sides, strict=True):
        assert made.name == given_.name
        assert [one.text for one in made.documents] == [one.text for one in given_.documents]
        assert made.references == given_.references


def test_polisums_table_is_read_by_its_own_columns(tmp_path: Path) -> None:
    path = tmp_path / "polisum.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["title_date_side", "title", "left_op", "right_op", "left_sum", "right_sum"])
        rows.writerow(["x", "Budget", "Spend more.\nSpend now.", "Save more.\nSave now.", "L", ""])
        rows.writerow(["y", "Budget", "Spend on.\nSpend all.", "Save on.\nSave all.", "L", "R"])
        rows.writerow(["z", "Taxes", "Raise them.\nSoon.", "", "L", "R"])
    first, second, bad = read(path)
    assert isinstance(first, Topic)
    assert isinstance(second, Topic)
    assert isinstance(bad, Rejected)
    assert (first.id, second.id, second.topic) == ("Budget", "Budget #2", "Budget")
    assert [one.text for one in first.sides[1].documents] == ["Save more.", "Save now."]
    assert (first.sides[0].references, first.sides[1].references) == (("L",), ())
    assert bad.kind == "missing-side"


def test_the_papers_records_pair_up_also_where_a_topics_name_comes_back(tmp_path: Path) -> None:
    def record(stance: str, text: str, topic: str = "Impeachment") -> dict[str, str]:
        document = f"{text} one.\n{text} two."
        return {"topic": topic, "stance": stance, "input": "Summarize …", "document": document}

    path = tmp_path / "test.json"
    records = [
        record("left", "First left"),
        record("right", "First right"),
        record("right", "Second right"),
        record("left", "Second left"),
        record("left", "Alone", "Other"),
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    first, second, bad = read(path, "stances")
    assert isinstance(first, Topic)
    assert isinstance(second, Topic)
    assert (first.id, second.id) == ("Impeachment", "Impeachment #2")
    assert [side.documents[0].text for side in second.sides] == [
        "Second right one.",
        "Second left one.",
    ]
    assert isinstance(bad, Rejected)
    assert bad.kind == "missing-side"


def doc(name: str, text: str = "Yes it is.") -> dict[str, str]:
    return {"id": name, "text": text}


DOUBLES = {"a": [doc("1"), doc("2")], "b": [doc("3"), doc("1")]}

BAD: dict[str, list[Any]] = {
    "bad-record": [{"topic": "x", "sides": {"a": [1, 2], "b": ["Y.", "Z."]}}],
    "no-topic": [SHORT | {"topic": " \u0000 "}],
    "missing-side": [{"topic": "x", "sides": {"a": ["Yes.", "Yes!"], "b": []}}],
    "set-of-one": [{"topic": "x", "sides": {"a": ["Yes.", "Yes!"], "b": ["No."]}}],
    "empty-side": [{"topic": "x", "sides": {"a": ["Y.", "Z."], "b": ["N.", "M."], "c": []}}],
    "empty-document": [SHORT | {"sides": {"a": ["Yes.", "…", "Yes!"], "b": ["No.", "No!"]}}],
    "duplicate-id": [{"topic": "x", "sides": DOUBLES}],
    "duplicate-side": [
        {
            "topic": "x",
            "sides": [
                {"name": "a", "documents": ["Y.", "Z."]},
                {"name": " a", "documents": ["N."]},
            ],
        }
    ],
    "duplicate-topic": [SHORT | {"id": "t"}, SHORT | {"id": "t"}],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rejection_is_met_named_and_leaves_the_rest(
    tmp_path: Path, kind: str
) -> None:
    found = read(lines(tmp_path, *BAD[kind], SHORT | {"id": "good"}))
    refused = [one for one in found if isinstance(one, Rejected)]
    assert [one.kind for one in refused] == [kind]
    assert "topics.jsonl:" in refused[0].where
    assert refused[0].reason
    assert "good" in [one.id for one in found if isinstance(one, Topic)]


@pytest.mark.parametrize("name", ["", " \u0000 "])
def test_a_side_without_a_name_is_named_and_the_others_go_on(tmp_path: Path, name: str) -> None:
    sides = [{"name": one, "documents": ["Yes.", "No."]} for one in ("a", name, "b")]
    topic, refused = read(lines(tmp_path, {"topic": "x", "sides": sides}))
    assert isinstance(topic, Topic)
    assert [side.name for side in topic.sides] == ["a", "b"]
    assert isinstance(refused, Rejected)
    assert refused.kind == "empty-side"


@pytest.mark.parametrize("given_id", ["../x\n\u0000y", "x" * 5000, "\u001b[2J x"])
def test_the_id_of_a_topic_is_one_line_of_bounded_length(tmp_path: Path, given_id: str) -> None:
    topic = only(read(lines(tmp_path, SHORT | {"id": given_id})))
    assert topic.id.isprintable()
    assert 0 < len(topic.id) <= 120


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x0c", "\x0b", "\x85", "\x1e"])
def test_only_line_breaks_part_the_documents_of_a_side(tmp_path: Path, mark: str) -> None:
    cell = f"It saves{mark}an hour.\r\n\r\nIt brings work.\rIt lasts."
    table = tmp_path / "polisum.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["title", "left_op", "right_op"])
        rows.writerow(["Budget", cell, cell])
    records = tmp_path / "stances.json"
    listed = [{"topic": "Budget", "stance": one, "document": cell} for one in ("left", "right")]
    records.write_text(json.dumps(listed), encoding="utf-8")
    for path in (table, records):
        assert [len(side.documents) for side in only(read(path)).sides] == [3, 3]


def test_an_empty_document_is_left_out_and_its_side_goes_on(tmp_path: Path) -> None:
    [_, topic] = read(lines(tmp_path, *BAD["empty-document"]))
    assert isinstance(topic, Topic)
    assert [one.text for one in topic.sides[0].documents] == ["Yes.", "Yes!"]


def test_a_set_of_one_is_taken_where_one_is_enough_and_the_topic_says_so(tmp_path: Path) -> None:
    topic = only(read(lines(tmp_path, *BAD["set-of-one"]), least=1))
    assert topic.notes == ("side 'b' is a set of one document",)


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2]", "null", '{"topic": "x"}', "\x00\x01", "[" * 5000]
)
def test_a_line_that_is_no_topic_is_named_and_the_next_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "topics.jsonl"
    path.write_text(f"{text}\n{json.dumps(SHORT)}\n", encoding="utf-8")
    found = read(path)
    assert isinstance(found[-1], Topic)
    assert all(one.kind == "bad-record" for one in found[:-1] if isinstance(one, Rejected))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=4, max_size=4), st.text(max_size=300))
def test_whatever_texts_and_names_hold_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], name: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    record = {"topic": name, "sides": {"a": texts[:2], name or "b": texts[2:]}}
    path = folder / "topics.jsonl"
    path.write_text(to_json(record) + "\n", encoding="utf-8")
    for one in read(path):
        if isinstance(one, Topic):
            assert len(one.topic) <= 120
            assert "\n" not in one.topic + "".join(side.name for side in one.sides)
        else:
            assert one.kind in KINDS


def test_a_file_that_is_no_such_table_says_which_column_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("title,text\na,b\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'left_op'"):
        read(path)


def test_what_a_layout_cannot_hold_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="left and right only; write jsonl or stances"):
        write_topics(tmp_path / "out.csv", [samples.load("orlau-weir")])


def test_names_of_files_and_layouts_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="name one with --layout"):
        read(lines(tmp_path, SHORT).rename(tmp_path / "topics.dat"))
    with pytest.raises(UnknownName, match="did you mean 'polisum'"):
        read(tmp_path / "topics.dat", "poliSum")


def test_the_page_names_every_layout_and_every_kind_of_rejection() -> None:
    text = (Path(__file__).parents[2] / "docs" / "perspectives.md").read_text(encoding="utf-8")
    for name in (*LAYOUTS, *KINDS):
        assert f"`{name}`" in text
