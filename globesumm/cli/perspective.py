"""What each of several sides says on a topic, summarized side by side and scored.

  run      summarize every side by every method: zero-shot, lead, rerank, rerank-rouge,
           self-refine, debate (rerank-18, self-refine-6, debate-5x4 bring their own numbers)
  drafts   the drafts that any run chose among, round by round: values, fronts, the dominated
  convert  topics from one layout into another

SOURCE is ``samples`` (topics that come with the package), ``sample:NAME``, or a file of topics:
jsonl, PoliSum's table (CSV), or the perspective paper's records (JSON).  With --by FIELD it is
events or documents, as ``globesumm grid`` takes them, and the sides are the documents of one
language, country, outlet, agency, or value of a column of outlets.

Examples:
  globesumm perspective run samples --methods zero-shot,rerank --model qwen3:8b
      --base-url http://127.0.0.1:11434/v1 --out runs/sides --dry-run
  globesumm perspective run polisum.csv --methods zero-shot,rerank,debate --model gpt-4o-mini
      --metrics llm-coverage,alignment --judge gpt-4o --out runs/polisum
  globesumm perspective run events.jsonl --by language --model qwen3:8b --out runs/languages
  globesumm perspective drafts runs/sides --plots plots/
  globesumm perspective convert polisum.csv --to jsonl --out topics.jsonl

"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import visible
from globesumm.values import Rejected

if TYPE_CHECKING:
    from baselines.perspectives.values import Topic

SAMPLES, SAMPLE = "samples", "sample:"

_MOST_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    runs = actions.add_parser(
        "run", help="summarize every side by every method", allow_abbrev=False
    )
    _add_sources(runs)
    from globesumm.cli.perspective_run import add_run_options

    add_run_options(runs)
    drafts = actions.add_parser(
        "drafts", help="the Pareto view of a run's drafts", allow_abbrev=False
    )
    drafts.add_argument("run", type=Path, metavar="RUN")
    drafts.add_argument("--event", metavar="TOPIC/SIDE", help="of this summary alone")
    drafts.add_argument("--recipe", metavar="NAME", help="of this recipe alone")
    drafts.add_argument("--plots", type=Path, metavar="DIR", help="draw a picture of each there")
    drafts.add_argument(
        "--format", choices=("table", "markdown", "latex", "tsv"), default="table", help="(table)"
    )
    convert = actions.add_parser("convert", help="topics into another layout", allow_abbrev=False)
    _add_sources(convert)
    convert.add_argument("--to", metavar="LAYOUT", help="jsonl, polisum or stances (by --out)")
    convert.add_argument("--out", type=Path, required=True, metavar="FILE")


def _add_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--layout", metavar="NAME", help="jsonl, polisum or stances (by ending)")
    parser.add_argument("--by", metavar="FIELD", help="sides of events: language, country, …")
    parser.add_argument("--least", type=int, default=2, metavar="N", help="documents a side (2)")


def run(options: argparse.Namespace) -> int:
    if options.action == "run":
        from globesumm.cli.perspective_run import carry_out_run

        topics, rejected = topics_of(options)
        return carry_out_run(options, topics, rejected)
    return _drafts(options) if options.action == "drafts" else _convert(options)


def topics_of(options: argparse.Namespace) -> "tuple[list[Topic], list[Rejected]]":
    """The topics of all sources, ids told apart, and what could not become one.

    Raises `UsageError` where none can stand.
    """
    from baselines.perspectives.values import Topic, each_side, side_id

    if options.least < 1:
        raise UsageError(f"--least is {options.least}: give a number of documents from 1 up")
    if options.by and options.layout:
        raise UsageError(
            "--by makes sides of events, --layout reads sides that are there: not both"
        )
    found = _grouped(options) if options.by else _read(options)
    topics = [one for one in found if isinstance(one, Topic)]
    rejected = [one for one in found if isinstance(one, Rejected)]
    name_rejected(rejected)
    ids = [topic.id for topic in topics]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        raise UsageError(f"two topics are called {twice!r}: leave one out")
    named = [side_id(topic, side) for topic, side in each_side(topics)]
    if twice := next((one for one in named if named.count(one) > 1), None):
        raise UsageError(f"two sides come to be called {twice!r}: rename a topic or a side")
    if not topics:
        more = f" ({len(rejected)} refused)" if rejected else ""
        if not options.by:
            more += "; sides of documents or events of your own are made with --by FIELD"
        raise UsageError(
            f"{', '.join(options.sources)}: no topic can stand{more}; "
            "globesumm perspective --help says which layouts there are"
        )
    return topics, rejected


def _read(options: argparse.Namespace) -> "list[Topic | Rejected]":
    from baselines.perspectives import samples
    from baselines.perspectives.layouts import read_topics

    found: list[Topic | Rejected] = []
    for source in options.sources:
        if source == SAMPLES:
            found += samples.load_all()
        elif source.startswith(SAMPLE):
            found.append(samples.load(source.removeprefix(SAMPLE)))
        else:
            found += read_topics(Path(source), options.layout, least=options.least)
    return found


def _grouped(options: argparse.Namespace) -> "list[Topic | Rejected]":
    from baselines.perspectives.grouping import grouped
    from globesumm.cli.experiment_events import read_events

    events, rejected = read_events(tuple(options.sources))
    return [*grouped(events, options.by, least=options.least), *rejected]


def _convert(options: argparse.Namespace) -> int:
    from baselines.perspectives.layouts import write_topics

    topics, rejected = topics_of(options)
    write_topics(options.out, topics, options.to)
    sides = sum(len(topic.sides) for topic in topics)
    print(
        f"{counted(len(topics), 'topic')}, {counted(sides, 'side')} in {options.out}; "
        f"{len(rejected)} refused"
    )
    return DONE_WITH_FAILURES if rejected else DONE


def _drafts(options: argparse.Namespace) -> int:
    from baselines.drafts.pareto_view import better_of, pareto_plot, pareto_table
    from baselines.drafts.record import choice_of
    from globesumm.cli.scores import print_form
    from globesumm.runs import PARTS, Run, file_name

    shown = 0
    # The summaries of a grid lie in its parts.
    parts = sorted(path.parent for path in options.run.glob(f"{PARTS}/*/run.json"))
    runs = [Run.open(folder) for folder in (options.run, *parts)]
    for summary in (one for run_ in runs for one in run_.summaries()):
        if options.event not in (None, summary.event) or options.recipe not in (
            None,
            summary.recipe,
        ):
            continue
        for one in summary.rounds:
            choice = choice_of(one)
            if choice is None or not choice.scored:
                continue
            better = better_of(choice)
            shown += 1
            if shown <= _MOST_SHOWN:
                head = f"## {summary.event}, {summary.recipe}, round {one.index}: {choice.rule}"
                print(visible(f"{head}\n"))
                print_form(pareto_table(choice, better), options.format)
                print()
            if options.plots:
                name = file_name(f"{summary.recipe}-{summary.event}-{one.index}")
                options.plots.mkdir(parents=True, exist_ok=True)
                pareto_plot(choice, better, options.plots / f"{name}.png")
    if not shown:
        raise UsageError(
            f"{options.run} holds no drafts that were chosen among by values: rerank and debate "
            "make some, zero-shot, lead and self-refine do not"
        )
    if shown > _MOST_SHOWN:
        print(f"{shown - _MOST_SHOWN} more: name one with --event or --recipe")
    return DONE
