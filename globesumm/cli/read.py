"""Turn pages, feeds, tables or texts into documents.jsonl.

A page gives its own title, time, outlet and language; so does a table (CSV, JSON or JSON Lines)
in its columns text, title, published, source, language, url and id, of which text alone must be
there.  A plain text has none but its language: reports without a time come after all that have
one, in the order of their ids (their file names).

Examples:
  globesumm read pages/ --out documents.jsonl
  globesumm read urls.txt --format urls --out documents.jsonl

"""

import argparse
from pathlib import Path

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import DataError, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track, visible
from globesumm.records import read_own_records, write_records
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
    from retrieval.draft import Settings
    from retrieval.read import read

    candidates = options.languages.split(",") if options.languages else None
    beside = rejected_file(options.out)
    _check_outs(options.out, beside, options.source)
    documents: list[Document] = []
    rejected: list[Rejected] = []
    found = read(
        options.source,
        format=options.format,
        language=options.language,
        candidates=candidates,
        settings=Settings(leave_out=frozenset({options.out.resolve(), beside.resolve()})),
    )
    for one in track(found, "documents"):
        if isinstance(one, Document):
            documents.append(one)
        else:
            rejected.append(one)
    if documents:
        write_records(options.out, documents)
    if rejected:
        write_records(beside, rejected)
    elif documents:
        beside.unlink(missing_ok=True)
    name_rejected(rejected)
    _tell(documents, rejected, options.out, beside)
    if not documents:
        left = "is left as it was" if options.out.exists() else "is not written"
        raise UsageError(
            f"nothing could be read in {options.source}, and {options.out} {left}: name pages, "
            "texts, feeds or tables, or say with --format what they are"
        )
    return DONE_WITH_FAILURES if rejected else DONE


def rejected_file(out: Path) -> Path:
    """Where the refusals of a reading into `out` are written: beside it, by its whole name."""
    stem = out.stem if out.suffix == ".jsonl" else out.name
    return out.with_name(f"{stem}.rejected.jsonl")


def _check_outs(out: Path, beside: Path, source: str) -> None:
    """Raise a UsageError if refusals would take the place of what is not this reading's own."""
    if not out.name or (out.exists() and not out.is_file()):
        raise UsageError(f"--out {out} is not a regular file: name a file to write")
    if not beside.exists():
        return
    if not _holds_refusals(beside):
        raise UsageError(
            f"{beside} is where the refusals would be written, and holds something else: "
            "name another --out"
        )
    twin = out.with_suffix("") if out.suffix == ".jsonl" else out.with_name(f"{out.name}.jsonl")
    if twin.is_file() and twin.resolve() != Path(source).resolve():
        raise UsageError(
            f"{beside} may hold the refusals of {twin}: name another --out, or move them"
        )


def _holds_refusals(path: Path) -> bool:
    """Whether `path` is a file as this verb writes it; its first record tells."""
    try:
        if path.is_file():
            next(read_own_records(path, Rejected), None)
            return True
    except DataError:
        pass
    return False


def _tell(documents: list[Document], rejected: list[Rejected], out: Path, beside: Path) -> None:
    """What was read: one line on stdout, and on stderr what to know about it."""
    undated = sum(document.published is None for document in documents)
    noted = sum(bool(document.notes) for document in documents)
    languages = sorted({document.language for document in documents})
    print(
        f"{len(documents)} of {len(documents) + len(rejected)} became documents "
        f"in {counted(len(languages), 'language')} ({' '.join(languages) or 'none'}): "
        + (visible(str(out)) if documents else "nothing written")
    )
    if undated or noted:
        say(f"{undated} without a date, {noted} with notes (see the field `notes`)")
    if undated:
        say(
            "what has no date comes last, by id; the column `published` of a CSV or JSON Lines "
            "file gives dates (2023-09-09T05:40Z)"
        )
    if rejected:
        say(f"{len(rejected)} refused, each with its reason: {beside}")
