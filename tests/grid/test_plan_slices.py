"""Slices cut events as the file says, and tell what they left out."""

from datetime import UTC, date, datetime

import pytest

from baselines.grid.slices import Slicing
from globesumm.config import Slice
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Event
from tests.annotation.conftest import document

EVENTS = [
    Event(
        id="flood",
        description="",
        category="Disasters",
        date=datetime(2023, 5, 1, 12, tzinfo=UTC),
        documents=(document("c", 3, "fr"), document("a", 1, "en"), document("b", 2, "de")),
    ),
    Event(
        id="vote",
        description="",
        category="Politics",
        date=datetime(2023, 6, 1, tzinfo=UTC),
        documents=(document("d", 1, "fr"),),
    ),
    Event(id="undated", description="", documents=(document("e", 1, "en"),)),
]


def sliced(cut: Slice) -> tuple[list[Event], tuple[str, ...]]:
    """The events that are left, and what was left out."""
    slicing = Slicing(cut)
    return list(slicing.cut(EVENTS)), slicing.told()


def ids(cut: Slice) -> list[str]:
    return [event.id for event in sliced(cut)[0]]


def test_without_a_slice_everything_is_as_it_was() -> None:
    assert sliced(Slice()) == (EVENTS, ())


@pytest.mark.parametrize(
    ("cut", "left"),
    [
        (Slice(events=2), ["flood", "vote"]),
        (Slice(ids=("vote",)), ["vote"]),
        (Slice(categories=("Politics", "Disasters"), events=1), ["flood"]),
        (Slice(since=date(2023, 5, 1), until=date(2023, 5, 1)), ["flood"]),
        (Slice(since=date(2023, 5, 2)), ["vote"]),
        (Slice(languages=("English",)), ["flood", "undated"]),
        (Slice(languages=("fr",), events=1), ["flood"]),
    ],
)
def test_events_are_kept_as_named(cut: Slice, left: list[str]) -> None:
    assert ids(cut) == left


def test_documents_are_the_first_in_time_of_the_languages_left() -> None:
    first = sliced(Slice(documents=2))[0][0]
    assert [one.id for one in first.documents] == ["a", "b"]
    assert first.notes == ("slice: 2 of 3 documents; references and conflicts speak of all",)
    spoken = sliced(Slice(documents=1, languages=("fr", "de")))[0][0]
    assert [one.id for one in spoken.documents] == ["b"]


def test_what_was_left_out_is_told() -> None:
    told = sliced(Slice(since=date(2023, 1, 1), languages=("en",), events=1))[1]
    assert told == (
        "1 events not chosen",
        "1 of them without a date, so neither before nor after any day",
        "1 events without a document left",
        "3 of 4 documents",
    )


@pytest.mark.parametrize(
    ("cut", "nearest"),
    [
        (Slice(ids=("flod",)), "flood"),
        (Slice(categories=("Politic",)), "Politics"),
        (Slice(languages=("Englich",)), None),
    ],
)
def test_a_name_that_nothing_has_gets_the_nearest_one(cut: Slice, nearest: str | None) -> None:
    with pytest.raises(UnknownName) as caught:
        sliced(cut)
    assert nearest is None or caught.value.nearest == nearest


def test_a_slice_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match=r"leaves none of 3 events \(2 events not chosen"):
        sliced(Slice(ids=("flood",), languages=("bg",)))
