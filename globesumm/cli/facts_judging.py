"""The steps of ``globesumm facts`` that ask models; each writes one file of the folder --out.

key_facts.jsonl, to_label.jsonl    extract
summary_facts.jsonl                decompose
matches.jsonl                      match
support.jsonl                      verify
calls.sqlite, verdicts.sqlite      every call and verdict, so that none is paid for twice
"""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from globesumm.cli.facts_account import Asking
from globesumm.cli.facts_evaluate import evaluate
from globesumm.cli.facts_generate import generate
from globesumm.cli.facts_inputs import (
    check_isolation,
    given_sources,
    given_summaries,
    made_before,
    note_judge,
    open_entailer,
    open_fact_judge,
    planned,
)
from globesumm.cli.judging import told
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.records import read_own_records, write_records
from globesumm.runs import alone
from globesumm.values import Judgement

if TYPE_CHECKING:
    from metrics.entailment import Remembering
    from metrics.facts.asking import Asker
    from metrics.facts.records import SourceFacts
    from metrics.facts.sources import Source


def run_step(options: argparse.Namespace) -> int:
    """Carry out one of `STEPS`."""
    for name in ("batch", "piece_words", "max_tokens", "context_window"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            told = name.replace("_", "-")
            raise UsageError(f"--{told} is {getattr(options, name)}: give a number above 0")
    if options.run < 0:
        raise UsageError(f"--run is {options.run}: give a number from 0 up")
    if not options.judge and not getattr(options, "entailer", None):
        flag = "--model" if options.action == "generate" else "--judge"
        raise UsageError(f"facts {options.action} asks a model: name it with {flag} MODEL")
    with ExitStack() as within:
        # Evaluation writes what its steps read, and each step locks the folder by itself.
        if options.action != "evaluate" and not options.dry_run:
            within.enter_context(alone(options.out))
        return _ACTIONS[options.action](options, within)


def _extract(options: argparse.Namespace, within: ExitStack) -> int:
    from metrics.facts.adjudication import TASK, item
    from metrics.facts.pipeline import extracted

    sources, bad = given_sources(options.file)
    parts = sum(len(source.parts) for source in sources)
    if options.dry_run:
        return planned(
            f"{counted(parts, 'text')} of {counted(len(sources), 'source')}: "
            f"{counted(2 * parts, 'call')} of {options.judge}, more "
            "where a text is longer than a piece"
        )
    judge = open_fact_judge(options, within)
    entailer = open_entailer(options, within) if options.entailer else None
    asking = Asking("source", judge.asker)
    found = asking.each(
        track(sources, "sources"),
        lambda source: extracted(judge, source, entailer),
        lambda source: dict.fromkeys(("facts.extract", "facts.review"), len(source.parts)),
        lambda one: one.facts is not None,
    )
    asking.tell("extract", options.out)
    found = _adjudicated(options, within, found, sources)
    write_records(options.out / "key_facts.jsonl", found)
    write_records(
        options.out / "to_label.jsonl",
        [
            Judgement(
                task=TASK,
                item=item(one.source, rejected),
                judge=judge.asker.model.name,
                answer="rejected",
                note=rejected.reason,
            )
            for one in found
            for rejected in one.rejected
        ],
    )
    known = [one for one in found if one.facts is not None]
    for one in found:
        if one.reason:
            say(f"no key facts of {one.source}: {one.reason}")
    total = sum(len(one.facts or ()) for one in known)
    rejected = sum(len(one.rejected) for one in found)
    print(
        f"{counted(total, 'key fact')} of {len(known)} of {counted(len(sources), 'source')}; "
        f"{rejected} to be decided"
    )
    return _told(judge.asker, bad=bad or len(known) < len(sources))


def _adjudicated(
    options: argparse.Namespace,
    within: ExitStack,
    found: "list[SourceFacts]",
    sources: "list[Source]",
) -> "list[SourceFacts]":
    """The key facts with those that people or a panel add."""
    from metrics.facts.adjudication import decided, of_panel, of_people

    if options.labels and options.panel:
        raise UsageError("people decide (--labels) or a panel does (--panel), not both")
    names = [name.strip() for name in (options.panel or "").split(",") if name.strip()]
    if options.labels:
        votes = of_people(read_own_records(options.labels, Judgement))
    elif names:
        settings = vars(options)
        panel = [
            open_fact_judge(argparse.Namespace(**settings | {"judge": name}), within)
            for name in names
        ]
        by_id = {source.id: source for source in sources}
        asking = Asking("panel", *(one.asker for one in panel))
        [votes] = asking.each(
            [found], lambda held: of_panel(held, by_id, panel), lambda _: {}, lambda _: True
        )
        asking.tell("panel", options.out)
    else:
        return found
    made = decided(found, votes)
    kappa = "" if made.kappa is None else f", Cohen's kappa {made.kappa:.3f}"
    print(f"{made.agreed} of {made.asked} decided to be key by all, {made.open} open{kappa}")
    return list(made.facts)


def _decompose(options: argparse.Namespace, within: ExitStack) -> int:
    from metrics.facts.pipeline import decomposed

    candidates, bad = given_summaries(options.file)
    names = [name.strip() for name in (options.votes or "").split(",") if name.strip()]
    if options.dry_run:
        calls = len(candidates) * (1 + len(names))
        return planned(
            f"{counted(len(candidates), 'summary')}: {counted(calls, 'call')}, one a summary "
            "and voter"
        )
    judge = open_fact_judge(options, within)
    check_isolation([options.judge, *names], candidates)
    voters = [
        open_fact_judge(argparse.Namespace(**vars(options) | {"judge": n}), within) for n in names
    ]
    asking = Asking("summary", judge.asker, *(one.asker for one in voters))
    found = asking.each(
        track(candidates, "summaries"),
        lambda one: decomposed(judge, one, voters),
        lambda _: {"facts.decompose": 1, "facts.vote": len(voters)},
        lambda one: one.facts is not None,
    )
    asking.tell("decompose", options.out)
    write_records(options.out / "summary_facts.jsonl", found)
    known = [one for one in found if one.facts is not None]
    kept = sum(len(one.facts or ()) for one in known)
    out = sum(len(one.discarded) for one in known)
    rate = f" ({100 * out / (kept + out):.2f}%)" if kept + out else ""
    print(
        f"{counted(kept, 'fact')} of {len(known)} of {counted(len(found), 'summary')}; {out} "
        f"voted out{rate}"
    )
    return _told(judge.asker, bad=bad or len(known) < len(found))


def _match(options: argparse.Namespace, within: ExitStack) -> int:
    from metrics.facts.entailed import matching_by_entailment
    from metrics.facts.pipeline import matched, matching_by_judge
    from metrics.facts.records import SourceFacts

    candidates, bad = given_summaries(options.file)
    facts = {
        one.source: one
        for one in made_before(options.out, "key_facts.jsonl", SourceFacts, "extract")
    }
    if options.dry_run:
        return planned(
            f"{counted(len(candidates), 'summary')}: {counted(len(candidates), 'call')} or more"
        )
    used: Asker | Remembering
    if options.entailer:
        used, asking = open_entailer(options, within), Asking("summary")
        match, identity = matching_by_entailment(used), used.name
    else:
        judge = open_fact_judge(options, within)
        check_isolation([options.judge], candidates)
        used, asking = judge.asker, Asking("summary", judge.asker)
        match, identity = matching_by_judge(judge), judge.identity
    found = asking.each(
        track(candidates, "summaries"),
        lambda one: matched(match, one, facts.get(one.id)),
        lambda _: {"facts.match": 1},
        lambda one: one.matches is not None and None not in one.matches,
    )
    asking.tell("match", options.out)
    write_records(options.out / "matches.jsonl", found)
    note_judge(options.out, "match", identity)
    known = sum(one.matches is not None and None not in one.matches for one in found)
    print(f"{known} of {counted(len(found), 'summary')} matched")
    return _told(used, bad=bad or known < len(found))


def _verify(options: argparse.Namespace, within: ExitStack) -> int:
    from metrics.facts.entailed import by_entailment
    from metrics.facts.pipeline import by_judge, verified
    from metrics.facts.records import SummaryFacts

    candidates, bad = given_summaries(options.file)
    sources, unread = given_sources(options.sources)
    made = made_before(options.out, "summary_facts.jsonl", SummaryFacts, "decompose")
    facts = {(one.system, one.id): one for one in made}
    if options.dry_run:
        return planned(
            f"{counted(len(candidates), 'summary')}: a call or more for each part of its source"
        )
    used: Asker | Remembering
    if options.entailer:
        used, asking = open_entailer(options, within), Asking("summary")
        verify, identity = by_entailment(used), used.name
    else:
        judge = open_fact_judge(options, within)
        check_isolation([options.judge], candidates)
        used, asking = judge.asker, Asking("summary", judge.asker)
        verify, identity = by_judge(judge), judge.identity
    by_id = {source.id: source for source in sources}
    found = asking.each(
        track(candidates, "summaries"),
        lambda one: verified(verify, one, facts.get((one.system, one.id)), by_id.get(one.id)),
        lambda one: {"facts.verify": len(by_id[one.id].parts) if one.id in by_id else 0},
        lambda one: one.supported is not None and None not in one.supported,
    )
    asking.tell("verify", options.out)
    write_records(options.out / "support.jsonl", found)
    note_judge(options.out, "verify", identity)
    known = sum(one.supported is not None and None not in one.supported for one in found)
    print(f"{known} of {counted(len(found), 'summary')} verified")
    for note in sorted({note for one in found for note in one.notes}):
        print(f"- {note}")
    return _told(used, bad=bool(bad or unread or known < len(found)))


_ACTIONS: dict[str, Callable[[argparse.Namespace, ExitStack], int]] = {
    "generate": generate,
    "evaluate": lambda options, _: evaluate(options, run_step),
    "extract": _extract,
    "decompose": _decompose,
    "match": _match,
    "verify": _verify,
}


def _told(used: "Asker | Remembering", *, bad: bool) -> int:
    """What it took, on stdout; returns the status."""
    from metrics.facts.asking import Asker

    if isinstance(used, Asker):
        print(f"- {used.count}; {counted(used.memory.hits, 'verdict')} known before")
    else:
        print(
            f"- {counted(used.judged, 'pair')} judged, {counted(used.hits, 'verdict')} known "
            "before: "
            f"{told(used)}"
        )
    return DONE_WITH_FAILURES if bad else DONE
