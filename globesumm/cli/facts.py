"""Evaluation by facts: completeness, conciseness and faithfulness of any summaries.

score takes verdicts already made, one summary a line:
{"id", "key_facts": [[sentence numbers], ...], "sentences": n, "supported": [true, ...]}
and optionally "system", "scenario", "language".

or the folder that the steps before it filled:
generate (summaries), extract (key facts), decompose (facts of summaries), match, verify; evaluate
does the last four and score in one.
SOURCES.jsonl holds conversations {"id", "turns": [{"speaker", "text"}], "language"?, "scenario"?,
"corpus"?} or events; SUMMARIES.jsonl {"id" of the source, "summary", "system"?, "language"?}.

Examples:
  globesumm facts extract sources.jsonl --out study --judge gpt-4o
  globesumm facts decompose summaries.jsonl --out study --judge gpt-4o
  globesumm facts match summaries.jsonl --out study --judge gpt-4o
  globesumm facts verify summaries.jsonl --sources sources.jsonl --out study --judge gpt-4o
  globesumm facts score study
  globesumm facts report study --sources sources.jsonl --out facts.html
  globesumm facts evaluate --sources events.jsonl --references --out people --judge gpt-4o
  globesumm facts sample train.json --corpus samsum --quotas samsum=150 --out sources.jsonl
  globesumm facts describe sources.jsonl --study study
  globesumm facts score verdicts.jsonl
  globesumm facts study summaries.jsonl --sources sources.jsonl --out stable --judge gpt-4o
  globesumm facts meta --runs run1.jsonl run2.jsonl run3.jsonl
  globesumm facts meta --people people.jsonl --judge-file judge.jsonl
  globesumm facts leaderboard study/verdicts.jsonl --systems systems.tsv --format markdown
  globesumm facts leaderboard --published
  globesumm facts score verdicts.jsonl --format jsonl

"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_collections import COLLECTIONS, add_collections, run_collection
from globesumm.cli.facts_judging import run_step
from globesumm.cli.facts_page import add_page, run_page
from globesumm.cli.facts_reading import read
from globesumm.cli.facts_steps import STEPS, add_steps
from globesumm.cli.facts_study import add_study, run_study
from globesumm.cli.facts_tables import TABLES, add_tables, run_table
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, print_form
from globesumm.errors import UsageError
from globesumm.records import read_own_records, read_record, to_json, write_records
from globesumm.values import Rejected, Score

if TYPE_CHECKING:
    from metrics.facts.verdicts import Verdicts

VERDICTS = "verdicts.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_steps(actions)
    add_tables(actions)
    add_collections(actions)
    add_study(actions)
    add_page(actions)
    score = actions.add_parser(
        "score", help="verdicts already made into the three scores", allow_abbrev=False
    )
    score.add_argument("file", type=Path, metavar="FILE.jsonl|DIR")
    score.add_argument("--sources", type=Path, metavar="SOURCES.jsonl", help="for scenarios")
    score.add_argument("--format", choices=FORMS, default="table", help="(table)")
    score.add_argument(
        "--compare", action="store_true", help="test each pair of systems on the same sources"
    )
    score.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals (0)")


def run(options: argparse.Namespace) -> int:
    if options.action == "evaluate":
        status = run_step(options)
        if options.dry_run:
            return status
        print()
        return max(status, _score(argparse.Namespace(**vars(options) | {"file": options.out})))
    if options.action in STEPS:
        return run_step(options)
    if options.action in TABLES:
        return run_table(options)
    if options.action in COLLECTIONS:
        return run_collection(options)
    if options.action == "study":
        return run_study(options)
    if options.action == "report":
        return run_page(options)
    return _score(options)


def _score(options: argparse.Namespace) -> int:
    from metrics.facts.verdicts import scores, unread

    if options.compare and options.format == "jsonl":
        raise UsageError("--compare prints a table: give another --format")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    judge = "given"
    if options.file.is_dir():
        judge = _gather(options.file, options.sources)
        found, rejected = read(options.file / VERDICTS)
    else:
        found, rejected = read(options.file)
    every = scores(found, judge) + unread(rejected, judge)
    if options.format == "jsonl":
        _print_lines(found, rejected, every, options.seed)
    else:
        _print_table(every, options.seed, options.format)
        if options.compare:
            _print_comparisons(every, options.seed, options.format)
    return DONE_WITH_FAILURES if rejected else DONE


def _gather(folder: Path, source_file: Path | None) -> str:
    """Put matches and support of a folder together as verdicts; returns who judged."""
    from metrics.facts.pipeline import verdicts
    from metrics.facts.records import Matched, Supported
    from metrics.facts.sources import Source, read_sources

    made: dict[str, list[Any]] = {}
    for name, kind in (("matches", Matched), ("support", Supported)):
        path = folder / f"{name}.jsonl"
        made[name] = list(read_own_records(path, kind)) if path.exists() else []
    if not any(made.values()):
        raise UsageError(
            f"{folder} holds neither matches nor support: globesumm facts match and "
            "globesumm facts verify write them"
        )
    sources = [s for s in read_sources(source_file) if isinstance(s, Source)] if source_file else []
    write_records(folder / VERDICTS, verdicts(made["matches"], made["support"], sources))
    judges = [
        read_record(path, dict[str, str])["judge"]
        for path in (folder / "judge_match.json", folder / "judge_verify.json")
        if path.exists()
    ]
    return "+".join(dict.fromkeys(judges)) or "given"


def _print_lines(
    found: "list[Verdicts]", rejected: list[Rejected], every: list[Score], seed: int
) -> None:
    from metrics.aggregate import aggregate

    for one in found:
        measured = one.measured()
        notes = {name: value.note for name, value in measured.items() if value.note}
        print(
            to_json(
                {"id": one.id}
                | ({"system": one.system} if one.system else {})
                | {name: value.value for name, value in measured.items()}
                | ({"notes": notes} if notes else {})
            )
        )
    for bad in rejected:
        print(
            to_json(
                {"id": bad.where, "completeness": None, "conciseness": None, "faithfulness": None}
                | {"notes": {"line": f"not read: {bad.reason}"}}
            )
        )
    print(to_json({"aggregate": [asdict(one) for one in aggregate(every, seed=seed)]}))


def _print_table(every: list[Score], seed: int, form: str) -> None:
    from globesumm.cli.scores import by_recipe
    from metrics.aggregate import aggregate
    from metrics.facts.formula import COLUMNS
    from metrics.tables import table

    stated = any(score.recipe for score in every)
    rows = {
        name if stated else "summaries": aggregate(held, seed=seed)
        for name, held in by_recipe(every).items()
    }
    print_form(table(rows, COLUMNS, first="system" if stated else "all"), form)


def _print_comparisons(every: list[Score], seed: int, form: str) -> None:
    from globesumm.cli.scores import by_recipe
    from metrics.comparison import compare_all
    from metrics.facts.formula import COLUMNS
    from metrics.tables import comparisons_table

    systems = by_recipe([score for score in every if score.recipe])
    found = compare_all(systems, [column.name for column in COLUMNS], seed=seed)
    print()
    print_form(comparisons_table(found, COLUMNS), form)
