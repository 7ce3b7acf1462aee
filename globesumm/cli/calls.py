"""Look after call stores: what they hold, passing them on, and making them smaller.

STORE is a calls.sqlite or a run folder; merge takes exported files too.  A store holds prompts
and answers, no keys.

Examples:
  globesumm calls list runs/grid
  globesumm calls export runs/grid --to calls.jsonl
  globesumm calls merge runs/mine runs/yours calls.jsonl
  globesumm calls prune runs/grid --unused

"""

import argparse
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, visible
from globesumm.values import Rejected

if TYPE_CHECKING:
    from globesumm.llm.call_store import CallStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "export", "merge", "prune"))
    parser.add_argument("store", type=Path, metavar="STORE", help="a store or a run folder")
    parser.add_argument(
        "sources", nargs="*", default=[], type=Path, metavar="FROM", help="of merge"
    )
    parser.add_argument("--to", type=Path, metavar="FILE.jsonl", help="of export")
    parser.add_argument("--model", metavar="NAME", help="only calls of this model")
    parser.add_argument("--failures", action="store_true", help="prune: failed calls")
    parser.add_argument(
        "--unused",
        action="store_true",
        help="prune: answers no finished summary of a grid, nor its score, uses",
    )
    parser.add_argument("--dry-run", action="store_true", help="prune: say what would go")


def run(options: argparse.Namespace) -> int:
    if options.sources and options.action != "merge":
        raise UsageError(f"calls {options.action} takes one store: leave out the others")
    if options.action == "list":
        return _list(options)
    if options.action == "export":
        return _export(options)
    if options.action == "merge":
        return _merge(options)
    return _prune(options)


def _list(options: argparse.Namespace) -> int:
    from globesumm.llm.exchange import calls_of

    found: dict[str, Counter[str]] = {}
    damaged: list[Rejected] = []
    for call in calls_of(options.store):
        if isinstance(call, Rejected):
            damaged.append(call)
            continue
        if options.model and call.request.model != options.model:
            continue
        row = found.setdefault(call.request.model, Counter())
        row["failures" if call.error else "answers"] += 1
        usage = call.completion.usage if call.completion else None
        row["in"] += (usage.prompt_tokens or 0) if usage else 0
        row["out"] += (usage.completion_tokens or 0) if usage else 0
        row["uncounted"] += usage is None and call.completion is not None
    if damaged and not found:
        _named(damaged)
        raise UsageError(
            f"{options.store} holds no call that can be read: name a calls.sqlite, a run folder or "
            "what globesumm calls export wrote"
        )
    head = ("answers", "failures", "tokens in", "tokens out", "uncounted")
    print(f"{'model':<34}" + "".join(f"{name:>12}" for name in head))
    for model, row in sorted(found.items()):
        numbers = [row[name] for name in ("answers", "failures", "in", "out", "uncounted")]
        print(visible(f"{model:<34}" + "".join(f"{number:>12}" for number in numbers)))
    return _named(damaged)


def _export(options: argparse.Namespace) -> int:
    from globesumm.llm.exchange import export

    if options.to is None:
        raise UsageError("calls export needs --to FILE.jsonl")
    count, damaged = export(options.store, options.to, model=options.model)
    say(f"{counted(count, 'call')} written to {options.to}")
    return _named(damaged)


def _merge(options: argparse.Namespace) -> int:
    from globesumm.llm.call_store import CallStore
    from globesumm.llm.exchange import merge, store_in

    if not options.sources:
        raise UsageError("calls merge needs at least one store to take from")
    into = options.store / "calls.sqlite" if options.store.is_dir() else options.store
    for source in options.sources:
        if store_in(source).resolve() == into.resolve():
            raise UsageError(f"{source} is the store to merge into: name others as FROM")
    store = CallStore(into)
    damaged: list[Rejected] = []
    try:
        for source in options.sources:
            taken = merge(store, source)
            damaged += taken.damaged
            say(
                f"{source}: {counted(taken.added, 'answer')} added, {taken.known} there already, "
                f"{taken.differing} differ from the one kept, "
                f"{counted(taken.failures, 'failure')} added"
            )
    finally:
        store.close()
    return _named(damaged)


def _prune(options: argparse.Namespace) -> int:
    from globesumm.llm.call_store import CallStore
    from globesumm.llm.exchange import prune, store_in

    if not (options.unused or options.failures or options.model):
        raise UsageError("calls prune needs what is to go: --unused, --failures or --model NAME")
    path = store_in(options.store)
    if options.unused and not options.store.is_dir():
        raise UsageError("--unused goes with a run folder, whose summaries say what they use")
    # Opened to be written to, an empty file that is something else would become a store.
    CallStore(path, read_only=True).close()
    keep = _used(options.store) if options.unused else frozenset[str]()
    store = CallStore(path, read_only=options.dry_run)
    try:
        if options.dry_run:
            return _would_go(store, options, keep)
        gone = prune(store, {*keep, *_of_others(store, options.model)}) if options.unused else 0
        if options.failures or (options.model and not options.unused):
            gone += store.clear(options.model, failures_only=options.failures)
            store.compact()
        say(f"{counted(gone, 'call')} deleted, {counted(len(store), 'answer')} left")
    finally:
        store.close()
    return DONE


def _named(damaged: list[Rejected]) -> int:
    for one in damaged:
        say(f"damaged: {one.where}: {one.reason}")
    return DONE_WITH_FAILURES if damaged else DONE


def _would_go(store: "CallStore", options: argparse.Namespace, keep: Collection[str]) -> int:
    failures = answers = 0
    for call in store.readable():
        if isinstance(call, Rejected):
            continue
        if options.model not in (None, call.request.model):
            continue
        everything = not options.unused and not options.failures
        if call.error:
            failures += options.failures or everything
        else:
            answers += everything or (options.unused and call.key not in keep)
    print(
        f"would delete {counted(answers, 'answer')} and {counted(failures, 'failed call')} of "
        f"{store.path}"
    )
    return DONE


def _of_others(store: "CallStore", model: str | None) -> Iterator[str]:
    """Keys of the answers of all models but this one, if one is named: these stay."""
    for call in store.readable() if model is not None else ():
        if not isinstance(call, Rejected) and call.request.model != model:
            yield call.key


def _used(folder: Path) -> set[str]:
    """Keys of the calls that the finished summaries of a grid and their scores rest on.

    Raises `UsageError` where that was not noted of every summary: what is not known to be used
    may have been paid for, and be wanted.
    """
    from baselines.grid.folder import GridFolder
    from baselines.grid.uses import every_use, judged_uses

    parts = GridFolder.open(folder).parts()
    if not parts:
        raise UsageError(
            f"--unused goes with the run folder of a grid; in {folder} nothing notes which calls "
            "a summary uses"
        )
    return {key for run in parts.values() for key in every_use(run)} | judged_uses(folder)
