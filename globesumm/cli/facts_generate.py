"""Summaries of sources by a model, to be judged afterwards."""

import argparse
from contextlib import ExitStack

from globesumm.cli.facts_account import Asking
from globesumm.cli.facts_inputs import earlier_summaries, given_sources, open_asker, planned
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import write_records


def generate(options: argparse.Namespace, within: ExitStack) -> int:
    """A summary of each source, beside those that other models wrote before."""
    from metrics.facts.pipeline import generated

    sources, bad = given_sources(options.file)
    if options.dry_run:
        return planned(
            f"{counted(len(sources), 'summary')} by {options.judge}: "
            f"{counted(len(sources), 'call')}"
        )
    asker = open_asker(options, within)
    asking = Asking("source", asker)
    found = asking.together(
        sources, lambda every: generated(asker, list(every)), lambda one: one[0] is not None
    )
    asking.tell("generate", options.out)
    path = options.out / "summaries.jsonl"
    new = [one for one, _ in found if one]
    kept = [one for one in earlier_summaries(path) if one.system != asker.model.name]
    write_records(path, [*kept, *new])
    for source, (_, reason) in zip(sources, found, strict=True):
        if reason:
            say(f"no summary of {source.id}: {reason}")
    print(
        f"{len(new)} of {counted(len(sources), 'source')} summarized by {asker.model.name}: {path}"
    )
    return DONE_WITH_FAILURES if bad or len(new) < len(sources) else DONE
