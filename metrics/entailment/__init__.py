"""Entailers: who says whether a premise states what a hypothesis says.

>>> from metrics.entailment import LexicalStandIn, Pair
>>> pair = Pair(premise="Five people died on Monday.", hypothesis="Five people died.",
...             premise_language="en", hypothesis_language="en")
>>> LexicalStandIn().entails([pair])[0].entailed
True
"""

from metrics.entailment.base import Entailer, Hypothesis, Pair, Verdict
from metrics.entailment.chunks import Chunks, chunks
from metrics.entailment.classifier import ThreeWay
from metrics.entailment.llm_judge import LLMJudge
from metrics.entailment.loading import Weights
from metrics.entailment.remembering import Remembering
from metrics.entailment.stand_ins import LexicalStandIn, VectorStandIn
from metrics.entailment.text_to_text import FORMS, Form, TextToText, minicheck_t5, true_t5

__all__ = [
    "FORMS",
    "Chunks",
    "Entailer",
    "Form",
    "Hypothesis",
    "LLMJudge",
    "LexicalStandIn",
    "Pair",
    "Remembering",
    "TextToText",
    "ThreeWay",
    "VectorStandIn",
    "Verdict",
    "Weights",
    "chunks",
    "minicheck_t5",
    "true_t5",
]
