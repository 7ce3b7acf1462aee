"""From the portal's events to events with verified reports: the whole chain of a config file.

portal days, queries in each language, GDELT's window, pages, index, candidates, verdicts, events.
Each stage goes on where it was stopped and fetches nothing twice.  OUT gets, among others

  queries.jsonl     the query of each event in each language: what you edit stays
  judgements.jsonl  every candidate: what you fill in counts before the model's word
  decisions.jsonl   what became of each candidate, with the reason
  events.jsonl      the events: globesumm summarize and grid take them as they are

Examples:
  globesumm events sample --out runs/events
  globesumm events my-events.toml --out data --dry-run
  globesumm events my-events.toml --out data --until queries

"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import CLUSTER_HELP, name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.progress import say, visible

if TYPE_CHECKING:
    from globesumm.llm.backends import OpenedModel
    from retrieval.events.asking import Asker
    from retrieval.events.chain import Chain
    from retrieval.events.layout import Row
    from retrieval.events.settings import EventsConfig


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="a TOML file, or sample")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--until",
        metavar="STAGE",
        help="the last stage: portal, queries, gdelt, pages, index, candidates, verified, events",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one a processor)")
    parser.add_argument("--cluster", metavar="ADDRESS", help=CLUSTER_HELP)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")


def run(options: argparse.Namespace) -> int:
    from retrieval.events.chain import Chain, alone, start
    from retrieval.events.layout import Layout
    from retrieval.events.named import check_named
    from retrieval.events.plan import lines
    from retrieval.events.settings import load
    from retrieval.events.sources import Work
    from retrieval.events.stages import carry_out, check_stage

    config = load(options.config)
    check_stage(options.until)
    check_named(config)
    if options.workers is not None and options.workers < 1:
        raise UsageError(f"--workers is {options.workers}: give a number from 1 up")
    work = Work(workers=options.workers, cluster=options.cluster)
    chain = Chain(config=config, layout=Layout(options.out), work=work)
    if options.dry_run:
        chain.asker = _asker(config, _unopened(config)) if config.model else None
        print(visible("\n".join(lines(chain))))
        return DONE
    rows: list[Row] = []
    start(chain)
    with alone(chain), _opened(chain) as model:
        for row in carry_out(chain, options.until):
            say(_line(row))
            rows.append(row)
        if model is not None:
            from globesumm.cli.modelling import spent

            say(f"this time: {spent(model.totals)}")
    return _tell(chain, rows, options.until)


def _tell(chain: "Chain", rows: "list[Row]", until: str | None) -> int:
    print(visible("\n".join(_table(rows))))
    name_rejected(chain.rejected)
    last = rows[-1]
    if until in {None, "events"} and last.n:
        events = chain.layout.events
        say(f"events: {events}; next: globesumm summarize {events} --out runs/mine")
    elif until in {None, "events"}:
        say(f"no event is kept; why: {chain.layout.left_out}, {chain.layout.decisions}")
    return DONE_WITH_FAILURES if chain.rejected or any(row.failed for row in rows) else DONE


def _line(row: "Row") -> str:
    left = ", ".join(f"{count} {reason}" for reason, count in row.left.items())
    parts = [f"{row.stage}: {row.n} of {row.of} {row.what}", left, row.note]
    return "; ".join(part for part in parts if part)


def _table(rows: "list[Row]") -> Iterator[str]:
    """The account: n of N for each stage, and what became of the others."""
    yield f"{'stage':<11} {'n':>9} {'of':>9}  what"
    for row in rows:
        left = ", ".join(f"{count:,} {reason}" for reason, count in row.left.items())
        told = "; ".join(part for part in (row.what, left, row.note) if part)
        yield f"{row.stage:<11} {row.n:>9,} {row.of:>9,}  {told}"


@contextmanager
def _opened(chain: "Chain") -> "Iterator[OpenedModel | None]":
    """The chain with its model, whose calls are kept in the folder and never repeated."""
    from globesumm.llm.backends import open_model
    from globesumm.llm.metered import Caps, Price

    config = chain.config
    row = config.model
    if row is None or not (config.translates or config.judges):
        yield None
        return
    priced = None
    if row.input_per_million is not None and row.output_per_million is not None:
        price = Price(
            input_per_million=row.input_per_million,
            output_per_million=row.output_per_million,
            cached_input_per_million=row.cached_input_per_million,
        )
        priced = {row.asked_as: price}
    limits = config.limits
    caps = Caps(
        calls=limits.calls, tokens=limits.tokens, spend=limits.spend, seconds=limits.seconds
    )
    with open_model(
        row.served,
        row.base_url,
        store=chain.layout.calls,
        most_at_once=row.at_once or limits.at_once,
        prices=priced,
        caps=caps,
        timeout_seconds=row.timeout_seconds,
        key_variable=row.key_variable,
        context_window=row.context,
        tokenizer=row.tokenizer,
    ) as model:
        chain.asker = _asker(config, model)
        model.check()
        yield model


def _unopened(config: "EventsConfig") -> "OpenedModel":
    """The model by name alone, which answers nothing: a plan needs no key and no server."""
    from globesumm.llm.backends import open_model
    from globesumm.llm.stored import Replay

    return open_model(Replay(config.model.asked_as if config.model else ""))


def _asker(config: "EventsConfig", model: "OpenedModel") -> "Asker":
    from globesumm.llm.request import Decoding
    from globesumm.prompts import Library
    from retrieval.events.asking import Asker

    row = config.model
    return Asker(
        model=model,
        prompts=Library(Path(config.prompts)) if config.prompts else Library(),
        decoding=Decoding(temperature=0.0, seed=0, reasoning=row.reasoning if row else None),
        most_at_once=config.limits.at_once,
    )
