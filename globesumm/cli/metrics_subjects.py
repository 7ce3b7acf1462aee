"""Which metrics ``globesumm metrics check`` runs, and with which models behind them."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from globesumm.cli.judging import MODEL_JUDGE, chosen_entailer, open_judge
from globesumm.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from globesumm.llm.backends import OpenedModel
    from metrics.base import Metric
    from metrics.truth import Subject

ENTAILED = ("nic", "alignment")

ELSEWHERE: Mapping[str, str] = {
    "cre": "speaks of conflicts between an event's documents; here each article is one document",
    "language-bias": "speaks of an event's documents in several languages; here each article is "
    "one document",
}
"""Metrics that say nothing of one article, with the reason."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A metric to be made when it is needed; `calls` tells whether each text costs a call."""

    name: str
    model: str | None
    calls: bool
    make: "Callable[[ExitStack], Metric]"

    def subject(self, within: ExitStack) -> "Subject":
        from metrics.truth import Subject

        metric = self.make(within)
        # A stand-in gives its own name to what it makes.
        return Subject(
            name=metric.name if self.model else self.name, metric=metric, model=self.model
        )


def planned(options: argparse.Namespace) -> list[Planned]:
    """The metrics asked for, or all; those with a model once for each model named.

    Raises `UnknownName`, and `UsageError` for options that nothing asked for needs.
    """
    from metrics.judged import RATINGS
    from metrics.registry import METRICS
    from metrics.rouge import Rouge

    names = _listed(options.metrics)
    known = (*METRICS, *RATINGS, *ENTAILED)
    for name in names:
        if name in ELSEWHERE:
            raise UsageError(
                f"metric {name!r} cannot be checked here: it {ELSEWHERE[name]}: leave it out"
            )
        if name not in known:
            raise UnknownName("metric", name, known)
    wanted = names or known
    judges, entailers = _listed(options.judge), _listed(options.entailer)
    _refuse_what_nothing_needs(options, wanted, judges, entailers)
    found: list[Planned] = []
    for name in wanted:
        if name == "rouge":
            # Recall and precision are what the paper's table compares.
            found.append(Planned(name, None, calls=False, make=lambda _: Rouge(report="prf")))
        elif name in METRICS:
            found.append(Planned(name, None, calls=False, make=_made(METRICS[name])))
    for judge in judges:
        opened = _Judge(options, judge)
        found += [
            Planned(name, judge, calls=True, make=opened.rating(name))
            for name in RATINGS
            if name in wanted
        ]
        if MODEL_JUDGE in entailers:
            found += [
                Planned(name, judge, calls=True, make=opened.entailed(name, MODEL_JUDGE))
                for name in ENTAILED
                if name in wanted
            ]
    for entailer in entailers:
        if entailer != MODEL_JUDGE:
            alone = _Judge(options, None)
            found += [
                Planned(name, entailer, calls=False, make=alone.entailed(name, entailer))
                for name in ENTAILED
                if name in wanted
            ]
    return found


def not_run(options: argparse.Namespace, run: set[str]) -> Iterator[tuple[str, str]]:
    """Listed metrics that were not run, with the reason."""
    from metrics.needs_model import NEEDS_JUDGE, NEEDS_MODEL

    asked = _listed(options.metrics)
    for row in (*NEEDS_MODEL, *NEEDS_JUDGE):
        if row.name not in run and (not asked or row.name in asked):
            yield row.name, ELSEWHERE.get(row.name, f"needs {row.needs}")


class _Judge:
    """The model that judges, opened once however many metrics ask it."""

    def __init__(self, options: argparse.Namespace, judge: str | None) -> None:
        self._options = argparse.Namespace(**{**vars(options), "judge": judge})
        self._opened: OpenedModel | None = None

    def _model(self, within: ExitStack) -> "OpenedModel | None":
        if self._opened is None and self._options.judge:
            out = self._options.out
            store = out / "calls.sqlite" if out else None
            self._opened = open_judge(self._options, within, store)
        return self._opened

    def rating(self, name: str) -> "Callable[[ExitStack], Metric]":
        from metrics.judged import RATINGS, Rating

        def make(within: ExitStack) -> "Metric":
            model = self._model(within)
            if model is None:
                raise UsageError(f"{name} needs a model that rates: name it with --judge")
            return Rating(RATINGS[name], model, most_at_once=self._options.at_once)

        return make

    def entailed(self, name: str, entailer: str) -> "Callable[[ExitStack], Metric]":
        from metrics.entailment import Remembering
        from metrics.judged import Alignment
        from metrics.nic import Nic

        def make(within: ExitStack) -> "Metric":
            chosen = argparse.Namespace(**{**vars(self._options), "entailer": entailer})
            inside = chosen_entailer(chosen, self._model(within))
            out = self._options.out
            store = out / "verdicts.sqlite" if out else None
            remembering = within.enter_context(Remembering(inside, store))
            return Nic(remembering) if name == "nic" else Alignment(remembering)

        return make


def _made(make: "Callable[[], Metric]") -> "Callable[[ExitStack], Metric]":
    return lambda _: make()


def _refuse_what_nothing_needs(
    options: argparse.Namespace,
    wanted: tuple[str, ...] | list[str],
    judges: list[str],
    entailers: list[str],
) -> None:
    from metrics.entailment.presets import STAND_INS
    from metrics.judged import RATINGS

    if not judges:
        for name in ("base_url", "key_variable"):
            if getattr(options, name):
                told = name.replace("_", "-")
                raise UsageError(f"--{told} is for a model that judges: name it with --judge")
    if judges and not set(wanted) & set(RATINGS) and MODEL_JUDGE not in entailers:
        raise UsageError(f"--judge is for ratings: name {' or '.join(RATINGS)} among --metrics")
    if entailers and not set(wanted) & set(ENTAILED):
        raise UsageError(f"--entailer is for {' and '.join(ENTAILED)}: name one among --metrics")
    if MODEL_JUDGE in entailers and not judges:
        raise UsageError("--entailer judge asks a model: name it with --judge MODEL")
    if options.entailer_path and len(entailers) > 1:
        raise UsageError("--entailer-path holds one model: check entailers from folders one by one")
    for name in entailers:
        if name in STAND_INS:
            raise UsageError(
                f"--entailer {name}: its metrics are checked anyway, as nic-{_STANDS[name]} and "
                f"alignment-{_STANDS[name]}"
            )


_STANDS = {"lexical": "lexical", "vector": "vectors"}


def _listed(names: str | None) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in (names or "").split(",") if one.strip()))
