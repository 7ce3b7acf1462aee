"""Which conflicts models get wrong: errors by cause, as in the paper's figure 4."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from baselines.tables.estimates import LEVEL, RESAMPLES
from globesumm.values import ConflictCause
from metrics.cre import CauseCounts, Judged, by_cause
from metrics.cre_formula import NOT_ADDRESSED
from metrics.printed import MISSING, Table
from metrics.tables import bare


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseShare:
    """A cause's share of all errors (verdict -1): the mean of the models' shares, 0 to 1.

    `low` and `high` bound it over resampled events.  `counts` are (errors of this cause, all
    errors) of each model; one without errors has no share and is not in the mean.
    """

    cause: ConflictCause | None
    share: float | None
    counts: Mapping[str, tuple[int, int]]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """Figure 4: the shares of every cause that occurs, and what could not be judged.

    `judged` of `expected` summaries have verdicts; `counts` are all verdicts by model.
    """

    shares: tuple[CauseShare, ...]
    counts: Mapping[str, tuple[CauseCounts, ...]]
    judged: int
    expected: int
    reasons: tuple[tuple[str, int], ...] = ()


NO_MODEL = "(no model)"
"""Under this name stand the summaries that no model wrote; they are in no mean over models."""


def causes(judged: Mapping[str, Sequence[Judged]]) -> Causes:
    """Errors by cause from the verdicts on the summaries of each model.

    The paper states neither how models nor how cells are weighed: here a model's errors are
    counted over all of its cells, and every model that made errors weighs the same.  What no
    model wrote (`NO_MODEL`) is counted beside them.
    """
    counts = {model: tuple(by_cause(found)) for model, found in judged.items()}
    errors = {model: sum(one.not_addressed for one in held) for model, held in counts.items()}
    held = {one.cause for row in counts.values() for one in row}
    shares = []
    for cause in (*ConflictCause, None):
        if cause not in held:
            continue
        of_cause = {
            model: sum(one.not_addressed for one in row if one.cause == cause)
            for model, row in counts.items()
        }
        known = [
            of_cause[model] / errors[model]
            for model in counts
            if errors[model] and model != NO_MODEL
        ]
        low, high = _interval(judged, cause)
        shares.append(
            CauseShare(
                cause=cause,
                low=low,
                high=high,
                share=math.fsum(known) / len(known) if known else None,
                counts={model: (of_cause[model], errors[model]) for model in counts},
            )
        )
    everyone = [one for found in judged.values() for one in found]
    reasons: dict[str, int] = {}
    for one in everyone:
        if one.verdicts is None:
            reason = one.reason or "no verdicts"
            reasons[reason] = reasons.get(reason, 0) + 1
    return Causes(
        shares=tuple(shares),
        counts=counts,
        judged=sum(one.verdicts is not None for one in everyone),
        expected=len(everyone),
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def _interval(
    judged: Mapping[str, Sequence[Judged]], cause: ConflictCause | None
) -> tuple[float | None, float | None]:
    """Bootstrap interval of the mean share over events; (None, None) with errors in one alone.

    The same events are drawn for all models, and for all causes.
    """
    events = sorted({one.candidate.event or one.candidate.id for m in judged.values() for one in m})
    place = {event: number for number, event in enumerate(events)}
    counts = np.zeros((2, len(judged), len(events)))
    for row, (_, found) in enumerate(one for one in judged.items() if one[0] != NO_MODEL):
        for one in found:
            for conflict, verdict in zip(one.conflicts, one.verdicts or (), strict=False):
                if verdict == NOT_ADDRESSED:
                    event = place[one.candidate.event or one.candidate.id]
                    counts[:, row, event] += (conflict.cause == cause, 1)
    if (counts[1].sum(axis=0) > 0).sum() < 2:
        return None, None
    draws = np.random.default_rng(0).integers(len(events), size=(RESAMPLES, len(events)))
    drawn = counts[:, :, draws].sum(axis=-1)
    with np.errstate(invalid="ignore"):
        shares = drawn[0] / np.where(drawn[1] > 0, drawn[1], np.nan)
    known = ~np.isnan(shares)
    means = np.nansum(shares, axis=0)[known.any(axis=0)] / known.sum(axis=0)[known.any(axis=0)]
    low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def causes_table(found: Causes, notes: Sequence[str] = ()) -> Table:
    """A row a cause: its mean share of all errors, then of each model with the counts."""
    models = list(found.counts)
    rows, numbers = [], []
    for one in found.shares:
        name = str(one.cause) if one.cause else "cause not judged"
        cells = [
            f"{100 * wrong / errors:.1f} ({wrong}/{errors})" if errors else MISSING
            for wrong, errors in (one.counts[model] for model in models)
        ]
        rows.append((name, shown(one), *cells))
        numbers.append(
            (
                name,
                *(bare(value, scale=100) for value in (one.share, one.low, one.high)),
                *(str(count) for model in models for count in one.counts[model]),
            )
        )
    reasons = [f"not judged, {count}: {reason}" for reason, count in found.reasons]
    without = [m for m in models if found.shares and not found.shares[0].counts[m][1]]
    return Table(
        header=("cause", "share of errors", *models),
        rows=tuple(rows),
        notes=(
            "errors (verdict -1) of a cause over all, in %, averaged over the models with errors",
            "[95 % bootstrap interval over events]",
            f"{found.judged} of {found.expected} summaries were judged",
            *(f"{model} made no error" for model in without),
            *reasons,
            *notes,
        ),
        number_header=(
            *("cause", "share", "low", "high"),
            *(f"{model}_{what}" for model in models for what in ("errors", "all")),
        ),
        numbers=tuple(numbers),
    )


def shown(one: CauseShare) -> str:
    """A share in per cent with its interval."""
    if one.share is None:
        return MISSING
    bounds = ""
    if one.low is not None and one.high is not None:
        bounds = f" [{100 * one.low:.1f}, {100 * one.high:.1f}]"
    return f"{100 * one.share:.1f}{bounds}"
