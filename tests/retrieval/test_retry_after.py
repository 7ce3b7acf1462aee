"""A Retry-After header is a number of seconds, a date, or nothing; never a crash."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.retry_after import retry_after


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("9" * 400, 999999999.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_seconds_are_read(written: str, seconds: float) -> None:
    assert retry_after(written) == seconds


def test_a_date_is_so_many_seconds_from_now() -> None:
    then = datetime.now(UTC) + timedelta(seconds=90)
    assert retry_after(format_datetime(then)) == pytest.approx(90, abs=5)


@pytest.mark.parametrize("written", [None, "", "soon", "-3", "²", "1 Jan 99999999 00:00:00 +9999"])
def test_what_cannot_be_read_asks_for_nothing(written: str | None) -> None:
    assert retry_after(written) is None


@given(st.text())
def test_no_header_is_too_strange(written: str) -> None:
    found = retry_after(written)
    assert found is None or 0 <= found < float("inf")
