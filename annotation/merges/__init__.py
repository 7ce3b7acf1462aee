"""Merges that a language model writes: `DirectMerge`, and `ProtocolMerge` under the protocol."""

from annotation.merges.direct import DirectMerge
from annotation.merges.guided import ProtocolMerge

__all__ = ["DirectMerge", "ProtocolMerge"]
