"""Counts, percentages, money and measures."""

from dataclasses import dataclass
from decimal import Decimal

from globesumm.text.details.growth import is_goal
from globesumm.text.details.measures import MEASURES
from globesumm.text.details.model import Bound, Day, Kind, Quantity
from globesumm.text.details.numerals import is_number_word, read_words
from globesumm.text.details.reading import Reading

_FRACTIONS = {
    "1/2": Decimal("0.5"), "½": Decimal("0.5"), "1/4": Decimal("0.25"), "¼": Decimal("0.25"),
    "3/4": Decimal("0.75"), "¾": Decimal("0.75"),
}  # fmt: skip
_DASHES = "-–—~～〜"


@dataclass(slots=True)
class _Number:
    """A number with its tokens ``[start, end)``."""

    start: int
    end: int
    amount: Decimal
    precision: Decimal
    soft: bool = False
    digits: bool = True


def read_quantities(reading: Reading) -> tuple[list[Quantity], list[Day]]:
    """Every quantity of the sentence, and the bare four-digit years among the numbers."""
    quantities: list[Quantity] = []
    years: list[Day] = []
    place = 0
    while place < len(reading.tokens):
        number = _number(reading, place)
        if number is None:
            place += 1
            continue
        other = _range_end(reading, number)
        found = _quantity(reading, number, other)
        place = max(found[1], place + 1)
        if isinstance(found[0], Day):
            years.append(found[0])
        else:
            quantities.append(found[0])
    return quantities, years


def _number(reading: Reading, place: int) -> _Number | None:
    if place in reading.taken:
        return None
    token = reading.tokens[place]
    if token.kind == "n":
        read = reading.number(place)
        if read is None or reading.names_something(place):
            return None
        amount, places = read
        number = _Number(place, place + 1, amount, Decimal(1).scaleb(-places))
        if not places and place + 1 < len(reading.tokens):
            fraction = _FRACTIONS.get(reading.tokens[place + 1].text)
            if fraction is not None:
                number = _Number(place, place + 2, amount + fraction, fraction)
        return _scaled(reading, number)
    if not is_number_word(reading.marks[place]) or "percent_before" in reading.marks[place]:
        return None
    numeral, end = read_words(reading.tokens, reading.marks, place, reading.lexicon)
    if end == place or any(index in reading.taken for index in range(place, end)):
        return None
    soft = (
        numeral.value == 1
        or not numeral.firm
        or (end == place + 1 and "soft" in reading.marks[place])
    )
    unit = Decimal(1) if not numeral.scaled or numeral.current else numeral.ceiling
    return _Number(place, end, numeral.value, unit, soft=soft, digits=False)


def _scaled(reading: Reading, number: _Number) -> _Number:
    """Multiply by the scale words that follow: 1.5 million, 3万5000, 5 लाख 20 हजार."""
    total, base, ceiling = Decimal(0), number.amount, Decimal("Infinity")
    end, precision = number.end, number.precision
    while True:
        gap = 1 if reading.is_sign(end, "-") and reading.touching(end) else 0
        scale = reading.mark(end + gap, "scale")
        if not scale or scale[1] >= ceiling:
            break
        total += base * scale[1]
        precision *= scale[1]
        base, ceiling, end = Decimal(0), scale[1], end + gap + scale[2]
        higher = reading.mark(end, "scale")
        if higher and higher[1] > ceiling:
            # "300 thousand million", "十万": a larger scale multiplies all before it.
            total, precision, end = total * higher[1], precision * higher[1], end + higher[2]
            break
        if end >= len(reading.tokens) or end in reading.taken:
            break
        read = reading.number(end) if reading.tokens[end].kind == "n" else None
        lower = reading.mark(end + 1, "scale")
        joined = reading.lexicon.unspaced and reading.touching(end)
        if not read or not (joined or (lower and lower[1] < ceiling)) or read[0] >= ceiling:
            break
        base, precision, end = read[0], Decimal(1), end + 1
    return _Number(number.start, end, total + base, precision)


def _range_end(reading: Reading, low: _Number) -> _Number | None:
    """The upper number of "10–15"; None where the dash is something else."""
    if not reading.is_sign(low.end, _DASHES) or not low.digits:
        return None
    if low.end + 1 >= len(reading.tokens) or reading.tokens[low.end + 1].kind != "n":
        return None
    read = reading.number(low.end + 1)
    if read is None:
        return None
    high = _scaled(reading, _Number(low.end + 1, low.end + 2, read[0], Decimal(1).scaleb(-read[1])))
    if low.amount < high.amount <= low.amount * 100:
        return high
    scale = reading.mark(low.end + 2, "scale")
    if scale and low.amount < read[0]:
        low.amount, low.precision = low.amount * scale[1], low.precision * scale[1]
        return high
    return None


