"""Numbers, times and dates of a summary sentence beside those of the sentences it cites."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from baselines.citations.values import Support
from globesumm.text.details import Details, Kind, compatible, details, differences
from globesumm.values import Sentence, Statement


def contradicts(
    sentence: Sentence,
    said: Statement,
    published: datetime | None,
    of_event: datetime | None = None,
) -> bool:
    """Whether `said` gives another number, time or date for what the summary sentence tells.

    Negation is left to the reader: a sentence may negate one of several claims.
    """
    found = differences(
        _read(sentence.text, sentence.language, of_event),
        _read(said.text, said.language, published),
    )
    return any(difference.kind is not Kind.NEGATION for difference in found)


def uncovered(sentence: Sentence, supports: Sequence[Support]) -> tuple[str, ...]:
    """Numbers and times of `sentence`, as written, that no cited sentence gives."""
    mine = _read(sentence.text, sentence.language, None)
    theirs = [_read(one.text, one.language, None) for one in supports]
    numbers = [
        one.written
        for one in mine.quantities
        if not one.soft
        and not any(
            other.amount == one.amount or (other.unit == one.unit and compatible(one, other))
            for side in theirs
            for other in side.quantities
        )
        and not any(one.amount in (day.year, day.day) for side in theirs for day in side.days)
    ]
    clocks = [
        one.written
        for one in mine.clocks
        if not any(_same_hour(one.minutes, o.minutes) for side in theirs for o in side.clocks)
    ]
    return tuple(dict.fromkeys([*numbers, *clocks]))


def _same_hour(one: int, other: int) -> bool:
    """Whether two times of day may be one moment: equal, or apart by hours of zone or half."""
    return (one - other) % 30 == 0


@lru_cache(maxsize=20_000)
def _read(text: str, language: str, published: datetime | None) -> Details:
    return details(text, language, published)
