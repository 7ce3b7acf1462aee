"""Tables of GDELT 2.0 for a window of time, every quarter-hour accounted for.

Each quarter-hour is had, known to be missing, or failed with its cause.  The same command goes
on where it was stopped, and fetches nothing twice.  Days and times are UTC; --to is included.

Examples:
  globesumm gdelt --from 2023-09-09 --to 2023-09-10 --out gdelt --dry-run
  globesumm gdelt --from 2023-05 --to 2023-10 --out gdelt --format parquet --drop-zips
  globesumm gdelt --from 2023-09-09T10:15 --to 2023-09-09T12:00 --base /data/mirror --out gdelt

"""

import argparse
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import CLUSTER_HELP
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible

if TYPE_CHECKING:
    from retrieval.gdelt.account import Part
    from retrieval.gdelt.base import Base
    from retrieval.gdelt.ingest import Planned, Request
    from retrieval.gdelt.names import Product, Stream
    from retrieval.gdelt.web_base import Patience

_MOST_DAYS = 40
_LACKS = {
    "untitled": "have no title",
    "undated": "no time of publication",
    "unknown_language": "no known language",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from retrieval.gdelt.places import GDELT

    parser.add_argument("--from", dest="first", required=True, metavar="WHEN", help="day or time")
    parser.add_argument("--to", dest="last", required=True, metavar="WHEN", help="day or time")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--base", default=GDELT, metavar="URL|FOLDER", help=f"where the files are ({GDELT})"
    )
    parser.add_argument(
        "--gal-base",
        metavar="URL|FOLDER",
        help="where the Article List is (gdeltv3/gal beside the base)",
    )
    parser.add_argument(
        "--streams",
        default="english,translated",
        metavar="NAMES",
        help="english, translated, gal (the Article List), with commas (english,translated)",
    )
    parser.add_argument(
        "--products", default="gkg", metavar="NAMES", help="gkg, export, mentions (gkg)"
    )
    parser.add_argument(
        "--format", default="jsonl", metavar="FORM", help="jsonl or parquet (jsonl)"
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="of fetched files (OUT/zips)")
    parser.add_argument(
        "--drop-zips", action="store_true", help="remove each fetched file once its table is made"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="fetch the lists anew, and ask again for files that were not there",
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes, each with one request under way (one a processor)",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help=CLUSTER_HELP)
    parser.add_argument("--tries", type=int, default=6, metavar="N", help="for each file (6)")
    parser.add_argument(
        "--wait",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="before the second try; doubled each time, unless the host asks for a time (5)",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say what would be fetched, and stop (the lists are fetched)",
    )


def run(options: argparse.Namespace) -> int:
    from retrieval.gdelt.account import State, causes, days_not_whole, table
    from retrieval.gdelt.ingest import carry_out, planned, to_fetch_in_all

    request = _request(options)
    work = planned(request)
    _tell_lists(work)
    if options.dry_run:
        return _dry_run(request, work)
    files, size = to_fetch_in_all(request, work)
    if files:
        say(
            f"to be fetched: {counted(files, 'file', ',')}, {counted(size, 'byte', ',')} "
            f"({size / 1e9:.2f} GB)"
        )
    parts = carry_out(request, work)
    print("\n".join(table(parts)))
    days = [line for part in parts for line in days_not_whole(part)]
    print(visible("\n".join(days[:_MOST_DAYS])) if days else "every quarter-hour asked for is had")
    if len(days) > _MOST_DAYS:
        print(f"... and {counted(len(days) - _MOST_DAYS, 'more day')}, not whole")
    made, reused = sum(part.made for part in parts), sum(map(_reused, parts))
    say(
        f"{counted(made, 'table')} made, {reused} were there already; every file: "
        f"{request.out}/slots.jsonl"
    )
    if rejected := sum(part.counts.get("rejected", 0) for part in parts):
        say(
            f"{counted(rejected, 'row')} could not be read, each with its reason: "
            f"{request.out}/rejected"
        )
    _tell_lacks(parts)
    if failed := causes(parts):
        told = ", ".join(f"{count} {kind}" for kind, count in failed.most_common())
        say(f"failed: {told}; --again asks for all of it anew, lists too")
    return DONE_WITH_FAILURES if any(part.number(State.FAILED) for part in parts) else DONE


def _tell_lacks(parts: "list[Part]") -> None:
    """How many of the documents lack what."""
    from retrieval.gdelt.names import Product

    documents = [part for part in parts if part.product in {Product.GKG, Product.GAL}]
    if kept := sum(part.counts.get("kept", 0) for part in documents):
        told = ", ".join(
            f"{sum(part.counts.get(lack, 0) for part in documents):,} {words}"
            for lack, words in _LACKS.items()
        )
        say(f"of {counted(kept, 'document', ',')} {told}")


def _reused(part: "Part") -> int:
    from retrieval.gdelt.account import State

    return part.number(State.HAD) - part.made


def _request(options: argparse.Namespace) -> "Request":
    from retrieval.gdelt.ingest import Request
    from retrieval.gdelt.names import Stream
    from retrieval.gdelt.places import base_at
    from retrieval.gdelt.slots import window
    from retrieval.gdelt.web_base import Patience

    if options.tries < 1 or not 0 <= options.wait < math.inf:
        raise UsageError("--tries is 1 or more, --wait 0 or more")
    patience = Patience(tries=options.tries, first_wait_seconds=options.wait)
    parts = _parts(options.streams, options.products)
    gal = any(stream is Stream.GAL for stream, _ in parts)
    return Request(
        window=window(options.first, options.last),
        parts=parts,
        out=options.out,
        base=base_at(options.base, patience),
        gal_base=_gal_base(options, patience) if gal else None,
        form=options.format,
        cache=options.cache,
        keep=not options.drop_zips,
        again=options.again,
        workers=options.workers,
        cluster=options.cluster,
    )


def _gal_base(options: argparse.Namespace, patience: "Patience") -> "Base":
    from retrieval.gdelt.places import article_list_beside, base_at

    where = options.gal_base or article_list_beside(options.base)
    return base_at(where, patience, "--gal-base")


def _parts(streams: str, products: str) -> "tuple[tuple[Stream, Product], ...]":
    from retrieval.gdelt.names import Product, Stream

    known = [product.value for product in Product if product is not Product.GAL]
    wanted = [Product(_known("product", name, known)) for name in products.split(",")]
    parts: list[tuple[Stream, Product]] = []
    for name in streams.split(","):
        stream = Stream(_known("stream", name, [stream.value for stream in Stream]))
        parts += [
            (stream, product)
            for product in ([Product.GAL] if stream is Stream.GAL else wanted)
            if (stream, product) not in parts
        ]
    return tuple(parts)


def _known(kind: str, name: str, known: list[str]) -> str:
    if name.strip() not in known:
        raise UnknownName(kind, name.strip(), known)
    return name.strip()


def _tell_lists(work: "Planned") -> None:
    for stream, stated in work.lists.items():
        if stated.twice:
            say(f"{stream} list: {counted(stated.twice, 'file')} named twice; the later line holds")
        for rejected in stated.rejected[:10]:
            say(f"{rejected.where}: {rejected.reason}: {rejected.excerpt}")
        if len(stated.rejected) > 10:
            say(f"{stream} list: {counted(len(stated.rejected), 'line')} in all could not be read")


def _dry_run(request: "Request", work: "Planned") -> int:
    from retrieval.gdelt.account import aligned
    from retrieval.gdelt.ingest import to_fetch_in_all
    from retrieval.gdelt.names import Stream

    heads = ("stream", "product", "quarter-hours", "listed", "known missing", "unexplained")
    lines = [[*heads, "to do", "to fetch", "bytes to fetch"]]
    why: Counter[str] = Counter()
    for stream, product in request.parts:
        numbers = _planned_numbers(request, work, (stream, product), why)
        if stream is Stream.GAL:
            numbers["listed"] = None
        told = (("-" if number is None else f"{number:,}") for number in numbers.values())
        lines.append([stream, product, *told])
    print("\n".join(aligned(lines)))
    for cause, count in why.most_common():
        print(f"{count:,} unexplained: {cause}")
    files, size = to_fetch_in_all(request, work)
    print(
        f"{counted(files, 'file', ',')}, {counted(size, 'byte', ',')} ({size / 1e9:.2f} GB) "
        "would be fetched"
    )
    if any(stream is Stream.GAL for stream, _ in request.parts):
        print("gal has no list: each quarter-hour has 2 to 5 files of about 200,000 bytes")
    return DONE


def _planned_numbers(
    request: "Request", work: "Planned", part: "tuple[Stream, Product]", why: Counter[str]
) -> "dict[str, int | None]":
    """The row of a part in the table of a dry run; causes of what is unexplained go to `why`."""
    from retrieval.gdelt.ingest import to_do, to_fetch

    numbers = dict.fromkeys(("all", "listed", "known", "unexplained", "to do", "fetch", "bytes"), 0)
    for one in work.of(*part):
        numbers["all"] += 1
        numbers["listed"] += one.to_be_had and one.known is None
        numbers["known"] += one.known is not None
        if one.unexplained is not None:
            numbers["unexplained"] += 1
            why[one.unexplained] += 1
    numbers["to do"] = sum(1 for _ in to_do(request, work.of(*part), part[1]))
    for one in to_fetch(request, to_do(request, work.of(*part), part[1])):
        numbers["fetch"] += 1
        numbers["bytes"] += one.listed.size if one.listed else 0
    return {**numbers}
