"""How the summaries of ``perspective run`` are scored, and by whom."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from globesumm.cli.judging import MODEL_JUDGE, add_entailer_options, chosen_entailer, told
from globesumm.cli.modelling import opened, spent, unopened
from globesumm.cli.scores import FORMS, by_recipe, print_form
from globesumm.config import Drafts
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import to_json
from globesumm.values import Score

if TYPE_CHECKING:
    from baselines.perspectives.values import Topic
    from globesumm.cli.perspective_run import Wanted
    from globesumm.llm.backends import OpenedModel
    from globesumm.llm.metered import Meter
    from globesumm.llm.request import Model
    from globesumm.runs import Run
    from metrics.base import Candidate, Column, Metric
    from metrics.entailment import Entailer

KEY_POINTS, ALIGNMENT = "key-points", "alignment"
RATED = ("llm-coverage", "llm-faithfulness")
ENTAILED = (ALIGNMENT, KEY_POINTS)
BY_DATA = "by-data"
NOBODY = "nobody"


def add_score_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("scores")
    group.add_argument(
        "--metrics",
        default=BY_DATA,
        metavar="NAMES",
        help="llm-coverage, llm-faithfulness (--judge), alignment, key-points (--entailer), and "
        "those of globesumm metrics (rouge where there are references, key-points where there "
        "are key points); none: do not score",
    )
    group.add_argument("--judge", metavar="MODEL", help="who rates the summaries")
    group.add_argument("--judge-url", metavar="URL", help="of the judge's server (--base-url)")
    group.add_argument("--compare", action="store_true", help="test each pair of methods")
    group.add_argument("--format", choices=FORMS, default="table", help="(table)")
    add_entailer_options(parser, "vector")


def check_metrics(options: argparse.Namespace, topics: "Sequence[Topic]") -> None:
    """Refuse before anything is asked what could not be scored afterwards."""
    from metrics.registry import METRICS

    names = _names(options, topics)
    for name in names:
        if name not in (*RATED, ALIGNMENT, KEY_POINTS, *METRICS):
            raise UnknownName("metric", name, (*RATED, ALIGNMENT, KEY_POINTS, *METRICS))
    rated = [name for name in names if name in RATED]
    if rated and not options.judge:
        raise UsageError(f"{rated[0]} asks a model: name it with --judge MODEL")
    entails = any(name in ENTAILED for name in names)
    if options.judge and not rated and not (entails and options.entailer == MODEL_JUDGE):
        raise UsageError("--judge is for llm-coverage and llm-faithfulness: name one in --metrics")
    if entails:
        with ExitStack() as within:
            judge = within.enter_context(unopened(_judge_options(options)))
            chosen_entailer(options, judge if options.judge else None)


def check_judge(options: argparse.Namespace, methods: Sequence[str], drafts: Drafts) -> None:
    """Refuse a judge who chose the drafts, where the settings say so."""
    if drafts.same_judge != "refuse" or not any(_rates(one) for one in methods):
        return
    if any(_is_same(options, name, drafts) for name in _names(options, ()) if name in RATED):
        raise UsageError(
            f"{options.judge} chose the drafts and would judge them: name another --judge"
        )


def _is_same(options: argparse.Namespace, name: str, drafts: Drafts) -> bool:
    """Whether who rates the summaries by `name` rated drafts by it as well."""
    chooser = options.proxy_judge or options.model
    return bool(options.judge == chooser and name in drafts.proxies)


def _judge_options(options: argparse.Namespace) -> argparse.Namespace:
    """The options with the judge of the summaries in the place of the writer."""
    own = {
        "model": options.judge or options.model or NOBODY,
        "base_url": options.judge_url or options.base_url,
        "tokenizer": None,
        "context_window": None,
    }
    return argparse.Namespace(**vars(options) | own)


def rating_calls(options: argparse.Namespace) -> int:
    """Calls to the judge for one summary."""
    return sum(name in RATED for name in _names(options, ()))


def _names(options: argparse.Namespace, topics: "Sequence[Topic]") -> list[str]:
    if options.metrics == "none":
        return []
    if options.metrics != BY_DATA:
        return list(dict.fromkeys(one.strip() for one in options.metrics.split(",") if one.strip()))
    sides = [side for topic in topics for side in topic.sides]
    found = ["rouge"] if any(side.references for side in sides) else []
    return found + ([KEY_POINTS] if any(side.key_points for side in sides) else [])


def score(wanted: "Wanted", run: "Run", meter: "Meter | None" = None) -> bool:
    """Score every summary of the run, print the table; whether a summary is missing.

    Verdicts and calls are kept in the run's folder, so that scoring again costs nothing.  The
    judge's calls count with those of `meter`, whose caps then hold for all of the run.
    """
    from metrics.comparison import compare_all
    from metrics.merging import merged, unscored
    from metrics.tables import comparisons_table

    options = wanted.options
    names = _names(options, wanted.topics)
    if not names:
        return False
    candidates, lost = _candidates(run, wanted.topics), _lost(run)
    with ExitStack() as within:
        made = _metrics(wanted, names, run, within, meter)
        fresh = [found for metric in made.values() for found in metric.score(candidates)]
    columns = [column for metric in made.values() for column in metric.columns]
    fresh += [
        unscored(candidate, column.name, str(metric.signature), reason)
        for metric in made.values()
        for column in metric.columns
        for candidate, reason in lost
    ]
    everyone = [*candidates, *(candidate for candidate, _ in lost)]
    run.write_scores(merged(run.scores(), fresh, everyone))
    if options.format == "jsonl":
        for one in fresh:
            print(to_json(one))
    else:
        _print(fresh, columns, options)
        systems = by_recipe(fresh)
        if options.compare and len(systems) < 2:
            say("one method only: there is nothing to compare it with")
        elif options.compare:
            scored = {one.metric for one in fresh if one.value is not None}
            known = [column.name for column in columns if column.name in scored]
            found = compare_all(systems, known, seed=options.seed)
            print_form(comparisons_table(found, columns), options.format)
    return bool(lost)


def _print(
    fresh: Sequence[Score], columns: "Sequence[Column]", options: argparse.Namespace
) -> None:
    from metrics.aggregate import aggregate
    from metrics.tables import table

    rows = {name: aggregate(held, seed=options.seed) for name, held in by_recipe(fresh).items()}
    print_form(table(rows, columns, first="recipe"), options.format)
    for name in sorted({one.metric for one in fresh}):
        values = [one.value for one in fresh if one.metric == name and one.value is not None]
        if len(values) > 1 and len(set(values)) == 1:
            say(
                f"{name} is the same for all {counted(len(values), 'summary')}: it tells "
                "nothing apart"
            )


def _metrics(
    wanted: "Wanted",
    names: Sequence[str],
    run: "Run",
    within: ExitStack,
    meter: "Meter | None",
) -> "Mapping[str, Metric]":
    from baselines.perspectives.key_points import KeyPoints, points_of
    from metrics.entailment import Remembering
    from metrics.judged import Alignment
    from metrics.registry import METRICS

    made: dict[str, Metric] = {}
    entailer: Entailer | None = None
    judge = _judge(wanted, names, run, within, meter)
    if any(name in ENTAILED for name in names):
        chosen = chosen_entailer(wanted.options, judge)
        say(f"entailer: {told(chosen)}")
        entailer = within.enter_context(Remembering(chosen, run.folder / "verdicts.sqlite"))
    for name in names:
        if judge is not None and name in RATED:
            made[name] = _rating(wanted, name, judge)
        elif entailer is not None and name == ALIGNMENT:
            made[name] = Alignment(entailer)
        elif entailer is not None and name == KEY_POINTS:
            made[name] = KeyPoints(entailer, points_of(wanted.topics))
        else:
            made[name] = METRICS[name]()
    return made


def _judge(
    wanted: "Wanted",
    names: Sequence[str],
    run: "Run",
    within: ExitStack,
    meter: "Meter | None",
) -> "OpenedModel | None":
    """Who rates the summaries; None where nothing is rated."""
    options = wanted.options
    if not options.judge or not any(name in (*RATED, *ENTAILED) for name in names):
        return None
    model = opened(_judge_options(options), run.folder / "judged.sqlite", meter)
    within.enter_context(model)
    within.callback(lambda: say(f"with judging: {spent(model.totals)}"))
    return model


def _rating(wanted: "Wanted", name: str, model: "Model") -> "Metric":
    from globesumm.prompts import Library
    from metrics.judged import RATINGS, Rating

    options, setting, drafts = wanted.options, wanted.setting, wanted.drafts
    same = _is_same(options, name, drafts)
    chosen_by = {setting.recipe(one) for one in wanted.names if _rates(one)}
    return Rating(
        RATINGS[name],
        model,
        prompts=Library(options.prompts) if options.prompts else Library(),
        enforced=not options.plain,
        most_at_once=options.at_once,
        chosen_by=frozenset(chosen_by) if same else frozenset(),
    )


def _rates(method: str) -> bool:
    return method.startswith("rerank") and not method.startswith("rerank-rouge")


def _candidates(run: "Run", topics: "list[Topic]") -> "list[Candidate]":
    from baselines.perspectives.values import each_side, side_id
    from metrics.base import Candidate

    sides = {side_id(topic, side): (topic, side) for topic, side in each_side(topics)}
    found = []
    for summary in run.summaries():
        topic, side = sides[summary.event]
        found.append(
            Candidate(
                id=summary.event,
                text=summary.text,
                language=summary.target,
                references=side.references,
                reference_language=topic.reference_language,
                documents=side.documents,
                event=summary.event,
                recipe=summary.recipe,
            )
        )
    return found


def _lost(run: "Run") -> "list[tuple[Candidate, str]]":
    """A candidate for every summary that failed, with the reason."""
    from globesumm.languages import UNKNOWN
    from metrics.base import Candidate

    return [
        (
            Candidate(id=one.event, text="", language=UNKNOWN, event=one.event, recipe=one.recipe),
            # Without the name, so that tables tell equal reasons together.
            f"no summary: {one.reason.replace(f' of {one.event} ', ' ')}",
        )
        for one in run.failures()
    ]
