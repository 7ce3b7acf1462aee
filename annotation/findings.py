"""Issues and strategies out of a model's answers, in the form asked for or in prose.

Both readers take what they can and note the rest; only an answer that says nothing of the
matter is `Unusable`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.author import Unusable
from annotation.lists import parse
from annotation.loose_json import json_in
from annotation.prose import Named, Reference, from_prose, references
from annotation.protocol import protocol
from globesumm.values import ConflictCause, Issue, IssueKind, Passage, Statement, Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What one answer points out, and what of it could not be taken."""

    issues: tuple[Issue, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How conflicts are to be settled, and what of the answer could not be taken."""

    strategies: tuple[Strategy, ...]
    notes: tuple[str, ...] = ()


def read_issues(text: str, reports: Sequence[Passage]) -> Findings:
    """The issues that `text` names between the numbered sentences of `reports`.

    A reference to a sentence that does not exist is left out and counted in the notes.
    Raises `Unusable` where `text` speaks of none of the three kinds.
    """
    named = _from_json(json_in(text))
    if named is None:
        named = list(from_prose(text))
        if not named and protocol().kind_of(text) is None:
            raise Unusable("it points out no redundancy, omission or conflict and denies none")
    notes, issues, lost = [], [], 0
    for one in named:
        places = [_statement(reports, reference) for reference in one.references]
        lost += places.count(None)
        statements = tuple(dict.fromkeys(place for place in places if place))
        conflict = one.kind is IssueKind.CONFLICT
        issues.append(
            Issue(
                kind=one.kind,
                statements=statements,
                differs=one.detail if conflict and one.detail else None,
                note=one.detail if not conflict and one.detail else None,
            )
        )
    if lost:
        notes.append(f"where: {lost} sentences named that do not exist")
    if unplaced := sum(not issue.statements for issue in issues):
        notes.append(f"where: {unplaced} of {len(issues)} issues name no sentence")
    return Findings(issues=tuple(issues), notes=tuple(notes))


def read_strategies(text: str, issues: Sequence[Issue]) -> Settled:
    """How `text` settles the conflicts among `issues`, which it numbers from 1.

    Raises `Unusable` where there are conflicts and `text` settles none.
    """
    conflicts = [place for place, one in enumerate(issues) if one.kind is IssueKind.CONFLICT]
    found: dict[int, Strategy] = {}
    notes: list[str] = []
    for number, cause, strategy in _strategies(text, len(conflicts)):
        if not 1 <= number <= len(conflicts):
            notes.append(f"strategies: conflict {number} of {len(conflicts)} does not exist")
            continue
        if cause is None:
            notes.append(f"strategies: no cause named for conflict {number}, taken as other")
        place = conflicts[number - 1]
        found.setdefault(
            place, Strategy(issue=place, cause=cause or ConflictCause.OTHER, text=strategy)
        )
    if conflicts and not found:
        raise Unusable(f"it settles none of the {len(conflicts)} conflicts")
    for number, place in enumerate(conflicts, start=1):
        if place not in found:
            notes.append(f"strategies: none for conflict {number}")
    return Settled(strategies=tuple(found[place] for place in sorted(found)), notes=tuple(notes))


def with_causes(issues: Sequence[Issue], strategies: Sequence[Strategy]) -> tuple[Issue, ...]:
    """`issues` with the causes that `strategies` give to conflicts."""
    causes = {strategy.issue: strategy.cause for strategy in strategies}
    return tuple(
        replace(issue, cause=causes[place]) if place in causes else issue
        for place, issue in enumerate(issues)
    )


def _statement(reports: Sequence[Passage], reference: Reference) -> Statement | None:
    """The sentence at `reference` as somebody's statement; a summary speaks for its documents."""
    report, number = reference
    if not 1 <= report <= len(reports):
        return None
    passage = reports[report - 1]
    if not 1 <= number <= len(passage.sentences):
        return None
    sentence = passage.sentences[number - 1]
    if len(sentence.statements) == 1:
        return sentence.statements[0]
    return Statement(
        document=" + ".join(passage.documents),
        index=number,
        language=sentence.language,
        text=sentence.text,
    )


def _from_json(value: Any) -> list[Named] | None:
    """The entries of a JSON answer in the form asked for or one near it; None if it is none."""
    if isinstance(value, dict):
        grouped = {protocol().kind_of(str(key)): part for key, part in value.items()}
        if None not in grouped and all(isinstance(part, list) for part in grouped.values()):
            return [
                one
                for kind, part in grouped.items()
                for entry in part
                if kind and (one := _entry(entry, kind))
            ]
        lists = [part for part in value.values() if isinstance(part, list)]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        return None
    entries = [one for entry in value if (one := _entry(entry, None))]
    return entries if entries or not value else None


def _entry(entry: Any, kind: IssueKind | None) -> Named | None:
    if isinstance(entry, str):
        kind = kind or protocol().kind_of(entry)
        return Named(kind=kind, references=references(entry), detail=entry) if kind else None
    if not isinstance(entry, dict):
        return None
    texts = {key: part for key, part in entry.items() if isinstance(part, str)}
    kind = kind or protocol().kind_of(texts.pop("kind", "") or " ".join(texts.values()))
    if kind is None:
        return None
    pointed = [part for part in entry.values() if isinstance(part, list)]
    places = [reference for part in pointed for place in part for reference in _places(place)]
    places = places or list(references(" ".join(texts.values())))
    detail = " ".join(max(texts.values(), key=len, default="").split())
    return Named(kind=kind, references=tuple(dict.fromkeys(places)), detail=detail)


def _places(place: Any) -> Iterator[Reference]:
    """References in one element of a list of places."""
    if isinstance(place, dict):
        keys = ("report", "sentence") if {"report", "sentence"} <= place.keys() else place.keys()
        numbers = [int(place[key]) for key in keys if _is_number(place[key])]
        if len(numbers) == 2:
            yield numbers[0], numbers[1]
    elif isinstance(place, list) and len(place) == 2 and all(map(_is_number, place)):
        yield int(place[0]), int(place[1])
    elif isinstance(place, str):
        yield from references(place)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return (isinstance(value, int) and abs(value) < 10**6) or (
        isinstance(value, str) and value.isdecimal() and len(value) < 6
    )


def _strategies(text: str, conflicts: int) -> Iterator[tuple[int, ConflictCause | None, str]]:
    """(number of the conflict, cause, strategy) as far as `text` says them."""
    value = json_in(text)
    if isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list)]
        value = lists[0] if len(lists) == 1 else ([value] if "strategy" in value else None)
    if isinstance(value, list):
        for place, entry in enumerate(value, start=1):
            if isinstance(entry, dict) and isinstance(entry.get("strategy"), str):
                number = entry.get("conflict", place)
                cause = protocol().cause_of(str(entry.get("cause", ""))) or protocol().cause_of(
                    entry["strategy"]
                )
                strategy = " ".join(entry["strategy"].split())
                yield int(number) if _is_number(number) else place, cause, strategy
            elif isinstance(entry, str) and entry.strip():
                yield place, protocol().cause_of(entry), " ".join(entry.split())
        return
    listed = parse(text)
    if conflicts and (listed.form != "prose" or protocol().cause_of(text)):
        for place, item in enumerate(listed.items, start=1):
            named = re.search(r"\bconflict\s*#?(\d{1,3})\b", item, re.IGNORECASE)
            number = int(named[1]) if named else place
            yield number, protocol().cause_of(item), item
