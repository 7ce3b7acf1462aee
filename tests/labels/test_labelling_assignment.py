"""Who is asked what: overlap, languages, groups, checks, seeds, second rounds."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.labels.assignment import assign
from annotation.labels.deciding import settle, settle_one
from annotation.labels.project import Project, Settings, annotator, read_settings, written
from annotation.labels.queue import disputes, next_dispute, next_place, put_off, round_of
from annotation.labels.values import Annotator, Item, Label, Prelabels, Role
from annotation.labels.writing import put_label, undo
from globesumm.errors import DataError
from tests.labels.sample_items import items, small

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def made(folder: Path, given_: list[Item], people: list[Annotator], **how: Any) -> Project:
    project = Project.create(folder, Settings(annotators=tuple(people), **how))
    project.store.add_items(given_)
    assign(project)
    return project


def reopened(project: Project, **changes: Any) -> Project:
    return Project(project.folder, replace(project.settings, **changes), project.store)


def plan(project: Project) -> dict[str, list[str]]:
    """Item ids by person, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, item in project.store.connection.execute(
        "SELECT annotator, id FROM assignments JOIN items ON number = item ORDER BY place, round"
    ):
        found[name].append(item)
    return dict(found)


def people(*names: str, **how: Any) -> list[Annotator]:
    return [Annotator(name=name, **how) for name in names]


def test_every_item_goes_to_as_many_people_as_asked_and_work_is_shared_evenly(
    tmp_path: Path,
) -> None:
    found = plan(made(tmp_path / "p", [small(n) for n in range(100)], people(*"abcde"), overlap=3))
    counts = Counter(item for mine in found.values() for item in mine)
    assert set(counts.values()) == {3}
    assert {len(mine) for mine in found.values()} == {60}
    assert all(len(set(mine)) == len(mine) for mine in found.values())


def test_the_same_seed_gives_the_same_plan_and_another_seed_another(tmp_path: Path) -> None:
    given_ = [small(n) for n in range(40)]
    plans = [
        plan(made(tmp_path / f"p{n}", given_, people(*"abcd"), overlap=2, seed=seed))
        for n, seed in enumerate((7, 7, 8))
    ]
    assert plans[0] == plans[1] != plans[2]


def test_only_people_who_read_the_languages_are_asked_and_a_lack_is_counted(tmp_path: Path) -> None:
    readers = [
        Annotator(name="all"),
        Annotator(name="english", languages=("en",)),
        Annotator(name="korean", languages=("en", "ko")),
        Annotator(name="judges", kinds=("preference",)),
    ]
    project = made(tmp_path / "p", items(), readers, overlap=2, gold_per_batch=0)
    found = plan(project)
    assert set(found.get("english", ())) <= {"relevance-1"}
    assert set(found["korean"]) <= {"relevance-1", "fact-support-1", "matching-1"}
    assert found["judges"] == ["preference-1"]
    assert assign(project).short == 3, "Hebrew, Hindi and Greek with Arabic have one reader each"


def test_orders_keep_events_together_or_items_as_given(tmp_path: Path) -> None:
    given_ = [small(n) for n in range(35)]
    event_of = {one.id: one.event for one in given_}
    together = plan(made(tmp_path / "a", given_, people("a", "b"), overlap=2))
    for mine in together.values():
        events = [event_of[item] for item in mine]
        assert sum(one != other for one, other in pairwise(events)) == 6
    assert together["a"] != together["b"], "each person has an order of their own"
    as_given = plan(made(tmp_path / "b", given_, people("a"), overlap=1, order="given"))
    assert as_given["a"] == [one.id for one in given_]


