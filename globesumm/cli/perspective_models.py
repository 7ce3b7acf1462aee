"""The models of ``perspective run``: who writes, and who rates drafts."""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from globesumm.cli.modelling import author, opened, spent, unopened, with_model
from globesumm.errors import UsageError
from globesumm.progress import say

if TYPE_CHECKING:
    from annotation.author import Author
    from baselines.drafts.proxies import Judging
    from baselines.perspectives.running import Running
    from globesumm.cli.perspective_run import Wanted
    from globesumm.llm.backends import OpenedModel
    from globesumm.llm.request import Model

CALLS = "calls.sqlite"
"""The call store in a run folder."""


def check_servers(options: argparse.Namespace) -> None:
    """Refuse servers that belong to nobody, or that the call store could not tell apart."""
    url = options.proxy_judge_url
    if url and not options.proxy_judge:
        raise UsageError("--proxy-judge-url is for a model that rates: name it with --proxy-judge")
    if options.judge_url and not options.judge:
        raise UsageError("--judge-url is for a model that judges: name it with --judge")
    if url and options.proxy_judge == options.model and url != options.base_url:
        raise UsageError(
            f"--proxy-judge and --model are both called {options.model!r}, but at different "
            "servers, whose answers the call store could not tell apart: serve one under another "
            "name"
        )


def named(wanted: "Wanted", within: ExitStack) -> "Running":
    """Everything that carries the methods out, with models by name alone."""
    options = wanted.options
    writer = author(options, within.enter_context(unopened(options)), options.seed)
    judge: Model | None = None
    if options.proxy_judge:
        judge = within.enter_context(unopened(_judge_options(options)))
    return running_of(wanted, writer, judge)


def answering(wanted: "Wanted", within: ExitStack) -> "tuple[Running, OpenedModel]":
    """Everything that carries the methods out, with models that answer; caps hold for both."""
    options = wanted.options
    model = within.enter_context(opened(options, options.out / CALLS))
    model.check()
    within.callback(lambda: say(f"this time: {spent(model.totals)}"))
    judge: OpenedModel | None = None
    if options.proxy_judge:
        rater = opened(_judge_options(options), options.out / CALLS, model.meter)
        judge = within.enter_context(rater)
        judge.check()
    writer = with_model(author(options, model, options.seed), model)
    return running_of(wanted, writer, judge), model


def _judge_options(options: argparse.Namespace) -> argparse.Namespace:
    """The options with the judge of drafts in the place of the writer."""
    own = {
        "model": options.proxy_judge,
        "base_url": options.proxy_judge_url or options.base_url,
        "tokenizer": None,
        "context_window": None,
    }
    return argparse.Namespace(**vars(options) | own)


def running_of(
    wanted: "Wanted", writer: "Author | None" = None, judge: "Model | None" = None
) -> "Running":
    """The methods with who writes and who rates drafts (the writer where nobody else does)."""
    from baselines.perspectives.methods import method
    from baselines.perspectives.running import Running

    judging = _judging(wanted.options, writer, judge)
    return Running(
        methods={name: method(name, wanted.drafts, judging) for name in wanted.names},
        setting=wanted.setting,
        author=writer,
        drafts=wanted.drafts,
        at_once=wanted.options.at_once,
    )


def _judging(
    options: argparse.Namespace, writer: "Author | None", judge: "Model | None"
) -> "Judging | None":
    from baselines.drafts.proxies import Judging

    if writer is None:
        return None
    plain = Judging(model=judge or writer.model, prompts=writer.prompts, enforced=writer.structured)
    reasoning = None if judge else writer.decoding.reasoning
    return replace(plain, reasoning=reasoning, most_at_once=options.at_once)
