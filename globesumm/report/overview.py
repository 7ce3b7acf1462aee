"""What a run holds in numbers: data, what was finished, what was scored, why not the rest."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from globesumm.report.drawing import Bars, Measure, bars
from globesumm.report.texts import language_name, when
from globesumm.runs import Failure
from globesumm.values import Event, Score

SHOWN = 15
"""Outlets shown; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A name, how many documents, and how many events have one of them."""

    name: str
    documents: int
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The data set of a run."""

    events: int
    documents: int
    undated: int
    languages: tuple[Share, ...]
    outlets: tuple[Share, ...]
    more_outlets: int
    no_outlet: int
    first: str
    last: str
    fewest: int
    most: int
    references: int


@dataclass(slots=True)
class Counting:
    """Counts over events that come one by one."""

    events: int = 0
    documents: int = 0
    undated: int = 0
    no_outlet: int = 0
    references: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    languages_events: Counter[str] = field(default_factory=Counter)
    outlets: Counter[str] = field(default_factory=Counter)
    outlets_events: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    sizes: set[int] = field(default_factory=set)

    def add(self, event: Event) -> None:
        """Count one event."""
        self.events += 1
        self.documents += len(event.documents)
        self.sizes.add(len(event.documents))
        self.references += bool(event.references)
        names = [language_name(one.language) for one in event.documents]
        outlets = [one.source for one in event.documents if one.source]
        self.no_outlet += len(event.documents) - len(outlets)
        self.languages.update(names)
        self.languages_events.update(set(names))
        self.outlets.update(outlets)
        self.outlets_events.update(set(outlets))
        for document in event.documents:
            if document.published is None:
                self.undated += 1
                continue
            self.first = min(self.first or document.published, document.published)
            self.last = max(self.last or document.published, document.published)

    def done(self) -> Statistics:
        """What was counted; the most frequent first."""
        outlets = _shares(self.outlets, self.outlets_events)
        return Statistics(
            events=self.events,
            documents=self.documents,
            undated=self.undated,
            languages=_shares(self.languages, self.languages_events),
            outlets=outlets[:SHOWN],
            more_outlets=max(0, len(outlets) - SHOWN),
            no_outlet=self.no_outlet,
            first=when(self.first),
            last=when(self.last),
            fewest=min(self.sizes, default=0),
            most=max(self.sizes, default=0),
            references=self.references,
        )


def language_bars(statistics: Statistics) -> Bars:
    """Documents of each language as a share of all."""
    return bars(
        [
            Measure(
                name=one.name,
                value=one.documents / statistics.documents,
                mark=f"% ({one.documents})",
            )
            for one in statistics.languages
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Summaries of one recipe in one part: `done` of `expected`, `failed` with a known reason."""

    name: str
    done: int
    expected: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One metric of one part: `scored` of `expected`, and why the others have no value."""

    name: str
    scored: int
    expected: int
    reasons: tuple[tuple[str, int], ...]


def measured(scores: Iterable[Score]) -> tuple[Measured, ...]:
    """Every metric over all summaries, in the order in which metrics first occur."""
    values: dict[str, list[Score]] = {}
    for score in scores:
        values.setdefault(score.metric, []).append(score)
    found = []
    for metric, held in values.items():
        reasons = Counter(one.note or "no reason was noted" for one in held if one.value is None)
        found.append(
            Measured(
                name=metric,
                scored=len(held) - reasons.total(),
                expected=len(held),
                reasons=tuple(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
            )
        )
    return tuple(found)


def by_kind(failures: Sequence[Failure]) -> tuple[tuple[str, int], ...]:
    """How many failures there are of each kind, the most frequent first."""
    counts = Counter(one.kind or "kind not recorded" for one in failures)
    return tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def _shares(documents: Counter[str], events: Counter[str]) -> tuple[Share, ...]:
    return tuple(
        Share(name=name, documents=count, events=events[name])
        for name, count in sorted(documents.items(), key=lambda row: (-row[1], row[0]))
    )
