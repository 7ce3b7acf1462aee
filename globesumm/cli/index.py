"""Build or grow a BM25 index, one for each language of the documents.

Documents that are indexed already are left alone, so the same command adds what is new.

Examples:
  globesumm index documents.jsonl --out index
  globesumm index --analyzers

"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.progress import say, track
from globesumm.unfinished import begun
from globesumm.values import Document, Rejected


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="DOCUMENTS", help="as for globesumm read")
    parser.add_argument("--out", type=Path, default=Path("index"), metavar="INDEX")
    parser.add_argument("--format", metavar="FORM", help="of the sources, as for globesumm read")
    parser.add_argument("--analyzers", action="store_true", help="list them by language, and stop")


def run(options: argparse.Namespace) -> int:
    from retrieval.index import Index

    if options.analyzers:
        return _analyzers()
    if not options.sources:
        raise UsageError("no documents: name a documents.jsonl, or a folder of pages")
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {options.out} is no folder: name another")
    refused: list[Rejected] = []
    with begun(options.out):
        result = Index(options.out).add(track(_documents(options, refused), "documents"))
        for language in sorted(result.added | result.known):
            from retrieval.index import analysis

            row = analysis(language)
            makeshift = f" ({row.fallback})" if row.fallback else ""
            print(
                f"{language}  {result.added[language]:>7} added  {result.known[language]:>7} there "
                f"already  {row.signature}{makeshift}"
            )
        rejected = [*refused, *result.rejected]
        name_rejected(rejected)
        if not result.added and not result.known:
            raise UsageError(
                f"no document in {', '.join(options.sources)}: globesumm read or fetch writes some"
            )
    say(f"index: {options.out}; next: globesumm search WORDS --index {options.out} --language CODE")
    return DONE_WITH_FAILURES if rejected else DONE


def _documents(options: argparse.Namespace, refused: list[Rejected]) -> Iterator[Document]:
    from retrieval.read import read

    sources: Sequence[str] = options.sources
    for source in sources:
        for one in read(source, format=options.format):
            if isinstance(one, Document):
                yield one
            else:
                refused.append(one)


def _analyzers() -> int:
    from retrieval.index import analyses

    for language, row in sorted(analyses().items()):
        makeshift = f"; makeshift: {row.fallback}" if row.fallback else ""
        print(f"{language}  {row.signature:<30} {row.about}{makeshift}")
    return DONE
