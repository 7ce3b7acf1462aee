"""What a data set holds, as the paper's tables 2 and 7, and by category and month."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from globesumm.languages import LANGUAGES
from globesumm.values import Event
from retrieval.dataset.counting import TokenCounter
from retrieval.dataset.splits import SPLITS
from retrieval.dataset.tables import Table

NONE = "–"
"""What stands where there is no figure."""

UNKNOWN = "(none)"


@dataclass(slots=True, kw_only=True)
class Statistics:
    """Counts over the events of a data set.

    `events`, `documents` and `references` are by split, `languages`, `categories` and
    `event_months` count documents, events and events, `tokens` are those of all documents.
    """

    counter: str
    events: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    references: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    category_documents: Counter[str] = field(default_factory=Counter)
    event_months: Counter[str] = field(default_factory=Counter)
    document_months: Counter[str] = field(default_factory=Counter)
    language_tokens: Counter[str] = field(default_factory=Counter)
    reference_tokens: int = 0
    languages_an_event: Counter[int] = field(default_factory=Counter)
    documents_an_event: Counter[int] = field(default_factory=Counter)

    @property
    def tokens(self) -> int:
        """Tokens of all documents."""
        return sum(self.language_tokens.values())

    def tables(self) -> list[Table]:
        """All tables, the paper's first."""
        return [
            self._sizes(),
            self._languages(),
            self._categories(),
            self._months(),
            self._spread(),
        ]

    def _sizes(self) -> Table:
        columns = (self.events, self.documents, self.references)
        totals = tuple(str(sum(column.values())) for column in columns)
        lengths = (
            _mean(self.tokens, sum(self.events.values())),
            _mean(self.tokens, sum(self.documents.values())),
            _mean(self.reference_tokens, sum(self.references.values())),
        )
        rows = [("Num", *totals), ("Avg Token Length", *lengths)]
        rows += [
            (f"{name.capitalize()} Set Size", *(str(column[name]) for column in columns))
            for name in SPLITS
        ]
        return Table(
            name="sizes",
            title="Statistics of the data set",
            header=("Dataset", "# Event", "# Document", "# Reference"),
            rows=tuple(rows),
            notes=(
                f"Tokens: {self.counter}, of the texts without headlines.",
                "References are human summaries that events brought along.",
            ),
        )

    def _languages(self) -> Table:
        ordered = sorted(self.languages.items(), key=lambda one: (-one[1], one[0]))
        rows = [
            (named(code), code, str(count), _mean(self.language_tokens[code], count))
            for code, count in ordered
        ]
        rows.append(("Total", NONE, _total(self.languages), _mean(self.tokens, sum(
            self.languages.values()))))  # fmt: skip
        return Table(
            name="languages",
            title="Languages, and the number of documents for each language",
            header=("Language", "Code", "# Docs", "Avg Token Length"),
            rows=tuple(rows),
            notes=(f"Tokens: {self.counter}.",),
        )

    def _categories(self) -> Table:
        ordered = sorted(self.categories.items(), key=lambda one: (-one[1], one[0]))
        rows = [(name, str(count), str(self.category_documents[name])) for name, count in ordered]
        rows.append(("Total", _total(self.categories), _total(self.category_documents)))
        return Table(
            name="categories",
            title="Events and documents by category",
            header=("Category", "# Event", "# Document"),
            rows=tuple(rows),
        )

    def _months(self) -> Table:
        months = sorted({*self.event_months, *self.document_months})
        rows = [
            (month, str(self.event_months[month]), str(self.document_months[month]))
            for month in months
        ]
        rows.append(("Total", _total(self.event_months), _total(self.document_months)))
        return Table(
            name="months",
            title="Events by their month, documents by the month of their publication (UTC)",
            header=("Month", "# Event", "# Document"),
            rows=tuple(rows),
        )

    def _spread(self) -> Table:
        sizes = sorted({*self.documents_an_event, *self.languages_an_event})
        rows = tuple(
            (str(size), str(self.documents_an_event[size]), str(self.languages_an_event[size]))
            for size in sizes
        )
        return Table(
            name="spread",
            title="Events with so many documents, and in so many languages",
            header=("n", "# Event with n documents", "# Event in n languages"),
            rows=rows,
        )


def statistics(
    events: Iterable[Event], splits: Mapping[str, str], counter: TokenCounter
) -> Statistics:
    """Counts over `events`, each in its split."""
    found = Statistics(counter=counter.name)
    for event in events:
        split = splits[event.id]
        category = event.category or UNKNOWN
        found.events[split] += 1
        found.documents[split] += len(event.documents)
        found.references[split] += len(event.references)
        found.categories[category] += 1
        found.category_documents[category] += len(event.documents)
        found.event_months[_month(event)] += 1
        found.documents_an_event[len(event.documents)] += 1
        found.languages_an_event[len({one.language for one in event.documents})] += 1
        for document in event.documents:
            found.languages[document.language] += 1
            found.language_tokens[document.language] += counter.count(
                document.text, document.language
            )
            found.document_months[_month(document)] += 1
        found.reference_tokens += sum(
            counter.count(text, event.reference_language) for text in event.references
        )
    return found


def _month(one: object) -> str:
    time = getattr(one, "date", None) or getattr(one, "published", None)
    return f"{time:%Y-%m}" if time else UNKNOWN


def named(code: str) -> str:
    row = LANGUAGES.get(code)
    return row.name if row else code


def _total(column: Mapping[str, int]) -> str:
    return str(sum(column.values()))


def _mean(total: int, count: int) -> str:
    return f"{total / count:.2f}" if count and total else NONE
