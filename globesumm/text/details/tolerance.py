"""How far the value behind a statement may lie from the value stated."""

from decimal import Decimal

from globesumm.text.details.model import Bound, Quantity

SLACK_ABOUT = Decimal("0.1")
"""How far "about" reaches, as a share of the value."""
SLACK_UNITS = Decimal("0.05")
"""How far a conversion between units may be rounded, as a share of the value."""


def compatible(one: Quantity, other: Quantity) -> bool:
    """Whether one value can lie behind both statements."""
    low, high = _reach(one)
    other_low, other_high = _reach(other)
    if one.stated_unit != other.stated_unit:
        slack = SLACK_UNITS * max(abs(one.value), abs(other.value))
        return low - slack <= other_high and other_low - slack <= high
    if low <= other_high and other_low <= high:
        return True
    return _rounds(one, other) or _rounds(other, one)


def _reach(quantity: Quantity) -> tuple[Decimal, Decimal]:
    """The values that a statement leaves open; "more than 50" reaches to the next round one."""
    low, high = quantity.value, quantity.high
    step = max(_roundness(quantity), quantity.precision)
    if quantity.bound is Bound.ABOUT:
        return low - SLACK_ABOUT * abs(low), high + SLACK_ABOUT * abs(high)
    if quantity.bound is Bound.AT_LEAST:
        return low, high if step <= 1 and quantity.precision == 1 else high + step
    if quantity.bound is Bound.AT_MOST:
        return low if step <= 1 and quantity.precision == 1 else low - step, high
    return low, high


def _roundness(quantity: Quantity) -> Decimal:
    """The last place that is not zero: 1000 for 2,000, 10 for 50, 1 for 37."""
    digits = quantity.amount.normalize().as_tuple()
    exponent = digits.exponent if isinstance(digits.exponent, int) else 0
    size = Decimal(1).scaleb(max(exponent, 0))
    factor = abs(quantity.value / quantity.amount) if quantity.amount else Decimal(1)
    return size * factor if quantity.stated_unit is None else size


def _rounds(coarse: Quantity, fine: Quantity) -> bool:
    """Whether `coarse`, stated with a scale word ("1.2 million"), is `fine` rounded."""
    if coarse.precision <= max(Decimal(1), fine.precision):
        return False
    slack = min(coarse.precision / 2, SLACK_UNITS * abs(coarse.value))
    return abs(coarse.value - fine.value) <= slack
