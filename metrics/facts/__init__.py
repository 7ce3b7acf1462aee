"""Evaluation by facts: what a summary says of what matters, and whether it is true.

Three scores after OmniCSEval (3.3 and appendix D), each a share from 0 to 1, higher is better:
completeness (key facts that a sentence states), conciseness (sentences that state a key fact)
and faithfulness (facts of the summary that the source supports).
"""

from metrics.facts.formula import completeness, conciseness, faithfulness
from metrics.facts.verdicts import Verdicts, read_verdicts, scores

__all__ = [
    "Verdicts",
    "completeness",
    "conciseness",
    "faithfulness",
    "read_verdicts",
    "scores",
]
