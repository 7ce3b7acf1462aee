"""Whether two times of day tell one moment, and how they are shown."""

from globesumm.text.details.model import ELSEWHERE, Clock


def same_time(one: Clock, other: Clock) -> bool:
    """Whether the two may tell one moment of the day, by their zones where both are known."""
    gap = (one.minutes - other.minutes) % 1440
    if one.zone is not None and other.zone is not None:
        gap = (gap - one.zone + other.zone) % 1440
    return gap == 0 or (gap == 720 and (one.half_day or other.half_day))


def comparable(one: Clock, other: Clock) -> bool:
    """Whether the two contradict each other where they differ: both by known zones or by one.

    A time without its zone may be the same moment as one with a zone.
    """
    alike = (one.zone is None) == (other.zone is None) and one.place == other.place
    return alike and one.place != ELSEWHERE


def hours(one: Clock, other: Clock) -> tuple[str, str]:
    """Both as hours; the same hour in two zones with their offsets, as in "11:15-02:30"."""
    shown = _hour(one), _hour(other)
    if one.zone is None or other.zone is None or shown[0] != shown[1]:
        return shown
    return shown[0] + _offset(one.zone), shown[1] + _offset(other.zone)


def _hour(clock: Clock) -> str:
    return f"{clock.minutes // 60:02}:{clock.minutes % 60:02}"


def _offset(zone: int) -> str:
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"
