"""Known-item retrieval: for a query taken from a document, is that document found, and how high?

Mean reciprocal rank (0 where the document is not among the first `K`) and success at 1 and at 5,
for BM25 with this project's analyzers and, over the same documents, with what pyserini takes by
itself: ``-language xx`` at indexing and ``set_language("xx")`` at searching, which is its English
analyzer, on both sides, for a language that Anserini does not map.
"""

import json
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from baselines.studies.known_items_data import WANTED, Item, counted, load
from baselines.studies.page import Page, Section, plain_table
from globesumm.languages import LANGUAGES
from globesumm.values import Document
from retrieval.index import Bm25, Index, analysis

K = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one analyzer found for the items of one language.

    `analyzer` is how it is called; `ranks` has each item's rank from 1, None where it was not
    among the first `K`.
    """

    analyzer: str
    ranks: tuple[int | None, ...]

    @property
    def mrr(self) -> float:
        """Mean reciprocal rank, 0 to 1, higher is better."""
        return fmean(1 / rank if rank else 0.0 for rank in self.ranks)

    def success(self, k: int) -> float:
        """The share of items whose document is among the first `k`, 0 to 1."""
        return fmean(rank is not None and rank <= k for rank in self.ranks)


def run(data: Path | None, seed: int) -> Page:
    """Index, search and compare; nothing is drawn, so `seed` decides nothing."""
    del seed
    items = {code: held for code, held in load(data).items() if held}
    ours, theirs = found_by_ours(items), found_by_pyserini(items)
    how = Bm25(k=K)
    rows = [
        (
            f"{code} {LANGUAGES[code].name}",
            counted(held) + ("" if len(held) >= WANTED else f" (fewer than {WANTED})"),
            str(len(held)),
            _figures(ours[code]),
            _figures(theirs[code]),
            ours[code].analyzer,
            theirs[code].analyzer,
        )
        for code, held in sorted(items.items())
    ]
    header = ("language", "sources", "n", "ours", "pyserini", "our analyzer", "pyserini's")
    about = (
        f"MRR@{K} / success@1 / success@5, times 100.  Each document is asked for once, among all "
        "those of its language.  XQuAD: the first question about a paragraph; MultiLing: the lead "
        "sentence, over what follows it; fundus: a page's title, over its body; GDELT: every "
        "second word of a title, over titles; own: the title of invented local news, over its "
        "two sentences."
    )
    return Page(
        title="Known items: the document that a query was taken from",
        settings=(
            ("documents", f"{sum(map(len, items.values()))} in {len(items)} languages"),
            ("BM25", f"k1 {how.k1}, b {how.b}, k {how.k}"),
        ),
        sections=(Section(title="By language", about=about, table=plain_table(header, rows)),),
    )


def found_by_ours(items: Mapping[str, Sequence[Item]]) -> dict[str, Found]:
    """With the analyzers of this project."""
    with TemporaryDirectory() as folder:
        index = Index(Path(folder))
        index.add(
            Document(id=item.id, text=item.text, language=code)
            for code, held in items.items()
            for item in held
        )
        result = {}
        for code, held in items.items():
            queries = {item.id: item.query for item in held}
            hits = dict(index.search_many(queries, code, Bm25(k=K)))
            ranks = tuple(
                next((hit.rank for hit in hits[item.id] if hit.document == item.id), None)
                for item in held
            )
            result[code] = Found(analyzer=analysis(code).signature, ranks=ranks)
        index.close()
    return result


def found_by_pyserini(items: Mapping[str, Sequence[Item]]) -> dict[str, Found]:
    """With what pyserini takes for the code of each language.

    In a process of its own, where Anserini's table of analyzers is as it is shipped.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(
            _by_pyserini, {code: list(held) for code, held in items.items()}
        ).result()


def _by_pyserini(items: Mapping[str, Sequence[Item]]) -> dict[str, Found]:
    from retrieval.index import java

    java.start()
    from pyserini.index.lucene import LuceneIndexer

    how = Bm25(k=K)
    result = {}
    for code, held in items.items():
        with TemporaryDirectory() as folder:
            indexer = LuceneIndexer(args=["-index", folder, "-language", code], threads=1)
            indexer.add_batch_raw(
                [json.dumps({"id": item.id, "contents": item.text}) for item in held]
            )
            used = {_short(indexer.object.analyzer)}
            indexer.close()
            searcher = java.java_class("io.anserini.search.SimpleSearcher")(folder)
            # What pyserini's LuceneSearcher.set_language and set_bm25 call, and nothing else.
            searcher.set_language(code)
            searcher.set_bm25(how.k1, how.b)
            used.add(_short(searcher.analyzer))
            ranks = []
            for item in held:
                hits = [hit.docid for hit in searcher.search(item.query, how.k) or ()]
                ranks.append(hits.index(item.id) + 1 if item.id in hits else None)
            searcher.close()
        result[code] = Found(analyzer=" / ".join(sorted(used)), ranks=tuple(ranks))
    return result


def _short(analyzer: Any) -> str:
    name: str = analyzer.getClass().getName()
    return name.rsplit(".", 1)[-1]


def _figures(found: Found) -> str:
    shares = (found.mrr, found.success(1), found.success(5))
    return " / ".join(f"{100 * share:.1f}" for share in shares)
