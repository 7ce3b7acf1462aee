"""Which of the paper's findings hold: each as a contrast, with evidence and a verdict."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from baselines.tables.causes import Causes, shown
from baselines.tables.contrasts import Evidence, evidence, matched, with_tests
from baselines.tables.measures import headed, standing
from baselines.tables.results import Results, Who
from baselines.tables.stated import Contrast, Share, expected_of, known
from metrics.base import Better, Column
from metrics.comparison import holm

ERROR_RATE = 0.05
"""Below this corrected p a difference counts as decided."""


MOST = 0.5
"""A majority is more than this share; decided where the whole interval lies on one side."""


class Verdict(StrEnum):
    """What the evidence says of a finding."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"
    NONE = "not computable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding for one model and measure.

    `p_adjusted` is Holm's over all findings; `why` says what a verdict without a test rests on;
    `uneven` marks a trend that does not go one way throughout.
    """

    id: str
    model: str
    measure: str
    verdict: Verdict
    evidence: Evidence
    column: Column | None = None
    p_adjusted: float | None = None
    why: str | None = None
    uneven: bool = False


def findings(
    results: Mapping[int, Results],
    causes: Causes | None = None,
    *,
    sizes: Mapping[str, float] | None = None,
    seed: int = 0,
) -> list[Found]:
    """Every finding recomputed.

    `results` are those to take for the findings of each table of the paper (the same for all,
    where a run holds them).  `sizes` are billions of parameters by model; without one the
    model's name tells.  A run decides by tests on its events, the paper's printed means by their
    sign alone.
    """
    told = dict(sizes or {})
    found = [
        one
        for contrast in known().contrasts
        for one in _contrast(contrast, results[contrast.table], told, seed)
    ]
    found += [
        one for trend in known().trends for one in _trend(trend, results[trend.table], told, seed)
    ]
    adjusted = holm([one.evidence.p_permutation for one in found])
    judged = [_judged(replace(one, p_adjusted=p)) for one, p in zip(found, adjusted, strict=True)]
    judged += [_share(one, causes) for one in known().shares]
    return judged + [_not_computable(one.id, one.where) for one in known().elsewhere]


def size_of(model: str, sizes: Mapping[str, float]) -> float | None:
    """Billions of parameters: as told, or as the name says (``llama-2-7b``); None if neither."""
    if model in sizes:
        return sizes[model]
    named = re.search(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s*b(?![a-z])", model.casefold())
    return float(named[1]) if named else None


def _contrast(
    contrast: Contrast, results: Results, sizes: Mapping[str, float], seed: int
) -> list[Found]:
    writers = _writers(contrast, results, sizes)
    if isinstance(writers, str):
        return [_not_computable(contrast.id, writers)]
    pairs = matched(contrast.left, contrast.right, contrast.pipelines)
    found = []
    for who in writers:
        for measure in contrast.measures:
            column = standing(measure, results)
            held = (
                evidence(results, who, column.name, pairs, seed=seed)
                if column
                else Evidence(why=f"no metric that measures {measure} was computed")
            )
            found.append(_found(contrast.id, _called(who, results), measure, column, held))
    return found


def _writers(
    contrast: Contrast, results: Results, sizes: Mapping[str, float]
) -> Sequence[Who] | str:
    """The models to look at, or why there are none."""
    models = results.models()
    if not models:
        return "no recipe with a model is in this experiment"
    named = [who for who in models if any(one in who.model.casefold() for one in contrast.said_of)]
    if contrast.said_of and (not contrast.others or results.source == "the paper"):
        return named or f"it is said of {' and '.join(contrast.said_of)}, which is not here"
    if contrast.models == "largest":
        sized = {who: size for who in models if (size := size_of(who.model, sizes)) is not None}
        if len({*sized.values()}) < 2:
            return "the sizes of two models at least must be known"
        return [who for who in models if sized.get(who) == max(sized.values())]
    return models


def _trend(trend: Contrast, results: Results, sizes: Mapping[str, float], seed: int) -> list[Found]:
    """What left minus right is at each size; its change from the smallest to the largest."""
    found = []
    for target in dict.fromkeys(who.target for who in results.models()):
        sized = sorted(
            (size, who)
            for who in results.models()
            if who.target == target and (size := size_of(who.model, sizes)) is not None
        )
        different = len({size for size, _ in sized})
        if different < 2:
            why = "the sizes of two models at least must be known"
            found.append(_not_computable(trend.id, why))
        elif different < len(sized):
            why = "two models are of one size, and the trend is one of sizes alone"
            found.append(_not_computable(trend.id, why))
        else:
            found += _by_size(trend, results, [who for _, who in sized], seed)
    return found or [_not_computable(trend.id, "no recipe with a model is in this experiment")]


def _by_size(trend: Contrast, results: Results, models: Sequence[Who], seed: int) -> list[Found]:
    name = _called(replace(models[0], model="by size"), results)
    pairs = matched(trend.left, trend.right, trend.pipelines)
    found = []
    for measure in trend.measures:
        column = standing(measure, results)
        if column is None:
            why = f"no metric that measures {measure} was computed"
            found.append(_found(trend.id, name, measure, None, Evidence(why=why)))
            continue
        steps = [evidence(results, who, column.name, pairs, seed=seed) for who in models]
        changes = [one.difference for one in steps]
        known_changes = [change for change in changes if change is not None]
        if len(known_changes) < len(changes):
            why = next(one.why or "" for one in steps if one.difference is None)
            held = Evidence(why=f"not every size has values: {why}")
            found.append(_found(trend.id, name, measure, column, held))
            continue
        told = " → ".join(f"{100 * change:.2f}" for change in known_changes)
        held = _between(steps[0], steps[-1], seed)
        one = _found(trend.id, name, measure, column, held)
        sign = 1 if column.better is Better.HIGHER else -1
        gains = [sign * (b - a) for a, b in pairwise(known_changes)]
        uneven = not all(gain > 0 for gain in gains)
        why = f"left − right by size: {told}" + ("; not better at every step" if uneven else "")
        found.append(replace(one, why=why, uneven=uneven))
    return found


def _between(small: Evidence, large: Evidence, seed: int) -> Evidence:
    """The change of a difference from one model to another, on the events of both."""
    held = Evidence(
        left=large.difference, right=small.difference, pairs=large.pairs, of_pairs=large.of_pairs
    )
    if small.differences is None or large.differences is None:
        return replace(held, difference=(large.difference or 0.0) - (small.difference or 0.0))
    common = sorted(small.differences.keys() & large.differences.keys())
    differences = {event: large.differences[event] - small.differences[event] for event in common}
    return with_tests(replace(held, expected=large.expected, differences=differences), seed=seed)


def _judged(found: Found) -> Found:
    """The verdict: by the corrected test where there is one, by the sign of printed means else."""
    held = found.evidence
    if held.difference is None or found.column is None:
        return replace(found, verdict=Verdict.NONE, why=held.why or found.why)
    gain = held.difference if found.column.better is Better.HIGHER else -held.difference
    why = found.why
    if held.n is None:
        decided = round(100 * abs(gain), 2) > 0
        why = why or "printed means"
    else:
        decided = found.p_adjusted is not None and found.p_adjusted < ERROR_RATE
        if not decided:
            few = held.n is not None and held.n < 6
            why = _joined(why, "too few events to tell" if few else "it may be chance")
    if not decided:
        return replace(found, verdict=Verdict.OPEN, why=why)
    expect = expected_of(found.id)
    fits = gain > 0 if expect == "better" else gain < 0
    return replace(
        found, verdict=Verdict.HOLDS if fits and not found.uneven else Verdict.FAILS, why=why
    )


def _share(share: Share, causes: Causes | None) -> Found:
    if causes is None or not causes.judged:
        reason = causes.reasons[0][0] if causes and causes.reasons else "no CRE verdicts"
        return _not_computable(share.id, f"needs CRE verdicts on conflicts: {reason}")
    if all(one.cause is None for one in causes.shares):
        return _not_computable(share.id, "nobody judged the causes of the conflicts")
    held = next((one for one in causes.shares if str(one.cause) == share.cause), None)
    known_shares = [one.share for one in causes.shares if one.share is not None]
    if not known_shares:
        return _not_computable(share.id, "no conflict was handled wrongly")
    value = (held.share if held else 0.0) or 0.0
    errors = sum(all_errors for _, all_errors in causes.shares[0].counts.values())
    low, high = (held.low, held.high) if held else (None, None)
    verdict = Verdict.OPEN
    if low is not None and high is not None and not low <= MOST <= high:
        verdict = Verdict.HOLDS if value > MOST else Verdict.FAILS
    return Found(
        id=share.id,
        model="mean of models",
        measure="share of errors",
        verdict=verdict,
        evidence=Evidence(left=value),
        why=(shown(held) if held else "0.0") + f" % of {errors} errors",
    )


def _found(name: str, model: str, measure: str, column: Column | None, held: Evidence) -> Found:
    return Found(
        id=name,
        model=model,
        measure=headed(measure, column),
        verdict=Verdict.OPEN,
        evidence=held,
        column=column,
    )


def _not_computable(name: str, why: str) -> Found:
    return Found(
        id=name, model="", measure="", verdict=Verdict.NONE, evidence=Evidence(why=why), why=why
    )


def _called(who: Who, results: Results) -> str:
    several = len({one.target for one in results.models()}) > 1
    return f"{who.label} in {who.target}" if several else who.label


def _joined(*parts: str | None) -> str:
    return "; ".join(part for part in parts if part)
