"""An index folder: one Lucene index for each language, grown a batch at a time.

::

    INDEX/<language>/analysis.json     the analyzer; one that has changed since is refused
    INDEX/<language>/documents.sqlite  the documents by id
    INDEX/<language>/lucene/           Lucene's files

Lucene's commits are whole or not there, so a kill while documents are added loses what had not
been committed, and the same command adds it again; nothing is doubled, because each document is
looked up by its id first.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from globesumm.errors import RunMismatch, UsageError
from globesumm.records import read_record, to_compact_json, write_record
from globesumm.unfinished import sweep
from globesumm.values import Document, Rejected
from retrieval.index import java
from retrieval.index.analyzers import Analysis, analyses, analysis
from retrieval.index.bm25 import CONTENTS, DAY, UNDATED, Bm25, Hit, Searcher, Window, written
from retrieval.index.texts import Texts, lost

BATCH = 1000
"""Documents handed to Lucene at once."""

COMMIT = 50_000
"""Documents of one language after which what was added is made durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What an index was made with."""

    language: str
    analyzer: str
    fallback: str | None = None


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
        """Index what is not indexed yet; documents in languages without an analyzer are named."""
        sweep(self.folder)
        result = Added()
        batches: dict[str, dict[str, Document]] = {}
        with _Writers(self) as writers:
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
        row, kept = analysis(language), read_record(path, _Kept)
        if kept.analyzer != row.signature:
            raise RunMismatch(
                str(self.folder / language),
                [f"analyzer: {kept.analyzer} there, {row.signature} now"],
            )
        return row

    def _write(
        self, writers: "_Writers", language: str, batch: Mapping[str, Document], result: Added
    ) -> None:
        writer = writers.of(language)
        fresh = [document for name, document in batch.items() if not writer.has(name)]
        result.known[language] += len(batch) - len(fresh)
        writer.add(fresh)
        result.added[language] += len(fresh)


class _Writer:
    """Adds to one language's index through pyserini's `LuceneIndexer`."""

    def __init__(self, folder: Path, row: Analysis) -> None:
        self._folder, self._row = folder, row
        lucene = folder / "lucene"
        self._old = any(lucene.glob("segments_*"))
        if not self._old and lucene.exists():
            # An index that was cut short before its first commit cannot be opened.
            shutil.rmtree(lucene)
        folder.mkdir(parents=True, exist_ok=True)
        kept = _Kept(language=row.language, analyzer=row.signature, fallback=row.fallback)
        write_record(folder / "analysis.json", kept)
        with java.lucene_errors(folder):
            self._reader = self._known(lucene) if self._old else None
        self._texts = Texts(folder / "documents.sqlite", new=not self._old)
        self._seen: set[str] = set()
        self._waiting = 0
        with java.lucene_errors(folder):
            self._indexer = self._opened(lucene)

    def has(self, identifier: str) -> bool:
        """Whether the document is indexed, or was added since this was opened."""
        if identifier in self._seen:
            return True
        if self._reader is None:
            return False
        return bool(self._reader.convert_collection_docid_to_internal_docid(identifier) >= 0)

    def add(self, documents: list[Document]) -> None:
        self._texts.put(documents)
        with java.lucene_errors(self._folder):
            self._indexer.add_batch_raw([_record(document, self._row) for document in documents])
        self._seen.update(document.id for document in documents)
        self._waiting += len(documents)
        if self._waiting >= COMMIT:
            with java.lucene_errors(self._folder):
                self._indexer.object.writer.commit()
            self._waiting = 0

    def close(self) -> None:
        with java.lucene_errors(self._folder):
            self._indexer.close()
        self._texts.close()

    def _known(self, lucene: Path) -> Any:
        from pyserini.index.lucene import LuceneIndexReader

        return LuceneIndexReader(str(lucene))

    def _opened(self, lucene: Path) -> Any:
        java.start()
        from pyserini.index.lucene import LuceneIndexer

        row = self._row
        analyzers = java.java_class("io.anserini.analysis.AnalyzerMap")
        arguments = ["-index", str(lucene), "-fields", DAY]
        if row.tokens_ours:
            arguments.append("-pretokenized")
        else:
            # Anserini would index a language that its table lacks as English; "en" it knows itself.
            if row.language != "en":
                analyzers.analyzerMap.put(row.language, row.name)
            arguments += ["-language", row.language]
        indexer = LuceneIndexer(args=arguments, append=self._old, threads=2)
        used = indexer.object.analyzer.getClass().getName()
        if not row.tokens_ours and used != row.name:
            raise UsageError(
                f"{row.language}: Lucene took {used} for {row.name}: build the index anew"
            )
        return indexer


class _Writers:
    """Writers opened as they are needed, and closed together."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._open: dict[str, _Writer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._open.values():
            writer.close()

    def of(self, language: str) -> _Writer:
        if language not in self._open:
            folder = self._index.folder / language
            if (folder / "analysis.json").exists():
                self._index.checked(language)
            java.start()
            self._open[language] = _Writer(folder, analysis(language))
        return self._open[language]


def _record(document: Document, row: Analysis) -> str:
    """A document as Anserini's JSON: what is searched, and its day."""
    contents = f"{document.title or ''}\n{document.text}"
    if row.tokens_ours:
        contents = " ".join(row.tokens(contents))
    day = written(document.published.date()) if document.published else UNDATED
    # A lone surrogate becomes an escape, so it does not break the batch on its way to Java.
    return to_compact_json({"id": document.id, CONTENTS: contents, DAY: day})
