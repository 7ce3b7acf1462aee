"""What the labels come to: one answer an item, and files that other verbs take.

Written to --out, as far as there are labels of the kind:
  decisions.jsonl     every question with its answer, votes, rule, adjudicator; or why it is open
  qrels.txt           relevance for globesumm search --qrels
  judgements.jsonl    the same for verify.judgements of globesumm events
  marks.jsonl         issues by annotator; gold.jsonl the one gold, for globesumm annotate --against
  inspected.jsonl     reviewed findings (FPP) and strategies, for globesumm annotate --inspected
  key_facts.jsonl     for globesumm facts extract --labels
  verdicts.jsonl      matching and support, for globesumm facts meta --people
  key_points.jsonl    human coverage and faithfulness, for globesumm rank --metric
  preferences.jsonl   wins, for globesumm rank
  open.jsonl          what is in none of them, and why

Examples:
  globesumm label results study --out results
  globesumm label results study --out results --rule matching=strict-majority --gold union
  globesumm label results study --out results --candidates work/candidates.jsonl --depth 1

"""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.progress import say
from globesumm.records import read_own_records, write_records, write_text
from globesumm.values import Rejected

if TYPE_CHECKING:
    from annotation.labels.results.held import Held
    from baselines.studies.page import Section

FORMS = ("table", "markdown", "html")