def _quantity(
    reading: Reading, number: _Number, other: _Number | None
) -> tuple[Quantity | Day, int]:
    start, end = number.start, other.end if other else number.end
    kind, unit, stated = Kind.NUMBER, None, None
    factor, offset = Decimal(1), Decimal(0)
    at, after = _after(reading, end)
    before = reading.mark_before(start, "currency", "percent_before")
    if ordinal := reading.mark(end, "ordinal_after"):
        if number.digits and reading.touching(end):
            kind, end = Kind.ORDINAL, end + ordinal[2]
    elif after and after[0] == "percent":
        kind, end = Kind.PERCENT, at + after[2]
    elif before and before[0] == "percent_before":
        kind, start = Kind.PERCENT, start - before[2]
    elif after and after[0] == "currency":
        kind, unit, end = Kind.MONEY, after[1], at + after[2]
    elif before:
        kind, unit, start = Kind.MONEY, before[1], start - before[2]
    elif after and after[0] == "unit":
        stated, end = after[1], at + after[2]
        unit, factor, offset = MEASURES[stated]
        kind = Kind.MEASURE
    bound, start, end = _bound(reading, start, end)
    topic = _topic(reading, start, end)
    year = None
    # What something grew to is a count: "зросла до 2012".
    plain = bound is Bound.EXACT and reading.grown != end
    if kind is Kind.NUMBER and number.digits and plain and other is None:
        year = reading.year(number.start, 1900) if end == number.end else None
        year = None if year is not None and year > 2099 else year
    if year is not None and topic is None:
        written, first, last = reading.take(number.start, number.end)
        return Day(written=written, start=first, end=last, year=year), number.end
    written, first, last = reading.take(start, end)
    high = other.amount if other else number.amount
    quantity = Quantity(
        kind=kind, written=written, start=first, end=last,
        amount=number.amount,
        value=number.amount * factor + offset, high=high * factor + offset,
        precision=(other or number).precision * factor,
        bound=bound, unit=unit, stated_unit=stated, topic=topic,
        soft=number.soft and kind in {Kind.NUMBER, Kind.ORDINAL},
    )  # fmt: skip
    return quantity, end


def _after(reading: Reading, end: int) -> tuple[int, tuple[str, str, int] | None]:
    """The unit, currency or percent sign after a number, past "of" or a hyphen."""
    place = end
    for _ in range(2):
        mark = reading.mark(place, "percent", "currency", "unit")
        if mark:
            return place, mark
        if not (
            (reading.is_sign(place, "-.") and reading.touching(place))
            or reading.is_sign(place, "'")
            or reading.mark(place, "of")
        ):
            break
        place += 1
    # "12 million US dollars": one adjective may stand before the currency.
    mark = reading.mark(place + 1, "currency")
    if mark and reading.tokens[place].kind == "w" and not is_number_word(reading.marks[place]):
        return place + 1, mark
    return place, None


def _bound(reading: Reading, start: int, end: int) -> tuple[Bound, int, int]:
    after = reading.mark(end, "at_least_after")
    if after:
        return Bound.AT_LEAST, start, end + after[2]
    for gap in (0, 1):
        if gap and not (reading.mark(start - 1, "of") or reading.is_sign(start - 1, "-'(")):
            break
        number = start - gap
        mark = reading.mark_before(number, "bound")
        if mark and is_goal(reading, number - mark[2], number, end):
            # "rose at least to 52": what stands before "to" bounds the number.
            number -= mark[2]
            mark = reading.mark_before(number, "bound")
            if mark is None:
                break
        if mark:
            return Bound(mark[1].replace("_", " ")), number - mark[2], end
    return Bound.EXACT, start, end


def _topic(reading: Reading, start: int, end: int) -> str | None:
    """The class of the noun or verb that the number counts, the most telling one near it."""
    weak: str | None = None
    for places in (range(end, end + 6), range(start - 1, start - 4, -1)):
        for place in places:
            if not 0 <= place < len(reading.tokens):
                break
            token = reading.tokens[place]
            mark = reading.marks[place]
            if "topic" in mark:
                if mark["topic"][1] != "people":
                    return str(mark["topic"][1])
                weak = weak or "people"
            elif (
                token.kind in "nt" or token.text in ",;.()" or "and" in mark or is_number_word(mark)
            ):
                break
    return weak
