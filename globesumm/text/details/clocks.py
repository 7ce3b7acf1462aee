"""Times of day: 23:11, 11.11 pm, 23h11, 23 Uhr, 0850 GMT, 下午3点."""

from collections.abc import Iterator

from globesumm.text.details.model import Clock
from globesumm.text.details.reading import Reading
from globesumm.text.details.zones import Zone, told_elsewhere, zone_after, zone_at, zone_before


def read_clocks(reading: Reading) -> list[Clock]:
    """Every time of day of the sentence; its tokens are taken."""
    return told_elsewhere(list(_clocks(reading)))


def _clocks(reading: Reading) -> Iterator[tuple[Clock, bool, bool]]:
    """Each time of day, whether it is marked as local, and whether it opens a bracket."""
    running: Zone | None = None
    for place, token in enumerate(reading.tokens):
        if place in reading.taken or token.kind not in "nt" or not token.text[0].isdigit():
            continue
        end = place + 1
        sure = token.kind == "t"
        if sure:
            hour, minute = (int(part) for part in token.text.split(":")[:2])
        else:
            stated = _hour_and_minute(token.text)
            if stated is None or reading.names_something(place):
                continue
            hour, minute = stated
        start = place
        # 23h11, 23 Uhr 11, 3時15分
        after = reading.mark(end, "clock_after")
        if after and not sure:
            end += after[2]
            sure = True
            more = reading.integer(end, 0, 59)
            if more is not None and len(reading.tokens[end].text) == 2:
                if reading.is_sign(end + 1, "'"):
                    continue  # 3h 51' 03" is how long a race took.
                minute, end = more, end + 1
                if reading.is_sign(end, "分분"):
                    end += 1
        if (
            not sure
            and reading.mark(end, "percent", "currency", "scale", "unit")
            and not (reading.mark(end, "hour_word"))
        ):
            continue
        before = reading.mark_before(start, "clock_before", "clock_word")
        if before and (
            minute
            or sure
            or before[0] == "clock_word"
            or reading.mark(end, "hour_word", "am", "pm")
        ):
            sure, start = True, start - before[2]
        # In "hora local" the word for the hour is the zone's.
        if sure and not zone_at(reading, end) and (word := reading.mark(end, "hour_word")):
            end += word[2]
        half = reading.mark(end, "am", "pm")
        if half is None and (half := reading.mark_before(start, "am", "pm")):
            start -= half[2]
        elif half:
            end += half[2]
        zone, adjacent = zone_after(reading, end)
        if adjacent:
            end = adjacent
        elif said_first := zone_before(reading, start):
            # Said first it holds for what follows: 北京时间18日20时下潜，21时45分失联.
            zone = running = said_first
        else:
            zone = zone or running
        military = len(token.text) == 4 and token.text.isdigit()
        if not (sure or (half and not military) or (adjacent and (military or minute))):
            continue
        if hour > 24 or minute > 59:
            continue
        if half and half[0] == "pm" and hour < 12:
            hour += 12
        elif half and half[0] == "am" and hour == 12:
            hour = 0
        bracketed = reading.is_sign(start - 1, "([")
        written, first, last = reading.take(start, end)
        clock = Clock(
            written=written,
            start=first,
            end=last,
            minutes=(hour * 60 + minute) % 1440,
            half_day=half is None and 1 <= hour <= 12,
            zone=zone.offset if zone else None,
            place=zone.place if zone else None,
        )
        yield clock, zone is not None and zone.local, bracketed


def _hour_and_minute(text: str) -> tuple[int, int] | None:
    if text.isdigit() and len(text) in {1, 2}:
        return int(text), 0
    if text.isdigit() and len(text) == 4:
        return int(text[:2]), int(text[2:])
    hour, dot, minute = text.partition(".")
    if dot and hour.isdigit() and minute.isdigit() and len(hour) <= 2 and len(minute) == 2:
        return int(hour), int(minute)
    return None
