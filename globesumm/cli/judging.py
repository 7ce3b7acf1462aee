"""The options that name an entailer or a judge, and what they open; shared by several verbs."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.llm.backends import OpenedModel
from globesumm.values import Event
from metrics.base import Candidate, Metric
from metrics.cre_conflicts import Conflict
from metrics.entailment import Entailer
from metrics.entailment.loading import PRECISIONS

MODEL_JUDGE = "judge"
"""The entailer that asks the model of --judge."""


def add_entailer_options(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Which entailer judges, where its weights lie, and how it is run."""
    group = parser.add_argument_group("entailment")
    group.add_argument(
        "--entailer",
        default=default,
        metavar="NAME",
        help="lexical, vector (stand-ins), true, mdeberta-xnli, minicheck, summac-vitaminc, "
        "unieval-consistency, KIND:FOLDER, or judge (asks the model of --judge)"
        + (f" ({default})" if default else ""),
    )
    group.add_argument("--entailer-path", metavar="FOLDER", help="with the weights of a preset")
    group.add_argument("--precision", choices=PRECISIONS, default="fp32", help="(fp32)")
    group.add_argument(
        "--threshold", type=float, metavar="X", help="entailed above it (the entailer's own)"
    )
    group.add_argument(
        "--download", action="store_true", help="let the entailer's weights come from the hub"
    )


def add_judge_options(
    parser: argparse.ArgumentParser, flag: str = "--judge", title: str = "a model that judges"
) -> None:
    """Which model judges, how it is reached, and how much it may cost.

    With another `flag` the model does something else, and is still held as ``judge``.
    """
    group = parser.add_argument_group(title)
    group.add_argument(
        flag,
        dest="judge",
        metavar="MODEL",
        help="gpt-3.5-turbo, a name at --base-url, transformers:NAME",
    )
    group.add_argument("--base-url", metavar="URL", help="of an OpenAI-compatible server")
    group.add_argument("--key-variable", metavar="NAME", help="environment variable with its key")
    group.add_argument("--at-once", type=int, default=8, metavar="N", help="calls in flight (8)")
    group.add_argument("--timeout", type=float, metavar="SECONDS", help="of one call")
    group.add_argument("--prices", type=Path, metavar="FILE.toml", help="what tokens cost")
    group.add_argument("--most-calls", type=int, metavar="N", help="stop there")
    group.add_argument("--most-tokens", type=int, metavar="N", help="stop there")
    group.add_argument("--most-spend", type=float, metavar="AMOUNT", help="stop there")


def open_judge(
    options: argparse.Namespace, within: ExitStack, store: Path | None = None
) -> OpenedModel | None:
    """The model that --judge names, closed with `within`; None without one.

    With `store` every call is kept there and never repeated.
    """
    from globesumm.cli.modelling import opened

    if not options.judge:
        for name in ("base_url", "key_variable"):
            if getattr(options, name):
                told = name.replace("_", "-")
                raise UsageError(f"--{told} is for a model that judges: name it with --judge")
        return None
    settings = {"context_window": None, **vars(options), "model": options.judge, "tokenizer": None}
    return within.enter_context(opened(argparse.Namespace(**settings), store))


def chosen_entailer(options: argparse.Namespace, judge: OpenedModel | None = None) -> Entailer:
    """The entailer that the options name; its weights are read when it first judges.

    Raises `UnknownName` and `UsageError`, the latter too where an option does not apply.
    """
    from metrics.entailment.presets import STAND_INS, open_entailer

    name = options.entailer
    weighted = options.entailer_path or options.download or options.precision != "fp32"
    if weighted and (name == MODEL_JUDGE or name in STAND_INS):
        raise UsageError(
            f"--entailer {name} has no weights of its own: "
            "leave out --entailer-path, --precision and --download"
        )
    if name == MODEL_JUDGE:
        return _asking(judge, options)
    if options.threshold is not None and not 0 <= options.threshold < 1:
        raise UsageError(f"--threshold is {options.threshold}: give a number from 0 to below 1")
    return open_entailer(
        name,
        options.entailer_path,
        precision=options.precision,
        threshold=options.threshold,
        download=options.download,
    )


