"""How well an entailer does on labelled pairs, within and across languages.

FOLDER holds files like XNLI's, *-<language>.tsv or .tsv.gz, a row "premise, hypothesis, label"
with the label entailment, neutral or contradiction; the same row is the same pair in every
file, so that the premise in one language is also held against the hypothesis in another.

hit: share called entailed of the pairs that are; false: of those that are not (neutral or
contradiction); balanced: mean of hit and 1 - false; auc: chance that an entailed pair gets the
higher value.  All times 100.

Examples:
  globesumm entail xnli/ --entailer vector --languages en,bg,ru --size 200
  globesumm entail xnli/ --entailer mdeberta-xnli --entailer-path models/mdeberta --against fp32

"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    chosen_entailer,
    open_judge,
    told,
)
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, print_form
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.languages import parse
from globesumm.progress import say, track
from globesumm.records import to_json

if TYPE_CHECKING:
    from metrics.entailment import Entailer
    from metrics.entailment.labelled import Accuracy, Labelled
    from metrics.tables import Table

Rows = Mapping[str, Sequence[tuple[str, str, str]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("--data", dest="named", type=Path, metavar="PATH", help="the same")
    parser.add_argument("--languages", metavar="CODES", help="such as en,bg,ru (all there are)")
    parser.add_argument(
        "--pairs",
        choices=("all", "within", "across"),
        default="all",
        help="premise and hypothesis in one language, in two, or both (all)",
    )
    parser.add_argument("--size", type=int, metavar="N", help="rows drawn, the same in each (all)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument(
        "--against",
        choices=("fp32",),
        help="also run in fp32: do the decisions agree, and which is faster",
    )
    parser.add_argument("--format", choices=FORMS, default="table", help="(table)")
    add_entailer_options(parser, "vector")
    add_judge_options(parser)


def run(options: argparse.Namespace) -> int:
    from metrics.entailment.labelled import accuracy, read_xnli

    folder = _folder(options)
    with ExitStack() as within:
        judge = open_judge(options, within)
        entailer = chosen_entailer(options, judge)
        wanted = [parse(code) for code in (options.languages or "").split(",") if code.strip()]
        rows = drawn(read_xnli(folder, wanted), options.size, options.seed)
        groups = list(_groups(rows, wanted or list(rows), options.pairs))
        if not groups:
            raise UsageError(f"--pairs {options.pairs} needs two languages, and one is there")
        say(told(entailer))
        results = (accuracy(entailer, group) for group in groups)
        found = [one for some in track(results, "language pairs", len(groups)) for one in some]
        if options.format == "jsonl":
            for one in found:
                print(to_json(one))
        else:
            size = len(next(iter(rows.values())))
            print_form(table(found, (told(entailer), _drawn(options, size))), options.format)
        if options.against:
            say(_agreement(options, entailer, groups))
    return DONE if all(one.n for one in found) else DONE_WITH_FAILURES


def drawn(rows: Rows, size: int | None, seed: int) -> Rows:
    """`size` of the rows, the same in every language; all of them where there are no more."""
    import numpy as np

    total = len(next(iter(rows.values())))
    if size is None or size >= total:
        return rows
    places = sorted(np.random.default_rng(seed).choice(total, size, replace=False).tolist())
    return {language: [held[place] for place in places] for language, held in rows.items()}


def table(found: Sequence["Accuracy"], about: Sequence[str]) -> "Table":
    """A row a combination of languages; unscored cells say why below."""
    from metrics.tables import Table

    reasons = dict.fromkeys(
        f"{one.premise_language} to {one.hypothesis_language}: {one.reason}"
        for one in found
        if one.reason
    )
    return Table(
        header=("premise", "hypothesis", "n", *_RATES),
        rows=tuple(_cells(one, "–", 100) for one in found),
        notes=(*about, *(f"not judged: {reason}" for reason in reasons)),
        number_header=("premise", "hypothesis", "n", "expected", *_RATES),
        numbers=tuple(_numbers(one) for one in found),
        named=2,
    )


_RATES = ("hit", "false", "balanced", "auc")


def _values(one: "Accuracy") -> tuple[float | None, ...]:
    hit, balanced = one.rate_entailment, one.balanced_accuracy
    wrong = None if hit is None or balanced is None else hit + 1 - 2 * balanced
    return hit, wrong, balanced, one.auc


def _cells(one: "Accuracy", missing: str, times: float) -> tuple[str, ...]:
    values = (missing if v is None else f"{times * v:.1f}" for v in _values(one))
    return one.premise_language, one.hypothesis_language, f"{one.n}/{one.expected}", *values


def _numbers(one: "Accuracy") -> tuple[str, ...]:
    values = ("" if v is None else f"{v:.6f}" for v in _values(one))
    languages = (one.premise_language, one.hypothesis_language)
    return *languages, str(one.n), str(one.expected), *values


def _groups(rows: Rows, languages: Sequence[str], pairs: str) -> Iterator[list["Labelled"]]:
    from metrics.entailment.labelled import across

    for premise in languages:
        for hypothesis in languages:
            if pairs == "all" or (pairs == "within") == (premise == hypothesis):
                yield across(rows, premise, hypothesis)


def _folder(options: argparse.Namespace) -> Path:
    if (options.data is None) == (options.named is None):
        raise UsageError("name the FOLDER of labelled pairs, once")
    folder: Path = options.data or options.named
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no folder with files *-<language>.tsv: name the one that holds them"
        )
    if options.size is not None and options.size < 1:
        raise UsageError(f"--size is {options.size}: give a number from 1 up")
    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    if options.against and options.precision == "fp32":
        raise UsageError("--against fp32 compares another --precision with it: name one")
    return folder


def _drawn(options: argparse.Namespace, size: int) -> str:
    how = "all rows" if options.size is None or options.size > size else f"seed {options.seed}"
    return f"{counted(size, 'row')} a combination of languages ({how}); values times 100"


def _agreement(
    options: argparse.Namespace, entailer: "Entailer", groups: Sequence[Sequence["Labelled"]]
) -> str:
    """The precision against fp32 on the same pairs, those within one language first."""
    from metrics.entailment.agreement import agreement

    exact = chosen_entailer(argparse.Namespace(**{**vars(options), "precision": "fp32"}))
    pairs = [one.pair for group in groups for one in group][:_MOST_COMPARED]
    return str(agreement(exact, entailer, pairs))


_MOST_COMPARED = 200
