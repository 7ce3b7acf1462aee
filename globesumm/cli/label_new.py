"""A new labelling project, with items of one kind.

Annotators are given as NAME, NAME:LANGUAGES or NAME:LANGUAGES@GROUP; without languages they read
all.  All settings are in PROJECT/project.toml afterwards, to be edited.  --from takes

  relevance     OUT of globesumm events, or events (events.jsonl, published data, sample:NAME)
  issues        events (pairs of documents), a run (its rounds), or OUT of annotate --against
  key-facts     OUT of globesumm facts extract, with --sources
  fact-support  OUT of globesumm facts decompose, with --sources
  matching      OUT of globesumm facts match
  key-points    a run, or events
  preference    runs: each two summaries of an event
  any           items.jsonl, a line {"id", "kind", "payload", ...} an item

Examples:
  globesumm label new study --kind relevance --from events.jsonl --annotator ada:en,fr
  globesumm label new facts --kind key-facts --from study --sources sources.jsonl --overlap 2
  --groups one --annotator ada@1 --annotator ben@1 --annotator cleo@2 --annotator dora@2
  globesumm label new pairs --kind preference --from run-a run-b --overlap 3 --annotator ada

"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.values import Rejected

if TYPE_CHECKING:
    from annotation.labels.project import Project, Settings
    from annotation.labels.values import Item


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT", help="a new folder")
    add_source_arguments(parser)
    people = parser.add_argument_group("people")
    people.add_argument(
        "--annotator", action="append", default=[], metavar="NAME[:CODES][@GROUP]",
        help="repeatable; more can be added in project.toml",
    )  # fmt: skip
    people.add_argument(
        "--adjudicator", action="append", default=[], metavar="NAME[:CODES]",
        help="who settles what the others leave open; repeatable",
    )  # fmt: skip
    how = parser.add_argument_group("how")
    how.add_argument("--title", metavar="TEXT", help="(the name of the folder)")
    how.add_argument("--overlap", type=int, default=3, metavar="N", help="people an item (3)")
    how.add_argument(
        "--groups", choices=("any", "one", "each"), default="any",
        help="whether an item's people are of any, of one or of each group (any)",
    )  # fmt: skip
    how.add_argument("--batch", type=int, default=50, metavar="N", help="items before a pause (50)")
    how.add_argument(
        "--order", choices=("events", "given", "shuffled"), default="events",
        help="of items; events: those of an event together (events)",
    )  # fmt: skip
    how.add_argument(
        "--prelabels", choices=("hidden", "after", "first"), default="hidden",
        help="when a model's answer is shown (hidden)",
    )  # fmt: skip
    how.add_argument(
        "--verdicts", action="store_true",
        help="verdicts of three models or more may be asked for; that is logged",
    )  # fmt: skip
    how.add_argument(
        "--pay", metavar="AMOUNT", help="0.10/label or 8/hour, as is reported to people (none)"
    )
    how.add_argument("--currency", default="USD", metavar="CODE", help="(USD)")


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read, for ``new`` and ``add``."""
    parser.add_argument("--kind", required=True, metavar="KIND", help="relevance, issues, ...")
    parser.add_argument(
        "--from", dest="inputs", nargs="+", required=True, metavar="PATH", help="see above"
    )
    parser.add_argument("--sources", type=Path, metavar="FILE", help="of facts, to be shown")
    parser.add_argument(
        "--translations", type=Path, metavar="FILE",
        help='shown beside reports: lines {"document", "text", "language", "title"?}',
    )  # fmt: skip
    parser.add_argument(
        "--gold", type=Path, metavar="FILE", help='known answers: lines {"item", "answer"}'
    )
    parser.add_argument("--encoder", metavar="NAME", help="for similarities (the first installed)")
    parser.add_argument("--sample", type=int, metavar="N", help="pairs drawn (all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of draws and orders (0)")


def run(options: argparse.Namespace) -> int:
    from annotation.labels.project import DATABASE, Project

    if (options.project / DATABASE).exists():
        raise UsageError(f"{options.project} is a project already: label add adds items to it")
    settings = _settings(options)
    items, rejected = read_items(options)
    return added(Project.create(options.project, settings), items, rejected)


def read_items(options: argparse.Namespace) -> "tuple[list[Item], list[Rejected]]":
    """The items that were asked for, with their known answers."""
    from globesumm.cli.label_inputs import items_of

    if options.sample is not None and options.sample < 1:
        raise UsageError(f"--sample is {options.sample}: give a number from 1 up")
    items, rejected = items_of(options)
    return (_with_gold(items, options.gold) if options.gold else items), rejected


def added(project: "Project", items: "list[Item]", rejected: list[Rejected]) -> int:
    """Take `items` in, give them to people, and say what is there now."""
    from annotation.labels.assignment import assign
    from annotation.labels.people import make_links

    there = project.store.add_items(items)
    make_links(project)
    planned = assign(project)
    print(
        f"{project.folder}: {counted(there.added, 'item')} new, {there.changed} changed, "
        f"{there.same} as "
        f"before; {counted(planned.assignments, 'answer')} to be given by {_people(project)}"
    )
    name_rejected(rejected)
    if planned.short:
        say(
            f"too few people for {planned.short} of {counted(planned.items, 'item')}: fewer read "
            f"their languages than the overlap of {project.settings.overlap} asks for; add "
            "annotators in project.toml, or lower it there"
        )
    return DONE_WITH_FAILURES if rejected else DONE


def _people(project: "Project") -> str:
    count = sum(not one.adjudicator for one in project.settings.annotators)
    return counted(count, "annotator")


def _settings(options: argparse.Namespace) -> "Settings":
    from annotation.labels.project import Settings, annotator
    from annotation.labels.values import Prelabels

    people = [annotator(text) for text in options.annotator]
    people += [annotator(text, adjudicator=True) for text in options.adjudicator]
    amount, unit = _pay(options.pay)
    try:
        return Settings(
            title=options.title or options.project.resolve().name,
            overlap=options.overlap,
            groups=options.groups,
            batch=options.batch,
            gold_per_batch=min(2, options.batch - 1),
            order=options.order,
            seed=options.seed,
            prelabels=Prelabels(options.prelabels),
            verdicts=options.verdicts,
            pay_per_label=amount if unit == "label" else None,
            pay_per_hour=amount if unit == "hour" else None,
            currency=options.currency,
            annotators=tuple(people),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _pay(text: str | None) -> tuple[float | None, str]:
    if text is None:
        return None, ""
    amount, _, unit = text.partition("/")
    try:
        value = float(amount)
    except ValueError:
        unit = ""
    if unit not in {"label", "hour"}:
        raise UsageError(f"--pay is {text!r}: write an amount a label or an hour, as 0.10/label")
    return value, unit


def _with_gold(items: "list[Item]", path: Path) -> "list[Item]":
    """`items` with the known answers of a file; one of an unknown item is a `UsageError`."""
    from annotation.labels.kinds import check_item
    from globesumm.records import read_plain_records

    by_id = {one.id: one for one in items}
    for row in read_plain_records(path):
        if isinstance(row, Rejected):
            raise UsageError(f"{row.where}: {row.reason}")
        where, plain = row
        item = by_id.get(str(plain.get("item")))
        if item is None or not isinstance(plain.get("answer"), dict):
            raise UsageError(f"{where}: a known answer has an item of this project and an answer")
        by_id[item.id] = check_item(replace(item, gold=plain["answer"]))
    return [by_id[one.id] for one in items]
