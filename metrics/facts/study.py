"""The sample that a study of stability judges several times (OmniCSEval, 5), and one run over it.

From each scenario 50 sources, over all its corpora and by strata of length, which makes 300
summaries a system over six scenarios.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.errors import UsageError
from metrics.facts.judge import FactJudge
from metrics.facts.pipeline import by_judge, matched, matching_by_judge, verified
from metrics.facts.records import Candidate, Matched, SourceFacts, SummaryFacts, Supported
from metrics.facts.sampling import item_of, study_sample
from metrics.facts.sources import Source

UNSTATED = "unstated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What is judged: the drawn sources, and every system's summary of each of them.

    `partial` counts the sources that could not be drawn since a system has no summary of them;
    `short` names the scenarios that had fewer sources than wanted, with how many are missing.
    """

    sources: tuple[Source, ...]
    summaries: tuple[Candidate, ...]
    systems: tuple[str, ...]
    partial: int
    short: Mapping[str, int]


def draw_study(
    sources: Iterable[Source],
    candidates: Sequence[Candidate],
    *,
    per_scenario: int = 50,
    seed: int = 0,
) -> Study:
    """`per_scenario` sources of each scenario that every system has summarized.

    Lengths are in words.  Raises `UsageError` where no source was summarized by all, or a
    scenario has more corpora than sources are wanted.
    """
    if per_scenario < 1:
        raise UsageError(f"{per_scenario} sources a scenario: give a number above 0")
    held = {(one.system, one.id): one for one in candidates}
    systems = sorted({one.system for one in candidates})
    every = list(sources)
    known = {one.id: one for one in every if all((name, one.id) in held for name in systems)}
    if not known or not systems:
        named = ", ".join(systems) or "none is there"
        raise UsageError(
            f"no source has a summary by every system ({named}): complete SUMMARIES.jsonl, "
            "or leave out the systems that lack some"
        )
    items = [
        item_of(
            source.id,
            "\n".join(part.text for part in source.parts),
            source.parts[0].language,
            corpus=(source.corpus or UNSTATED).casefold(),
            scenario=source.scenario or UNSTATED,
        )
        for source in known.values()
    ]
    found = study_sample(items, per_scenario=per_scenario, seed=seed)
    drawn = sorted(item.id for some in found.values() for item in some)
    return Study(
        sources=tuple(known[name] for name in drawn),
        summaries=tuple(held[system, name] for system in systems for name in drawn),
        systems=tuple(systems),
        partial=len(every) - len(known),
        short={
            scenario: per_scenario - len(some)
            for scenario, some in found.items()
            if len(some) < per_scenario
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOfStudy:
    """Both directions of every summary, by one run of the judge."""

    matches: tuple[Matched, ...]
    support: tuple[Supported, ...]


Judged = tuple[Matched, Supported]
Each = Callable[[Sequence[Candidate], Callable[[Candidate], Judged]], Sequence[Judged]]


def one_by_one(
    summaries: Sequence[Candidate], make: Callable[[Candidate], Judged]
) -> Sequence[Judged]:
    return [make(one) for one in summaries]


def judged(
    judge: FactJudge,
    study: Study,
    key_facts: Iterable[SourceFacts],
    summary_facts: Iterable[SummaryFacts],
    each: Each = one_by_one,
) -> RunOfStudy:
    """Every summary matched and verified.

    Key facts and facts of summaries are those of the study in every run: what is repeated is the
    judging, as in the paper.  `each` applies a judging to the summaries in order, and may show
    progress.
    """
    keys = {one.source: one for one in key_facts}
    facts = {(one.system, one.id): one for one in summary_facts}
    sources = {one.id: one for one in study.sources}
    match, verify = matching_by_judge(judge), by_judge(judge)

    def both(one: Candidate) -> Judged:
        own = facts.get((one.system, one.id))
        return (
            matched(match, one, keys.get(one.id)),
            verified(verify, one, own, sources.get(one.id)),
        )

    found = each(study.summaries, both)
    return RunOfStudy(
        matches=tuple(one for one, _ in found), support=tuple(one for _, one in found)
    )
