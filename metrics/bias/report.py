"""The language-bias report of one system: the paper's numbers, and what makes them believable."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from globesumm.finite import counted
from metrics.base import Measured, Signature
from metrics.bias.calibration import Calibration
from metrics.bias.effects import Case, Effect, Effects, effects
from metrics.bias.formula import Entailed, language_scores, mean, normalized
from metrics.bias.observations import Observation, reasons
from metrics.bias.tiers import tiers
from metrics.entailment.base import Entailer

CONTROLS: Mapping[str, Callable[[Observation], tuple[float | None, ...]]] = {
    "position": lambda one: (one.position, None if one.position is None else one.position**2),
    "length": lambda one: (math.log1p(one.length), math.log1p(one.length) ** 2),
    "facts": lambda one: (None if one.facts is None else math.log1p(one.facts),),
}
"""What may explain a share besides the language; squares let a saturating cause be explained."""

LEVEL = 0.05
"""Adjusted p at or above which no difference is claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRow:
    """What the report says of one language.

    `score` and `norm` are the paper's (C.3), with bootstrap intervals over events; `corrected`
    is the score freed of the entailer's errors in this language.  `plain` compares the language
    with the others of the same events, `controlled` does so with position, length and facts
    held equal; `finding` puts the latter into words.  `documents` of `expected` were judged.
    """

    language: str
    tier: int | None
    documents: int
    expected: int
    events: int
    score: Measured
    score_interval: tuple[float, float] | None
    norm: Measured
    norm_interval: tuple[float, float] | None
    corrected: Measured
    plain: Effect
    controlled: Effect
    finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasReport:
    """One system's report; `p_plain` and `p_controlled` test all languages together.

    Scores of two reports compare only if their signatures are equal.  `reasons` count why
    documents were not judged; `notes` say what a reader must know.
    """

    system: str
    signature: str
    rows: tuple[LanguageRow, ...]
    p_plain: float | None
    p_controlled: float | None
    judged: int
    expected: int
    reasons: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