def test_people_and_items_that_come_later_change_nothing_that_was_given_out(tmp_path: Path) -> None:
    project = made(tmp_path / "p", [small(n) for n in range(20)], people("a", "b"), overlap=2)
    before = plan(project)
    project.store.add_items([small(n) for n in range(20, 30)])
    assign(reopened(project, annotators=tuple(people("a", "b", "c"))))
    after = plan(project)
    assert all(after[name][:20] == before[name] for name in "ab")
    assert Counter(i for mine in after.values() for i in mine) == {
        f"item {n}": 2 for n in range(30)
    }
    assert len(after["c"]) == 10, "the newcomer has the least to do"


def test_what_somebody_who_left_had_not_done_goes_to_others(tmp_path: Path) -> None:
    project = made(tmp_path / "p", [small(n) for n in range(10)], people("a", "b"), overlap=1)
    first = plan(project)["a"][0]
    put_label(project.store, label(project, first, "a", "t1"))
    assign(reopened(project, annotators=tuple(people("b"))))
    assert plan(project)["a"] == [first]
    assert len(plan(project)["b"]) == 9


def label(
    project: Project, item: str, who: str, token: str, answer: Any = None, **how: Any
) -> Label:
    found = project.store.item(item)
    assert found is not None
    return Label(
        id=token, item=item, version=found.version, kind=found.kind, annotator=who,
        answer=answer or {"supported": True}, started=NOW, submitted=NOW, seconds=1, **how,
    )  # fmt: skip


GROUPS = [*people("a", "b", group="1"), *people("c", "d", group="2")]


def test_an_item_goes_to_one_group_as_a_whole(tmp_path: Path) -> None:
    """Two decision groups, whose members judge each fact by themselves (OmniCSEval, 3.3)."""
    found = plan(
        made(tmp_path / "p", [small(n) for n in range(20)], GROUPS, overlap=2, groups="one")
    )
    assert set(found["a"]) == set(found["b"])
    assert set(found["c"]) == set(found["d"])
    assert not set(found["a"]) & set(found["c"])
    assert len(found["a"]) == len(found["c"]) == 10


def test_an_item_goes_to_members_of_each_group(tmp_path: Path) -> None:
    found = plan(
        made(tmp_path / "p", [small(n) for n in range(20)], GROUPS, overlap=1, groups="each")
    )
    counts = Counter(item for mine in found.values() for item in mine)
    assert set(counts.values()) == {2}
    assert not set(found["a"]) & set(found["b"])
    assert set(found["a"]) | set(found["b"]) == set(found["c"]) | set(found["d"])


def test_checks_go_to_everybody_so_many_a_batch_and_not_in_the_same_places(tmp_path: Path) -> None:
    gold = [replace(small(1000 + n), gold={"supported": True}) for n in range(50)]
    project = made(
        tmp_path / "p", [*(small(n) for n in range(96)), *gold], people("a", "b"),
        overlap=2, batch=12, gold_per_batch=2,
    )  # fmt: skip
    names = {one.id for one in gold}
    places = []
    for mine in plan(project).values():
        batches = [mine[start : start + 12] for start in range(0, 108, 12)]
        assert [sum(item in names for item in one) for one in batches] == [2] * 9
        places.append([item in names for item in mine])
    assert places[0] != places[1]


def test_adjudicators_are_not_asked_as_annotators(tmp_path: Path) -> None:
    team = [*people("a"), Annotator(name="eve", adjudicator=True)]
    project = made(tmp_path / "p", [small(0)], team, overlap=2)
    assert plan(project) == {"a": ["item 0"]}
    assert assign(project).short == 1


@settings(max_examples=15)
@given(
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(0, 12),
    st.sampled_from(["any", "one", "each"]),
)
def test_whatever_is_asked_for_nobody_is_asked_twice_and_no_item_too_often(
    tmp_path_factory: pytest.TempPathFactory, overlap: int, count: int, many: int, groups: str
) -> None:
    team = [Annotator(name=f"p{n}", group=str(n % 2)) for n in range(count)]
    project = made(
        tmp_path_factory.mktemp("p") / "p", [small(n) for n in range(many)], team,
        overlap=overlap, groups=groups,
    )  # fmt: skip
    counts = Counter(item for mine in plan(project).values() for item in mine)
    most = overlap * (len({one.group for one in team}) if groups == "each" else 1)
    assert all(number <= most for number in counts.values())
    assert len(counts) == many


