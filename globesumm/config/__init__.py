"""Experiments as TOML files: a name from ``configs/`` or a path."""

from globesumm.config.drafts import Drafts
from globesumm.config.experiment import METRICS, Experiment
from globesumm.config.files import load, shipped
from globesumm.config.tables import Decoded, Judge, Limits, ModelRow, PreSteps, Slice

__all__ = [
    "METRICS",
    "Decoded",
    "Drafts",
    "Experiment",
    "Judge",
    "Limits",
    "ModelRow",
    "PreSteps",
    "Slice",
    "load",
    "shipped",
]
