"""Shares with the interval of Wilson (1927), which holds at 0 and 1 and for small counts."""

import math
from statistics import NormalDist


def wilson(hits: int, total: int, level: float = 0.95) -> tuple[float, float] | None:
    """Bounds of a share of `hits` in `total`, each from 0 to 1; None if `total` is 0."""
    if total == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share_ = hits / total
    middle = share_ + z * z / (2 * total)
    half = z * math.sqrt(share_ * (1 - share_) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def share(hits: int, total: int) -> str:
    """``.80 [.55, .93] (12/15)``; a dash where there is nothing to share."""
    bounds = wilson(hits, total)
    if bounds is None:
        return "– (0/0)"
    low, high = bounds
    return f"{hits / total:.2f} [{low:.2f}, {high:.2f}] ({hits}/{total})"
