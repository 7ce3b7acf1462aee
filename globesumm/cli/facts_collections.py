"""Collections of sources: drawn with quotas, and described."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.facts_inputs import given_sources
from globesumm.cli.inputs import name_rejected
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.cli.scores import print_form
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say
from globesumm.records import read_own_records, write_records
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.facts.sources import Source

COLLECTIONS = {
    "sample": "sources drawn as OmniCSEval draws them: filters, quotas, strata of length, a seed",
    "describe": "what sources, key facts and facts of summaries are like",
}
FORMS = ("table", "markdown", "latex", "tsv")


def add_collections(actions: Any) -> None:
    """The parsers of `COLLECTIONS`."""
    sample = actions.add_parser("sample", help=COLLECTIONS["sample"], allow_abbrev=False)
    sample.add_argument("files", type=Path, nargs="+", metavar="FILE")
    sample.add_argument(
        "--corpus",
        metavar="NAME",
        help="read the files in this corpus's own layout (SAMSum, DialogSum, MediaSum, SummScreen, "
        "MovieSum, TweetSumm, TODSum, ACI-Bench, MTS-Dialog, PriMock57, MeetingBank, QMSum, "
        "ECTSum); else JSON Lines of sources",
    )
    sample.add_argument(
        "--tweets", type=Path, metavar="TWCS.csv", help="the texts of TweetSumm's tweets"
    )
    sample.add_argument("--quotas", required=True, metavar="CORPUS=N,...", help="how many of each")
    sample.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    sample.add_argument("--out", type=Path, required=True, metavar="SOURCES.jsonl")
    describe = actions.add_parser("describe", help=COLLECTIONS["describe"], allow_abbrev=False)
    describe.add_argument("file", type=Path, metavar="SOURCES.jsonl")
    describe.add_argument("--study", type=Path, metavar="DIR", help="its key facts and facts")
    describe.add_argument(
        "--summaries", type=Path, metavar="SUMMARIES.jsonl", help="for the losslessness of facts"
    )
    describe.add_argument("--format", choices=FORMS, default="table", help="(table)")


def run_collection(options: argparse.Namespace) -> int:
    """Carry out one of `COLLECTIONS`."""
    return _sample(options) if options.action == "sample" else _describe(options)


def _sample(options: argparse.Namespace) -> int:
    from metrics.facts.sampling import item_of, sample

    if options.seed < 0:
        raise UsageError(f"--seed is {options.seed}: give a number from 0 up")
    quotas = _quotas(options.quotas)
    sources, bad = _given(options)
    known = {source.id: source for source in sources}
    if len(known) < len(sources):
        raise UsageError("two of the files hold sources of the same id: give each its own")
    items = [
        item_of(
            source.id,
            "\n".join(part.text for part in source.parts),
            source.parts[0].language,
            corpus=(source.corpus or "unstated").casefold(),
            scenario=source.scenario or "unstated",
        )
        for source in sources
    ]
    found = sample(items, quotas, seed=options.seed)
    write_records(options.out, [known[item.id] for item in found.drawn])
    print(f"{len(found.drawn)} of {counted(len(sources), 'source')} drawn: {options.out}")
    for reason, names in found.left_out.items():
        print(f"- {len(names)} left out: {reason}")
    for corpus, missing in found.short.items():
        say(f"warning: {corpus} has {missing} fewer than its quota")
    return DONE_WITH_FAILURES if bad or found.short else DONE


def _given(options: argparse.Namespace) -> "tuple[list[Source], bool]":
    from metrics.facts.layouts import read_corpus

    if options.tweets and (options.corpus or "").casefold() != "tweetsumm":
        raise UsageError("--tweets holds the texts of TweetSumm: give it with --corpus TweetSumm")
    sources: list[Source] = []
    rejected: list[Rejected] = []
    for path in options.files:
        if options.corpus is None:
            some, bad = given_sources(path)
            sources += some
            rejected += [Rejected(where=str(path), reason="see above")] if bad else []
            continue
        mine: list[Rejected] = []
        for one in read_corpus(path, options.corpus, options.tweets):
            if isinstance(one, Rejected):
                mine.append(one)
            else:
                sources.append(one)
        name_rejected(mine)
        rejected += mine
    if not sources:
        raise UsageError(
            f"no source can be read in {', '.join(map(str, options.files))}: give JSON Lines of "
            "sources, or name their layout with --corpus"
        )
    return sources, bool(rejected)


def _quotas(given: str) -> dict[str, int]:
    found = {}
    for one in given.split(","):
        corpus, equals, number = one.rpartition("=")
        if not equals or not corpus.strip() or not number.strip().isdecimal():
            raise UsageError(f"--quotas {one.strip()!r}: write CORPUS=N")
        found[corpus.strip().casefold()] = int(number)
    return found


def _describe(options: argparse.Namespace) -> int:
    from metrics.facts import statistics
    from metrics.facts.records import Candidate, SourceFacts, SummaryFacts, read_candidates

    sources, bad = given_sources(options.file)
    print_form(statistics.of_sources(sources), options.format)
    scenarios = {source.id: source.scenario for source in sources}
    summaries = read_candidates(options.summaries) if options.summaries else ()
    texts = [one for one in summaries if isinstance(one, Candidate)]
    if options.study:
        path = options.study / "key_facts.jsonl"
        if path.exists():
            print()
            facts = read_own_records(path, SourceFacts)
            print_form(statistics.of_key_facts(facts, scenarios), options.format)
        path = options.study / "summary_facts.jsonl"
        if path.exists():
            print()
            made = read_own_records(path, SummaryFacts)
            print_form(statistics.of_summary_facts(made, texts), options.format)
    return DONE_WITH_FAILURES if bad else DONE
