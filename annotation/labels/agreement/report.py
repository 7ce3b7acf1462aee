"""Agreement over a whole project: by kind, question and language, highlights, checks, drift."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotation.labels.agreement.chance import DRAWS, by_chance
from annotation.labels.agreement.coefficients import RESAMPLES, Coefficient, all_measured
from annotation.labels.agreement.drift import WINDOW, Drift, alike, drift
from annotation.labels.agreement.overlap import Overlap, Overlaps, overlap, overlaps
from annotation.labels.agreement.ratings import Ratings, Value, ratings
from annotation.labels.agreement.units import flattened
from annotation.labels.results.held import Held
from annotation.labels.values import Item, Label
from globesumm.progress import track

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far people agree on one question of one kind, in one language or in all of them.

    The units of a map are its cells (`annotation.labels.agreement.units`); `items` of them were
    answered by somebody.  `shares` says how often each answer was given.
    """

    kind: str
    question: str
    language: str
    items: int
    shares: Mapping[str, int]
    coefficients: tuple[Coefficient, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlighted:
    """The overlap R of highlights in documents or summaries, and what R has by chance."""

    where: str
    language: str
    overlap: Overlaps
    chance: Overlaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How many of the items with a known answer one person answered so."""

    annotator: str
    right: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Agreement of a project; intervals are by `resamples` draws from `seed`."""

    agreement: tuple[Agreement, ...]
    highlighted: tuple[Highlighted, ...]
    checked: tuple[Checked, ...]
    drift: tuple[Drift, ...]
    resamples: int
    seed: int


def report(
    held: Held,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    window: int = WINDOW,
    shared: str = "words",
) -> Report:
    """Everything that can be said of how far people agree; `shared` as in `overlap.SHARED`.

    Items with a known answer are in `checked` and `drift` alone: they are chosen to be easy to
    judge, and would make agreement look better than it is.
    """
    said = list(held.said())
    return Report(
        agreement=tuple(_agreement(said, resamples, seed)),
        highlighted=tuple(_highlighted(said, shared, seed)),
        checked=tuple(checked(held)),
        drift=tuple(drift({**held.items, **held.checks}, held.labels, window)),
        resamples=resamples,
        seed=seed,
    )


Said = Sequence[tuple[Item, Label]]


def rated(said: Said) -> dict[tuple[str, str], Ratings]:
    """(kind, question) to who said what of each unit."""
    units: dict[tuple[str, str], list[tuple[str, str, Value]]] = {}
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for item, label in said:
        for question, cell, value in flattened(item, label.answer or {}):
            unit, key = f"{item.id}\t{cell}", (item.kind, question)
            units.setdefault(key, []).append((unit, label.annotator, value))
            groups.setdefault(key, {})[unit] = item.id
    return {key: ratings(rows, groups[key]) for key, rows in units.items()}


def _agreement(said: Said, resamples: int, seed: int) -> Iterator[Agreement]:
    whole = rated(said)
    languages = sorted({item.language for item, _ in said})
    parts = {ALL: whole}
    if len(languages) > 1:
        parts |= {
            name: rated([pair for pair in said if pair[0].language == name]) for name in languages
        }
    rows = [
        (key, language, held[key])
        for key in whole
        for language, held in parts.items()
        if key in held
    ]
    for key, language, given in track(rows, "agreement", len(rows)):
        yield _of(key, language, given, resamples, seed)


def _of(
    key: tuple[str, str], language: str, given: Ratings, resamples: int, seed: int
) -> Agreement:
    shares = {str(one): 0 for one in given.categories}
    for row in given.values:
        for one in row:
            if one is not None:
                shares[str(one)] += 1
    return Agreement(
        kind=key[0],
        question=key[1],
        language=language,
        items=len(set(given.groups)),
        shares=shares,
        coefficients=tuple(all_measured(given, resamples=resamples, seed=seed)),
    )


def _highlighted(said: Said, shared: str, seed: int) -> Iterator[Highlighted]:
    mine = [(item, label) for item, label in said if item.kind == "key-points"]
    languages = sorted({item.language for item, _ in mine})
    for where, name in (("documents", "points"), ("summaries", "told")):
        for language in (ALL, *(languages if len(languages) > 1 else ())):
            held = [pair for pair in mine if language in (ALL, pair[0].language)]
            items = {item.id: item for item, _ in held if _text(item, name)}
            if not items:
                continue
            excerpts: dict[str, list[list[str]]] = {one: [] for one in items}
            for item, label in held:
                if item.id in items:
                    spans = (label.answer or {})[name]
                    excerpts[item.id].append([span["text"] for span in spans])
            yield Highlighted(
                where=where,
                language=language,
                overlap=overlaps(list(_pairs(excerpts.values(), shared))),
                chance=by_chance(
                    [_text(item, name) for item in items.values()],
                    [one for both in excerpts.values() for one in both],
                    draws=DRAWS,
                    seed=seed,
                    shared=shared,
                ),
            )


def _pairs(excerpts: Iterable[Sequence[Sequence[str]]], shared: str) -> Iterator[Overlap]:
    for people in excerpts:
        for one, other in combinations(people, 2):
            yield overlap(one, other, shared)


def _text(item: Item, name: str) -> str:
    """What is highlighted: all documents of the item, or its summary (none: empty)."""
    if name == "points":
        return "\n".join(one["text"] for one in item.payload["documents"])
    summary = item.payload.get("summary")
    return summary["text"] if summary else ""


def checked(held: Held) -> list[Checked]:
    """How each person did on items with a known answer; those they cannot judge are wrong."""
    versions = {name: item.version for name, item in held.checks.items()}
    counts: dict[str, list[bool]] = {}
    for label in held.labels:
        item = held.checks.get(label.item)
        if item is None or item.gold is None or versions[label.item] != label.version:
            continue
        right = label.answer is not None and alike(item, label.answer, item.gold) == 1.0
        counts.setdefault(label.annotator, []).append(right)
    return [
        Checked(annotator=name, right=sum(rights), total=len(rights))
        for name, rights in sorted(counts.items())
    ]
