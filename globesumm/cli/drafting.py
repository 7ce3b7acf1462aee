"""The options of recipes with drafts: how many, chosen by what, and who rates them."""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from globesumm.cli.modelling import opened, unopened
from globesumm.config import Drafts
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from baselines.drafts.proxies import Judging
    from baselines.recipes import Drafting
    from globesumm.llm.backends import OpenedModel
    from globesumm.values import Summary

STORE = "calls.sqlite"
"""The call store in a run folder."""

JOINTS = ("mean", "product", "min", "rank-mean", "lexicographic")


def add_draft_options(parser: argparse.ArgumentParser) -> None:
    """Options of a recipe's fourth part (``crs.kis-clp.protocol.rerank``)."""
    group = parser.add_argument_group("drafts (recipes that end in .rerank, .debate, ...)")
    group.add_argument("--drafts", type=int, metavar="N", help="drawn for each summary (9)")
    group.add_argument("--draft-temperature", type=float, metavar="X", help="(0.7)")
    group.add_argument(
        "--proxies", metavar="NAMES", help="what chooses (llm-coverage,llm-faithfulness)"
    )
    group.add_argument("--joint", choices=JOINTS, help="how proxies are joined (mean)")
    group.add_argument("--rounds", type=int, metavar="N", help="of self-refine and debate (3)")
    group.add_argument("--agents", type=int, metavar="N", help="of debate (3)")
    group.add_argument("--rater", metavar="MODEL", help="rates drafts (the writing model)")
    group.add_argument("--rater-url", metavar="URL", help="of its server (that of --base-url)")


def say_cautions(settings: Drafts, methods: "Iterable[str]") -> None:
    """Say on stderr what of the settings can hardly be meant, for the `methods` of drafts."""
    from baselines.drafts.methods import settings_of, word_of

    if settings.temperature:
        return
    several = []
    for name in dict.fromkeys(methods):
        held = settings_of(name, settings)
        count = {"self-refine": 1, "debate": held.agents}.get(word_of(name), held.n)
        several += [name] if count > 1 else []
    if several:
        say(
            f"note: {', '.join(several)}: drafts are drawn at temperature 0, at which most models "
            "give one text each time; there is then nothing to choose"
        )


def say_blind(summaries: "Iterable[Summary]", out: "Path") -> None:
    """Say on stderr in how many rounds nothing told the drafts apart, if there are any."""
    from baselines.drafts.record import choice_of, is_blind

    rounds = blind = 0
    for summary in summaries:
        for made in summary.rounds:
            choice = choice_of(made)
            rounds += choice is not None and len(choice.scored) > 1
            blind += is_blind(made)
    if blind:
        say(
            f"nothing told the drafts apart in {blind} of {counted(rounds, 'choice')}, so the "
            "first was "
            f"taken: globesumm drafts {out} shows why"
        )


def draft_settings(options: argparse.Namespace, plain: Drafts) -> Drafts:
    """`plain` with what the options say; raises `UsageError` for what cannot be meant."""
    given: dict[str, Any] = {
        "n": options.drafts,
        "temperature": options.draft_temperature,
        "joint": options.joint,
        "rounds": options.rounds,
        "agents": options.agents,
    }
    if options.proxies is not None:
        names = (name.strip() for name in options.proxies.split(","))
        given["proxies"] = tuple(name for name in names if name)
    changes = {name: value for name, value in given.items() if value is not None}
    if options.rater_url and not options.rater:
        raise UsageError("--rater-url is for a model that rates: name it with --rater")
    try:
        return replace(plain, **changes)
    except ValueError as error:
        raise UsageError(f"drafts: {error}") from error


def drafting(
    options: argparse.Namespace,
    plain: Drafts,
    within: ExitStack,
    *,
    writer: "OpenedModel | None" = None,
) -> "Drafting":
    """How drafts are drawn, and the model that --rater names, closed with `within`.

    Its calls are kept and counted with those of `writer`; without one it answers nothing, which
    is enough for a plan.
    """
    from baselines.recipes import Drafting

    judging = _judging(options, within, writer) if options.rater else None
    settings = draft_settings(options, plain)
    return Drafting(settings=settings, judging=judging, most_at_once=options.at_once)


def _judging(
    options: argparse.Namespace, within: ExitStack, writer: "OpenedModel | None"
) -> "Judging":
    from baselines.drafts.proxies import Judging
    from globesumm.prompts import Library

    url = options.rater_url or options.base_url
    if options.rater == options.model and url != options.base_url:
        raise UsageError(
            f"--rater and --model are both called {options.model!r}, but at different servers, "
            "whose answers the call store could not tell apart: serve one under another name"
        )
    own = {"model": options.rater, "base_url": url, "context_window": None, "tokenizer": None}
    named = argparse.Namespace(**{**vars(options), **own})
    store, meter = (options.out / STORE, writer.meter) if writer else (None, None)
    model = opened(named, store, meter) if writer else unopened(named)
    within.enter_context(model)
    return Judging(
        model=model,
        prompts=Library(options.prompts) if options.prompts else Library(),
        enforced=not options.plain,
        most_at_once=options.at_once,
    )
