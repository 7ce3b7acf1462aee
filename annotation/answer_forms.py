"""The forms of answers, as JSON schemas for servers that can enforce them.

A form is no wider than what it is about: reports and sentences are named by numbers that exist,
and lists are bounded, since a weak model otherwise goes on until it is cut off.  Only what
OpenAI's strict mode, vLLM and llama.cpp all take is used (no ``maxLength``).
"""

from collections.abc import Sequence
from typing import Any

from globesumm.llm.request import canonical_json
from globesumm.values import ConflictCause, IssueKind, Passage

MOST_ITEMS = 60
"""Items of the longest list asked for."""

_LONGEST_ENUMERATION = 250


def list_form(most: int) -> str:
    """A list of at most `most` sentences."""
    sentences = {"type": "array", "items": {"type": "string"}, "maxItems": _bounded(most)}
    return canonical_json(_object({"sentences": sentences}))


def issues_form(reports: Sequence[Passage]) -> str:
    """Issues between the numbered sentences of `reports`; at most one for each sentence."""
    counts = [len(report.sentences) for report in reports]
    place = _object({"report": _one_to(len(counts)), "sentence": _one_to(max(counts, default=1))})
    issue = {
        "kind": {"type": "string", "enum": [str(kind) for kind in IssueKind]},
        "sentences": {"type": "array", "items": place, "maxItems": _bounded(2 * len(counts))},
        "detail": {"type": "string"},
    }
    issues = {"type": "array", "items": _object(issue), "maxItems": _bounded(sum(counts))}
    return canonical_json(_object({"issues": issues}))


def strategies_form(conflicts: int) -> str:
    """One strategy for each of so many conflicts."""
    strategy = {
        "conflict": _one_to(conflicts),
        "cause": {"type": "string", "enum": [str(cause) for cause in ConflictCause]},
        "strategy": {"type": "string"},
    }
    strategies = {"type": "array", "items": _object(strategy), "maxItems": _bounded(conflicts)}
    return canonical_json(_object({"strategies": strategies}))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_to(most: int) -> dict[str, Any]:
    if not 1 <= most <= _LONGEST_ENUMERATION:
        return {"type": "integer"}
    return {"type": "integer", "enum": list(range(1, most + 1))}


def _bounded(most: int) -> int:
    """Not 0, which some grammars cannot express."""
    return min(max(most, 1), MOST_ITEMS)
