"""The controlled test: the same report told in a language drawn by lot, many times.

Where translations exist, an event can be told again and again with only the languages changed.
If a summarizer keeps more of a report's facts when it happens to be in English, that is a
preference for English, whatever the report says, how long it is and where it stands in time.
Facts are judged in one language against the summary, so the entailer's weakness in the report's
language plays no part.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from globesumm.errors import DataError
from globesumm.languages import UNKNOWN
from globesumm.values import Document, Event, Summary
from metrics.bias.calibration import Versions
from metrics.bias.effects import Case, Effects, effects
from metrics.bias.formula import mean
from metrics.bias.observations import summary_sentences
from metrics.entailment.base import Entailer, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """An event whose reports exist in several languages.

    `reports` holds each report's versions by the report's id; the order of `event.documents`
    is of no account.  `event` gives everything else.
    """

    event: Event
    reports: Mapping[str, Versions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One telling: the event with each report in the language that was drawn for it."""

    number: int
    event: Event
    languages: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a summary kept of one report in one telling; `share` None with the `reason`."""

    event: str
    draw: int
    report: str
    language: str
    share: float | None
    reason: str | None = None


Summarize = Callable[[Event], Summary]
Measure = Callable[[Draw, Summary], Mapping[str, "tuple[float | None, str | None]"]]
"""(share kept from 0 to 1, or None with the reason) of each report of a telling."""


Place = Callable[[Document], tuple[str, str]]
"""(event, report) that a document is a version of."""


def by_stem(document: Document) -> tuple[str, str]:
    """The place of a document called like MultiLing's: ``M0012.greek`` is report M0012 of M001.

    What stands before the last dot names the report, and that without its last digit the event.
    """
    report = document.id.rpartition(".")[0] or document.id
    return report[:-1], report


def stories(documents: Iterable[Document], place: Place = by_stem) -> list[Story]:
    """Documents that are versions of each other as stories, in order of the events' names.

    Two versions of one report in the same language are a `DataError`, since one would be lost.
    """
    found: dict[str, dict[str, dict[str, Document]]] = {}
    for document in documents:
        event, report = place(document)
        versions = found.setdefault(event, {}).setdefault(report, {})
        if document.language in versions:
            raise DataError(
                f"report {report} has two versions in {document.language}: "
                f"{versions[document.language].id} and {document.id}: remove one"
            )
        versions[document.language] = document
    return [
        Story(
            event=Event(id=event, description="", documents=()),
            reports=dict(sorted(found[event].items())),
        )
        for event in sorted(found)
    ]


def draws(story: Story, count: int, seed: int, languages: Sequence[str] = ()) -> Iterator[Draw]:
    """`count` tellings; every report's language is drawn by itself, each equally likely.

    `languages` are those to draw from (none: all that occur); a report is only ever told in
    languages it exists in.  Documents keep the report's id, so that ids betray nothing.
    """
    generator = np.random.default_rng([seed, *story.event.id.encode()])
    for number in range(count):
        documents, told = [], {}
        for report in sorted(story.reports):
            versions = story.reports[report]
            choice = sorted(code for code in versions if not languages or code in languages)
            if not choice:
                continue
            language = choice[int(generator.integers(len(choice)))]
            told[report] = language
            documents.append(replace(versions[language], id=report))
        event = replace(story.event, documents=tuple(documents))
        yield Draw(number=number, event=event, languages=told)


def run(
    stories: Iterable[Story],
    summarize: Summarize,
    measure: Measure,
    *,
    count: int = 20,
    seed: int = 0,
    languages: Sequence[str] = (),
) -> Iterator[Kept]:
    """Summarizes every telling of every story and measures what was kept of each report."""
    for story in stories:
        for draw in draws(story, count, seed, languages):
            kept = measure(draw, summarize(draw.event))
            for report, language in draw.languages.items():
                share, reason = kept.get(report, (None, "the measure says nothing of it"))
                yield Kept(
                    event=story.event.id,
                    draw=draw.number,
                    report=report,
                    language=language,
                    share=share,
                    reason=reason,
                )


def facts_kept(
    entailer: Entailer, facts: Mapping[tuple[str, str], Sequence[str]], language: str
) -> Measure:
    """The share of a report's facts that the summary entails.

    `facts` holds the sentences of each (event, report), all in `language`.
    """

    def measure(draw: Draw, summary: Summary) -> Mapping[str, tuple[float | None, str | None]]:
        tongues = {one.language for one in summary_sentences(summary)}
        tongue = tongues.pop() if len(tongues) == 1 else UNKNOWN
        held = {report: facts.get((draw.event.id, report), ()) for report in draw.languages}
        pairs = [
            Pair(
                premise=summary.text,
                hypothesis=fact,
                premise_language=tongue,
                hypothesis_language=language,
            )
            for some in held.values()
            for fact in some
        ]
        verdicts = iter(entailer.entails(pairs))
        found: dict[str, tuple[float | None, str | None]] = {}
        for report, some in held.items():
            mine = [next(verdicts) for _ in some]
            failed = next((one.reason for one in mine if one.value is None), None)
            if failed or not mine:
                found[report] = (None, failed or "no facts of it are known")
            else:
                found[report] = (sum(bool(one.entailed) for one in mine) / len(mine), None)
        return found

    return measure


def sentences_drawn(draw: Draw, summary: Summary) -> Mapping[str, tuple[float | None, str | None]]:
    """The share of the summary's sentences that rest on each report, where it says so.

    For systems that know what each sentence rests on, such as an extractive one; needs no
    entailer.
    """
    sentences = summary_sentences(summary)
    rests = [{statement.document for statement in one.statements} for one in sentences]
    if not any(rests):
        why = "the summary does not say what its sentences rest on"
        return dict.fromkeys(draw.languages, (None, why))
    return {
        report: (sum(report in some for some in rests) / len(rests), None)
        for report in draw.languages
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What the controlled test found.

    `shares` is the mean share kept of reports told in each language; `effects` compares each
    language with the others on the same report (intervals over reports; p by drawing the
    languages again, which is exact here).  `n` of `expected` measurements were made.
    """

    shares: Mapping[str, float]
    effects: Effects
    n: int
    expected: int
    reasons: tuple[str, ...]


def preferences(
    kept: Iterable[Kept], *, permutations: int = 2000, resamples: int = 1000, seed: int = 0
) -> Preferences:
    """The test over all tellings; it depends on what was kept and on the seed alone."""
    held = list(kept)
    known = [(one, one.share) for one in held if one.share is not None]
    cases = [
        Case(block=f"{one.event}\0{one.report}", language=one.language, value=share)
        for one, share in known
    ]
    by_language: dict[str, list[float]] = {}
    for one, share in known:
        by_language.setdefault(one.language, []).append(share)
    return Preferences(
        shares={code: mean(by_language[code]) for code in sorted(by_language)},
        effects=effects(cases, permutations=permutations, resamples=resamples, seed=seed),
        n=len(known),
        expected=len(held),
        reasons=tuple(dict.fromkeys(one.reason for one in held if one.reason)),
    )
