"""Two projects made one: nothing is lost, nothing counts twice, and every clash is named."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from annotation.labels.deciding import settle
from annotation.labels.exchange.merging import merge
from annotation.labels.exchange.taking import take
from annotation.labels.people import agree, has_agreed, make_links
from annotation.labels.project import Project, Settings
from annotation.labels.queue import consult, consulted, disputes
from annotation.labels.values import Annotator, Item, Label
from annotation.labels.writing import undo
from globesumm.errors import UsageError
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import NO, YES, label


def project(
    folder: Path,
    items: Iterable[Item],
    labels: Iterable[Label],
    people: Sequence[str] = ("ann", "bob"),
) -> Project:
    made = Project.create(
        folder, Settings(annotators=tuple(Annotator(name=name) for name in people))
    )
    report, _ = take(made.store, items, labels)
    assert report.refused == []
    make_links(made)
    return made


def changed(item: Item) -> Item:
    article = {"text": "Another article", "language": "de"}
    return replace(item, payload={**item.payload, "article": article})


def labels_of(one: Project, *, counting: bool = True) -> dict[str, Label]:
    return {label.id: label for label in one.store.labels(counting=counting)}


def test_what_only_the_other_has_comes_in_and_what_both_have_stays_once(tmp_path: Path) -> None:
    shared, mine, theirs = (samples.relevance(name) for name in ("shared", "mine", "theirs"))
    both = label(shared, "ann", YES)
    one = project(tmp_path / "1", [shared, mine], [both, label(mine, "ann", NO)])
    other = project(tmp_path / "2", [shared, theirs], [both, label(theirs, "bob", YES)])
    found = merge(one, other)
    assert (found.items_added, found.items_same) == (1, 1)
    assert (found.labels_added, found.labels_same) == (1, 1)
    assert found.conflicts == found.renamed == found.refused == []
    assert {item.id for item in one.store.items()} == {"shared", "mine", "theirs"}
    assert len(labels_of(one)) == 3


def test_merging_twice_changes_nothing_more(tmp_path: Path) -> None:
    item = samples.relevance("r")
    one = project(tmp_path / "1", [item], [label(item, "ann", YES)])
    other = project(
        tmp_path / "2",
        [changed(item), samples.matching("m")],
        [label(changed(item), "ann", NO, id="x"), label(item, "bob", YES, superseded=True)],
    )
    merge(one, other)
    before = list(one.store.items()), list(one.store.labels(counting=False))
    again = merge(one, other)
    assert (again.items_added, again.labels_added) == (0, 0)
    assert (list(one.store.items()), list(one.store.labels(counting=False))) == before


def test_an_item_that_shows_something_else_comes_in_under_another_name_with_its_labels(
    tmp_path: Path,
) -> None:
    item = samples.relevance("r")
    new = changed(item)
    one = project(tmp_path / "1", [item], [label(item, "ann", YES)])
    other = project(tmp_path / "2", [new], [label(new, "bob", NO)])
    found = merge(one, other)
    name = f"r~{new.version}"
    assert found.renamed == [f"item 'r' shows something else here: it came in as {name!r}"]
    kept = one.store.item(name)
    assert kept is not None
    assert kept.payload == new.payload
    counted = {(label.item, label.annotator) for label in labels_of(one).values()}
    assert counted == {("r", "ann"), (name, "bob")}


def test_a_label_on_the_version_that_is_here_counts_here(tmp_path: Path) -> None:
    item = samples.relevance("r")
    one = project(tmp_path / "1", [item], [])
    other = project(tmp_path / "2", [item], [label(item, "bob", YES)])
    other.store.add_items([changed(item)])
    assert labels_of(other) == {}
    merge(one, other)
    (kept,) = labels_of(one).values()
    assert (kept.item, kept.annotator, kept.counts) == ("r", "bob", True)


def test_a_label_that_was_replaced_does_not_come_back(tmp_path: Path) -> None:
    item = samples.relevance("r")
    first = label(item, "bob", YES, superseded=True)
    second = label(item, "bob", NO, id="second", minute=5)
    one = project(tmp_path / "1", [item], [])
    merge(one, project(tmp_path / "2", [item], [first, second]))
    assert [one.id for one in labels_of(one).values()] == ["second"]
    assert len(labels_of(one, counting=False)) == 2


@pytest.mark.parametrize("later", [True, False])
def test_two_answers_of_one_person_are_named_and_the_later_counts(
    tmp_path: Path, later: bool
) -> None:
    item = samples.relevance("r")
    mine = label(item, "ann", YES, minute=10)
    theirs = label(item, "ann", NO, id="theirs", minute=20 if later else 0)
    one = project(tmp_path / "1", [item], [mine])
    found = merge(one, project(tmp_path / "2", [item], [theirs]))
    assert len(found.conflicts) == 1
    assert found.conflicts[0].startswith("'ann' answered item 'r' twice")
    assert [one.id for one in labels_of(one).values()] == ["theirs" if later else mine.id]
    assert len(labels_of(one, counting=False)) == 2


def test_two_people_of_one_name_are_kept_apart_where_one_is_renamed(tmp_path: Path) -> None:
    item = samples.relevance("r")
    one = project(tmp_path / "1", [item], [label(item, "ann", YES)])
    other = project(tmp_path / "2", [item], [label(item, "ann", NO, id="theirs")])
    found = merge(one, other, {"ann": "ann of two"})
    assert found.conflicts == []
    assert {label.annotator for label in labels_of(one).values()} == {"ann", "ann of two"}
    assert any("'ann of two' is no annotator" in note for note in found.notes)
    with pytest.raises(UsageError, match="no annotator 'zoe'"):
        merge(one, other, {"zoe": "z"})


def test_another_label_under_a_known_id_is_kept_under_another(tmp_path: Path) -> None:
    item = samples.relevance("r")
    mine = label(item, "ann", YES)
    theirs = replace(label(item, "bob", NO), id=mine.id)
    one = project(tmp_path / "1", [item], [mine])
    found = merge(one, project(tmp_path / "2", [item], [theirs]))
    assert len(labels_of(one)) == 2
    assert "is another one here" in found.notes[0]


def test_a_label_that_was_taken_back_there_is_taken_back_here(tmp_path: Path) -> None:
    item = samples.relevance("r")
    said = label(item, "ann", YES)
    one = project(tmp_path / "1", [item], [said])
    other = project(tmp_path / "2", [item], [said])
    undo(other.store, "ann", said.id)
    found = merge(one, other)
    assert labels_of(one) == {}
    assert labels_of(one, counting=False)[said.id].undone
    assert len(found.undone) == 1
    # The other way round it stays as it is, and that is told.
    third = project(tmp_path / "3", [item], [said])
    back = merge(one, third)
    assert labels_of(one) == {}
    assert "it stays so" in back.undone[0]


def test_models_answers_and_sources_are_added_and_what_differs_is_named(tmp_path: Path) -> None:
    mine = samples.relevance("r", models={"m": YES}, source={"document": "d"})
    theirs = samples.relevance("r", models={"m": NO, "n": YES}, source={"document": "e"}, gold=YES)
    one = project(tmp_path / "1", [mine], [])
    found = merge(one, project(tmp_path / "2", [theirs], []))
    kept = one.store.item("r")
    assert kept is not None
    assert set(kept.models) == {"m", "n"}
    assert kept.models["m"] == mine.models["m"]
    assert kept.gold == theirs.gold
    assert kept.source == {"document": "d"}
    assert found.notes[0] == "item 'r' differs in m, source: what was here stays"


def test_assignments_links_consents_and_the_log_of_verdicts_come_along(tmp_path: Path) -> None:
    item, more = samples.relevance("r"), samples.relevance("more")
    one = project(tmp_path / "1", [item], [], people=("ann",))
    other = project(tmp_path / "2", [item, more], [], people=("bob",))
    with other.store.writing() as connection:
        connection.executemany(
            "INSERT INTO assignments (item, annotator, round, place) VALUES (?, 'bob', 1, ?)",
            [(1, 0), (2, 1)],
        )
    take(other.store, [], [label(item, "bob", YES)])
    agree(other.store, "bob", "I agree")
    consult(other.store, "bob", "r", item.version, ("m", "n", "o"))
    merge(one, other)
    merge(one, other)
    rows = list(
        one.store.connection.execute(
            "SELECT items.id, done FROM assignments JOIN items ON items.number = item "
            "ORDER BY place"
        )
    )
    assert rows == [("r", 1), ("more", 0)]
    assert has_agreed(one.store, "bob", "I agree")
    assert consulted(one.store, "bob", "r", item.version) == ("m", "n", "o")


def test_a_project_is_not_merged_with_itself(tmp_path: Path) -> None:
    one = project(tmp_path / "1", [samples.relevance("r")], [])
    with pytest.raises(UsageError, match="itself"):
        merge(one, Project.open(tmp_path / "1"))


def test_three_projects_come_to_the_same_in_either_order(tmp_path: Path) -> None:
    item = samples.relevance("r")
    parts = [
        [label(item, "ann", YES, minute=1)],
        [label(item, "ann", NO, id="two", minute=2), label(item, "bob", YES, minute=3)],
        [label(item, "ann", YES, id="three", minute=0), label(item, "cy", YES, minute=4)],
    ]
    outcomes = []
    for place, order in enumerate(([0, 1, 2], [2, 1, 0], [1, 0, 2])):
        one = project(tmp_path / f"{place}", [item], [])
        for number in order:
            merge(one, project(tmp_path / f"{place}-{number}", [item], parts[number]))
        outcomes.append({(label.annotator, label.id) for label in labels_of(one).values()})
        assert len(labels_of(one, counting=False)) == 5
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert ("ann", "two") in outcomes[0]


def test_the_same_word_at_another_time_is_another_label_and_no_conflict(tmp_path: Path) -> None:
    item = samples.relevance("r")
    mine = label(item, "ann", YES)
    theirs = replace(mine, id="theirs", submitted=mine.submitted + timedelta(hours=1))
    one = project(tmp_path / "1", [item], [mine])
    found = merge(one, project(tmp_path / "2", [item], [theirs]))
    assert found.conflicts == []
    assert list(labels_of(one)) == ["theirs"]


def test_what_was_decided_is_decided_anew_where_labels_came_in(tmp_path: Path) -> None:
    item = samples.relevance("r")
    one = project(tmp_path / "1", [item], [], people=("ann", "bob"))
    with one.store.writing() as connection:
        connection.executemany(
            "INSERT INTO assignments (item, annotator, round, place) VALUES (1, ?, 1, 0)",
            [("ann",), ("bob",)],
        )
    take(one.store, [], [label(item, who, YES) for who in ("ann", "bob")])
    settle(one)
    assert disputes(one.store) == {"decided": 1}
    theirs = label(item, "bob", NO, id="theirs", minute=9)
    merge(one, project(tmp_path / "2", [item], [theirs]))
    assert disputes(one.store) == {"open": 1}