def bias_report(
    observations: Iterable[Observation],
    entailer: Entailer,
    *,
    calibration: Mapping[str, Calibration] | None = None,
    controls: Sequence[str] = tuple(CONTROLS),
    permutations: int = 2000,
    resamples: int = 1000,
    seed: int = 0,
) -> list[BiasReport]:
    """One report for each system among `observations`, in order of the systems' names.

    Where `calibration` has every language that was judged, the comparisons use corrected
    shares (of some languages alone they would compare unlike with unlike); the paper's score
    and norm are always the uncorrected ones.  The result depends on the observations and
    the seed, not on their order.
    """
    systems: dict[str, list[Observation]] = {}
    for one in observations:
        systems.setdefault(one.system, []).append(one)
    known = calibration or {}
    found = []
    for system in sorted(systems):
        held = sorted(systems[system], key=lambda one: (one.event, one.document))
        signature = Signature.of(
            "language-bias",
            entailer=entailer.name,
            standin=entailer.stand_in or "no",
            premise="+".join(sorted({one.premise for one in held if one.premise})) or "none",
            controls="+".join(controls) or "none",
            calibrated="+".join(sorted(known)) or "no",
            permutations=permutations,
            seed=seed,
            v=2,
        )
        rule = _Rule(tuple(controls), permutations, resamples, seed)
        found.append(_report(system, held, str(signature), known, rule))
    return found


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a report is to be computed."""

    controls: tuple[str, ...]
    permutations: int
    resamples: int
    seed: int

    def effects(self, cases: Iterable[Case]) -> Effects:
        return effects(
            cases, permutations=self.permutations, resamples=self.resamples, seed=self.seed
        )


def _report(
    system: str,
    held: Sequence[Observation],
    signature: str,
    calibration: Mapping[str, Calibration],
    rule: _Rule,
) -> BiasReport:
    counts = [one.counts for one in held if one.counts]
    scores = language_scores(counts)
    norms = normalized(scores)
    intervals = _intervals(counts, rule.resamples, rule.seed)
    cases = _cases(held, calibration, rule.controls)
    plain = rule.effects(replace(case, controls=()) for case in cases)
    controlled = rule.effects(cases) if rule.controls else plain
    by_plain = {one.language: one for one in plain.languages}
    by_controlled = {one.language: one for one in controlled.languages}
    rows = []
    for language in sorted({one.language for one in held}):
        mine = [one for one in held if one.language == language]
        missing = Effect(language=language, difference=None, reason="no document was judged")
        effect = by_controlled.get(language, missing)
        why = f"none of its {counted(len(mine), 'document')} was judged"
        score = Measured(scores[language]) if language in scores else Measured(None, why)
        interval, norm_interval = intervals.get(language, (None, None))
        rows.append(
            LanguageRow(
                language=language,
                tier=tiers().get(language),
                documents=sum(one.counts is not None for one in mine),
                expected=len(mine),
                events=len({one.event for one in mine if one.counts}),
                score=score,
                score_interval=interval,
                norm=norms.get(language, Measured(None, score.note)),
                norm_interval=norm_interval,
                corrected=_corrected(score, calibration.get(language)),
                plain=by_plain.get(language, missing),
                controlled=effect,
                finding=_finding(effect),
            )
        )
    return BiasReport(
        system=system,
        signature=signature,
        rows=tuple(rows),
        p_plain=plain.p_any,
        p_controlled=controlled.p_any,
        judged=len(counts),
        expected=len(held),
        reasons=tuple(reasons(held)),
        notes=tuple(_notes(held, calibration)),
    )


def _cases(
    held: Sequence[Observation], calibration: Mapping[str, Calibration], controls: Sequence[str]
) -> list[Case]:
    usable = _usable(held, calibration)
    cases = []
    for one in held:
        if one.share is None:
            continue
        corrected = calibration[one.language].corrected(one.share) if usable else None
        cases.append(
            Case(
                block=one.event,
                language=one.language,
                value=one.share if corrected is None else corrected,
                controls=tuple(value for name in controls for value in CONTROLS[name](one)),
            )
        )
    return cases


def _usable(held: Sequence[Observation], calibration: Mapping[str, Calibration]) -> bool:
    """Whether the shares of every judged language can be corrected."""
    languages = {one.language for one in held if one.counts}
    known = [calibration.get(language) for language in languages]
    return bool(known) and all(one is not None and one.corrected(0.0) is not None for one in known)


def _corrected(score: Measured, known: Calibration | None) -> Measured:
    if score.value is None:
        return score
    if known is None:
        return Measured(None, "the entailer was not calibrated in this language")
    value = known.corrected(score.value)
    if value is None:
        return Measured(None, "in this language the entailer does not tell true from false")
    return Measured(min(1.0, max(0.0, value)))


def _finding(effect: Effect) -> str:
    """The controlled effect in words; a difference only where it stands up to the test."""
    if effect.difference is None or effect.p_adjusted is None:
        return effect.reason or "cannot be told"
    if effect.p_adjusted >= LEVEL:
        return "no difference shown"
    return "drawn on more" if effect.difference > 0 else "drawn on less"


Interval = tuple[float, float] | None


def _intervals(
    counts: Sequence[Entailed], resamples: int, seed: int
) -> dict[str, tuple[Interval, Interval]]:
    """Percentile bootstrap over events of score and norm; None for a language in one event."""
    events = sorted({one.summary for one in counts})
    languages = sorted({one.language for one in counts})
    if len(events) < 2:
        return {}
    shares: dict[tuple[str, str], list[float]] = {}
    for one in counts:
        shares.setdefault((one.summary, one.language), []).append(one.share)
    values = np.zeros((len(events), len(languages)))
    there = np.zeros_like(values)
    for row, event in enumerate(events):
        for column, language in enumerate(languages):
            if mine := shares.get((event, language)):
                values[row, column], there[row, column] = mean(sorted(mine)), 1
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(len(events), [1 / len(events)] * len(events), size=resamples)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = (drawn @ values) / (drawn @ there)
        # A language that a resample lacks has no score there, and takes no share of it.
        norms = scores / np.nansum(scores, axis=1, keepdims=True)
    return {
        language: (_bounds(scores[:, place]), _bounds(norms[:, place]))
        for place, language in enumerate(languages)
        if there[:, place].sum() > 1
    }


def _bounds(draws: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Interval:
    finite = draws[np.isfinite(draws)]
    if not len(finite):
        return None
    low, high = np.quantile(finite, (0.025, 0.975))
    return float(low), float(high)


def _notes(held: Sequence[Observation], calibration: Mapping[str, Calibration]) -> Iterable[str]:
    """What a reader must know before believing the numbers."""
    languages = {one.language for one in held if one.counts}
    kinds = {one.premise for one in held if one.counts}
    if len(kinds) > 1:
        yield "some premises are KIS+CLP texts and some whole documents: their shares differ"
    missing = sorted(languages - calibration.keys())
    if missing:
        yield (f"not calibrated in {', '.join(missing)}: a difference may be the entailer's own")
    hits = {code: one.hit for code, one in calibration.items() if one.hit is not None}
    if hits and max(hits.values()) - min(hits.values()) > 0.1:
        worst, best = min(hits, key=lambda c: (hits[c], c)), max(hits, key=lambda c: (hits[c], c))
        done = "are" if _usable(held, calibration) else "could not be"
        yield (
            f"the entailer finds {hits[worst]:.0%} of what is known to be entailed in {worst} "
            f"and {hits[best]:.0%} in {best}; the comparisons {done} corrected for it"
        )
