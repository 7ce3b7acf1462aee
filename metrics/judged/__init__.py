"""Metrics that need no human summary: ratings by a language model, and aligned sentences.

`rating` asks a model for a number from 1 to 5 (LLM-Coverage, LLM-Faithfulness), `digits` reads
its reply, `alignment` asks an entailment model about each sentence (as AlignScore does).
"""

from metrics.judged.alignment import Alignment
from metrics.judged.rating import RATINGS, Rating

__all__ = ["RATINGS", "Alignment", "Rating"]
