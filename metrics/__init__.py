"""Measures of a summary, each a frozen value whose signature says what decides its numbers.

>>> from metrics import Rouge
>>> Rouge().compute(["the cat sat"], ["the cat slept"], language="en")["rouge1"]
0.6666666666666666
"""

from metrics.aggregate import Aggregate, aggregate, slice_keys, slices
from metrics.base import Better, Candidate, Column, Description, Metric, Signature
from metrics.comparison import Comparison, compare
from metrics.needs_model import NEEDS_MODEL, NeedsModel
from metrics.red import Red
from metrics.red_tokens import RedTokens
from metrics.red_vectors import RedVectors
from metrics.registry import METRICS, metrics
from metrics.rouge import Rouge
from metrics.scoring import candidates_of, read_candidates, score_all
from metrics.tables import Table, table

__all__ = [
    "METRICS",
    "NEEDS_MODEL",
    "Aggregate",
    "Better",
    "Candidate",
    "Column",
    "Comparison",
    "Description",
    "Metric",
    "NeedsModel",
    "Red",
    "RedTokens",
    "RedVectors",
    "Rouge",
    "Signature",
    "Table",
    "aggregate",
    "candidates_of",
    "compare",
    "metrics",
    "read_candidates",
    "score_all",
    "slice_keys",
    "slices",
    "table",
]
