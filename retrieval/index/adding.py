"""Documents on their way into one language's Lucene index, none of them lost without a word."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from globesumm.errors import UsageError
from globesumm.records import to_compact_json, write_record
from globesumm.values import Document
from retrieval.index import java
from retrieval.index.analyzers import Analysis, analysis
from retrieval.index.bm25 import CONTENTS, DAY, UNDATED, written
from retrieval.index.texts import Texts

COMMIT = 50_000
"""Documents of one language after which what was added is made durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What an index was made with."""

    language: str
    analyzer: str
    fallback: str | None = None


class Writer:
    """Adds to one language's index through pyserini's `LuceneIndexer`."""

    def __init__(self, folder: Path, row: Analysis) -> None:
        self._folder, self._row = folder, row
        lucene = folder / "lucene"
        self._old = any(lucene.glob("segments_*"))
        if not self._old and lucene.exists():
            # An index that was cut short before its first commit cannot be opened.
            shutil.rmtree(lucene)
        folder.mkdir(parents=True, exist_ok=True)
        kept = Kept(language=row.language, analyzer=row.signature, fallback=row.fallback)
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

    def add(self, documents: list[Document]) -> list[Document]:
        """Index `documents`; returns those that hold nothing to look for, which Lucene drops.

        Raises `UsageError` unless it took all others.
        """
        searched = {document.id: _searched(document, self._row) for document in documents}
        full = [one for one in documents if searched[one.id].strip(_BLANK)]
        self._texts.put(full)
        with java.lucene_errors(self._folder):
            records = [_record(document, searched[document.id]) for document in full]
            taken = self._indexer.object.addRawDocuments(records)
        if taken < len(full):
            raise self._stopped(f"it took {taken} of {len(full)} documents")
        self._seen.update(document.id for document in full)
        self._waiting += len(full)
        if self._waiting >= COMMIT:
            self._commit()
        return [one for one in documents if one.id not in self._seen]

    def close(self) -> None:
        """Make all that was added durable; raises `UsageError` where that failed."""
        try:
            # The indexer's own close logs what stands in its way, and ends as if all were well.
            self._commit()
        finally:
            # What is committed stays, whatever becomes of merging it.
            with suppress(UsageError), java.lucene_errors(self._folder):
                self._indexer.close()
            self._texts.close()

    def _commit(self) -> None:
        writer = self._indexer.object.writer
        if not writer.isOpen():
            raise self._stopped("its writer was closed")
        with java.lucene_errors(self._folder):
            writer.commit()
        self._waiting = 0

    def _stopped(self, said: str) -> UsageError:
        """The error that closed the writer, or else what was `said` of it."""
        tragic = self._indexer.object.writer.getTragicException()
        return java.stopped(self._folder, str(tragic.toString()) if tragic else said)

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


class Writers:
    """Writers in the index `folder`, opened as they are needed and closed together.

    `checked` raises where a language's analyzer is another than the index was made with.
    """

    def __init__(self, folder: Path, checked: Callable[[str], Analysis]) -> None:
        self._folder, self._checked = folder, checked
        self._open: dict[str, Writer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        failed = []
        for writer in self._open.values():
            try:
                writer.close()
            except UsageError as again:
                failed.append(again)
        if failed and error is None:
            raise failed[0]

    def of(self, language: str) -> Writer:
        if language not in self._open:
            folder = self._folder / language
            if (folder / "analysis.json").exists():
                self._checked(language)
            java.start()
            self._open[language] = Writer(folder, analysis(language))
        return self._open[language]


_BLANK = "".join(map(chr, range(0x21)))
"""What Java trims: a text of these alone is dropped without a word."""


def _searched(document: Document, row: Analysis) -> str:
    """What of a document is searched."""
    contents = f"{document.title or ''}\n{document.text}"
    return " ".join(row.tokens(contents)) if row.tokens_ours else contents


def _record(document: Document, searched: str) -> str:
    """A document as Anserini's JSON: what is searched, and its day."""
    day = written(document.published.date()) if document.published else UNDATED
    # A lone surrogate becomes an escape, so it does not break the batch on its way to Java.
    return to_compact_json({"id": document.id, CONTENTS: searched, DAY: day})
