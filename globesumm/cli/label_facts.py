"""Items about facts, from the folder of ``globesumm facts``."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN
from globesumm.progress import track
from globesumm.records import read_own_records
from globesumm.values import Judgement, Rejected

if TYPE_CHECKING:
    from annotation.labels.highlighting import Encode
    from annotation.labels.making.of_facts import SourceText
    from annotation.labels.values import Item

Found = Iterator["Item | Rejected"]
T = TypeVar("T")


def key_facts(options: argparse.Namespace) -> Found:
    """What ``facts extract`` left to people in ``to_label.jsonl``."""
    from annotation.labels.making.of_facts import key_fact
    from annotation.labels.payloads import Text

    sources, encode = _sources(options), _encoder(options)
    for folder in map(Path, options.inputs):
        path = folder / "to_label.jsonl" if folder.is_dir() else folder
        languages = _fact_languages(path.with_name("key_facts.jsonl"))
        counts: dict[str, int] = {}
        for one in track(_own(path, Judgement, "facts extract"), "facts"):
            name, _, fact = one.item.partition("\t")
            if name not in sources:
                yield _no_source(path, name)
                continue
            counts[name] = counts.get(name, 0) + 1
            yield key_fact(
                Text(text=fact, language=languages.get((name, fact), UNKNOWN)),
                sources[name],
                encode,
                critique=one.note,
                number=counts[name],
                item=one.item,
            )


def _fact_languages(path: Path) -> dict[tuple[str, str], str]:
    """The languages of the rejected facts, by source and text."""
    from metrics.facts.records import SourceFacts

    held = read_own_records(path, SourceFacts) if path.exists() else ()
    return {
        (one.source, rejected.fact.text): rejected.fact.language
        for one in held
        for rejected in one.rejected
    }


def fact_support(options: argparse.Namespace) -> Found:
    """The facts of summaries in ``summary_facts.jsonl``, with what ``support.jsonl`` says."""
    from annotation.labels.making.of_facts import fact_support as item_of
    from annotation.labels.payloads import Text
    from metrics.facts.records import SummaryFacts, Supported

    sources, encode = _sources(options), _encoder(options)
    for folder in map(Path, options.inputs):
        said = {}
        if (folder / "support.jsonl").exists():
            for verdict in read_own_records(folder / "support.jsonl", Supported):
                for fact, yes in zip(verdict.facts, verdict.supported or (), strict=False):
                    if yes is not None:
                        said[verdict.system, verdict.id, fact] = yes
        judge, languages = _judge(folder, "verify"), _languages(folder)
        path = folder / "summary_facts.jsonl"
        for one in track(_own(path, SummaryFacts, "facts decompose"), "summaries"):
            if one.id not in sources:
                yield _no_source(path, one.id)
                continue
            for number, fact in enumerate(one.facts or (), start=1):
                yes = said.get((one.system, one.id, fact))
                yield item_of(
                    Text(text=fact, language=languages.get((one.system, one.id), UNKNOWN)),
                    sources[one.id],
                    encode,
                    system=one.system,
                    number=number,
                    models={} if yes is None else {judge: yes},
                )


def matching(options: argparse.Namespace) -> Found:
    """The key facts and sentences in ``matches.jsonl``, with the judge's matches."""
    from annotation.labels.making.of_facts import matching as item_of
    from annotation.labels.payloads import Listed, Text
    from metrics.facts.records import Matched

    encode = _encoder(options)
    for folder in map(Path, options.inputs):
        judge, languages = _judge(folder, "match"), _languages(folder)
        path = folder / "matches.jsonl"
        for one in track(_own(path, Matched, "facts match"), "summaries"):
            language = languages.get((one.system, one.id), UNKNOWN)
            for number, fact in enumerate(one.key_facts, start=1):
                found = one.matches[number - 1] if one.matches is not None else None
                yield item_of(
                    Text(text=fact, language=UNKNOWN),
                    Listed(sentences=one.sentences, language=language),
                    encode,
                    source=one.id,
                    system=one.system,
                    number=number,
                    models={} if found is None else {judge: found},
                )


def _own(path: Path, kind: type[T], step: str) -> Iterable[T]:
    if not path.is_file():
        raise UsageError(f"{path} is not there: globesumm {step} writes it")
    return read_own_records(path, kind)


def _no_source(path: Path, name: str) -> Rejected:
    return Rejected(where=str(path), reason=f"the source {name!r} is not in --sources")


def _sources(options: argparse.Namespace) -> "dict[str, SourceText]":
    from annotation.labels.making.of_facts import SourceText, part
    from globesumm.cli.facts_inputs import given_sources

    if options.sources is None:
        raise UsageError(f"--kind {options.kind} shows the sources: name them with --sources FILE")
    found, _ = given_sources(options.sources)
    return {
        one.id: SourceText(
            id=one.id, parts=tuple(part(each.text, each.language) for each in one.parts)
        )
        for one in found
    }


def _encoder(options: argparse.Namespace) -> "Encode":
    from baselines.extractive.encoders import Remembering, choose

    return Remembering(choose(options.encoder)).encode


def _judge(folder: Path, step: str) -> str:
    """Who made the verdicts of a step."""
    from globesumm.records import read_record

    path = folder / f"judge_{step}.json"
    return read_record(path, dict[str, str])["judge"] if path.exists() else "judge"


def _languages(folder: Path) -> dict[tuple[str, str], str]:
    """The languages of summaries, by system and id, where ``summaries.jsonl`` is in the folder."""
    from metrics.facts.records import Candidate, read_candidates

    path = folder / "summaries.jsonl"
    found = read_candidates(path) if path.exists() else ()
    return {(one.system, one.id): one.language for one in found if isinstance(one, Candidate)}
