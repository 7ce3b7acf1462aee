"""Summaries made of the documents' own sentences: the baseline that needs no model."""

from baselines.extractive.encoders import Encoder, choose
from baselines.extractive.merge import ExtractiveMerge, Settings

__all__ = ["Encoder", "ExtractiveMerge", "Settings", "choose"]
