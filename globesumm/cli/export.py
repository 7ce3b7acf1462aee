"""A run in the form of another tool: Inspect's logs, or a data set for the Hugging Face hub.

  inspect   one log a cell (recipe, model, language, repeat), which `inspect view` opens; one
            sample a prefix of an event, with scores, signatures, requests and errors
  datasets  summaries and scores as Parquet with a card; datasets.load_dataset reads it

RUN is a run or a grid.  What is unscored or was not made is there with its reason, and counts.
Events with their documents are exported by `globesumm dataset`, calls by `globesumm calls export`.

Examples:
  globesumm export runs/mine --to inspect --out logs
  globesumm export runs/grid --to inspect --recipe crs.kis-clp.protocol --last --out logs
  globesumm export runs/grid --to datasets --out summaries --licence cc-by-4.0

"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track, visible

if TYPE_CHECKING:
    from baselines.exports import Cell
    from globesumm.values import Event

FORMS = ("inspect", "datasets")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--to", choices=FORMS, required=True, help="the form")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--recipe", action="append", default=[], metavar="NAME", help="only this one; repeatable"
    )
    parser.add_argument("--last", action="store_true", help="the last prefix of each event alone")
    parser.add_argument(
        "--licence", default="other", metavar="ID", help="on the card, as the hub names it (other)"
    )


def run(options: argparse.Namespace) -> int:
    from baselines.exports import cells_of
    from globesumm.unfinished import sweep

    if options.to != "datasets" and options.licence != "other":
        raise UsageError("--licence stands on a data set's card: give --to datasets, or leave it")
    _check_out(options)
    cells, events = cells_of(options.run)
    known = dict.fromkeys(str(cell.recipe) for cell in cells)
    for name in options.recipe:
        if name not in known:
            raise UnknownName("recipe", name, known, where=str(options.run))
    chosen = [cell for cell in cells if not options.recipe or str(cell.recipe) in options.recipe]
    if not events:
        raise UsageError(f"{options.run} holds no event yet: repeat the command that made it")
    write = _to_inspect if options.to == "inspect" else _to_datasets
    sweep(options.out)
    write(options, chosen, events)
    made, expected = _counted(chosen, events)
    if made < expected:
        say(
            f"{expected - made} of {counted(expected, 'summary')} missing; each is there with "
            "its reason"
        )
    return DONE if made == expected else DONE_WITH_FAILURES


def _check_out(options: argparse.Namespace) -> None:
    """Another tool's folder is not mixed with a run's: its files would pass for results."""
    if (options.out / "run.json").exists():
        raise UsageError(f"--out {options.out} is a run folder: name another")
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {options.out} is a file: name a folder")


def _to_inspect(
    options: argparse.Namespace, cells: "Sequence[Cell]", events: "Sequence[Event]"
) -> None:
    from baselines.exports.inspect_log import write_logs

    written = write_logs(cells, events, options.out, prefixes=not options.last)
    for path in track(written, "logs", len(cells)):
        print(visible(str(path)))
    say(f"look at them: inspect view --log-dir {options.out}")


def _to_datasets(
    options: argparse.Namespace, cells: "Sequence[Cell]", events: "Sequence[Event]"
) -> None:
    from baselines.exports.hub_data_set import write_data_set

    summaries, scores = write_data_set(
        cells, events, options.out, prefixes=not options.last, licence=options.licence
    )
    print(
        f"{counted(summaries, 'summary')}, {counted(scores, 'score')}: {visible(str(options.out))}"
    )


def _counted(cells: "Sequence[Cell]", events: "Sequence[Event]") -> tuple[int, int]:
    """Summaries there are, and summaries there should be."""
    made = sum(
        one.portion.run is not None
        and one.portion.run.summary_path(str(one.recipe), event.id).exists()
        for one in cells
        for event in events
    )
    return made, len(cells) * len(events)
