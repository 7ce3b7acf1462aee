"""What a collection of sources, key facts or summary facts is like (tables 2, 7 and 10, figure 3).

Lengths are words of `globesumm.text.words`; the paper counts tokens of an unnamed tokenizer.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.languages import UNKNOWN
from globesumm.text.sentences import split
from globesumm.text.words import count_words, words
from metrics.facts.records import Candidate, SourceFacts, SummaryFacts
from metrics.facts.sources import Source
from metrics.printed import MISSING, Table

UNSTATED = "(not stated)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean, least and most of a count; None of nothing."""

    mean: float | None
    least: int | None
    most: int | None

    @classmethod
    def of(cls, counts: Sequence[int]) -> "Spread":
        if not counts:
            return cls(mean=None, least=None, most=None)
        return cls(mean=math.fsum(counts) / len(counts), least=min(counts), most=max(counts))

    def __str__(self) -> str:
        return MISSING if self.mean is None else f"{self.mean:.1f} ({self.least}-{self.most})"


def of_sources(sources: Iterable[Source]) -> Table:
    """Sources, words, sentences and speakers by scenario and corpus, as tables 2 and 7."""
    groups: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        key = (source.scenario or UNSTATED, source.corpus or UNSTATED)
        groups.setdefault(key, []).append(source)
    rows = []
    for (scenario, corpus), held in sorted(groups.items()):
        lengths = [sum(count_words(p.text, p.language) for p in one.parts) for one in held]
        sentences = [sum(len(split(p.text, p.language)) for p in one.parts) for one in held]
        speakers = [one.speakers for one in held if one.speakers is not None]
        references = [count_words(o.reference, UNKNOWN) for o in held if o.reference]
        counts = (lengths, sentences, speakers, references)
        rows.append((scenario, corpus, str(len(held)), *(str(Spread.of(one)) for one in counts)))
    header = (
        "scenario", "corpus", "sources", "words", "sentences", "speakers", "reference words",
    )  # fmt: skip
    return _table(header, rows, named=2)


def by_complexity(sources: Iterable[Source]) -> list[str]:
    """Scenarios by the mean words of their sources, then by the mean speakers; most first.

    Figure 7 is sorted by length and speakers, and does not say how the two are weighed.
    """
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.scenario or UNSTATED, []).append(source)

    def key(scenario: str) -> tuple[float, float]:
        held = groups[scenario]
        lengths = [count_words(p.text, p.language) for one in held for p in one.parts]
        speakers = [one.speakers for one in held if one.speakers is not None]
        return (sum(lengths) / len(held), sum(speakers) / len(speakers) if speakers else 0.0)

    return sorted(groups, key=key, reverse=True)


def of_key_facts(facts: Iterable[SourceFacts], scenarios: Mapping[str, str | None]) -> Table:
    """Key facts a source and their words by scenario, as table 10; rejected ones beside them."""
    groups: dict[str, list[SourceFacts]] = {}
    for one in facts:
        groups.setdefault(scenarios.get(one.source) or UNSTATED, []).append(one)
    rows = []
    for scenario, held in sorted(groups.items()):
        known = [one.facts for one in held if one.facts is not None]
        lengths = [sum(count_words(fact.text, fact.language) for fact in one) for one in known]
        rows.append(
            (
                scenario,
                f"{len(known)}/{len(held)}",
                str(Spread.of([len(one) for one in known])),
                str(Spread.of(lengths)),
                str(sum(len(one.rejected) for one in held)),
            )
        )
    header = ("scenario", "sources", "key facts", "words of them", "not kept in review")
    return _table(header, rows, named=1)


def of_summary_facts(facts: Iterable[SummaryFacts], summaries: Iterable[Candidate]) -> Table:
    """Facts a summary, words a fact, and how much of a summary its facts hold, as figure 3.

    Losslessness is the share of the summary's distinct words that stand in some fact (times 100):
    words that only join the others together are among those lost.
    """
    texts = {(one.system, one.id): one for one in summaries}
    groups: dict[str, list[SummaryFacts]] = {}
    for one in facts:
        groups.setdefault(one.system, []).append(one)
    rows = []
    for system, held in sorted(groups.items()):
        known = [one for one in held if one.facts is not None]
        lengths = [count_words(fact, UNKNOWN) for one in known for fact in one.facts or ()]
        kept = [
            share
            for one in known
            if (text := texts.get((system, one.id)))
            and (share := losslessness(text.summary, one.facts or ())) is not None
        ]
        out = sum(len(one.discarded) for one in known)
        total = out + sum(len(one.facts or ()) for one in known)
        rows.append(
            (
                system,
                f"{len(known)}/{len(held)}",
                str(Spread.of([len(one.facts or ()) for one in known])),
                str(Spread.of(lengths)),
                f"{100 * math.fsum(kept) / len(kept):.1f}" if kept else MISSING,
                f"{100 * out / total:.2f}" if total else MISSING,
            )
        )
    header = ("system", "summaries", "facts", "words a fact", "losslessness", "voted out, %")
    return _table(header, rows, named=1)


def losslessness(summary: str, facts: Sequence[str]) -> float | None:
    """Distinct words of the summary that stand in some fact / all; None without words."""
    said = set(words(summary, UNKNOWN))
    held = {word for fact in facts for word in words(fact, UNKNOWN)}
    return len(said & held) / len(said) if said else None


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], named: int) -> Table:
    return Table(
        header=header,
        rows=tuple(rows),
        notes=("mean (least-most); lengths are in words",),
        number_header=header,
        numbers=tuple(rows),
        named=named,
    )
