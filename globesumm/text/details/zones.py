"""In which zone a time of day is given: "23:11 local time", "01:11 on Saturday, Greek time"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from globesumm.text.details.lexicon import Mark
from globesumm.text.details.model import ELSEWHERE, Clock
from globesumm.text.details.reading import Reading

_WITHIN = 5
"""Words that may stand between a time and its zone, as a day does."""
_LONGEST_ABBREVIATION = 4


@dataclass(frozen=True, slots=True)
class Zone:
    """Minutes east of UTC where known, else the zone's name; neither where it is local."""

    offset: int | None = None
    place: str | None = None

    @property
    def local(self) -> bool:
        return self.offset is None and self.place is None


def zone_after(reading: Reading, end: int) -> tuple[Zone | None, int | None]:
    """The zone said after a time that ends at token `end`.

    The second value is the token after it where nothing stands between the two, else None.
    """
    place = end
    for step in range(_WITHIN + 1):
        # A comma or bracket may part the zone from the time, but nothing else after it.
        parted = reading.is_sign(place, ",(")
        at = place + 1 if parted else place
        found = zone_at(reading, at)
        if found:
            zone, after = found
            return zone, after if step == 0 and not reading.is_sign(place, ",") else None
        if parted or place >= len(reading.tokens) or reading.tokens[place].kind != "w":
            break
        place += 1
    return None, None


def zone_at(reading: Reading, place: int) -> tuple[Zone, int] | None:
    """The zone said at token `place`, and the token after it."""
    mark = reading.mark(place, "zone")
    if mark and _is_zone(reading, place, mark):
        return _zone(reading, place, mark), place + mark[2]
    # "Moscow time", "New York time", "Moskauer Zeit"
    for size in (1, 2, 3):
        named = reading.tokens[place : place + size]
        if len(named) < size or not named[-1].capital:
            break
        word = reading.mark(place + size, "zone_word")
        if word:
            return Zone(place=" ".join(token.text for token in named)), place + size + word[2]
    return None


def zone_before(reading: Reading, start: int) -> Zone | None:
    """The zone said before a time that begins at token `start`, as in 日本時間9日午前7時."""
    words = 0
    for place in range(start, max(start - _WITHIN * 2, 0), -1):
        mark = reading.mark_before(place, "zone")
        if mark and _is_zone(reading, place - mark[2], mark):
            return _zone(reading, place - mark[2], mark)
        if place - 1 not in reading.taken:
            words += 1
            if words > _WITHIN or reading.tokens[place - 1].kind not in "wn":
                break
    return None


def _zone(reading: Reading, place: int, mark: Mark) -> Zone:
    key = str(mark[1])
    if key == "local":
        return Zone()
    if key.lstrip("-").isdigit():
        return Zone(offset=int(key))
    if "/" in key:
        offset = reading.day and _offset(key, reading.day)
        return Zone(offset=offset) if isinstance(offset, int) else Zone(place=key)
    name = " ".join(token.text for token in reading.tokens[place : place + mark[2]])
    return Zone(place=name if key in {"named", "of"} else key)


@lru_cache(maxsize=1000)
def _offset(key: str, day: date) -> int | None:
    """Minutes that the zone `key` was east of UTC at noon of `day`."""
    try:
        passed = ZoneInfo(key).utcoffset(datetime.combine(day, time(12)))
    except (LookupError, OSError, ValueError, OverflowError):
        return None  # Some systems have no list of zones.
    return None if passed is None else int(passed.total_seconds()) // 60


def _is_zone(reading: Reading, place: int, mark: Mark) -> bool:
    """Abbreviations are words in some language ("ist", "est", "z", "met"), but for capitals.

    "Hora de comer" is no zone as "hora de Panamá" is.
    """
    last = reading.tokens[place + mark[2] - 1]
    if mark[1] == "of" and not last.capital and last.text[:1].islower():
        return False
    token = reading.tokens[place]
    written = reading.text[token.start : token.end]
    short = mark[2] == 1 and len(written) <= _LONGEST_ABBREVIATION and written.isascii()
    return not short or written.isupper()


def told_elsewhere(read: Sequence[tuple[Clock, bool, bool]]) -> list[Clock]:
    """The times, those marked that a local one beside them gives for readers in another zone.

    Each comes with whether it is marked as local and whether it opens a bracket.  Zones are
    whole half hours apart: "23:11 local time, 00:11 on Saturday in Spain".  Round times are
    taken for two moments ("from 5:00 local time to 9:00") unless the second is in brackets.
    """
    local = [clock for clock, marked, _ in read if marked]
    return [
        replace(clock, place=ELSEWHERE)
        if not marked
        and clock.zone is None
        and clock.place is None
        and (bracketed or clock.minutes % 30)
        and any(_half_hours_apart(clock, other) for other in local)
        else clock
        for clock, marked, bracketed in read
    ]


def _half_hours_apart(one: Clock, other: Clock) -> bool:
    gap = one.minutes - other.minutes
    return gap != 0 and gap % 30 == 0
