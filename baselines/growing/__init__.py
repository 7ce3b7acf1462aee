"""New articles folded into the finished summary of an event, and what they changed."""

from baselines.growing.changes import Change, Kind, changes
from baselines.growing.folding import Fold, fold
from baselines.growing.record import GROWTH, Growth, keep, keep_rejected, read_growth
from baselines.growing.taking import Taken, take

__all__ = [
    "GROWTH",
    "Change",
    "Fold",
    "Growth",
    "Kind",
    "Taken",
    "changes",
    "fold",
    "keep",
    "keep_rejected",
    "read_growth",
    "take",
]
