"""``globesumm perspective run``: plan, write, score; each step goes on where it was stopped."""

import argparse
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.accounts import tell_account
from globesumm.cli.drafting import say_blind, say_cautions
from globesumm.cli.main import DONE, DONE_WITH_FAILURES, REFUSED
from globesumm.cli.modelling import add_model_options, watching
from globesumm.cli.perspective_models import answering, check_servers, named, running_of
from globesumm.cli.perspective_scores import (
    add_score_options,
    check_judge,
    check_metrics,
    rating_calls,
    score,
)
from globesumm.config import Drafts
from globesumm.errors import DataError, UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.values import Rejected

if TYPE_CHECKING:
    from baselines.perspectives.running import Running
    from baselines.perspectives.tasks import Setting as Asked
    from baselines.perspectives.values import Topic
    from globesumm.llm.metered import Meter
    from globesumm.runs import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for, checked."""

    options: argparse.Namespace
    topics: "list[Topic]"
    names: "list[str]"
    setting: "Asked"
    drafts: Drafts


def add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked, and stop")
    parser.add_argument(
        "--methods", default="zero-shot", metavar="A,B", help="how sides are summarized (zero-shot)"
    )
    parser.add_argument(
        "--shown", default="both", metavar="WHAT", help="to the writer: both sides, or own (both)"
    )
    parser.add_argument(
        "--length", default="sentence", metavar="WHAT", help="sentence or paragraph (sentence)"
    )
    parser.add_argument("--target", default="en", metavar="CODE", help="language written (en)")
    parser.add_argument("--words", type=int, metavar="N", help="most words (50, paragraph 120)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(0)")
    group = parser.add_argument_group("drafts")
    group.add_argument(
        "--drafts", metavar="CONFIG", help="a config with a [drafts] table (docs/drafts.md)"
    )
    group.add_argument("--n", type=int, metavar="N", help="drafts of rerank (9)")
    group.add_argument("--proxies", metavar="A,B", help="what drafts are chosen by")
    group.add_argument("--joint", metavar="RULE", help="how proxies are joined (mean)")
    group.add_argument("--weights", metavar="A=2,B=1", help="of proxies; with a weighted joint")
    group.add_argument("--guards", metavar="A=0.1", help="how far behind the best a draft may be")
    group.add_argument("--proxy-judge", metavar="MODEL", help="who rates drafts (the writer)")
    group.add_argument(
        "--proxy-judge-url", metavar="URL", help="of the server of --proxy-judge (--base-url)"
    )
    add_model_options(parser)
    add_score_options(parser)


def carry_out_run(
    options: argparse.Namespace, topics: "list[Topic]", rejected: list[Rejected]
) -> int:
    """The whole of ``perspective run`` on topics that are read."""
    from baselines.perspectives.methods import PLAIN, check_methods, takes_model
    from baselines.perspectives.tasks import Setting as Asked

    names = _listed(options.methods)
    if not names:
        raise UsageError("--methods is empty: name at least one")
    check_methods(names)
    if options.at_once < 1:
        raise UsageError(f"--at-once is {options.at_once}: give a number from 1 up")
    setting = Asked(
        shown=options.shown, length=options.length, target=options.target, max_words=options.words
    )
    drafts = drafts_of(options)
    if takes_model(names) and not options.model:
        raise UsageError("name the model that writes: --model NAME")
    check_servers(options)
    check_metrics(options, topics)
    check_judge(options, names, drafts)
    say_cautions(drafts, [name for name in names if name not in PLAIN])
    wanted = Wanted(options=options, topics=topics, names=names, setting=setting, drafts=drafts)
    with ExitStack() as within:
        running = named(wanted, within) if takes_model(names) else running_of(wanted)
        decided = _decided(wanted, running)
    if options.dry_run:
        return _print_plan(wanted)
    if options.out is None:
        raise UsageError("name the run folder to write to: --out RUN")
    return _carried_out(wanted, decided, rejected)


def drafts_of(options: argparse.Namespace) -> Drafts:
    """The ``[drafts]`` table of a file, with what the command line says in its place."""
    from globesumm.config.files import read_toml, shipped
    from globesumm.records import from_plain

    given: dict[str, Any] = {}
    if options.drafts:
        path, content = read_toml(options.drafts, shipped())
        if "drafts" not in content:
            raise UsageError(f"{path} has no [drafts] table: write one, or leave out --drafts")
        given = dict(content["drafts"])
    if options.n is not None:
        given["n"] = options.n
    if options.proxies is not None:
        given["proxies"] = _listed(options.proxies)
    for name in ("weights", "guards"):
        if getattr(options, name) is not None:
            given[name] = _numbers(name, getattr(options, name))
    if options.joint is not None:
        given["joint"] = options.joint
    elif options.guards is not None:
        given["joint"] = "weighted"
    try:
        drafts = from_plain(Drafts, given, "[drafts]")
    except DataError as error:
        raise UsageError(str(error).replace(": the record:", ":")) from error
    from baselines.drafts.proxies import check_proxies

    check_proxies(drafts.proxies)
    if drafts.judge and not options.proxy_judge:
        raise UsageError(
            f"[drafts] judge = {drafts.judge!r} is a row of an experiment's models: name the "
            "model itself with --proxy-judge MODEL"
        )
    return drafts


def _listed(text: str) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))


def _name_in(part: str) -> str:
    return part.partition("=")[0].strip()


def _numbers(name: str, text: str) -> dict[str, float]:
    found = {}
    for part in _listed(text):
        key, equals, value = part.partition("=")
        try:
            found[key.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError(f"--{name}: {part!r} is not like coverage=2: write it so")
        if list(map(_name_in, _listed(text))).count(key.strip()) > 1:
            raise UsageError(f"--{name} gives {key.strip()} twice: leave one out")
    return found


def _print_plan(wanted: Wanted) -> int:
    from baselines.perspectives.methods import planned, together

    topics, options, names = wanted.topics, wanted.options, wanted.names

    sides = sum(len(topic.sides) for topic in topics)
    documents = sum(len(side.documents) for topic in topics for side in topic.sides)
    print(
        f"{counted(len(topics), 'topic')}, {counted(sides, 'side')}, "
        f"{counted(documents, 'document')}"
    )
    apart = 0
    for name in names:
        one = planned(name, wanted.drafts)
        most = "<=" if one.at_most else ""
        rated = f", of them {counted(sides * one.rated, 'rating')} of drafts" if one.rated else ""
        calls = sides * (one.calls + one.rated)
        apart += calls
        print(f"{name:<16} {most + str(calls):>8} calls{rated}")
    total = sides * together(names, wanted.drafts).all
    if apart > total:
        print(f"{'asked once':<16} {total - apart:>8} calls that methods share")
    judged = rating_calls(options) * sides * len(names)
    if judged:
        print(f"{'scoring':<16} {judged:>8} calls to {options.judge}")
    print(f"{counted(total + judged, 'call')} at most, while every answer can be used")
    return DONE


def _carried_out(wanted: Wanted, decided: "dict[str, Setting]", rejected: list[Rejected]) -> int:
    from baselines.perspectives.methods import takes_model, together
    from baselines.perspectives.running import asked, carry_out
    from baselines.perspectives.values import each_side, event_of_side
    from globesumm.runs import Run

    options, topics = wanted.options, wanted.topics
    asks = takes_model(wanted.names)
    run = Run.start(options.out, decided)
    with run.alone(), ExitStack() as within:
        sides = [event_of_side(topic, side) for topic, side in each_side(topics)]
        run.write_events(sides, rejected)
        meter: Meter | None = None
        if not asks:
            running = running_of(wanted)
        else:
            running, model = answering(wanted, within)
            meter = model.meter
            calls = len(sides) * together(wanted.names, wanted.drafts).all
            within.enter_context(watching(model, calls))
        outcome = carry_out(run, topics, running)
        if asks:
            tell_account(asked(run, topics, running), options.out)
    left = f", {outcome.left} left" if outcome.left else ""
    say(
        f"{counted(outcome.made, 'summary')} made, {outcome.kept} kept, {outcome.failed} "
        f"failed{left}"
    )
    if outcome.stopped:
        say(f"stopped: {outcome.stopped}")
        return REFUSED
    say_blind(run.summaries(), options.out)
    with run.alone():
        lost = score(wanted, run, meter)
    return DONE_WITH_FAILURES if outcome.failed or rejected or lost else DONE


def _decided(wanted: Wanted, running: "Running") -> "dict[str, Setting]":
    """What decides the summaries; how they are scored may change from one run to the next."""
    from baselines.drafts.methods import PROMPTS
    from baselines.perspectives.methods import PLAIN
    from globesumm.records import to_json
    from globesumm.runs import digest

    topics, setting, writer = wanted.topics, running.setting, running.author
    decided: dict[str, Setting] = {
        "kind": "perspectives",
        "topics": len(topics),
        "data": digest(topics),
        "shown": setting.shown,
        "length": setting.length,
        "target": setting.target,
        "max_words": setting.words,
        "model": running.model,
    }
    for name, method in running.methods.items():
        decided[f"method {name}"] = method.signature
    if writer is not None:
        decided["decoding"] = to_json(writer.decoding)
        decided["drafts"] = (
            f"temperature {running.drafts.temperature}, top_p {running.drafts.top_p}"
        )
        decided["overrun"] = writer.overrun
        if writer.bounds:
            decided["bounded"] = to_json(writer.bounds)
        drafted = any(name not in PLAIN for name in running.methods)
        names = [setting.prompt, *(PROMPTS if drafted else ())]
        decided["prompts"] = writer.prompts.references(names)
    return decided
