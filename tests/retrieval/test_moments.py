"""Times as people and programs write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.dates import DATE_ONLY, NO_ZONE, doubt, moment


@pytest.mark.parametrize(
    ("text", "iso", "note"),
    [
        ("2023-05-15T13:18:00+09:00", "2023-05-15T04:18:00", None),
        ("2023-05-15T13:18:00.123456789Z", "2023-05-15T13:18:00.123456", None),
        ("2023-05-15T13:18+0200", "2023-05-15T11:18:00", None),
        ("2023-05-15 13:18:00 UTC", "2023-05-15T13:18:00", None),
        ("2023-05-15 9:18", "2023-05-15T09:18:00", NO_ZONE),
        ("2023-05-15", "2023-05-15T00:00:00", DATE_ONLY),
        ("2023/5/7", "2023-05-07T00:00:00", DATE_ONLY),
        ("20230515", "2023-05-15T00:00:00", DATE_ONLY),
        ("20230515131800", "2023-05-15T13:18:00", None),
        ("20230515T131800Z", "2023-05-15T13:18:00", None),
        ("1684156680", "2023-05-15T13:18:00", None),
        ("1684156680000", "2023-05-15T13:18:00", None),
        ("Mon, 15 May 2023 13:18:00 +0200", "2023-05-15T11:18:00", None),
        ("Mon, 15 May 2023 13:18:00 GMT", "2023-05-15T13:18:00", None),
        ("Saturday, January 8, 2005", "2005-01-08T00:00:00", DATE_ONLY),
        ("15 May 2023", "2023-05-15T00:00:00", DATE_ONLY),
    ],
)
def test_a_time_is_read_in_utc_and_says_what_was_assumed(
    text: str, iso: str, note: str | None
) -> None:
    found = moment(text)
    assert found is not None
    assert found.time == datetime.fromisoformat(iso).replace(tzinfo=UTC)
    assert found.note == note


@pytest.mark.parametrize(
    "text",
    [
        "05/06/2023",
        "5.6.2023",
        "yesterday",
        "",
        "2023",
        "2023-13-45",
        "20231345",
        "12:30",
        "nan",
        "9" * 500,
    ],
)
def test_what_can_be_read_two_ways_or_none_gives_nothing(text: str) -> None:
    assert moment(text) is None


@given(st.text(max_size=60))
def test_no_text_whatever_raises(text: str) -> None:
    found = moment(text)
    assert found is None or found.time.tzinfo is UTC


@given(
    st.datetimes(
        min_value=datetime.fromisoformat("1990-01-01"),
        max_value=datetime.fromisoformat("2090-01-01"),
        timezones=st.timezones(),
    )
)
def test_an_iso_time_in_any_zone_is_the_same_time(time: datetime) -> None:
    offset = time.utcoffset()
    if offset is None or offset.total_seconds() % 60:
        return
    found = moment(time.isoformat())
    assert found is not None
    assert found.time == time.astimezone(UTC)


NOW = datetime(2023, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("iso", "believed"),
    [
        ("0001-01-01T00:00:00", False),
        ("1601-01-01T00:00:00", False),
        ("1699-12-31T23:59:59", False),
        ("1700-01-01T00:00:00", True),
        ("1970-01-01T00:00:00", True),
        ("2023-05-16T12:00:00", True),
        ("2023-05-16T12:00:01", False),
        ("9999-12-31T23:59:59", False),
    ],
)
def test_only_times_at_which_a_report_can_have_appeared_are_believed(
    iso: str, believed: bool
) -> None:
    assert (doubt(datetime.fromisoformat(iso).replace(tzinfo=UTC), NOW) is None) is believed
