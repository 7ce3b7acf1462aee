"""Scores of many texts as one dictionary: means, n of N, signature, why the rest is unscored."""

import math
from collections.abc import Sequence
from typing import Any

from globesumm.values import Score

UNSTATED = "no reason given"


def means(
    columns: Sequence[str], scores: Sequence[Score], expected: int, signature: str
) -> dict[str, Any]:
    """For each column its mean over what was scored (None without), and ``<column>_n`` how many.

    Once ``n``, the texts that there are (`expected`), ``signature``, and ``reasons``: by column
    why a text is unscored and how often, for columns of which one is.
    """
    found: dict[str, Any] = {}
    reasons: dict[str, dict[str, int]] = {}
    for name in columns:
        held = [score for score in scores if score.metric == name]
        values = [score.value for score in held if score.value is not None]
        found[name] = math.fsum(values) / len(values) if values else None
        found[f"{name}_n"] = len(values)
        for score in held:
            if score.value is None:
                counts = reasons.setdefault(name, {})
                counts[score.note or UNSTATED] = counts.get(score.note or UNSTATED, 0) + 1
    return found | {"n": expected, "signature": signature, "reasons": reasons}
