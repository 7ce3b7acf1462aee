"""Splits: their shares, groups that stay together, and what never moves."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rensa", reason="needs the extra 'retrieval'")

from retrieval.dataset.links import groups, links
from retrieval.dataset.splits import SPLITS, assign, leaks
from tests.dataset.conftest import BEGINNING, event


def singles(count: int) -> list[tuple[str, ...]]:
    return [(f"e{number:04d}",) for number in range(count)]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_370_events_are_split_as_the_papers_table_2_says(seed: int) -> None:
    splits, findings = assign(singles(370), {}, seed)
    assert Counter(splits.values()) == {"train": 222, "valid": 74, "test": 74}
    assert findings == []


def test_another_seed_draws_other_splits() -> None:
    assert assign(singles(50), {}, 0)[0] != assign(singles(50), {}, 1)[0]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=40), st.integers(0, 9))
def test_groups_stay_together_and_shares_are_as_near_as_groups_allow(
    sizes: list[int], seed: int
) -> None:
    made = [tuple(f"{place}-{one}" for one in range(size)) for place, size in enumerate(sizes)]
    splits, _ = assign(made, {}, seed)
    assert all(len({splits[name] for name in group}) == 1 for group in made)
    counts = Counter(splits.values())
    for name, share in SPLITS.items():
        assert abs(counts[name] - share * sum(sizes)) <= max(sizes)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 9))
def test_more_events_move_no_old_one(first: int, more: int, seed: int) -> None:
    old, _ = assign(singles(first), {}, seed)
    new, _ = assign(singles(first + more), old, seed)
    assert {name: new[name] for name in old} == old
    assert len(new) == first + more


def test_a_new_event_joins_the_split_of_its_relatives() -> None:
    splits, _ = assign([("a", "b"), ("c",)], {"a": "test", "c": "train"}, 0)
    assert splits["b"] == "test"


def test_a_new_event_between_two_splits_is_left_out_by_name() -> None:
    splits, findings = assign([("a", "b", "c")], {"a": "test", "c": "train"}, 0)
    assert splits == {"a": "test", "c": "train"}
    assert [(one.event, one.kind, one.left_out) for one in findings] == [
        ("b", "between splits", True)
    ]


def tied(why: str) -> bool:
    """Whether two events that share something are linked for the reason `why`."""
    one, other = event(1), event(2)
    first = other.documents[0]
    changes = {
        "same address": {"url": one.documents[0].url.replace("https://", "http://www.") + "/#top"},  # type: ignore[union-attr]
        "same text": {"text": "  " + one.documents[0].text.replace(" ", "\n")},
        "near-duplicate": {"text": one.documents[0].text.replace(".", " today.")},
    }
    if why == "same happening":
        other = replace(other, description=one.description.rsplit(" ", 1)[0] + " anew")
    else:
        changed = replace(first, **changes[why])  # type: ignore[arg-type]
        other = replace(other, documents=(changed, *other.documents[1:]))
    return why in {link.why for link in links([one, other, event(3)])}


@pytest.mark.parametrize("why", ["same address", "same text", "near-duplicate", "same happening"])
def test_every_kind_of_link_is_found(why: str) -> None:
    assert tied(why)


def test_unrelated_events_are_not_linked() -> None:
    assert links([event(number) for number in range(30)]) == []


def test_one_description_months_apart_is_no_same_happening() -> None:
    one = event(1)
    later = replace(event(2), description=one.description, date=BEGINNING + timedelta(days=60))
    assert links([one, later]) == []


def test_chains_of_links_make_one_group() -> None:
    a, b, c = event(1), event(2), event(3)
    b = replace(b, documents=(*b.documents, replace(a.documents[0], id="copy")))
    c = replace(c, documents=(*c.documents, replace(b.documents[1], id="copy")))
    found = links([a, b, c])
    assert groups([a, b, c, event(4)], found) == [("e001", "e002", "e003"), ("e004",)]
    assert {link.why for link in leaks(found, {"e001": "train", "e002": "test"})} >= {"same text"}
