"""Turn pages, feeds, tables or texts into documents.jsonl.

Examples:
  globesumm read pages/ --out documents.jsonl
  globesumm read urls.txt --format urls --out documents.jsonl

"""

import argparse
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES, REFUSED
from globesumm.progress import say, track
from globesumm.records import write_records
from globesumm.values import Document, Rejected


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from retrieval.read import FORMATS

    parser.add_argument("source", help="a folder or file of pages, texts, feeds, tables or URLs")
    parser.add_argument("--out", type=Path, default=Path("documents.jsonl"), metavar="FILE")
    parser.add_argument("--format", metavar="FORM", help=f"{', '.join(FORMATS)} (guessed)")
    parser.add_argument("--language", metavar="CODE", help="the language of every document")
    parser.add_argument(
        "--languages", metavar="CODES", help="the languages to consider, with commas between"
    )


def run(options: argparse.Namespace) -> int:
    from retrieval.read import read

    candidates = options.languages.split(",") if options.languages else None
    documents: list[Document] = []
    rejected: list[Rejected] = []
    found = read(
        options.source, format=options.format, language=options.language, candidates=candidates
    )
    for one in track(found, "documents"):
        if isinstance(one, Document):
            documents.append(one)
        else:
            rejected.append(one)
    write_records(options.out, documents)
    beside = options.out.with_suffix(".rejected.jsonl")
    if rejected:
        write_records(beside, rejected)
    else:
        beside.unlink(missing_ok=True)
    name_rejected(rejected)
    undated = sum(document.published is None for document in documents)
    noted = sum(bool(document.notes) for document in documents)
    languages = sorted({document.language for document in documents})
    print(
        f"{len(documents)} of {len(documents) + len(rejected)} became documents "
        f"in {len(languages)} languages ({' '.join(languages) or 'none'}): {options.out}"
    )
    if undated or noted:
        say(f"{undated} without a date, {noted} with notes (see the field `notes`)")
    if rejected:
        say(f"{len(rejected)} refused, each with its reason: {beside}")
    if not documents:
        return REFUSED
    return DONE_WITH_FAILURES if rejected else DONE
