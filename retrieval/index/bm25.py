"""Searching one language's index."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from globesumm.errors import UsageError
from globesumm.values import Document
from retrieval.index import java
from retrieval.index.analyzers import Analysis
from retrieval.index.texts import Texts

UNDATED = "00000000"
"""The day of documents without one."""

CONTENTS, DAY = "contents", "day"

_MOST_HITS_AT_ONCE = 20_000
"""Hits built in one Java call: each is an object there and here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """How many documents are wanted, and BM25's two constants (Anserini's defaults)."""

    k: int = 10
    k1: float = 0.9
    b: float = 0.4

    def __post_init__(self) -> None:
        if not 1 <= self.k <= 100_000:
            raise UsageError(f"k is {self.k}: give a number from 1 to 100000")
        if not 0 <= self.k1 < 1000:
            raise UsageError(f"k1 is {self.k1}: give a number from 0 up")
        if not 0 <= self.b <= 1:
            raise UsageError(f"b is {self.b}: give a number from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Days of publication, both included; with `undated`, documents without a date as well."""

    since: date
    until: date
    undated: bool = False

    def __post_init__(self) -> None:
        if self.until < self.since:
            raise UsageError(
                f"the window ends ({self.until}) before it begins ({self.since}): "
                "give the earlier day first"
            )

    @classmethod
    def between(
        cls, since: date | None, until: date | None, *, undated: bool = False
    ) -> "Window | None":
        """The days from `since` to `until`, either open where None; None for any day."""
        if since is None and until is None:
            return None
        return cls(since=since or date.min, until=until or date.max, undated=undated)

    @classmethod
    def around(cls, day: date, before: int, after: int, *, undated: bool = False) -> "Window":
        """The days from `before` days ahead of `day` to `after` days behind it."""
        since, until = day - timedelta(days=before), day + timedelta(days=after)
        return cls(since=since, until=until, undated=undated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document found: `rank` from 1, `score` BM25's (higher is better)."""

    document: str
    language: str
    rank: int
    score: float


class Searcher:
    """An open index of one language; it sees the documents that were there when it was opened."""

    def __init__(self, folder: Path, analysis: Analysis) -> None:
        self._analysis, self._lucene = analysis, folder / "lucene"
        opened = java.java_class("io.anserini.search.SimpleSearcher")
        with java.lucene_errors(self._lucene):
            self._searcher = opened(str(self._lucene))
        self._texts = Texts(folder / "documents.sqlite", new=False)
        if analysis.tokens_ours:
            name = "org.apache.lucene.analysis.core.WhitespaceAnalyzer"
            self._analyzer = java.java_class(name)()
        else:
            self._analyzer = analysis.analyzer()
        self._searcher.set_analyzer(self._analyzer)
        self._constants: tuple[float, float] | None = None

    def __len__(self) -> int:
        return int(self._searcher.get_total_num_docs())

    def search(self, text: str, how: Bm25, window: Window | None = None) -> list[Hit]:
        """The best documents for `text`, best first; none where no word of it is known."""
        self._set(how)
        with java.lucene_errors(self._lucene):
            return self._hits(self._found(text, how.k, window))

    def search_many(
        self,
        queries: Mapping[str, str],
        how: Bm25,
        window: Window | None = None,
        *,
        threads: int = 2,
    ) -> Iterator[tuple[str, list[Hit]]]:
        """(name, hits) of each query, in order; memory is bounded by chunks."""
        self._set(how)
        chunk = max(1, _MOST_HITS_AT_ONCE // how.k)
        names = iter(queries)
        while some := list(islice(names, chunk)):
            texts = [queries[name] for name in some]
            with java.lucene_errors(self._lucene):
                found = [self._hits(one) for one in self._all(texts, how.k, window, threads)]
            yield from zip(some, found, strict=True)

    def within(self, window: Window, most: int) -> list[str]:
        """The ids of at most `most` documents of those days, in the order they were added."""
        with java.lucene_errors(self._lucene):
            return [hit.docid for hit in self._searcher.search(_in_days(window), most) or ()]

    def document(self, identifier: str) -> Document | None:
        """The document as it was indexed, None if it is not here."""
        return self._texts.get(identifier)

    def close(self) -> None:
        self._searcher.close()
        self._texts.close()

    def _all(
        self, texts: Sequence[str], k: int, window: Window | None, threads: int
    ) -> Iterator[Any]:
        if window is None:
            asked, names = java.java_list(map(self._worded, texts)), range(len(texts))
            numbered = java.java_list(map(str, names))
            found = self._searcher.batch_search(asked, numbered, k, threads)
            yield from (found.get(str(name)) for name in names)
            return
        # Java gives Python's lock back while it searches.
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(lambda text: self._found(text, k, window), texts)

    def _found(self, text: str, k: int, window: Window | None) -> Any:
        worded = self._worded(text)
        if window is None:
            return self._searcher.search(worded, k)
        generator = java.java_class("io.anserini.search.query.BagOfWordsQueryGenerator")()
        words = generator.buildQuery(CONTENTS, self._analyzer, worded)
        must = java.java_class("org.apache.lucene.search.BooleanClause$Occur")
        both = java.java_class("org.apache.lucene.search.BooleanQuery$Builder")()
        both.add(words, must.MUST)
        both.add(_in_days(window), must.FILTER)
        return self._searcher.search(both.build(), k)

    def _worded(self, text: str) -> str:
        if self._analysis.tokens_ours:
            return " ".join(self._analysis.tokens(text))
        # Java's strings cannot hold a lone surrogate.
        return text.encode("utf-8", "replace").decode()

    def _set(self, how: Bm25) -> None:
        if self._constants != (how.k1, how.b):
            self._searcher.set_bm25(how.k1, how.b)
            self._constants = (how.k1, how.b)

    def _hits(self, found: Any) -> list[Hit]:
        return [
            Hit(
                document=hit.docid,
                language=self._analysis.language,
                rank=rank,
                score=float(hit.score),
            )
            for rank, hit in enumerate(found or (), start=1)
        ]


def _in_days(window: Window) -> Any:
    """A window of any length is one range: days are written so that text order is theirs."""
    ranges = java.java_class("org.apache.lucene.search.TermRangeQuery")
    first, last, included = written(window.since), written(window.until), True
    dated = ranges.newStringRange(DAY, first, last, included, included)
    if not window.undated:
        return dated
    should = java.java_class("org.apache.lucene.search.BooleanClause$Occur").SHOULD
    either = java.java_class("org.apache.lucene.search.BooleanQuery$Builder")()
    either.add(dated, should)
    either.add(ranges.newStringRange(DAY, UNDATED, UNDATED, included, included), should)
    return either.build()


def written(day: date) -> str:
    """A day as it stands in the index."""
    # strftime does not pad the years before 1000.
    return day.isoformat().replace("-", "")
