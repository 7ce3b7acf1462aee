"""The closed form of CRE (GlobeSumm, appendix C.2), apart from any judge."""

import math
from collections.abc import Sequence

from metrics.base import Measured

ADDRESSED, NOT_INVOLVED, NOT_ADDRESSED = 1, 0, -1
VERDICTS = (ADDRESSED, NOT_INVOLVED, NOT_ADDRESSED)
"""What a judge can say about one standard conflict (table 13)."""

ALPHA = 0.2
"""The paper's weight of the penalty."""


def cre(verdicts: Sequence[int], alpha: float = ALPHA) -> Measured:
    """n₁ / (n₁ + n₋₁ + α · ln(n₀ + e)): 0 to below 1; higher is better.

    Without a conflict the value is None: the formula's 0 would look like total failure.  Any
    verdict but 1, 0 or -1 is a ValueError.
    """
    if wrong := [verdict for verdict in verdicts if verdict not in VERDICTS]:
        raise ValueError(f"not a verdict: {wrong[0]!r} (1, 0 or -1)")
    if not verdicts:
        return Measured(None, "the event has no standard conflict")
    addressed = sum(verdict == ADDRESSED for verdict in verdicts)
    ignored = sum(verdict == NOT_INVOLVED for verdict in verdicts)
    missed = len(verdicts) - addressed - ignored
    return Measured(addressed / (addressed + missed + alpha * math.log(ignored + math.e)))