def _asking(judge: OpenedModel | None, options: argparse.Namespace) -> Entailer:
    from metrics.entailment import LLMJudge

    if judge is None:
        raise UsageError("--entailer judge asks a model: name it with --judge MODEL")
    if options.threshold is not None:
        raise UsageError("--entailer judge says yes or no: leave out --threshold")
    return LLMJudge(judge, most_at_once=options.at_once)


def told(entailer: Entailer) -> str:
    """What a reader must know of it first: its name, and whether it is a stand-in."""
    if entailer.stand_in:
        return (
            f"{entailer.name}: a stand-in that compares {_COMPARES[entailer.stand_in]}, no model "
            "of entailment; numbers and negations escape it"
        )
    return entailer.name


_COMPARES = {"lexical": "words", "vectors": "sentence vectors"}


def judged_metrics(
    options: argparse.Namespace,
    within: ExitStack,
    events: Sequence[Event] = (),
    folder: Path | None = None,
) -> dict[str, Metric]:
    """NIC and alignment where --entailer names one, CRE and ratings where --judge does.

    Each as far as --metrics asks for it.

    With a run's `folder` verdicts and calls are kept there and never asked for twice.  CRE's
    standard conflicts are those marked for `events`, or with --annotation those of the last
    rounds of another run.  Raises `UsageError` for an option that nothing asked for needs.
    """
    from metrics.cre import Cre
    from metrics.entailment import Remembering
    from metrics.judged import RATINGS, Alignment, Rating
    from metrics.nic import Nic

    wanted = {name.strip() for name in options.metrics.split(",")}
    if options.entailer and not wanted & {"nic", "alignment"}:
        raise UsageError(
            "--entailer is for NIC and alignment: name one among --metrics, such as rouge,red,nic"
        )
    asks = options.entailer == MODEL_JUDGE
    if options.judge and not wanted & {"cre", *RATINGS} and not asks:
        raise UsageError(
            f"--judge is for CRE and ratings: name cre, {' or '.join(RATINGS)} among --metrics, "
            "such as rouge,red,cre"
        )
    if options.annotation and not (options.judge and "cre" in wanted):
        raise UsageError("--annotation is for CRE: give --metrics cre and --judge MODEL with it")
    judge = open_judge(options, within, folder / "calls.sqlite" if folder else None)
    made: dict[str, Metric] = {}
    if options.entailer:
        entailer = chosen_entailer(options, judge)
        store = folder / "verdicts.sqlite" if folder else None
        remembering = within.enter_context(Remembering(entailer, store))
        for name, make in (("nic", Nic), ("alignment", Alignment)):
            metric: Metric = make(remembering)
            if name in wanted and metric.name in wanted and metric.name != name:
                raise UsageError(
                    f"--metrics names {metric.name} and {name} with the same entailer: drop one"
                )
            if name in wanted:
                made[name] = metric
    if judge is not None and "cre" in wanted:
        standard, extraction = _standard(options.annotation, events)
        made["cre"] = Cre(judge, standard, extraction, most_at_once=options.at_once)
    if judge is not None:
        made |= {
            name: Rating(attribute, judge, most_at_once=options.at_once)
            for name, attribute in RATINGS.items()
            if name in wanted
        }
    return made


def cause_lines(metric: Metric | None, candidates: Sequence[Candidate]) -> list[str]:
    """What became of the conflicts of each cause, a line each; nothing without CRE.

    The verdicts come from the calls that CRE has kept.
    """
    from metrics.cre import Cre, by_cause

    if not isinstance(metric, Cre):
        return []
    return [
        f"conflicts of cause {one.cause or 'not judged'}: {one.addressed} settled, "
        f"{one.not_involved} not touched, {one.not_addressed} not settled"
        for one in by_cause(metric.judged(candidates))
    ]


def _standard(
    annotation: Path | None, events: Sequence[Event]
) -> tuple[dict[str, tuple[Conflict, ...]], str]:
    """The standard conflicts of each event, and where they come from."""
    from globesumm.runs import Run
    from metrics.cre_conflicts import LAST_ROUNDS, marked, of_annotation

    if annotation is None:
        return {event.id: marked(event) for event in events}, "marked"
    summaries = Run.open(annotation).summaries()
    if len({one.event for one in summaries}) < len(summaries):
        raise UsageError(
            f"--annotation {annotation} holds several summaries of one event: name a run of one "
            "recipe, the reference annotation"
        )
    return {one.event: of_annotation(one) for one in summaries}, f"issues/{LAST_ROUNDS}"
