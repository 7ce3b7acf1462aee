"""One label for each person and item, the right one, and none that is lost."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.labels.store import Store
from annotation.labels.values import Item, Label, Role
from annotation.labels.writing import Answered, NotTheirs, Stale, add_labels, put_label, undo
from globesumm.errors import DataError, UsageError
from tests.labels.sample_items import small
from tests.labels.served import note_fact, project_of

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
YES: dict[str, Any] = {"supported": True}
NO: dict[str, Any] = {"supported": False}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return project_of(tmp_path / "p", [small(n) for n in range(3)], "ada ben", overlap=1).store


def owner(store: Store, item: str = "item 0") -> str:
    row = store.connection.execute(
        "SELECT annotator FROM assignments JOIN items ON number = item WHERE id = ?", (item,)
    ).fetchone()
    return str(row[0])


def label(store: Store, token: str, answer: Any, **changes: Any) -> Label:
    made = Label(
        id=token,
        item="item 0",
        version=store.versions()["item 0"],
        kind="fact-support",
        annotator=owner(store),
        answer=answer,
        started=NOW,
        submitted=NOW + timedelta(seconds=9),
        seconds=7.5,
    )
    return replace(made, **changes)


def done(store: Store) -> int:
    return int(store.connection.execute("SELECT sum(done) FROM assignments").fetchone()[0])


def test_a_label_comes_back_as_it_was_given(store: Store) -> None:
    given_ = label(store, "t1", YES, note="sure", consulted=("a", "b", "c"))
    assert put_label(store, given_) == given_
    assert list(store.labels()) == [given_]
    assert list(Store.open(store.path).labels()) == [given_]
    assert done(store) == 1


def test_the_same_page_sent_twice_is_one_label(store: Store) -> None:
    first = put_label(store, label(store, "t1", YES))
    later = NOW + timedelta(hours=1)
    assert put_label(store, label(store, "t1", YES, submitted=later)) == first
    assert len(list(store.labels(counting=False))) == 1


def test_of_two_tabs_the_second_is_told_what_counts(store: Store) -> None:
    first = put_label(store, label(store, "tab 1", YES))
    with pytest.raises(Answered) as told:
        put_label(store, label(store, "tab 2", NO))
    assert told.value.label == first
    assert put_label(store, label(store, "tab 2", YES)) == first, "they say the same"
    assert list(store.labels(counting=False)) == [first]


def test_a_page_that_knew_the_label_takes_its_place_and_the_old_one_is_kept(store: Store) -> None:
    put_label(store, label(store, "t1", YES))
    put_label(store, label(store, "t2", NO), base="t1")
    assert [(one.id, one.counts) for one in store.labels(counting=False)] == [
        ("t1", False),
        ("t2", True),
    ]
    # The first page, sent once more by a browser that never got its answer, changes nothing.
    put_label(store, label(store, "t1", YES))
    assert [one.id for one in store.labels()] == ["t2"]


def test_the_same_page_with_another_answer_is_not_taken_in_silence(store: Store) -> None:
    put_label(store, label(store, "t1", YES))
    with pytest.raises(Answered):
        put_label(store, label(store, "t1", NO))
    assert [one.answer for one in store.labels()] == [YES]


def test_an_item_of_somebody_else_is_refused(store: Store) -> None:
    other = "ben" if owner(store) == "ada" else "ada"
    for bad in (
        label(store, "t", YES, annotator=other),
        label(store, "t", YES, annotator="mallory"),
        label(store, "t", YES, round=2),
        label(store, "t", YES, item="no such item"),
    ):
        with pytest.raises(NotTheirs):
            put_label(store, bad)
    assert not list(store.labels(counting=False))


def test_a_stale_page_is_refused_and_old_labels_count_no_more(store: Store) -> None:
    put_label(store, label(store, "t1", YES))
    old = label(store, "t2", NO)
    there = store.add_items([small(1), replace(small(0), payload={**small(7).payload}), small(9)])
    assert (there.added, there.changed, there.same) == (1, 1, 1)
    assert not list(store.labels()), "what was judged is no longer what is shown"
    assert next(store.labels(counting=False)).superseded
    assert done(store) == 0, "it is asked about again"
    with pytest.raises(Stale):
        put_label(store, old)
    put_label(store, label(store, "t3", NO))
    assert [one.id for one in store.labels()] == ["t3"]


def test_undo_takes_back_and_a_late_copy_does_not_bring_it_back(store: Store) -> None:
    given_ = put_label(store, label(store, "t1", YES))
    assert undo(store, "mallory", "t1") is None
    assert undo(store, given_.annotator, "t1") == replace(given_, undone=True)
    assert undo(store, given_.annotator, "t1") is None
    assert done(store) == 0
    assert put_label(store, label(store, "t1", YES)).undone
    assert not list(store.labels())
    put_label(store, label(store, "t2", NO), base="t1")
    assert [one.id for one in store.labels()] == ["t2"]


def test_what_cannot_be_judged_needs_a_reason(store: Store) -> None:
    for note in (None, "", "  "):
        with pytest.raises(DataError, match="say in the note"):
            put_label(store, label(store, "t1", None, note=note))
    kept = put_label(store, label(store, "t1", None, note="the text is cut off"))
    assert kept.answer is None
    assert list(store.labels()) == [kept]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "undo"]),
            st.integers(0, 4),
            st.booleans(),
            st.none() | st.integers(0, 4),
        ),
        max_size=14,
    )
)
def test_whatever_pages_do_in_whatever_order_at_most_one_label_counts(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, bool, int | None]]
) -> None:
    store = project_of(tmp_path_factory.mktemp("p") / "p", [small(0)], "ada", overlap=1).store
    acknowledged: dict[str, Any] = {}
    for what, token, yes, base in steps:
        if what == "undo":
            undo(store, "ada", f"t{token}")
            continue
        given_ = label(store, f"t{token}", {"supported": yes})
        try:
            kept = put_label(store, given_, None if base is None else f"t{base}")
        except Answered:
            continue
        acknowledged[kept.id] = kept.answer
        assert kept.answer == given_.answer
    every = {one.id: one for one in store.labels(counting=False)}
    assert {name: every[name].answer for name in acknowledged} == acknowledged
    counting = list(store.labels())
    assert len(counting) <= 1
    assert done(store) == len(counting)


def test_labels_from_elsewhere_are_taken_once_and_the_later_word_counts(store: Store) -> None:
    mine = put_label(store, label(store, "t1", YES))
    later = label(store, "t2", NO, submitted=NOW + timedelta(days=1))
    early = label(store, "t0", NO, submitted=NOW)
    strange = [
        label(store, "t3", YES, item="unknown"),
        label(store, "t4", {"supported": "?"}, annotator="zoe"),
        label(store, "t1", NO),
    ]
    old = label(store, "t5", NO, version="0" * 12, annotator="zoe")
    taken = add_labels(store, [mine, later, early, old, *strange])
    assert (taken.added, taken.same, len(taken.refused)) == (3, 1, 3)
    assert [one.id for one in store.labels()] == ["t2"]
    again = add_labels(store, [later, early, old])
    assert (again.added, again.same, again.refused) == (0, 3, ())


def test_an_adjudicator_speaks_beside_the_annotators(store: Store) -> None:
    put_label(store, label(store, "t1", YES))
    put_label(store, label(store, "t2", NO, role=Role.ADJUDICATOR))
    assert {one.role for one in store.labels()} == {Role.ANNOTATOR, Role.ADJUDICATOR}


@pytest.mark.parametrize(
    "content", [b"", b"no database at all", b"SQLite format 3\0" + b"\0" * 200]
)
def test_a_file_that_is_no_project_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "labels.sqlite"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"labels\.sqlite"):
        Store.open(path)
    with pytest.raises(UsageError, match="there already"):
        Store.create(path)


def test_a_project_of_a_later_form_is_not_guessed_at(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "labels.sqlite")
    note_fact(store, "schema", "9")
    with pytest.raises(DataError, match="its form is 9"):
        Store.open(store.path)


def test_a_commit_is_forced_to_the_disk_and_readers_do_not_wait(store: Store) -> None:
    assert store.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert store.connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    with store.writing() as connection:
        connection.execute("UPDATE facts SET value = value")
        other = sqlite3.connect(store.path, timeout=0)
        assert other.execute("SELECT count(*) FROM items").fetchone()[0] == 3
        other.close()


def test_nobody_else_may_read_the_file_that_holds_the_links(store: Store) -> None:
    assert store.path.stat().st_mode & 0o077 == 0


def test_texts_that_no_file_takes_are_kept(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "labels.sqlite")
    odd = {"fact": {"text": "half \ud83d and a \0 zero"}, "source": []}
    store.add_items([Item(id="odd", kind="fact-support", payload=odd)])
    found = store.item("odd")
    assert found is not None
    assert found.payload == odd
