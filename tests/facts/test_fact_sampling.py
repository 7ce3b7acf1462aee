"""Sampling and the consensus filter: answers worked out beforehand."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UsageError
from metrics.facts.consensus import Vote, consensus
from metrics.facts.sampling import (
    Item,
    item_of,
    jaccard,
    sample,
    shared_out,
    stratified,
    study_sample,
    within_fences,
    without_near_duplicates,
)


def item(
    name: str, tokens: int = 500, corpus: str = "a", scenario: str = "s", words: str = ""
) -> Item:
    return Item(
        id=name,
        corpus=corpus,
        scenario=scenario,
        tokens=tokens,
        words=frozenset(words.split() or [name]),
    )


def test_a_pair_at_exactly_the_threshold_is_a_near_duplicate_and_just_below_is_none() -> None:
    first = item("1", words="a b c d e f g h i j")
    at = item("2", words="a b c d e f g")  # 7 of 10
    below = item("3", words="a b c d e f x y z")  # 6 of 13
    assert jaccard(first.words, at.words) == 0.7
    kept, out = without_near_duplicates([first, at, below])
    assert ([one.id for one in kept], out) == (["1", "3"], ("2",))


@settings(max_examples=60)
@given(st.lists(st.frozensets(st.sampled_from("abcdefghij"), max_size=10), max_size=12))
def test_the_lookup_finds_the_same_near_duplicates_as_comparing_every_pair(
    sets: list[frozenset[str]],
) -> None:
    items = [
        Item(id=f"{n:02}", corpus="a", scenario="s", words=words, tokens=1)
        for n, words in enumerate(sets)
        if words
    ]
    plain: list[Item] = []
    for one in items:
        if all(jaccard(one.words, other.words) < 0.7 for other in plain):
            plain.append(one)
    assert without_near_duplicates(items)[0] == plain


def test_both_fences_are_of_the_corpus_and_what_lies_on_them_stays() -> None:
    lengths = [100, 200, 300, 400, 500]  # quartiles 200 and 400: fences -100 and 700
    items = [item(f"a{n}", n) for n in lengths]
    items += [item("b1", 5000, "b"), item("b2", 5100, "b")]
    usual, out = within_fences([*items, item("on", 1000, "c")])
    assert len(usual) == 8
    assert out == ()
    # Quartiles of six with 701: 225 and 475, fences -150 and 850; with 2000 the high one falls.
    usual, out = within_fences([*items, item("far", 2000), item("other", 1, "d")])
    assert out == ("far",)


def test_the_low_fence_holds_as_well() -> None:
    items = [item(f"{n}", n) for n in (1000, 1010, 1020, 1030, 1040)]
    assert within_fences([*items, item("tiny", 5)])[1] == ("tiny",)


def test_the_steps_come_in_the_papers_order_and_each_says_what_it_left_out() -> None:
    items = [item(f"{n:03}", 200 + n) for n in range(40)]
    items += [item("copy", 210, words="007"), item("huge", 90_000)]
    items += [item(f"short{n}", 100 + n, "b") for n in range(10)]
    found = sample(items, {"a": 10, "b": 5})
    assert [len(names) for names in found.left_out.values()] == [1, 1, 10]
    assert list(found.left_out.values())[:2] == [("copy",), ("huge",)]
    assert len(found.drawn) == 10
    assert found.short == {"b": 5}
    # Five strata of eight, two from each.
    assert Counter((one.tokens - 200) // 8 for one in found.drawn) == dict.fromkeys(range(5), 2)


def test_the_same_seed_draws_the_same_and_the_order_given_does_not_matter() -> None:
    items = [item(f"{n:03}", 200 + n) for n in range(60)]
    first = sample(items, {"a": 12}, seed=3)
    assert sample(reversed(items), {"a": 12}, seed=3) == first
    assert sample(items, {"a": 12}, seed=4) != first


def test_a_corpus_without_a_quota_is_refused() -> None:
    with pytest.raises(UsageError, match="no quota for the corpus 'a'"):
        sample([item("1")], {})


@given(st.integers(0, 60), st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_shares_add_up_and_no_part_gives_more_than_it_has(total: int, sizes: list[int]) -> None:
    shares = shared_out(total, sizes)
    assert sum(shares) == min(total, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))


def test_a_study_takes_every_corpus_and_fifty_of_each_scenario() -> None:
    quotas = {"acibench": 130, "mts": 130, "primock": 40}
    items = [
        item(f"{corpus}{n:03}", 200 + n, corpus, "healthcare")
        for corpus, count in quotas.items()
        for n in range(count)
    ]
    items += [item(f"d{n}", 200 + n, "samsum" if n else "rare", "daily") for n in range(300)]
    found = study_sample(items)
    assert {name: len(held) for name, held in found.items()} == {"daily": 50, "healthcare": 50}
    assert Counter(one.corpus for one in found["healthcare"]) == {
        "acibench": 22, "mts": 22, "primock": 6,
    }  # fmt: skip
    assert Counter(one.corpus for one in found["daily"])["rare"] == 1


def test_more_corpora_than_places_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot give each"):
        study_sample([item(f"{n}", 200, f"c{n}") for n in range(4)], per_scenario=3)


def test_a_quota_above_the_stock_takes_all() -> None:
    assert len(stratified([item("1"), item("2")], 5, seed=0)) == 2


def test_a_text_becomes_an_item_of_its_words() -> None:
    found = item_of("x", "One two, two THREE.", "en", corpus="c", scenario="s")
    assert (found.words, found.tokens) == (frozenset({"one", "two", "three"}), 4)
    counted = item_of("x", "One two", "en", corpus="c", scenario="s", count=len)
    assert counted.tokens == 7


VOTES: tuple[tuple[tuple[Vote, Vote, Vote], str], ...] = (
    ((True, True, True), "kept"),
    ((True, True, False), "kept"),
    ((True, False, False), "discarded"),
    ((False, False, False), "discarded"),
    ((False, False, None), "discarded"),
    ((True, None, False), "undecided"),
    ((True, True, None), "kept"),
    ((None, None, None), "undecided"),
)


def test_two_votes_against_discard_a_fact_and_missing_votes_discard_none() -> None:
    found = consensus([votes for votes, _ in VOTES])
    for place, (_, fate) in enumerate(VOTES):
        assert (place in found.discarded) == (fate == "discarded")
        assert (place in found.undecided) == (fate == "undecided")
        assert (place in found.kept) == (fate != "discarded")
    assert found.rate == 3 / 8


def test_the_papers_own_discard_rate() -> None:
    """2,387 of 1.1 million facts, printed as 0.22 percent."""
    bad, whole = 2387, 1_100_000
    against, kept = (False, False, True), (True, True, True)
    votes = [against] * bad + [kept] * (whole - bad)
    assert round(100 * (consensus(votes).rate or 0), 2) == 0.22


def test_without_facts_there_is_no_rate_and_too_few_judges_are_refused() -> None:
    assert consensus([]).rate is None
    with pytest.raises(UsageError, match="1 judges cannot give 2 votes"):
        consensus([(False,)])
