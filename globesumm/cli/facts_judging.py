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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_evaluate import add_evaluate_options, evaluate
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
from globesumm.cli.judging import (
    add_entailer_options,
    add_judge_options,
    told,
)
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

STEPS = {
    "generate": "a summary of every source by one instruction, at temperature 0",
    "evaluate": "the four steps below and the scores in one, also of human references",
    "extract": "the key facts of every source, with a second round of self-review",
    "decompose": "every summary into its facts, invented ones voted out",
    "match": "which sentences of a summary state which key facts",
    "verify": "whether the source supports each fact of a summary",
}


def add_steps(actions: Any) -> None:
    """One parser a step."""
    for name, line in STEPS.items():
        step = actions.add_parser(name, help=line, allow_abbrev=False)
        of_sources = name in ("generate", "extract")
        step.add_argument(
            "file",
            type=Path,
            metavar="SOURCES.jsonl" if of_sources else "SUMMARIES.jsonl",
            nargs="?" if name == "evaluate" else None,
        )
        if name == "evaluate":
            add_evaluate_options(step)
        if name in ("verify", "evaluate"):
            step.add_argument("--sources", type=Path, required=True, metavar="SOURCES.jsonl")
        if name in ("decompose", "evaluate"):
            step.add_argument(
                "--votes", metavar="A,B,C", help="models that vote invented facts out (none)"
            )
        step.add_argument("--out", type=Path, required=True, metavar="DIR")
        step.add_argument("--batch", type=int, default=40, metavar="N", help="facts a call (40)")
        step.add_argument(
            "--piece-words", type=int, metavar="N", help="longest piece of a source (by the judge)"
        )
        step.add_argument("--max-tokens", type=int, metavar="N", help="of one answer")
        step.add_argument(
            "--bounded",
            metavar="ITEMSxCHARACTERS",
            help="for weak judges: servers keep replies to the form asked for, with at most so "
            "many facts of so many characters (6x80)",
        )
        step.add_argument(
            "--context-window", type=int, metavar="N", help="tokens of the model, if not known"
        )
        step.add_argument("--run", type=int, default=0, metavar="N", help="a repeated run (0)")
        step.add_argument("--dry-run", action="store_true", help="say what would be asked")
        if name in ("extract", "evaluate"):
            step.add_argument(
                "--panel", metavar="A,B", help="models that decide what the review did not keep"
            )
            step.add_argument(
                "--labels", type=Path, metavar="FILE.jsonl",
                help="people's answers to to_label.jsonl: key, or not key",
            )  # fmt: skip
        if name in ("extract", "match", "verify", "evaluate"):
            add_entailer_options(step, None)
        if name == "generate":
            step.add_argument("--temperature", type=float, default=0.0, help="of the model (0)")
            add_judge_options(step, "--model", "the model that writes the summaries")
        else:
            add_judge_options(step)


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
    found = [extracted(judge, source, entailer) for source in track(sources, "sources")]
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
        votes = of_panel(found, {source.id: source for source in sources}, panel)
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
            f"and voter"
        )
    judge = open_fact_judge(options, within)
    check_isolation([options.judge, *names], candidates)
    voters = [
        open_fact_judge(argparse.Namespace(**vars(options) | {"judge": n}), within) for n in names
    ]
    found = [decomposed(judge, one, voters) for one in track(candidates, "summaries")]
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
        used = open_entailer(options, within)
        match, identity = matching_by_entailment(used), used.name
    else:
        judge = open_fact_judge(options, within)
        check_isolation([options.judge], candidates)
        used, match, identity = judge.asker, matching_by_judge(judge), judge.identity
    found = [matched(match, one, facts.get(one.id)) for one in track(candidates, "summaries")]
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
        used = open_entailer(options, within)
        verify, identity = by_entailment(used), used.name
    else:
        judge = open_fact_judge(options, within)
        check_isolation([options.judge], candidates)
        used, verify, identity = judge.asker, by_judge(judge), judge.identity
    by_id = {source.id: source for source in sources}
    found = [
        verified(verify, one, facts.get((one.system, one.id)), by_id.get(one.id))
        for one in track(candidates, "summaries")
    ]
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
            f"before: "
            f"{told(used)}"
        )
    return DONE_WITH_FAILURES if bad else DONE
