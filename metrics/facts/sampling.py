"""Sampling in the paper's order (OmniCSEval, 3.1 and appendix B).

Near-duplicates out, lengths that stand out within their corpus out, then bounds on the length,
then a draw with quotas, stratified by length.  What is not stated in the paper is a setting:
the words that are compared, the quartiles' rule (linear), what 32k is, and the strata.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from globesumm.errors import UsageError

JACCARD = 0.70
FENCE = 1.5
SHORTEST, LONGEST = 128, 32_768
STRATA = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One source that may be drawn: its corpus and scenario, its words and its length."""

    id: str
    corpus: str
    scenario: str
    words: frozenset[str]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What was drawn, in order of ids, and what each step left out, by its reason.

    `short` names the corpora that had fewer than their quota, with how many are missing.
    """

    drawn: tuple[Item, ...]
    left_out: Mapping[str, tuple[str, ...]]
    short: Mapping[str, int]


def sample(items: Iterable[Item], quotas: Mapping[str, int], *, seed: int = 0) -> Sample:
    """`quotas` sources of each corpus, after the three filters.

    Corpora without a quota are a `UsageError`, so that none is left out unseen.
    """
    given = sorted(items, key=lambda item: item.id)
    if unknown := sorted({item.corpus for item in given} - quotas.keys()):
        raise UsageError(f"no quota for the corpus {unknown[0]!r}: give one, or 0 to leave it out")
    distinct, repeats = without_near_duplicates(given)
    usual, outliers = within_fences(distinct)
    fitting = [item for item in usual if SHORTEST <= item.tokens <= LONGEST]
    unfit = tuple(item.id for item in usual if not SHORTEST <= item.tokens <= LONGEST)
    drawn: list[Item] = []
    short: dict[str, int] = {}
    for corpus, quota in sorted(quotas.items()):
        mine = [item for item in fitting if item.corpus == corpus]
        drawn += stratified(mine, quota, seed=seed)
        if len(mine) < quota:
            short[corpus] = quota - len(mine)
    left_out = {
        f"near-duplicate (Jaccard at least {JACCARD:.2f})": repeats,
        f"length outlier (beyond {FENCE:g} interquartile ranges)": outliers,
        f"length outside {SHORTEST} to {LONGEST} tokens": unfit,
    }
    return Sample(
        drawn=tuple(sorted(drawn, key=lambda item: item.id)), left_out=left_out, short=short
    )


def without_near_duplicates(
    items: Sequence[Item], threshold: float = JACCARD
) -> tuple[list[Item], tuple[str, ...]]:
    """The items of which no earlier kept one shares `threshold` of the words of both, and the rest.

    Every pair is decided exactly: two sets of such a Jaccard similarity share a word among the
    rarest ``size - ceil(threshold * size) + 1`` of each, so only those are looked up.
    """
    counts = Counter(word for item in items for word in item.words)
    by_word: dict[str, list[Item]] = {}
    kept: list[Item] = []
    repeats: list[str] = []
    for item in items:
        rarest = sorted(item.words, key=lambda word: (counts[word], word))
        # A hair less, since .7 times a number may come out just above what it is.
        looked_up = rarest[: len(rarest) - math.ceil(threshold * len(rarest) - 1e-9) + 1]
        near = {id(other): other for word in looked_up for other in by_word.get(word, ())}
        if any(jaccard(item.words, other.words) >= threshold for other in near.values()):
            repeats.append(item.id)
            continue
        kept.append(item)
        for word in looked_up:
            by_word.setdefault(word, []).append(item)
    return kept, tuple(repeats)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Words in both / words in either; two sets without words are the same."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0


def within_fences(items: Sequence[Item]) -> tuple[list[Item], tuple[str, ...]]:
    """The items whose length lies within both fences of its corpus, and the ids of the others."""
    fences = {}
    for corpus in {item.corpus for item in items}:
        lengths = [item.tokens for item in items if item.corpus == corpus]
        low, high = np.quantile(lengths, (0.25, 0.75))
        fences[corpus] = (low - FENCE * (high - low), high + FENCE * (high - low))
    usual = [i for i in items if fences[i.corpus][0] <= i.tokens <= fences[i.corpus][1]]
    kept = {item.id for item in usual}
    return usual, tuple(item.id for item in items if item.id not in kept)


def stratified(items: Sequence[Item], quota: int, *, seed: int, strata: int = STRATA) -> list[Item]:
    """`quota` of the items (all, where there are no more), each part of the lengths in its share.

    The items in order of length are cut into `strata` parts of equal number, and each gives its
    share of the quota (largest remainders first, then shorter parts), drawn at random.
    """
    if quota < 0:
        raise UsageError(f"a quota of {quota}: give a number from 0 up")
    if quota >= len(items):
        return list(items)
    ordered = sorted(items, key=lambda item: (item.tokens, item.id))
    parts = [list(part) for part in np.array_split(np.arange(len(ordered)), strata)]
    shares = shared_out(quota, [len(part) for part in parts])
    generator = np.random.default_rng(seed)
    return [
        ordered[int(place)]
        for part, share in zip(parts, shares, strict=True)
        for place in sorted(generator.choice(part, share, replace=False))
    ]


def shared_out(total: int, sizes: Sequence[int], least: int = 0) -> list[int]:
    """`total` in parts proportional to `sizes`, by largest remainders, and at least `least` each.

    No part gets more than its size.  Raises `UsageError` where `least` cannot be kept.
    """
    if least * sum(size > 0 for size in sizes) > total:
        raise UsageError(f"{total} cannot give each of {len(sizes)} parts {least}")
    whole = sum(sizes)
    exact = [total * size / whole if whole else 0 for size in sizes]
    shares = [
        min(size, max(least, math.floor(part))) for part, size in zip(exact, sizes, strict=True)
    ]
    while sum(shares) > total:
        most = max(range(len(sizes)), key=lambda n: (shares[n] > least, shares[n] - exact[n], n))
        shares[most] -= 1
    while sum(shares) < min(total, whole):
        open_parts = [n for n in range(len(sizes)) if shares[n] < sizes[n]]
        shares[max(open_parts, key=lambda n: (exact[n] - shares[n], -n))] += 1
    return shares


def study_sample(
    items: Iterable[Item], *, per_scenario: int = 50, seed: int = 0
) -> dict[str, list[Item]]:
    """The sources of a study of stability or robustness, by scenario (OmniCSEval, 5).

    From each scenario `per_scenario` sources, shared out over its corpora by their numbers with
    at least one from each, stratified by length; every system's summary of them is judged, which
    makes 300 a system over six scenarios.  That all systems share the sources is our reading.
    """
    groups: dict[str, dict[str, list[Item]]] = {}
    for item in sorted(items, key=lambda item: item.id):
        groups.setdefault(item.scenario, {}).setdefault(item.corpus, []).append(item)
    found = {}
    for scenario, corpora in sorted(groups.items()):
        names = sorted(corpora)
        shares = shared_out(per_scenario, [len(corpora[name]) for name in names], least=1)
        found[scenario] = [
            item
            for name, share in zip(names, shares, strict=True)
            for item in stratified(corpora[name], share, seed=seed)
        ]
    return found


Count = Callable[[str], int]


def item_of(
    source_id: str,
    text: str,
    language: str,
    *,
    corpus: str,
    scenario: str,
    count: Count | None = None,
) -> Item:
    """A text as an item; its tokens are counted by `count`, by default as words."""
    from globesumm.text.words import words

    found = words(text, language)
    return Item(
        id=source_id,
        corpus=corpus,
        scenario=scenario,
        words=frozenset(found),
        tokens=len(found) if count is None else count(text),
    )