RESULTS = (
    "decisions.jsonl", "gold.jsonl", "inspected.jsonl", "judgements.jsonl", "key_facts.jsonl",
    "key_points.jsonl", "marks.jsonl", "open.jsonl", "preferences.jsonl", "qrels.txt",
    "verdicts.jsonl",
)  # fmt: skip
"""Every file that this verb may write, the first one always."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--rule", action="append", default=[], metavar="KIND=RULE",
        help="majority, strict-majority, unanimous or groups (those of project.toml)",
    )  # fmt: skip
    parser.add_argument(
        "--gold", default="majority", metavar="HOW",
        help="marks that are gold: union, majority, intersection (majority)",
    )  # fmt: skip
    parser.add_argument(
        "--match", default="overlap", metavar="RULE",
        help="marks are the same issue: overlap, exact (overlap)",
    )  # fmt: skip
    parser.add_argument(
        "--candidates", type=Path, metavar="FILE", help="of globesumm events: ranks of reports"
    )
    parser.add_argument(
        "--depth", type=int, metavar="K",
        help="how many an event and language retrieval would take (all: recall is not known)",
    )  # fmt: skip
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run(options: argparse.Namespace) -> int:
    from annotation.labels.project import Project
    from annotation.labels.results.decide import undecided
    from annotation.labels.results.held import held_by
    from baselines.labels.models import against_people
    from baselines.labels.result_tables import models_section
    from baselines.labels.written import written
    from baselines.studies.page import Page
    from globesumm.unfinished import sweep
    from metrics.printed import one_line

    if options.depth is not None and options.depth < 1:
        raise UsageError("--depth: give a number from 1 up")
    project = Project.open(options.project)
    held = held_by(project, _rules(options.rule))
    ranks = _ranks(options.candidates)
    if not held.labels:
        raise UsageError(
            f"{options.project}: nobody has labelled anything yet: globesumm label serve "
            f"{options.project} is where people do"
        )
    sweep(options.out)
    if (options.out / RESULTS[0]).exists():
        # An earlier state of the labels lies there; a folder of something else is left alone.
        for name in RESULTS:
            (options.out / name).unlink(missing_ok=True)
    write_records(options.out / "decisions.jsonl", held.decisions)
    sections: list[Section] = []
    left: list[Rejected] = []
    for make in (partial(_relevance, ranks), _issues, _facts, _key_points, _preferences):
        made, open_ones = make(held, options)
        sections += made
        left += open_ones
    if models := against_people(held):
        sections.append(models_section(models))
    write_records(options.out / "open.jsonl", left)
    page = Page(
        title=f"Results: {one_line(project.settings.title)}",
        settings=(
            ("items", str(len(held.items))),
            ("checks left out", str(len(held.checks))),
            ("labels", str(len(held.labels))),
        ),
        sections=tuple(sections),
    )
    print(written(page, options.format), end="")
    for (kind, question), count in sorted(undecided(held.decisions).items()):
        say(f"undecided: {count} of {kind}, {question}")
    if left:
        say(f"{len(left)} are in no result: {options.out / 'open.jsonl'} says why")
    return DONE


def _rules(given: Sequence[str]) -> dict[str, str]:
    from annotation.labels.kinds import kind_of
    from annotation.labels.results.decide import RULES

    found = {}
    for one in given:
        kind, equals, rule = one.partition("=")
        if not equals:
            raise UsageError(f"--rule {one}: write KIND=RULE, such as matching=majority")
        if rule not in RULES:
            raise UnknownName("rule of decision", rule, RULES)
        found[kind_of(kind).name] = rule
    return found


Made = tuple[list["Section"], list[Rejected]]


def _relevance(
    ranks: Mapping[tuple[str, str], int], held: "Held", options: argparse.Namespace
) -> Made:
    from baselines.labels.relevance import before_verification, candidates, qrels, verdicts
    from baselines.labels.result_tables import before_section

    if not _any(held, "relevance"):
        return [], []
    found, left = verdicts(held)
    write_text(options.out / "qrels.txt", "".join(f"{line}\n" for line in qrels(found)))
    write_records(options.out / "judgements.jsonl", found)
    ranked = candidates(held, ranks)
    return [before_section(before_verification(ranked, options.depth), options.depth)], left


def _ranks(path: Path | None) -> Mapping[tuple[str, str], int]:
    from retrieval.events.candidates import Candidate

    if path is None:
        return {}
    try:
        rows = list(read_own_records(path, Candidate))
    except DataError as error:
        raise UsageError(f"--candidates: {error}") from error
    return {(one.event, one.document): one.rank for one in rows}


def _issues(held: "Held", options: argparse.Namespace) -> Made:
    from baselines.labels.issues import inspected, marks, reviewed
    from baselines.labels.result_tables import counts_section, reviewed_section

    if not _any(held, "issues"):
        return [], []
    marked = marks(held, options.gold, options.match)
    said, left = inspected(held)
    sections = []
    if marked.standard:
        write_records(options.out / "marks.jsonl", marked.people)
        write_records(options.out / "gold.jsonl", marked.standard)
        sections.append(counts_section(marked))
    if said:
        write_records(options.out / "inspected.jsonl", said)
        sections.append(reviewed_section(reviewed(said)))
    return sections, left


def _facts(held: "Held", options: argparse.Namespace) -> Made:
    from baselines.labels.facts import key_facts, verdicts

    left: list[Rejected] = []
    if _any(held, "key-facts"):
        found, open_ones = key_facts(held)
        write_records(options.out / "key_facts.jsonl", found)
        left += open_ones
    if _any(held, "matching") or _any(held, "fact-support"):
        said, open_ones = verdicts(held)
        write_records(options.out / "verdicts.jsonl", said)
        left += open_ones
    return [], left


def _key_points(held: "Held", options: argparse.Namespace) -> Made:
    from annotation.labels.results.key_points import by_summary, judged
    from baselines.labels.result_tables import key_points_section

    found = judged(held)
    if not found:
        return [], []
    write_records(options.out / "key_points.jsonl", by_summary(found))
    return [key_points_section(found)], []


def _preferences(held: "Held", options: argparse.Namespace) -> Made:
    from annotation.labels.results.preferences import comparisons, method_scores, wins
    from baselines.labels.result_tables import wins_section

    if not _any(held, "preference"):
        return [], []
    found, left = comparisons(held)
    write_records(options.out / "preferences.jsonl", method_scores(found))
    return [wins_section(wins(found))], left


def _any(held: "Held", kind: str) -> bool:
    return any(one.kind == kind for one in held.labels)
