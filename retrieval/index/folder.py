"""An index folder: one Lucene index for each language, grown a batch at a time.

::

    INDEX/<language>/analysis.json     the analyzer; one that has changed since is refused
    INDEX/<language>/documents.sqlite  the documents by id
    INDEX/<language>/lucene/           Lucene's files

Lucene's commits are whole or not there, so a kill while documents are added loses what had not
been committed, and the same command adds it again; nothing is doubled, because each document is
looked up by its id first.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.errors import DataError, RunMismatch, UsageError
from globesumm.records import read_record
from globesumm.runs import alone
from globesumm.values import Document, Rejected
from retrieval.index.adding import Kept, Writers
from retrieval.index.analyzers import Analysis, analyses, analysis
from retrieval.index.bm25 import Bm25, Hit, Searcher, Window
from retrieval.index.texts import lost

BATCH = 1000
"""Documents handed to Lucene at once."""


@dataclass(slots=True, kw_only=True)
class Added:
    """By language, documents `added` now and `known` before; and those that were `rejected`."""

    added: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)


class Index:
    """An index folder.  Searching opens a language when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, Searcher] = {}

    def languages(self) -> dict[str, Analysis]:
        """The languages that are indexed.

        Raises `RunMismatch` for one that was indexed with another analyzer than today's.
        """
        return {
            path.parent.name: self.checked(path.parent.name)
            for path in sorted(self.folder.glob("*/analysis.json"))
        }

    def add(self, documents: Iterable[Document]) -> Added:
        """Index what is not indexed yet; documents in languages without an analyzer are named.

        Raises `UsageError` while another process adds to the same folder.
        """
        result = Added()
        batches: dict[str, dict[str, Document]] = {}
        with alone(self.folder), Writers(self.folder, self.checked) as writers:
            for document in documents:
                row = analyses().get(document.language)
                if row is None:
                    reason = f"no analyzer for language {document.language!r}"
                    result.rejected.append(
                        Rejected(where=document.id, reason=reason, kind="no-analyzer")
                    )
                    continue
                batch = batches.setdefault(document.language, {})
                if document.id in batch:
                    result.known[document.language] += 1
                    continue
                batch[document.id] = document
                if len(batch) >= BATCH:
                    self._write(writers, document.language, batches.pop(document.language), result)
            for language, batch in batches.items():
                self._write(writers, language, batch, result)
        self.close()
        return result

    def search(
        self, text: str, language: str, how: Bm25 | None = None, window: Window | None = None
    ) -> list[Hit]:
        """The best documents in `language` for `text`; see `Searcher.search`."""
        return self.searcher(language).search(text, how or Bm25(), window)

    def search_many(
        self,
        queries: Mapping[str, str],
        language: str,
        how: Bm25 | None = None,
        window: Window | None = None,
        *,
        threads: int = 2,
    ) -> Iterator[tuple[str, list[Hit]]]:
        """The hits of many queries by name; see `Searcher.search_many`."""
        found = self.searcher(language)
        return found.search_many(queries, how or Bm25(), window, threads=threads)

    def document(self, hit: Hit) -> Document:
        """The document of a hit."""
        found = self.searcher(hit.language).document(hit.document)
        if found is None:
            raise lost(self.folder / hit.language)
        return found

    def within(self, language: str, window: Window, most: int) -> list[Document]:
        """At most `most` documents in `language` of the days of `window`, whatever they say."""
        found = self.searcher(language)
        held = [found.document(name) for name in found.within(window, most)]
        if any(one is None for one in held):
            raise lost(self.folder / language)
        return [one for one in held if one is not None]

    def searcher(self, language: str) -> Searcher:
        """The open index of `language`; raises `UsageError` naming those there are."""
        code = analysis(language).language
        if code not in self._open:
            row = self.checked(code)
            if not any((self.folder / code / "lucene").glob("segments_*")):
                raise UsageError(
                    f"{self.folder} has no finished index in {code}: its making was cut short; "
                    "repeat the command that made it"
                )
            self._open[code] = Searcher(self.folder / code, row)
        return self._open[code]

    def close(self) -> None:
        for searcher in self._open.values():
            searcher.close()
        self._open.clear()

    def checked(self, language: str) -> Analysis:
        """The analyzer that `language` was indexed with, which must be today's."""
        path = self.folder / language / "analysis.json"
        if not path.is_file():
            known = ", ".join(sorted(p.parent.name for p in self.folder.glob("*/analysis.json")))
            raise UsageError(
                f"{self.folder} has no index in {language}: "
                + (f"it has {known}" if known else "build one with globesumm index")
            )
        row = analysis(language)
        try:
            kept = read_record(path, Kept)
        except DataError as error:
            raise DataError(
                f"{error}; delete {path.parent} and repeat the command that made it"
            ) from error
        if kept.analyzer != row.signature:
            raise RunMismatch(
                str(self.folder / language),
                [f"analyzer: {kept.analyzer} there, {row.signature} now"],
            )
        return row

    def _write(
        self, writers: "Writers", language: str, batch: Mapping[str, Document], result: Added
    ) -> None:
        writer = writers.of(language)
        fresh = [document for name, document in batch.items() if not writer.has(name)]
        result.known[language] += len(batch) - len(fresh)
        wordless = writer.add(fresh)
        result.added[language] += len(fresh) - len(wordless)
        result.rejected += [
            Rejected(where=one.id, reason="nothing in it to look for", kind="empty")
            for one in wordless
        ]
