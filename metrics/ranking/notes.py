"""What must be said of a ranking as a whole: gaps, ties, groups that nothing links."""

import numpy as np
from numpy.typing import NDArray

from metrics.ranking.bradley_terry import Floats, has_maximum
from metrics.ranking.scores import ScoreTable
from metrics.ranking.settings import Settings


def notes(
    scores: ScoreTable, whole: Floats, groups: NDArray[np.intp], settings: Settings
) -> list[str]:
    """What a reader must know before believing the abilities."""
    said = []
    games = whole + whole.T
    if len(scores.methods) == 1:
        said.append("one method only: there is nothing to rank it against")
    elif len(set(groups.tolist())) > 1:
        names = [
            ", ".join(name for name, g in zip(scores.methods, groups, strict=True) if g == group)
            for group in sorted(set(groups.tolist()))
        ]
        said.append(
            f"no document links these groups, so ranks hold within each: {' | '.join(names)}"
        )
    if settings.wins == "averages":
        said.append(
            "compared once by average scores, as the perspective paper does: the outcomes are "
            "transitive and the likelihood has no maximum, so the size of a gap comes from the "
            "penalty and says nothing; only the order holds"
        )
        if np.isnan(scores.values).any():
            said.append("averages are over the documents that each method was scored on")
    elif len(scores.methods) > 1 and games.any():
        if not has_maximum(whole) and settings.penalty > 0:
            said.append(
                "some method never lost to some others, directly or along a chain: without the "
                "penalty the likelihood has no maximum, and how large that gap is comes from the "
                "penalty"
            )
        if np.array_equal(whole, whole.T):
            said.append("every comparison is a tie or is undone by another: all are equal")
    for method, reasons in zip(scores.methods, scores.reasons, strict=True):
        missed = sum(count for _, count in reasons)
        if missed:
            told = "; ".join(f"{reason} ({count})" for reason, count in reasons[:3])
            said.append(f"{method}: no score on {missed} of {len(scores.documents)}: {told}")
    return said
