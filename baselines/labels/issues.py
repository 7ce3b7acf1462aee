"""Marks on pairs of texts: as gold for scoring [where], with its FPP, and GlobeSumm's table 4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.labels.agreement.units import Answer
from annotation.labels.results.held import ADJUDICATED, Held, source
from annotation.labels.values import Item
from globesumm.records import from_plain
from globesumm.values import ConflictCause, IssueKind, Rejected
from metrics.marks import Mark, Marked, digest_of
from metrics.where import Inspected
from metrics.where_gold import gold


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What people marked, the one gold of each pair, and what models marked on the same pairs.

    `people` has an entry for each pair and annotator, `standard` one for each pair, `models` one
    for each pair and model.
    """

    people: tuple[Marked, ...]
    standard: tuple[Marked, ...]
    models: tuple[Marked, ...]

    def counts(self) -> dict[IssueKind, dict[str, int]]:
        """By kind, how many issues each annotator, the gold and each model has (figure 7)."""
        rows: dict[IssueKind, dict[str, int]] = {}
        for kind in IssueKind:
            row: dict[str, int] = {}
            for one in (*self.people, *self.standard, *self.models):
                found = sum(mark.kind is kind for mark in one.issues)
                row[one.annotator] = row.get(one.annotator, 0) + found
            rows[kind] = row
        return rows


def marks(held: Held, how: str = "majority", rule: str = "overlap") -> Marks:
    """The marks on every pair, and the gold by `how` and `rule` of `metrics.where_gold`.

    An adjudicator's marks are the gold of a pair in place of what the rule makes of the others.
    """
    mine = held.of_kind("issues")
    settled = mine.settled()
    by_pair: dict[str, list[Marked]] = {}
    for item, label in mine.said():
        if not item.payload.get("review") and label.answer is not None:
            by_pair.setdefault(item.id, []).append(_marked(item, label.annotator, label.answer))
    standard, models = [], []
    for name, item in mine.items.items():
        if item.payload.get("review"):
            continue
        people = by_pair.get(name, [])
        if (word := settled.get(name)) is not None and word.answer is not None:
            standard.append(_marked(item, f"{ADJUDICATED}{word.annotator}", word.answer))
        elif people:
            made = tuple(gold(people, how, rule))
            standard.append(replace(people[0], annotator=f"gold ({how})", issues=made))
        models += [_marked(item, model, answer) for model, answer in item.models.items()]
    return Marks(
        people=tuple(one for found in by_pair.values() for one in found),
        standard=tuple(standard),
        models=tuple(models),
    )


def _marked(item: Item, annotator: str, answer: Answer) -> Marked:
    sides = [tuple(item.payload[side]["sentences"]) for side in ("first", "second")]
    named = item.source.get("documents")
    documents = tuple(named) if isinstance(named, list | tuple) and len(named) == 2 else None
    return Marked(
        pair=_pair(item),
        event=item.event or source(item, "event") or item.id,
        documents=(str(documents[0]), str(documents[1])) if documents else ("first", "second"),
        sentences=(len(sides[0]), len(sides[1])),
        annotator=annotator,
        digest=digest_of(*sides),
        issues=tuple(_mark(one) for one in answer["issues"]),
    )


def _pair(item: Item) -> str:
    return source(item, "pair") or item.id


def _mark(plain: Mapping[str, Any]) -> Mark:
    cause = plain.get("cause")
    return Mark(
        kind=IssueKind(plain["kind"]),
        first=tuple(plain["first"]),
        second=tuple(plain["second"]),
        cause=ConflictCause(cause) if cause else None,
        note=plain.get("strategy"),
    )


def inspected(held: Held) -> tuple[list[Inspected], list[Rejected]]:
    """What people say of models' surplus findings and of strategies; right issues are the FPP.

    What they leave undecided has no verdict and is named too.  An item's source names the
    ``pair`` (else it is the item itself).
    """
    mine = held.of_kind("issues")
    found: list[Inspected] = []
    left: list[Rejected] = []
    for one in mine.decisions:
        item = mine.items[one.item]
        place = int(one.question.removeprefix("finding ")) - 1
        plain = item.payload["review"][place]
        if one.answer is None:
            where = f"item {item.id!r}, {one.question}"
            left.append(Rejected(where=where, reason=one.reason or "undecided"))
        found.append(
            Inspected(
                pair=_pair(item),
                of=plain.get("of") or "issue",
                kind=from_plain(IssueKind, plain["kind"], item.id),
                first=tuple(plain.get("first") or ()),
                second=tuple(plain.get("second") or ()),
                right=None if one.answer is None else bool(one.answer),
                by=", ".join(one.adjudicators or one.votes) or None,
                text=plain.get("text"),
            )
        )
    return found, left


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Of the findings of one kind, or of the strategies, how many people found right."""

    of: str
    kind: IssueKind | None
    findings: int
    judged: int
    right: int


def reviewed(found: Sequence[Inspected]) -> list[Reviewed]:
    """FPP by kind of issue, then strategies; only what there is."""
    rows = []
    for of, kinds in (("issue", (*IssueKind,)), ("strategy", (None,))):
        for kind in kinds:
            those = [o for o in found if o.of == of and kind in (None, o.kind)]
            said = [one.right for one in those if one.right is not None]
            if those:
                rows.append(
                    Reviewed(
                        of=of,
                        kind=kind,
                        findings=len(those),
                        judged=len(said),
                        right=said.count(True),
                    )
                )
    return rows
