"""Which conflicts models get wrong: errors by cause, as in the paper's figure 4."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from globesumm.values import ConflictCause
from metrics.cre import CauseCounts, Judged, by_cause
from metrics.printed import MISSING, Table
from metrics.tables import bare


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseShare:
    """A cause's share of all errors (verdict -1): the mean of the models' shares, 0 to 1.

    `counts` are (errors of this cause, all errors) of each model; one without errors has no
    share and is not in the mean.
    """

    cause: ConflictCause | None
    share: float | None
    counts: Mapping[str, tuple[int, int]]


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
        shares.append(
            CauseShare(
                cause=cause,
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
        rows.append((name, MISSING if one.share is None else f"{100 * one.share:.1f}", *cells))
        numbers.append(
            (
                name,
                bare(one.share, scale=100),
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
            f"{found.judged} of {found.expected} summaries were judged",
            *(f"{model} made no error" for model in without),
            *reasons,
            *notes,
        ),
        number_header=(
            "cause",
            "share",
            *(f"{model}_{what}" for model in models for what in ("errors", "all")),
        ),
        numbers=tuple(numbers),
    )
