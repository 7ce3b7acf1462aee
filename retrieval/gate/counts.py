"""How many pages became documents and what the others were, by host and by language.

An extractor that a site's new layout has broken, or a wall that stands before a whole country,
shows in no single page, only in the counts; `alarms` looks at them by a stated rule.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt

from globesumm.values import Document, Rejected
from retrieval.url import host_of

DOCUMENTS = "documents"
FEWEST_PAGES = 20
"""Pages of a group below which nothing is said about it."""

MOST_REJECTED = 0.5
"""Share of rejections from which a host, or the whole, is abnormal."""

MOST_TIMES_THE_REST = 2.0
"""So many times the share of rejections in all other languages makes a language abnormal."""

LEAST_OF_A_LANGUAGE = 0.1
_Z = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An abnormal group of pages: ``"host"``, ``"language"`` or ``"all"``, and its name.

    `kind` is the commonest kind of rejection in it, `share` (0 to 1) the share of `pages` that
    were rejected, and `usual` what it was held against.
    """

    group: str
    name: str
    pages: int
    share: float
    usual: float
    kind: str

    def __str__(self) -> str:
        whose = "all pages" if self.group == "all" else f"{self.group} {self.name}"
        return (
            f"{whose}: {self.share:.0%} of {self.pages} pages rejected (mostly {self.kind}); "
            f"more than {self.usual:.0%} is abnormal"
        )


@dataclass(slots=True)
class Counts:
    """Counts of documents and of each kind of rejection; two of them add up with ``update``."""

    by_host: dict[str, Counter[str]] = field(default_factory=dict)
    by_language: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, one: Document | Rejected) -> None:
        """Count one result of extraction (under ``und`` where its language is not known)."""
        kind = DOCUMENTS if isinstance(one, Document) else one.kind or "other"
        host = host_of(one.url or "")
        self.by_host.setdefault(host, Counter())[kind] += 1
        self.by_language.setdefault(one.language or "und", Counter())[kind] += 1

    def counted(self, found: Iterable[Document | Rejected]) -> Iterator[Document | Rejected]:
        """`found`, each counted as it passes."""
        for one in found:
            self.add(one)
            yield one

    def update(self, other: "Counts") -> None:
        """Add the counts of another part of the same work."""
        for mine, theirs in (
            (self.by_host, other.by_host),
            (self.by_language, other.by_language),
        ):
            for name, counts in theirs.items():
                mine.setdefault(name, Counter()).update(counts)

    @property
    def total(self) -> Counter[str]:
        """The counts of all pages together."""
        return sum(self.by_language.values(), Counter())

    def as_flat(self) -> dict[str, int]:
        """All counts in one mapping, ``host/<name>/<kind>`` and ``language/<code>/<kind>``."""
        return {
            f"{group}/{name}/{kind}": number
            for group, table in (("host", self.by_host), ("language", self.by_language))
            for name, counts in sorted(table.items())
            for kind, number in sorted(counts.items())
        }

    @classmethod
    def from_flat(cls, flat: Mapping[str, int]) -> "Counts":
        """What `as_flat` made, summed or not; other keys are passed over."""
        made = cls()
        tables = {"host": made.by_host, "language": made.by_language}
        for path, number in flat.items():
            group, _, rest = path.partition("/")
            name, _, kind = rest.rpartition("/")
            if group in tables and name and kind:
                tables[group].setdefault(name, Counter())[kind] += number
        return made

    def alarms(self) -> list[Alarm]:
        """The abnormal groups, in a fixed order.

        A host, and all pages together, are abnormal if at least `FEWEST_PAGES` came and more
        than half (`MOST_REJECTED`) were rejected; a language if more than twice
        (`MOST_TIMES_THE_REST`) the share of all other languages, and a tenth, were.  Chance is
        allowed for: what must exceed the limit is the lower end of the share's 95 % Wilson
        score interval.
        """
        found = [_alarm("all", "", self.total, MOST_REJECTED)]
        found += [
            _alarm("host", name, counts, MOST_REJECTED)
            for name, counts in sorted(self.by_host.items())
            if name
        ]
        for name, counts in sorted(self.by_language.items()):
            rest = self.total - counts
            usual = MOST_TIMES_THE_REST * _share(rest) if rest.total() else MOST_REJECTED
            limit = min(max(usual, LEAST_OF_A_LANGUAGE), 1.0)
            found.append(_alarm("language", name, counts, limit))
        return [one for one in found if one]


def lower_bound(rejected: int, pages: int) -> float:
    """The lower end of the 95 % Wilson score interval of a share (Wilson 1927)."""
    share = rejected / pages
    middle = share + _Z**2 / (2 * pages)
    spread = _Z * sqrt(share * (1 - share) / pages + _Z**2 / (4 * pages**2))
    return max(0.0, (middle - spread) / (1 + _Z**2 / pages))


def _alarm(group: str, name: str, counts: Counter[str], usual: float) -> Alarm | None:
    pages = counts.total()
    rejected = pages - counts[DOCUMENTS]
    if pages < FEWEST_PAGES or lower_bound(rejected, pages) <= usual:
        return None
    kinds = [(-number, kind) for kind, number in counts.items() if kind != DOCUMENTS]
    return Alarm(
        group=group,
        name=name,
        pages=pages,
        share=rejected / pages,
        usual=usual,
        kind=min(kinds)[1],
    )


def _share(counts: Counter[str]) -> float:
    return 1 - counts[DOCUMENTS] / counts.total()
