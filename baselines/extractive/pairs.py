"""Do two sentences contradict each other?  The one decision that merge and study share."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from baselines.extractive.encoders import Encoder, Floors
from globesumm.text.details import Details, Difference, Kind, Quantity, details, differences

NEAR = timedelta(days=1)
"""How far from its publication a report's "today" may lie, time zones and deadlines included."""

FAR = 10
"""From this factor on, numbers of which nothing else is known are not of the same thing."""

SLIPS = frozenset({1_000, 1_000_000, 1_000_000_000})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence as the decision sees it; `published` dates its weekdays and "yesterday"."""

    text: str
    language: str
    published: datetime | None = None

    def details(self) -> Details:
        """The numbers, times, dates and negations of the sentence."""
        return details(self.text, self.language, self.published)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether two sentences contradict each other, on what, and how close they are.

    `reason` says why they do not, where they do not.
    """

    conflict: bool
    differences: tuple[Difference, ...]
    cosine: float
    reason: str | None = None


def judge(left: Remark, right: Remark, encoder: Encoder) -> Verdict:
    """Decide on one pair by itself, by the rules that the merge applies inside a cluster.

    What a pair lacks is the company of the other sentences of its documents, by which the merge
    tells the same claim from a merely similar one; here the floor for the cosine alone decides.
    """
    rows = encoder.encode([left.text, right.text])
    cosine = round(float(rows[0] @ rows[1]), 4)
    if cosine < encoder.floors.between(left.language, right.language):
        return Verdict(conflict=False, differences=(), cosine=cosine, reason="not the same claim")
    found = contradictions(
        left.details(),
        right.details(),
        cosine,
        encoder.floors,
        published=left.published,
        other_published=right.published,
    )
    if not found:
        return Verdict(conflict=False, differences=(), cosine=cosine, reason="no detail differs")
    return Verdict(conflict=True, differences=found, cosine=cosine)


def contradictions(
    left: Details,
    right: Details,
    cosine: float,
    floors: Floors,
    *,
    published: datetime | None = None,
    other_published: datetime | None = None,
) -> tuple[Difference, ...]:
    """The differences between two tellings of one claim that are contradictions.

    Left out are negations of tellings that are not close enough for the claim to be the same
    but for the negation, numbers of which it is not known that they count the same and that lie
    far apart, days that are just each report's own today, and further times of day
    beside one that both give ("23:11, 00:11 in Madrid").
    """
    return tuple(
        difference
        for difference in differences(left, right)
        if (difference.kind is not Kind.NEGATION or cosine >= floors.negation)
        and not _of_different_things(difference, left, right)
        and not _told_twice(difference, left, right)
        and not _just_today(difference, (left, published), (right, other_published))
    )


def _of_different_things(difference: Difference, left: Details, right: Details) -> bool:
    """Whether two plain numbers probably count different things ("Resolution 1723", "15 sailors").

    They do not if both are known to count the same, if they are within a factor of ten, or if
    the factor is a power of a thousand (a slip between million and billion).
    """
    if difference.kind is not Kind.NUMBER:
        return False
    one, other = quantity(left, difference.left), quantity(right, difference.right)
    if one is None or other is None or (one.topic is not None and one.topic == other.topic):
        return False
    low, high = sorted((abs(one.value), abs(other.value)))
    if low == 0:
        return False
    factor = high / low
    return factor > FAR and factor not in SLIPS


def _told_twice(difference: Difference, left: Details, right: Details) -> bool:
    """Whether the two agree on a time of day: others then give it for readers elsewhere."""
    return difference.kind is Kind.TIME and not {clock.minutes for clock in left.clocks}.isdisjoint(
        clock.minutes for clock in right.clocks
    )


def _just_today(
    difference: Difference,
    left: tuple[Details, datetime | None],
    right: tuple[Details, datetime | None],
) -> bool:
    return (
        difference.kind in {Kind.WEEKDAY, Kind.DATE}
        and _is_today(left[0], difference.left, left[1])
        and _is_today(right[0], difference.right, right[1])
    )


def _is_today(side: Details, written: str, published: datetime | None) -> bool:
    """Whether a stated day is when the report itself came out ("the ministry said on Monday")."""
    days = [day for day in side.days if day.written == written and day.resolved]
    return published is not None and any(
        abs(day.resolved - published.date()) <= NEAR for day in days if day.resolved
    )


def quantity(side: Details, written: str) -> Quantity | None:
    """The quantity of `side` that is `written` so, or None."""
    return next((found for found in side.quantities if found.written == written), None)
