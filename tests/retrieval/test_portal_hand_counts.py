"""Five real days against counts made by hand.

How they were counted: each page's wikitext was read from top to bottom, line by line, and ticked
off; nothing here was copied from what the parser gave.  A bullet's level is the number of its
asterisks.  A bullet that is links alone, or links and a colon, is a topic; every other bullet is an
event.  Each link in single square brackets is one source, named as the page names it.  "Holidays
not aligned to the Gregorian Calendar" is no news.
"""

import os
from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from retrieval.portal import Parsed
from retrieval.portal.events import Origin
from retrieval.portal.wikitext import read_wikitext

DATA = os.environ.get("GLOBESUMM_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="GLOBESUMM_DATA is not set")

ARMED, ARTS = "Armed conflicts and attacks", "Arts and culture"
BUSINESS, DISASTERS = "Business and economy", "Disasters and accidents"
RELATIONS, LAW = "International relations", "Law and crime"
POLITICS, SCIENCE, SPORTS = "Politics and elections", "Science and technology", "Sports"


@dataclass(frozen=True)
class Counted:
    """`bullets` and `events` by level, `headings` with their events, `sources` in page order."""

    file: str
    day: date
    bullets: dict[int, int]
    events: dict[int, int]
    headings: dict[str | None, int]
    sources: str
    not_news: int = 0


DAYS = (
    Counted(
        file="2005-01-08.1108351260.wiki",
        day=date(2005, 1, 8),
        bullets={1: 5, 2: 4},
        events={1: 3, 2: 4},
        headings={None: 7},
        sources="AP via USA Today + BBC | CNN + NOAA Press Release | CNN | BBC | BBC | CNN | -",
    ),
    Counted(
        file="2017-05-05.1340238120.wiki",
        day=date(2017, 5, 5),
        bullets={1: 11, 2: 7},
        events={1: 5, 2: 7},
        headings={ARMED: 3, RELATIONS: 1, LAW: 2, POLITICS: 4, SCIENCE: 2},
        sources=(
            "Reuters + Fox News | Reuters + Fox News + Reuters | Radio Free Europe/Radio Liberty | "
            "Rappler | Reuters | Australian Broadcasting Corporation | The Guardian | Al Jazeera | "
            "CNN | The New York Times + AP via U.S. News & World Report | FlightGlobal | BBC"
        ),
    ),
    Counted(
        file="2023-05-15.1155135755.wiki",
        day=date(2023, 5, 15),
        bullets={1: 8, 2: 4},
        events={1: 4, 2: 4},
        headings={BUSINESS: 1, DISASTERS: 2, RELATIONS: 2, LAW: 3},
        sources=(
            "Reuters + BBC News | AP | Reuters | BBC News | Anadolu Agency | AP | Reuters | CNN"
        ),
    ),
    Counted(
        file="2023-09-11.1190492507.wiki",
        day=date(2023, 9, 11),
        bullets={1: 5, 2: 4},
        events={1: 1, 2: 4},
        headings={ARMED: 2, DISASTERS: 1, RELATIONS: 1, LAW: 1},
        sources="Reuters | Politico + The New York Times | Albawaba | AP | Kathimerini",
    ),
    Counted(
        file="2023-10-07.1362423949.wiki",
        day=date(2023, 10, 7),
        bullets={1: 12, 2: 11, 3: 4, 4: 5},
        events={1: 1, 2: 8, 3: 4, 4: 5},
        headings={ARMED: 9, DISASTERS: 3, LAW: 3, POLITICS: 1, SCIENCE: 1, SPORTS: 1},
        sources=(
            "AP | Times of Israel + AP + Reuters + Memri | Haaretz | The Times of Israel | "
            "The Times of Israel | Jewish Press | "
            "Times of Israel + The New York Times + Haaretz | The Independent | "
            "Al Jazeera + The Times of Israel | ABC News + Reuters | CBS News | The Hindu | "
            "Reuters | AFP via RTL | DW | AFP via Barron's | NPR | ABS-CBN News"
        ),
        not_news=4,
    ),
)


def read(counted: Counted) -> Parsed:
    path = Path(DATA or "") / "portal" / "wikitext" / counted.file
    (parsed,) = read_wikitext(path.read_text("utf-8"), Origin(where=path.name))
    return parsed


@pytest.mark.parametrize("counted", DAYS, ids=lambda counted: str(counted.day))
class TestDay:
    def test_the_day_is_the_one_in_its_frame(self, counted: Counted) -> None:
        assert read(counted).date == counted.day

    def test_nothing_is_refused_and_no_template_left_out(self, counted: Counted) -> None:
        parsed = read(counted)
        assert parsed.rejected == ()
        assert {note for event in parsed.events for note in event.notes} <= {"no source"}

    def test_events_and_topics_are_as_many_as_counted(self, counted: Counted) -> None:
        parsed = read(counted)
        events = sum(counted.events.values())
        assert len(parsed.events) == events
        assert parsed.not_news == counted.not_news
        assert parsed.topics == sum(counted.bullets.values()) - events - counted.not_news

    def test_events_stand_at_the_levels_counted(self, counted: Counted) -> None:
        assert Counter(event.level for event in read(counted).events) == counted.events

    def test_events_stand_under_the_headings_counted(self, counted: Counted) -> None:
        found = Counter(event.category for event in read(counted).events)
        assert found == counted.headings
        assert list(found) == list(counted.headings)

    def test_sources_are_the_ones_read(self, counted: Counted) -> None:
        found = [
            " + ".join(source.label or "?" for source in event.sources) or "-"
            for event in read(counted).events
        ]
        assert " | ".join(found) == counted.sources
        urls = [source.url for event in read(counted).events for source in event.sources]
        assert all(url and url.startswith("http") for url in urls)


def test_links_of_a_day_are_the_ones_read() -> None:
    """11 September 2023: 5, 6, 2, 4 and 6 articles are linked, each once."""
    (day,) = (counted for counted in DAYS if counted.day == date(2023, 9, 11))
    events = read(day).events
    assert [len(event.pages) for event in events] == [5, 6, 2, 4, 6]
    assert events[1].pages == (
        "Ukraine", "Russia", "Black Sea", "Oil platform", "Chornomornaftogaz", "Crimea",
    )  # fmt: skip


def test_nesting_of_the_deepest_day_is_the_one_read() -> None:
    """7 October 2023, lines 6 to 14: an event of level 3 has five events of level 4 below it."""
    events = read(DAYS[-1]).events
    war = [event for event in events if event.category == ARMED]
    assert [topic.text for topic in war[0].topics] == ["Gaza–Israel conflict", "Israel–Hamas war"]
    assert war[0].topics[1].pages == ("Gaza war",)
    parent = war[2]
    assert parent.description.startswith("Targeted communities include Be'eri, Ofakim, Sderot")
    below = [event for event in events if event.parent == parent.id]
    assert [event.line for event in below] == [9, 10, 11, 12, 13]
    assert all(event.topics[-1].text == parent.description for event in below)
    assert [event.parent for event in war if event.level == 3] == [None] * 4


def test_a_topic_of_two_articles_has_both() -> None:
    (day,) = (counted for counted in DAYS if counted.day == date(2023, 9, 11))
    (topic,) = read(day).events[3].topics
    assert topic.text == "Dominican Republic–Haiti relations, Haitian crisis"
    assert topic.pages == (
        "Dominican Republic–Haiti relations",
        "Haitian crisis (2018–present)",
    )


def test_a_description_is_the_sentence_as_a_reader_sees_it() -> None:
    """Italics, a blank before a name and a pipe with a blank after it leave no trace."""
    old, _, spring = (read(counted).events for counted in DAYS[:3])
    assert old[0].description == (
        "A U.S. Navy nuclear submarine, USS San Francisco, runs aground south of the Pacific "
        "island of Guam."
    )
    assert old[0].pages == ("U.S. Navy", "Nuclear submarine", "USS San Francisco (SSN-711)", "Guam")
    assert spring[1].description == (
        "One person is killed and 59 others are injured when a bus and a truck collide on the "
        "D2 motorway in Slovakia."
    )
    assert spring[0].with_sources.endswith("files for Chapter 11 bankruptcy. (Reuters) (BBC News)")
