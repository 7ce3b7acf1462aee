"""Measured results on public data sets: what the project claims, computed again.

{studies}

--data takes the data set's own folder or one above it.  Tables with signatures, seeds and n of
N go to stdout or --out.

Examples:
  globesumm study samples
  globesumm study multiling --data downloads/ --out multiling.md
  globesumm study planted --model llama3:8b --base-url http://127.0.0.1:11434

"""

import argparse
import importlib
from contextlib import ExitStack
from pathlib import Path

from baselines.studies import STUDIES
from globesumm.cli.judging import add_judge_options, open_judge
from globesumm.cli.main import DONE
from globesumm.errors import UnknownName, UsageError
from globesumm.records import write_text

_ROWS = "\n".join(
    f"  {name:<12} {row.about}"
    + (f"; data: {row.data}" if row.data else "")
    + (f"; size: {row.sized}" if row.sized else "")
    for name, row in STUDIES.items()
)
__doc__ = (__doc__ or "").replace("{studies}", _ROWS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--data", type=Path, metavar="PATH", help="where the data set lies")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all draws (0)")
    parser.add_argument("--size", type=int, metavar="N", help="how much is drawn (see above)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page there")
    add_judge_options(parser, "--model", "a model, for the study `planted`")


def run(options: argparse.Namespace) -> int:
    if options.name not in STUDIES:
        raise UnknownName("study", options.name, STUDIES)
    out: Path | None = options.out
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"--out {out}: the folder {out.parent} does not exist")
    drawn: tuple[int, ...] = ()
    if options.size is not None:
        if STUDIES[options.name].sized is None:
            raise UsageError(f"the study {options.name!r} draws nothing: leave out --size")
        if options.size < 1:
            raise UsageError(f"--size is {options.size}: give a number from 1 up")
        drawn = (options.size,)
    if options.judge and not STUDIES[options.name].asks:
        raise UsageError(f"the study {options.name!r} asks no model: leave out --model")
    study = importlib.import_module(STUDIES[options.name].module)
    with ExitStack() as within:
        model = open_judge(options, within)
        asked = {"model": model} if model else {}
        text = study.run(options.data, options.seed, *drawn, **asked).markdown()
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)
    return DONE
