"""Labels on facts as ``globesumm facts`` takes people's verdicts (OmniCSEval, 3.3 and 5).

The source of an item of kind ``key-facts`` has the name of the question, as ``facts extract`` gave
it, in ``item``; that of kinds ``matching`` and ``fact-support`` names the summary by ``id`` and
``system`` and the fact by its place ``fact`` among those of the summary (from 1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from annotation.labels.agreement.ratings import Value
from annotation.labels.results.decide import Decision
from annotation.labels.results.held import Held, lacking, source
from annotation.labels.values import Item
from globesumm.records import from_json
from globesumm.values import Judgement, Rejected
from metrics.facts.adjudication import KEY, NOT_KEY, TASK
from metrics.facts.verdicts import Verdicts

PEOPLE = "people"

T = TypeVar("T")


def key_facts(held: Held) -> tuple[list[Judgement], list[Rejected]]:
    """The people's word on each rejected key fact, for ``globesumm facts extract --labels``.

    One judge, ``people``, speaks for all: which facts the decision groups hold to be key is the
    rule's to say.  Facts without a decision are named and stay open.
    """
    found: list[Judgement] = []
    left: list[Rejected] = []
    for one in held.of_kind("key-facts").decisions:
        item = held.items[one.item]
        named = source(item, "item")
        if named is None:
            left.append(lacking(item, "item"))
        elif one.answer is None:
            left.append(Rejected(where=f"item {item.id!r}", reason=one.reason or "undecided"))
        else:
            found.append(
                Judgement(
                    task=TASK,
                    item=named,
                    judge=PEOPLE,
                    answer=KEY if one.answer else NOT_KEY,
                    note=_note(one),
                )
            )
    return found, left


def _note(one: Decision) -> str:
    said = ", ".join(f"{who}: {_word(answer)}" for who, answer in one.votes.items())
    return said if not one.adjudicators else f"{said}; settled by {', '.join(one.adjudicators)}"


def _word(answer: Value | None) -> str:
    return "no answer" if answer is None else KEY if answer else NOT_KEY


@dataclass(slots=True, kw_only=True)
class _Summary:
    sentences: int = 0
    language: str | None = None
    matches: dict[int, tuple[int, ...] | None] = field(default_factory=dict)
    support: dict[int, bool | None] = field(default_factory=dict)


def verdicts(held: Held) -> tuple[list[Verdicts], list[Rejected]]:
    """People's verdicts on each summary, for ``globesumm facts meta --people``.

    A fact whose support is undecided has none.  A summary with an undecided matching, or with
    a gap in the places of its key facts, has no matching, and its note says so: every score
    would rest on the missing map.
    """
    summaries: dict[tuple[str, str], _Summary] = {}
    left: list[Rejected] = []
    for one in (*held.of_kind("matching").decisions, *held.of_kind("fact-support").decisions):
        item = held.items[one.item]
        name, system, fact = (source(item, key) for key in ("id", "system", "fact"))
        if name is None or system is None or fact is None or not fact.isdecimal():
            left.append(lacking(item, "id", "system", "fact"))
            continue
        if one.answer is None:
            left.append(Rejected(where=f"item {item.id!r}", reason=one.reason or "undecided"))
        mine = summaries.setdefault((system, name), _Summary())
        place = int(fact)
        if place in (mine.matches if item.kind == "matching" else mine.support):
            reason = f"fact {place} of {name!r} by {system!r} is another item's as well"
            left.append(Rejected(where=f"item {item.id!r}", reason=reason))
        elif item.kind == "matching":
            _match(mine, item, place, one.answer)
        else:
            mine.support[place] = None if one.answer is None else bool(one.answer)
    return [_verdicts(key, one) for key, one in sorted(summaries.items())], left


def _match(mine: _Summary, item: Item, place: int, answer: Value | None) -> None:
    given = item.payload["summary"]
    mine.sentences, mine.language = len(given["sentences"]), given.get("language")
    mine.matches[place] = (
        None if answer is None else tuple(from_json(list[int], str(answer), f"item {item.id!r}"))
    )


def _verdicts(key: tuple[str, str], one: _Summary) -> Verdicts:
    notes = {}
    matches = _in_order(one.matches)
    known = None
    if matches is None:
        notes["key_facts"] = "the key facts were not matched by people"
    elif (missing := sum(held is None for held in matches)) > 0:
        notes["key_facts"] = f"{missing} of {len(matches)} key facts are undecided"
    else:
        known = tuple(held for held in matches if held is not None)
    support = _in_order(one.support)
    if support is None:
        notes["supported"] = "the facts were not verified by people"
    return Verdicts(
        id=key[1],
        system=key[0],
        key_facts=known,
        sentences=one.sentences,
        supported=support,
        language=one.language,
        notes=notes or None,
    )


def _in_order(by_place: Mapping[int, T]) -> tuple[T | None, ...] | None:
    """From place 1 to the last, None in gaps; None of nothing."""
    if not by_place:
        return None
    return tuple(by_place.get(place) for place in range(1, max(by_place) + 1))
