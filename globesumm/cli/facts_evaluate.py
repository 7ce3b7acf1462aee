"""From sources and summaries to verdicts in one command: the four steps one after the other."""

import argparse
from collections.abc import Callable

from globesumm.cli.facts_inputs import given_sources, given_summaries, planned
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.records import write_records

STEPS = ("extract", "decompose", "match", "verify")


def add_evaluate_options(parser: argparse.ArgumentParser) -> None:
    """What is evaluated, and how the scores are printed."""
    parser.add_argument(
        "--references", action="store_true", help="the sources' human references as a system too"
    )
    parser.add_argument("--format", choices=FORMS, default="table", help="of the scores (table)")
    parser.add_argument(
        "--compare", action="store_true", help="test each pair of systems on the same sources"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals (0)")


def evaluate(options: argparse.Namespace, run_step: Callable[[argparse.Namespace], int]) -> int:
    """Write all summaries to ``summaries.jsonl`` of the folder and carry the steps out on them.

    The scores are printed by whoever called, from the folder.
    """
    from metrics.facts.references import with_references

    if options.compare and options.format == "jsonl":
        raise UsageError("--compare prints a table: give another --format")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if options.file is None and not options.references:
        raise UsageError("name a file of summaries, or score the references with --references")
    sources, bad = given_sources(options.sources)
    candidates, unread = given_summaries(options.file) if options.file else ([], False)
    every = with_references(candidates, sources) if options.references else tuple(candidates)
    parts = {source.id: len(source.parts) for source in sources}
    if options.dry_run:
        voters = len([name for name in (options.votes or "").split(",") if name.strip()])
        texts = (
            f"{counted(sum(parts.values()), 'text')} of {counted(len(sources), 'source')} "
            f"and {counted(len(every), 'summary')}"
        )
        if options.entailer:
            asked = f"{2 * sum(parts.values())} + {(1 + voters) * len(every)}"
            told = f"calls of {options.judge} or more; {options.entailer} matches and verifies"
            return planned(f"{texts}: {asked} {told}")
        return planned(
            f"{texts}: {2 * sum(parts.values())} + {(2 + voters) * len(every)} + "
            f"{counted(sum(parts.get(one.id, 0) for one in every), 'call')} of "
            f"{options.judge} or more"
        )
    path = options.out / "summaries.jsonl"
    if options.file is None or options.file.resolve() != path.resolve():
        write_records(path, every)
    elif options.references:
        raise UsageError(f"{path} is what would be written: name another --out")
    failed = bool(bad or unread)
    for step in STEPS:
        given = {"action": step, "file": options.sources if step == "extract" else path}
        failed |= run_step(argparse.Namespace(**vars(options) | given)) != DONE
    return DONE_WITH_FAILURES if failed else DONE
