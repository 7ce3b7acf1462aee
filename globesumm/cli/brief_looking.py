"""One look for a brief: what is new is found, chosen, summarized, cited and set against before."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING

from globesumm.cli.brief_sources import Gathered, gather
from globesumm.cli.cite import chosen as chosen_summaries
from globesumm.cli.cite import citer
from globesumm.cli.growing import fold_in
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import read_own_records, write_records
from globesumm.runs import BRIEF, Run, alone
from globesumm.unfinished import begun
from globesumm.values import Document, Event, Rejected, Summary

if TYPE_CHECKING:
    from baselines.briefs import Request
    from baselines.briefs.choosing import Fate
    from baselines.briefs.searching import Lack


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one look came to: `added` are new documents, `first` says that there was none before.

    `summary` is None where it could not be made; `changed` says that this is another version than
    the last, `failed` that something was not had or not made.
    """

    run: Run
    event: Event
    summary: Summary | None
    added: tuple[str, ...]
    first: bool
    changed: bool
    failed: bool


def look(options: argparse.Namespace, request: "Request") -> Looked:
    """Do what is new since the last look into the run folder of the options.

    What a kill left half done is done first.  Raises `UsageError` where there is no document.
    """
    from baselines.briefs.asked import REQUEST, claim
    from baselines.briefs.story import Stories
    from baselines.growing import keep_rejected

    run = Run(options.out)
    with ExitStack() as within:
        within.enter_context(begun(options.out, REQUEST))
        claim(options.out, request)
        within.enter_context(alone(options.out / BRIEF))
        held = _held(run)
        stories = Stories(request.encoder, options.out / BRIEF / "vectors.npz")
        gathered = gather(options, request, stories, held.documents if held else ())
        documents, fates = _chosen(options, request, held, gathered)
        failed = bool(gathered.rejected)
        if held is None:
            event = _event(request, gathered, documents)
            _keep_account(run, fates, gathered.lacks)
            failed |= _begin(options, run, event, gathered.rejected)
        else:
            _keep_account(run, fates, gathered.lacks)
            with run.alone():
                keep_rejected(run, gathered.rejected)
            failed |= _grow(options, run, held, documents)
            event = _held(run) or held
        summary = _summary(run, options.recipe)
        changed = summary is not None and _measured(options, run, event, summary)
    return Looked(
        run=run,
        event=event,
        summary=summary,
        added=tuple(one.id for one in documents),
        first=held is None,
        changed=changed,
        failed=failed or summary is None,
    )


def of_run(options: argparse.Namespace) -> Looked:
    """An existing run, cited and with its ledger where it had none."""
    run = Run.open(options.out)
    summaries, events = chosen_summaries(run, options.event, options.recipe)
    if len({one.event for one in summaries}) > 1:
        some = ", ".join(sorted({one.event for one in summaries})[:5])
        raise UsageError(f"{run.folder} holds several events: name one with --event ({some})")
    summary = summaries[0]
    if len(summaries) > 1:
        say(
            f"of {counted(len(summaries), 'summary')} that by {summary.recipe}; --recipe "
            "names another"
        )
    event = events[summary.event]
    _measured(options, run, event, summary, versions=(run.folder / BRIEF).is_dir())
    return Looked(
        run=run, event=event, summary=summary, added=(), first=True, changed=True, failed=False
    )


def _held(run: Run) -> Event | None:
    """The event of an earlier look; a run that was killed before it was written has none."""
    if not run.events_path.is_file():
        return None
    events = run.events()
    return events[0] if events else None


def _chosen(
    options: argparse.Namespace, request: "Request", held: Event | None, gathered: Gathered
) -> "tuple[tuple[Document, ...], list[Fate]]":
    from baselines.briefs.choosing import asked_for, choose, fresh
    from baselines.growing.taking import take

    before = held.documents if held else ()
    kept, fates = asked_for(request, fresh(before, gathered.seen, _now()))
    chosen = choose(request, before, kept)
    fates += [*gathered.aside, *chosen.fates]
    documents = chosen.documents
    if held and options.no_redo:
        early = set(take(held, documents).early)
        documents = tuple(one for one in documents if one.id not in early)
        why = "older than the last report, and --no-redo"
        fates = [replace(f, kind="older", reason=why) if f.document in early else f for f in fates]
    return documents, fates


def _event(request: "Request", gathered: Gathered, documents: Sequence[Document]) -> Event:
    from retrieval.event import event_of

    if not documents:
        raise UsageError(_none(gathered))
    named = gathered.event
    event = event_of(
        documents,
        id=named.id if named else request.name,
        description=gathered.description,
        date=named.date if named else None,
        references=named.references if named else (),
    )
    if len(documents) == 1:
        say("one report only: there is nothing to hold it against")
    return replace(event, category=named.category, notes=named.notes) if named else event


