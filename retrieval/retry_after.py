"""What a Retry-After header asks for."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST_NUMBER = 9
"""Digits; more are cut, since a hostile number would become infinity."""


def retry_after(written: str | None) -> float | None:
    """Seconds from now, at least 0: a number, or a date; None where nothing can be read."""
    value = (written or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:_LONGEST_NUMBER])
    try:
        moment = parsedate_to_datetime(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
