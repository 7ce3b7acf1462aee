"""Which candidates become documents of an event, and the reason of every one that does not."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from globesumm.values import Document
from retrieval.events.candidates import Candidate
from retrieval.events.choosing import Choice, Decision, choose, publisher, surplus_of
from retrieval.events.judging import Verdict
from retrieval.events.settings import KeepTable
from retrieval.portal.values import PortalEvent

EVENT = PortalEvent(
    id="quake", date=date(2023, 9, 9), description="An earthquake.", category="Disasters"
)
ANY = KeepTable(documents=1, languages=1, per_publisher=0)
WORDS = (
    "the earthquake shook villages in the mountains of {place} on Friday night and people ran into "
    "the streets where they stayed until morning because of the aftershocks said {place} officials"
)


def document(name: str, language: str = "en", text: str = "", **more: str) -> Document:
    return Document(
        id=name,
        text=text or f"A text of its own, about {name} and nothing else but {name * 3}.",
        language=language,
        published=datetime(2023, 9, 9, len(name), tzinfo=UTC),
        url=more.get("url"),
        source=more.get("source"),
    )


def candidate(of: Document, rank: int = 1) -> Candidate:
    return Candidate(
        event="quake", document=of.id, language=of.language, rank=rank, score=1 / rank, reason="r"
    )


def verdict(of: Document, relevant: bool | None = True) -> Verdict:
    return Verdict(event="quake", document=of.id, judge="people", relevant=relevant, note="n")


def chosen(
    documents: list[Document],
    verdicts: list[Verdict] | None = None,
    *,
    ranks: tuple[int, ...] = (),
    unjudged: bool = False,
    keep: KeepTable = ANY,
) -> Choice:
    said = [verdict(one) for one in documents] if verdicts is None else verdicts
    found = [candidate(one, rank) for one, rank in zip(documents, ranks or [1] * 99, strict=False)]
    by_id = {one.id: one for one in documents}
    return choose(
        [EVENT],
        found,
        by_id,
        {(one.event, one.document): one for one in said},
        keep,
        surplus=surplus_of(found, by_id, keep.per_story),
        unjudged=unjudged,
    )


def kinds(choice: Choice) -> dict[str, str]:
    return {decision.document: decision.kind for decision in choice.decisions}


def reason(choice: Choice, name: str) -> str:
    found: Decision = next(one for one in choice.decisions if one.document == name)
    return found.reason


def test_relevant_candidates_are_the_event_in_order_of_time() -> None:
    choice = chosen([document("ccc"), document("a"), document("bb", "fr")])
    (event,) = choice.events
    assert [one.id for one in event.documents] == ["a", "bb", "ccc"]
    assert (event.id, event.description, event.category) == ("quake", "An earthquake.", "Disasters")
    assert event.date == datetime(2023, 9, 9, tzinfo=UTC)
    assert event.notes == ("3 of 3 documents verified by people",)


def test_each_candidate_has_one_decision_with_its_reason() -> None:
    found = [document(name) for name in ("a", "b", "c", "d")]
    said = [verdict(found[0]), verdict(found[1], relevant=False), verdict(found[2], relevant=None)]
    choice = chosen(found, said)
    assert kinds(choice) == {
        "a": "taken", "b": "not relevant", "c": "not judged", "d": "not judged",
    }  # fmt: skip
    assert all(decision.reason for decision in choice.decisions)


def test_what_nobody_judged_is_kept_only_where_that_is_wanted_and_is_noted() -> None:
    (event,) = chosen([document("a")], [], unjudged=True).events
    assert event.notes == ("1 of 1 documents unverified",)
    assert chosen([document("a")], []).events == []


def test_a_no_is_a_no_also_where_the_unjudged_are_kept() -> None:
    one = document("a")
    assert chosen([one], [verdict(one, relevant=False)], unjudged=True).events == []


def test_of_one_story_the_earliest_report_is_kept() -> None:
    first = document("a", text=WORDS.format(place="Ighil"))
    copy = document("bbb", text=WORDS.format(place="Ighil") + " today")
    other = document("cc", text=WORDS.format(place="Ighil").upper()[:60] + " is another story")
    choice = chosen([copy, first, other])
    assert kinds(choice) == {"a": "taken", "bbb": "story", "cc": "taken"}
    assert reason(choice, "bbb") == "tells the story of a again"
    assert set(kinds(chosen([copy, first], keep=replace(ANY, per_story=2))).values()) == {"taken"}
    assert set(kinds(chosen([copy, first], keep=replace(ANY, per_story=0))).values()) == {"taken"}


def test_a_publisher_has_no_more_than_its_share_and_better_ranks_come_first() -> None:
    found = [document(name, url=f"https://www.paper.example/{name}") for name in ("a", "b", "c")]
    choice = chosen(found, ranks=(3, 1, 2), keep=replace(ANY, per_publisher=2))
    assert kinds(choice) == {"a": "publisher", "b": "taken", "c": "taken"}
    assert "paper.example" in reason(choice, "a")


def test_what_is_not_relevant_uses_up_nobodys_share() -> None:
    found = [document(name, url=f"https://paper.example/{name}") for name in ("a", "b")]
    said = [verdict(found[0], relevant=False), verdict(found[1])]
    assert kinds(chosen(found, said, keep=replace(ANY, per_publisher=1))) == {
        "a": "not relevant",
        "b": "taken",
    }


def test_a_publisher_is_its_host_else_its_name_and_unknown_ones_have_no_cap() -> None:
    assert publisher(document("a", url="https://www.paper.example/a")) == "paper.example"
    assert publisher(document("a", source="The Paper")) == "the paper"
    assert publisher(document("a")) is None
    assert set(
        kinds(chosen([document("a"), document("b")], keep=replace(ANY, per_publisher=1))).values()
    ) == {"taken"}


@pytest.mark.parametrize(
    ("keep", "why"),
    [
        (KeepTable(documents=3, languages=1), "fewer than 3 documents"),
        (KeepTable(documents=2, languages=2), "fewer than 2 languages"),
    ],
)
def test_an_event_with_too_little_is_left_out_with_what_it_has(keep: KeepTable, why: str) -> None:
    choice = chosen([document("a"), document("b")], keep=keep)
    (left,) = choice.left_out
    assert (left.documents, left.languages, left.reason) == (2, 1, why)
    assert choice.events == []


def test_an_event_without_a_candidate_is_left_out_too() -> None:
    assert [one.documents for one in chosen([]).left_out] == [0]


@pytest.mark.parametrize(
    ("ranks", "day", "home"), [((2, 1), 9, "later"), ((1, 1), 9, "first"), ((1, 1), 11, "later")]
)
def test_a_report_stands_in_the_event_that_it_fits_best(
    ranks: tuple[int, int], day: int, home: str
) -> None:
    events = [
        PortalEvent(id="first", date=date(2023, 9, 9), description="A."),
        PortalEvent(id="later", date=date(2023, 9, 11), description="B."),
    ]
    one = replace(document("a"), published=datetime(2023, 9, day, tzinfo=UTC))
    found = [
        replace(candidate(one, rank), event=event.id, published=one.published)
        for event, rank in zip(events, ranks, strict=True)
    ]
    choice = choose(events, found, {"a": one}, {}, ANY, unjudged=True)
    assert [event.id for event in choice.events] == [home]
    other = next(one for one in choice.decisions if not one.taken)
    assert (other.kind, other.reason) == ("other event", f"fits the event {home} better")
    both = choose(events, found, {"a": one}, {}, replace(ANY, shared=True), unjudged=True)
    assert len(both.events) == 2


def test_an_event_that_does_not_want_a_report_leaves_it_to_another() -> None:
    events = [replace(EVENT, id="first"), replace(EVENT, id="later")]
    one = document("a")
    found = [replace(candidate(one), event=event.id) for event in events]
    said = {
        (event.id, "a"): replace(verdict(one, relevant=event.id == "later"), event=event.id)
        for event in events
    }
    choice = choose(events, found, {"a": one}, said, ANY)
    assert [event.id for event in choice.events] == ["later"]
    assert [decision.kind for decision in choice.decisions] == ["not relevant", "taken"]
