"""What a day of the portal holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812  # the field of that name hides the class

from globesumm.values import Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One report that an event rests on.

    `url` is None where only a name was given ("(Reuters)"), `outlet` where only an address was.
    `agency` is who wrote what the outlet printed ("AFP" of "AFP via Barron's").
    """

    url: str | None = None
    outlet: str | None = None
    agency: str | None = None

    @property
    def label(self) -> str | None:
        """The name as the portal shows it: "AFP via Barron's"."""
        if self.agency and self.outlet:
            return f"{self.agency} via {self.outlet}"
        return self.outlet or self.agency


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A bullet above an event: its text, the articles it links to, and its level (from 1)."""

    text: str
    level: int
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalEvent:
    """One news item of the portal.

    `date` is the day it is listed under, which is not always the day it happened.  `category` is
    one of the portal's ten usual ones (`retrieval.portal.categories`), or None; `heading` is what
    was written.  `description` is plain text without the names of sources.  `level` is the
    number of bullets before it, `topics` are the bullets above it, outermost first; where the
    nearest of them is an event too, `parent` is its id.

    `pages` are the titles of the articles that the text links to, in order and without
    repetition, redirects not followed.  `names` says what those pages, and those of the topics,
    are called elsewhere: title to language to name.  A page or language that is not in it has
    none.  `page`, `revision` and `line` (from 1, in wikitext only) say where all this was read.
    """

    id: str
    date: Date
    description: str
    category: str | None = None
    heading: str | None = None
    level: int = 1
    topics: tuple[Topic, ...] = ()
    parent: str | None = None
    sources: tuple[Source, ...] = ()
    pages: tuple[str, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    page: str | None = None
    revision: int | None = None
    line: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def with_sources(self) -> str:
        """The description with its tail of sources: how GlobeSumm's data set writes it."""
        labels = [f"({source.label})" for source in self.sources if source.label]
        return " ".join((self.description, *labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A day page, read.

    `date` is None where nothing in the page says which day it is of.  `topics` is the number of
    bullets that only name what the bullets below them are about; `empty_topics` of those without
    anything below; `not_news` of bullets under headings like "Holidays".  `rejected` names every
    piece that could not be read; `notes` say what was repaired or passed over.
    """

    date: Date | None
    events: tuple[PortalEvent, ...]
    topics: int = 0
    empty_topics: int = 0
    not_news: int = 0
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """What is in it, for the accounting."""
        return {
            "days": 1,
            "empty_days": int(not self.events),
            "events": len(self.events),
            "events_with_source": sum(bool(event.sources) for event in self.events),
            "sources": sum(len(event.sources) for event in self.events),
            "links": sum(len(event.pages) for event in self.events),
            "topics": self.topics,
            "empty_topics": self.empty_topics,
            "not_news": self.not_news,
            "no_category": sum(event.category is None for event in self.events),
            "rejected": len(self.rejected),
            "notes": len(self.notes),
        }