def test_put_off_items_come_last_in_the_order_in_which_they_were_put_off(tmp_path: Path) -> None:
    project = made(
        tmp_path / "p", [small(n) for n in range(3)], people("a"), overlap=1, order="given"
    )
    seen = []
    for _ in range(7):
        place = next_place(project.store, "a")
        assert place is not None
        seen.append(place.number)
        put_off(project.store, "a", place.number)
    assert seen == [1, 2, 3, 1, 2, 3, 1]


MATCHING = [one for one in items() if one.kind == "matching"]


def answered(project: Project, item: str, *answers: Any, round_: int = 1, tag: str = "") -> None:
    names = list(plan(project))
    for name, answer in zip(sorted(names), answers, strict=False):
        if name != "eve":
            token = f"{item} {name} {round_}{tag}"
            put_label(project.store, label(project, item, name, token, answer, round=round_))
    settle(project)


def test_three_who_disagree_completely_are_asked_again_and_then_an_adjudicator(
    tmp_path: Path,
) -> None:
    project = made(tmp_path / "p", MATCHING, people("a", "b", "c"), overlap=3)
    three = [{"sentences": [n]} for n in (1, 2, 3)]
    answered(project, "matching-1", *three)
    assert disputes(project.store) == {"second-round": 1}
    assert next_place(project.store, "a").round == 2  # type: ignore[union-attr]  # it is there
    answered(project, "matching-1", *three, round_=2)
    answered(project, "matching-1", *three, round_=3)
    assert disputes(project.store) == {"open": 1}
    assert next_dispute(project.store) == 1
    word = label(project, "matching-1", "eve", "word", {"sentences": [2]}, role=Role.ADJUDICATOR)
    put_label(project.store, word)
    settle_one(project, 1)
    assert disputes(project.store) == {"decided": 1}


def test_a_majority_in_the_second_round_settles_it(tmp_path: Path) -> None:
    project = made(tmp_path / "p", MATCHING, people("a", "b", "c"), overlap=3)
    answered(project, "matching-1", *({"sentences": [n]} for n in (1, 2, 3)))
    answered(project, "matching-1", *({"sentences": [n]} for n in (1, 2, 2)), round_=2)
    assert disputes(project.store) == {"decided": 1}


def test_an_answer_that_is_taken_back_takes_the_second_round_with_it(tmp_path: Path) -> None:
    project = made(tmp_path / "p", MATCHING, people("a", "b", "c"), overlap=3)
    store = project.store
    answered(project, "matching-1", *({"sentences": [n]} for n in (1, 2, 3)))
    assert round_of(store, "c", 1) == 2
    undo(store, "c", "matching-1 c 1")
    settle_one(project, 1)
    assert [round_of(store, name, 1) for name in "abc"] == [1, 1, 1]
    assert next_place(store, "a") is None
    again = label(project, "matching-1", "c", "again", {"sentences": [1]})
    put_label(store, again)
    settle_one(project, 1)
    assert disputes(store) == {"decided": 1}
    assert next_place(store, "c") is None


def test_an_item_that_changes_is_asked_from_the_first_round_on(tmp_path: Path) -> None:
    project = made(tmp_path / "p", MATCHING, people("a", "b", "c"), overlap=3)
    answered(project, "matching-1", *({"sentences": [n]} for n in (1, 2, 3)))
    payload = {**MATCHING[0].payload, "similar": [5]}
    project.store.add_items([replace(MATCHING[0], payload=payload)])
    assign(project)
    assert disputes(project.store) == {}
    assert [round_of(project.store, name, 1) for name in "abc"] == [1, 1, 1]
    answered(project, "matching-1", *[{"sentences": [1]}] * 3, tag="new")
    assert disputes(project.store) == {"decided": 1}


