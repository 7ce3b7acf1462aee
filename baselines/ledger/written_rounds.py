"""Round records written by hand about a sample event, so that the ledger can be seen whole."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from annotation.passages import passages
from baselines.ledger.values import Treatment
from globesumm import samples
from globesumm.errors import DataError, UnknownName
from globesumm.records import from_plain
from globesumm.values import (
    ConflictCause,
    Event,
    Issue,
    IssueKind,
    Round,
    Sentence,
    Statement,
    Strategy,
    Summary,
)

RECIPE = "hand-written"
NOTE = "round records written by hand: no model and no merge made them"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    first: int
    text: str
    last: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conflict:
    marked: int
    kind: str
    strategy: str
    sides: dict[str, tuple[str, ...]] = field(hash=False)
    expected: dict[str, Treatment] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Records:
    event: str
    told: tuple[_Told, ...]
    conflict: tuple[_Conflict, ...]


def names() -> list[str]:
    """The sample events that have such records."""
    folder = files("baselines.ledger").joinpath("samples")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir())


def written_rounds(event: Event) -> Summary:
    """The hand-written rounds of the sample event `event`, whose documents were read already.

    A conflict is named from the round on in which a second side has spoken.  Raises
    `UnknownName` for an event without such records, `DataError` for a sentence that is not
    there.
    """
    records = _records(event.id)
    said = {
        f"{passage.documents[0].split('-', 1)[0]}:{statement.index}": statement
        for passage in passages(event)
        for sentence in passage.sentences
        for statement in sentence.statements
    }
    ids = [document.id for document in event.documents]
    causes = [one.cause for one in samples.load(event.id).conflicts]
    rounds = tuple(
        _round(number, ids[: number + 1], records, said, causes) for number in range(1, len(ids))
    )
    return Summary(
        event=event.id,
        recipe=RECIPE,
        model="by hand",
        target="en",
        text=rounds[-1].summary,
        rounds=rounds,
        notes=(NOTE,),
    )


def expected(event: str, summary: str) -> list[Treatment]:
    """What a reader finds that a summary does about each conflict, in the order of the records.

    `summary` is one of written, reference, extractive and lead.
    """
    return [one.expected[summary] for one in _records(event).conflict]


def _records(event: str) -> _Records:
    if event not in names():
        raise UnknownName("event with hand-written rounds", event, names())
    path = files("baselines.ledger").joinpath("samples", f"{event}.toml")
    return from_plain(_Records, tomllib.loads(path.read_text(encoding="utf-8")), path.name)


def _round(
    number: int,
    ids: list[str],
    records: _Records,
    said: Mapping[str, Statement],
    causes: list[ConflictCause | None],
) -> Round:
    told = [one.text for one in records.told if one.first <= number <= (one.last or number)]
    issues: list[Issue] = []
    strategies: list[Strategy] = []
    for one in records.conflict:
        heard = {value: _heard(places, ids, said) for value, places in one.sides.items()}
        heard = {value: statements for value, statements in heard.items() if statements}
        if len(heard) < 2:
            continue
        cause = causes[one.marked - 1] or ConflictCause.OTHER
        strategies.append(Strategy(issue=len(issues), cause=cause, text=one.strategy))
        who = (
            f"{value}: {', '.join(f'{one.document} {one.index}' for one in some)}"
            for value, some in heard.items()
        )
        issues.append(
            Issue(
                kind=IssueKind.CONFLICT,
                statements=tuple(dict.fromkeys(s for some in heard.values() for s in some)),
                differs=f"{one.kind}: {' / '.join(heard)}",
                cause=cause,
                note="; ".join(who),
            )
        )
    return Round(
        index=number,
        documents=tuple(ids),
        added=tuple(ids) if number == 1 else (ids[-1],),
        summary=" ".join(told),
        sentences=tuple(Sentence(text=text, language="en") for text in told),
        issues=tuple(issues),
        strategies=tuple(strategies),
        notes=(NOTE,),
    )


def _heard(
    places: tuple[str, ...], ids: list[str], said: Mapping[str, Statement]
) -> list[Statement]:
    missing = [place for place in places if place not in said]
    if missing:
        raise DataError(f"hand-written rounds: no sentence {missing[0]!r} in the event's pages")
    return [said[place] for place in places if said[place].document in ids]