def _none(gathered: Gathered) -> str:
    """Why there is no document at all."""
    if gathered.rejected:
        first = gathered.rejected[0]
        return (
            f"no report could be had ({len(gathered.rejected)} refused): {first.where}: "
            f"{first.reason}"
        )
    if gathered.seen:
        days = sorted(one.published.date() for one in gathered.documents if one.published)
        told = f", which are of {days[0]} to {days[-1]}" if days else ""
        return (
            f"none of the {counted(len(gathered.seen), 'report')}{told} is in the languages "
            "and days asked "
            "for: give other --languages, --since and --until"
        )
    return "no report was found"


def _keep_account(run: Run, fates: "Sequence[Fate]", lacks: "Sequence[Lack]") -> None:
    """The fates of all looks so far, the newest word on each report; the last look's lacks."""
    from baselines.briefs.choosing import CHOICE, Fate, told
    from baselines.briefs.composing import LACKS

    path = run.folder / BRIEF / CHOICE
    held = {one.document: one for one in (read_own_records(path, Fate) if path.exists() else ())}
    new = [one for one in fates if held.get(one.document) != one]
    write_records(path, ({**held, **{one.document: one for one in fates}}).values())
    write_records(run.folder / BRIEF / LACKS, lacks)
    for line in told(new):
        say(line)


def _options(options: argparse.Namespace) -> argparse.Namespace:
    """The options as `globesumm summarize` has them."""
    own = {
        "config": None, "format": None, "reference": [], "append": False, "event": None,
        "redo": not options.no_redo, "dry_run": False,
        "recipe": [options.recipe] if options.recipe else None,
    }  # fmt: skip
    return argparse.Namespace(**{**vars(options), **own})


def _begin(
    options: argparse.Namespace, run: Run, event: Event, rejected: Sequence[Rejected]
) -> bool:
    """The first summary; whether it failed."""
    from baselines.briefs.asked import EVENT
    from baselines.growing import keep_rejected

    # What is there without its event was cut short before anything of worth was made.
    (run.folder / "run.json").unlink(missing_ok=True)
    path = run.folder / BRIEF / EVENT
    write_records(path, [event])
    failed = _summarize(options, str(path))
    with run.alone():
        keep_rejected(run, rejected)
    return failed


def _summarize(options: argparse.Namespace, source: str) -> bool:
    from globesumm.cli import summarize

    own = _options(options)
    own.inputs, own.redo = [source], False
    # Its summaries are the brief's to tell.
    with redirect_stdout(StringIO()):
        status = summarize.run(own)
    return status != 0


def _grow(
    options: argparse.Namespace, run: Run, event: Event, documents: Sequence[Document]
) -> bool:
    """What is new folded into the summary, which is made first where there is none yet."""
    failed = False
    if not run.summaries():
        failed = _summarize(options, str(run.events_path))
    with run.alone(), redirect_stdout(StringIO()):
        return fold_in(_options(options), run, event, documents).failed or failed


def _summary(run: Run, recipe: str | None) -> Summary | None:
    every = [one for one in run.summaries() if recipe in (None, one.recipe)]
    return every[0] if every else None


def _measured(
    options: argparse.Namespace,
    run: Run,
    event: Event,
    summary: Summary,
    *,
    versions: bool = True,
) -> bool:
    """Citations, ledger and version of the summary; whether it is another version."""
    from baselines.briefs.versions import keep_version, read_versions
    from baselines.citations import read_citations
    from baselines.ledger.written import LEDGER, read_ledger

    mine = (summary.event, summary.recipe)
    cited = [one for one in read_citations(run) if (one.event, one.recipe) == mine]
    there = bool(cited) and (run.folder / LEDGER).is_file()
    last = read_versions(run)[-1:] if versions else []
    if not there or (versions and not (last and last[0].documents == summary.rounds[-1].documents)):
        with run.alone():
            _judge(options, run, event, summary)
    if not versions:
        return True
    cited = [one for one in read_citations(run) if (one.event, one.recipe) == mine]
    entries = [one for one in read_ledger(run) if (one.event, one.recipe) == mine]
    with run.alone():
        return keep_version(run, summary, event, cited, entries, _now())


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _judge(options: argparse.Namespace, run: Run, event: Event, summary: Summary) -> None:
    """Citations and ledger, as `globesumm cite` and `globesumm ledger` make them."""
    from baselines.citations import write_citations
    from baselines.ledger import Nearness, ledger
    from baselines.ledger.judging import ModelJudge
    from baselines.ledger.written import write_ledger
    from globesumm.cli.judging import chosen_entailer, open_judge
    from metrics.entailment import Remembering

    judged = {} if options.judged else {"base_url": None, "key_variable": None}
    own = argparse.Namespace(
        **{**vars(options), "judge": options.model if options.judged else None, **judged},
        nearest=None, judge_all=False,
    )  # fmt: skip
    with ExitStack() as within:
        write_citations(run, citer(own, within, run).cite(summary, event))
    with ExitStack() as within:
        store = run.folder / "calls.sqlite" if own.judge else None
        judge = open_judge(own, within, store)
        entailer = chosen_entailer(own, judge)
        near = Nearness(within.enter_context(Remembering(entailer, run.folder / "verdicts.sqlite")))
        found = ledger(summary, event, near, ModelJudge(judge) if judge else None)
        write_ledger(run, [(summary.event, summary.recipe)], found)