def test_more_people_than_before_open_what_was_settled(tmp_path: Path) -> None:
    project = made(tmp_path / "p", [small(0)], people("a", "b"), overlap=2)
    answered(project, "item 0", {"supported": True}, {"supported": False})
    assert disputes(project.store) == {"open": 1}
    more = reopened(project, annotators=tuple(people("a", "b", "c")), overlap=3)
    assign(more)
    assert disputes(project.store) == {}
    put_label(project.store, label(project, "item 0", "c", "third", {"supported": True}))
    settle(more)
    assert disputes(project.store) == {"decided": 1}


def test_two_who_differ_wait_for_an_adjudicator_until_one_takes_it_back(tmp_path: Path) -> None:
    project = made(tmp_path / "p", [small(0)], people("a", "b"), overlap=2)
    assert not settle_one(project, 1)
    answered(project, "item 0", {"supported": True}, {"supported": False})
    assert next_dispute(project.store) == 1
    undo(project.store, "b", "item 0 b 1")
    assert not settle_one(project, 1)
    assert next_dispute(project.store) is None
    put_label(project.store, label(project, "item 0", "b", "again", {"supported": True}))
    settle_one(project, 1)
    assert disputes(project.store) == {"decided": 1}


def test_free_marks_that_differ_can_be_settled_and_equal_ones_are(tmp_path: Path) -> None:
    issues = [one for one in items() if one.kind == "issues"]
    mark = {"kind": "redundancy", "first": [1], "second": [1]}
    for name, second, status in (("same", [mark], "decided"), ("other", [], "differs")):
        project = made(tmp_path / name, issues, people("a", "b"), overlap=2)
        answered(project, "issues-1", {"issues": [mark]}, {"issues": second})
        assert disputes(project.store) == {status: 1}


def test_settings_come_back_from_the_file_that_people_edit(tmp_path: Path) -> None:
    given_ = Settings(
        title='Ätna "study" \\ №1', overlap=2, groups="each", batch=20, order="shuffled", seed=9,
        rules={"relevance": "unanimous"}, prelabels=Prelabels.AFTER, pay_per_label=0.1,
        consent="Erste Zeile\nand more", verdicts=True,
        annotators=(
            Annotator(name="José", languages=("es", "en"), group="2"),
            Annotator(name="עדה", adjudicator=True),
        ),
    )  # fmt: skip
    path = tmp_path / "project.toml"
    path.write_text(written(given_), encoding="utf-8")
    assert read_settings(path) == given_


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("overlap = 0", "overlap is 0"),
        ("overlap = 'many'", "overlap"),
        ("batch = 2\ngold_per_batch = 2", "no place"),
        ("pay_per_hour = -1", "pay_per_hour"),
        ("pay_per_hour = nan", "pay_per_hour"),
        ("prelabels = 'sometimes'", "prelabels"),
        ("no_such_key = 1", "no_such_key"),
        ("[rules]\nrelevanz = 'majority'", "relevanz"),
        ("[[annotators]]\nname = ''", "no name"),
        ("[[annotators]]\nname = 'a'\n[[annotators]]\nname = 'a'", "two annotators"),
        ("[[annotators]]\nname = 'a'\nlanguages = ['klingonish']", "klingonish"),
        ("[[annotators]]\nname = 'a'\nkinds = ['relevanz']", "relevanz"),
        ("title = 'open", "project.toml"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_named_with_its_file(
    tmp_path: Path, change: str, named: str
) -> None:
    path = tmp_path / "project.toml"
    path.write_text(change)
    with pytest.raises(DataError, match=r"project\.toml") as told:
        read_settings(path)
    assert named in str(told.value)


def test_annotators_are_written_with_languages_and_group() -> None:
    assert annotator("ada") == Annotator(name="ada")
    assert annotator("ada:EN, french@2") == Annotator(name="ada", languages=("en", "fr"), group="2")
