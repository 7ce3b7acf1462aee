"""The study of a judge's stability in one command: the sample, the runs, the agreement.

sample.jsonl, summaries.jsonl          what is judged
key_facts.jsonl, summary_facts.jsonl   made once, or taken from --made
run-0, run-1, ...                      matches, support and verdicts of each run
asked.json                             the account of calls, by step and run
stability.jsonl                        Kendall's W and Krippendorff's alpha
alignment.jsonl                        with --people
"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_account import Asking
from globesumm.cli.facts_inputs import (
    check_isolation,
    given_sources,
    given_summaries,
    made_before,
    note_judge,
    open_fact_judge,
)
from globesumm.cli.facts_reading import read
from globesumm.cli.judging import add_judge_options
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import FORMS, print_form
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.records import to_json, write_records
from globesumm.runs import alone

if TYPE_CHECKING:
    from metrics.facts.records import SourceFacts, SummaryFacts
    from metrics.facts.study import Judged, RunOfStudy, Study
    from metrics.facts.verdicts import Verdicts
    from metrics.meta import Agreement

STUDY = "a judge asked several times about a stated sample: does it agree with itself"


def add_study(actions: Any) -> None:
    """The parser of ``facts study``."""
    study = actions.add_parser("study", help=STUDY, allow_abbrev=False)
    study.add_argument("file", type=Path, metavar="SUMMARIES.jsonl")
    study.add_argument("--sources", type=Path, required=True, metavar="SOURCES.jsonl")
    study.add_argument("--out", type=Path, required=True, metavar="DIR")
    study.add_argument("--runs", type=int, default=3, metavar="N", help="of the judge (3)")
    study.add_argument(
        "--per-scenario", type=int, default=50, metavar="N", help="sources of each scenario (50)"
    )
    study.add_argument(
        "--made", type=Path, metavar="DIR", help="with key_facts.jsonl and summary_facts.jsonl"
    )
    study.add_argument(
        "--people", type=Path, metavar="FILE.jsonl", help="people's verdicts to hold run 0 against"
    )
    study.add_argument(
        "--references", action="store_true", help="the sources' human references as a system too"
    )
    study.add_argument("--seed", type=int, default=0, help="of the draw and the bootstrap (0)")
    study.add_argument("--resamples", type=int, default=1000, metavar="N", help="(1000)")
    study.add_argument("--batch", type=int, default=40, metavar="N", help="facts a call (40)")
    study.add_argument(
        "--piece-words", type=int, metavar="N", help="longest piece of a source (by the judge)"
    )
    study.add_argument("--dry-run", action="store_true", help="say what would be asked")
    study.add_argument("--format", choices=FORMS, default="table", help="(table)")
    add_judge_options(study)


def run_study(options: argparse.Namespace) -> int:
    """Draw, judge `runs` times, and print how the runs agree."""
    from metrics.facts.references import with_references
    from metrics.facts.study import draw_study

    _check(options)
    sources, bad = given_sources(options.sources)
    summaries, unread = given_summaries(options.file)
    if options.references:
        summaries = list(with_references(summaries, sources))
    study = draw_study(sources, summaries, per_scenario=options.per_scenario, seed=options.seed)
    told = say if options.format == "jsonl" else print
    told(
        f"{len(study.sources)} of {counted(len(sources), 'source')} drawn, "
        f"{counted(len(study.summaries), 'summary')} "
        f"of {counted(len(study.systems), 'system')}"
    )
    if study.partial:
        say(
            f"warning: not drawn from: {counted(study.partial, 'source')} without a summary "
            "by some system"
        )
    for scenario, missing in study.short.items():
        say(f"warning: {scenario} has {counted(missing, 'source')} fewer than wanted")
    if options.dry_run:
        return _plan(options, study)
    check_isolation([options.judge], list(study.summaries))
    with alone(options.out):
        return _carried_out(options, study, bad=bool(bad or unread))


def _carried_out(options: argparse.Namespace, study: "Study", *, bad: bool) -> int:
    """The runs, how they agree, and what people say to the first."""
    from metrics.facts.belief import alignment, stability

    write_records(options.out / "sample.jsonl", study.sources)
    write_records(options.out / "summaries.jsonl", study.summaries)
    runs = _runs(options, study)
    draws = {"resamples": options.resamples, "seed": options.seed}
    found = stability(runs, **draws)
    write_records(options.out / "stability.jsonl", found)
    _print(found, options, f"{counted(len(runs), 'run')} of {options.judge}")
    unscored = sum(
        any(value.value is None for value in one.measured().values()) for run in runs for one in run
    )
    if unscored:
        say(
            f"{unscored} of {counted(sum(map(len, runs)), 'judgement')} without a score: "
            "facts score RUN says why"
        )
    if options.people:
        people, rejected = read(options.people)
        fits = alignment(people, runs[0], **draws)
        write_records(options.out / "alignment.jsonl", fits)
        _print(fits, options, "run 0 against people")
        bad = bad or bool(rejected)
    return DONE_WITH_FAILURES if bad or unscored else DONE


def _check(options: argparse.Namespace) -> None:
    if not options.judge:
        raise UsageError("facts study asks a model: name it with --judge MODEL")
    bounds = {"runs": (2, 100), "per_scenario": (1, 1_000_000), "resamples": (1, 1_000_000)}
    bounds |= {"seed": (0, 2**63 - 1), "batch": (1, 10_000)}
    for name, (least, most) in bounds.items():
        if not least <= getattr(options, name) <= most:
            told = name.replace("_", "-")
            raise UsageError(
                f"--{told} is {getattr(options, name)}: give a number from {least} to {most}"
            )
    if options.piece_words is not None and options.piece_words < 1:
        raise UsageError(f"--piece-words is {options.piece_words}: give a number above 0")


def _plan(options: argparse.Namespace, study: "Study") -> int:
    parts = {source.id: len(source.parts) for source in study.sources}
    made = 0 if options.made else 2 * sum(parts.values()) + len(study.summaries)
    each = len(study.summaries) + sum(parts[one.id] for one in study.summaries)
    before = "the facts of --made" if options.made else f"{counted(made, 'call')} for facts, once"
    print(
        f"would ask {options.judge}: {before}; {counted(options.runs, 'run')} of "
        f"{counted(each, 'call')} or more; "
        f"{made + options.runs * each} in all; what is stored already is not asked again"
    )
    return DONE


def _runs(options: argparse.Namespace, study: "Study") -> "list[list[Verdicts]]":
    """The verdicts of every run, each kept in a folder of its own."""
    from metrics.facts.pipeline import verdicts

    key_facts, facts = _facts(options, study)
    found = []
    for number in range(options.runs):
        made = _run(options, study, key_facts, facts, number)
        found.append(verdicts(made.matches, made.support, study.sources))
        write_records(options.out / f"run-{number}" / "verdicts.jsonl", found[-1])
    return found


def _run(
    options: argparse.Namespace,
    study: "Study",
    key_facts: "list[SourceFacts]",
    facts: "list[SummaryFacts]",
    number: int,
) -> "RunOfStudy":
    """One run, with its account."""
    from metrics.facts.study import judged

    parts = {source.id: len(source.parts) for source in study.sources}
    with ExitStack() as within:
        judge = open_fact_judge(_of_run(options, number), within)
        asking = Asking("summary", judge.asker)
        made = judged(
            judge,
            study,
            key_facts,
            facts,
            lambda some, make: asking.each(
                track(some, f"run {number}"),
                make,
                lambda one: {"facts.match": 1, "facts.verify": parts[one.id]},
                _finished,
            ),
        )
        asking.tell(f"run {number}", options.out)
        folder = options.out / f"run-{number}"
        folder.mkdir(exist_ok=True)
        write_records(folder / "matches.jsonl", made.matches)
        write_records(folder / "support.jsonl", made.support)
        for step in ("match", "verify"):
            note_judge(folder, step, judge.identity)
        say(
            f"run {number}: {judge.asker.count}; {counted(judge.asker.memory.hits, 'verdict')} "
            "known"
        )
    return made


def _finished(one: "Judged") -> bool:
    """Whether every fact has its verdict."""
    return all(said is not None and None not in said for said in (one[0].matches, one[1].supported))


def _facts(
    options: argparse.Namespace, study: "Study"
) -> "tuple[list[SourceFacts], list[SummaryFacts]]":
    from metrics.facts.pipeline import decomposed, extracted
    from metrics.facts.records import SourceFacts, SummaryFacts

    if options.made:
        return (
            made_before(options.made, "key_facts.jsonl", SourceFacts, "extract"),
            made_before(options.made, "summary_facts.jsonl", SummaryFacts, "decompose"),
        )
    with ExitStack() as within:
        judge = open_fact_judge(_of_run(options, 0), within)
        asking = Asking("source", judge.asker)
        key_facts = asking.each(
            track(study.sources, "sources"),
            lambda one: extracted(judge, one),
            lambda one: dict.fromkeys(("facts.extract", "facts.review"), len(one.parts)),
            lambda one: one.facts is not None,
        )
        asking.tell("extract", options.out)
        write_records(options.out / "key_facts.jsonl", key_facts)
        asking = Asking("summary", judge.asker)
        facts = asking.each(
            track(study.summaries, "summaries"),
            lambda one: decomposed(judge, one),
            lambda _: {"facts.decompose": 1},
            lambda one: one.facts is not None,
        )
        asking.tell("decompose", options.out)
        write_records(options.out / "summary_facts.jsonl", facts)
    return key_facts, facts


def _of_run(options: argparse.Namespace, number: int) -> argparse.Namespace:
    return argparse.Namespace(**vars(options) | {"run": number})


def _print(found: "list[Agreement]", options: argparse.Namespace, what: str) -> None:
    from metrics.tables import agreement_table

    if options.format == "jsonl":
        for one in found:
            print(to_json(one))
        return
    told = (
        what,
        "intervals: 95 %, percentile bootstrap over sources",
        f"{counted(options.resamples, 'resample')}, seed {options.seed}",
    )
    print()
    print_form(agreement_table(found, told), options.format)
