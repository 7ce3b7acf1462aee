"""Search an index in one language with BM25.

Examples:
  globesumm search "земетресение Мароко" --index index --language bg
  globesumm search --topics topics.tsv --index index --language bg --form trec > run.trec

"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import day, name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import visible
from globesumm.records import to_json
from globesumm.values import Document, Rejected

if TYPE_CHECKING:
    from retrieval.index import Hit, Index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", metavar="WORDS")
    parser.add_argument("--topics", type=Path, metavar="FILE", help="many queries: TREC or TSV")
    parser.add_argument("--index", type=Path, default=Path("index"), metavar="INDEX")
    parser.add_argument("--language", required=True, metavar="CODE")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="documents a query (10)")
    parser.add_argument("--k1", type=float, default=0.9, help="of BM25 (0.9)")
    parser.add_argument("--b", type=float, default=0.4, help="of BM25 (0.4)")
    parser.add_argument("--since", type=day, metavar="DAY", help="published then or later")
    parser.add_argument("--until", type=day, metavar="DAY", help="published then or earlier")
    parser.add_argument("--undated", action="store_true", help="take undated documents too")
    parser.add_argument("--form", choices=("text", "jsonl", "trec"), default="text")
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="measure against judgements")
    parser.add_argument(
        "--measures", metavar="NAMES", help="with commas (nDCG@10,RR,R@100); see ir-measures"
    )


def run(options: argparse.Namespace) -> int:
    from retrieval.index import Bm25, Index, Window

    topics, rejected = _topics(options)
    how = Bm25(k=options.k, k1=options.k1, b=options.b)
    index = Index(options.index)
    window = Window.between(options.since, options.until, undated=options.undated)
    found = index.search_many(topics, options.language, how, window)
    if options.qrels:
        _measure(options, dict(found))
    else:
        for name, hits in found:
            for line in _lines(options, index, name, hits):
                print(visible(line))
    name_rejected(rejected)
    return DONE_WITH_FAILURES if rejected else DONE


def _topics(options: argparse.Namespace) -> tuple[dict[str, str], list[Rejected]]:
    from retrieval.index.trec import read_topics

    if (options.query is None) == (options.topics is None):
        raise UsageError("give WORDS to search for, or --topics FILE")
    if options.topics:
        return read_topics(options.topics)
    if not any(character.isalnum() for character in options.query):
        raise UsageError(f"{options.query!r} holds no word to search for: give one or more")
    return {"1": options.query}, []


def _lines(
    options: argparse.Namespace, index: "Index", name: str, hits: "list[Hit]"
) -> Iterator[str]:
    if options.form == "trec":
        from retrieval.index.trec import run_lines

        yield from run_lines(name, hits)
        return
    if options.form == "text" and options.topics:
        yield f"# {name}"
    for hit in hits:
        document = index.document(hit)
        if options.form == "jsonl":
            yield to_json(
                {"query": name, "rank": hit.rank, "score": hit.score, "document": document}
            )
        else:
            yield _told(hit, document)
    if options.form == "text" and not hits:
        yield "nothing found"


def _told(hit: "Hit", document: Document) -> str:
    day = f"{document.published:%Y-%m-%d}" if document.published else "undated"
    return (
        f"{hit.rank:>4}  {hit.score:>8.4f}  {day:<10}  {document.source or '-'}: "
        f"{document.title or document.id}"
    )


def _measure(options: argparse.Namespace, run: "dict[str, list[Hit]]") -> None:
    from retrieval.index.trec import DEFAULT_MEASURES, measured

    names = options.measures.split(",") if options.measures else DEFAULT_MEASURES
    for one in measured(options.qrels, run, names):
        print(f"{one.measure:<10} {one.value:.4f} ({one.n}/{counted(one.expected, 'topic')})")
