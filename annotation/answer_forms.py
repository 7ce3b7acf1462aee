"""The forms of answers, as JSON schemas for servers that can enforce them.

A form is no wider than what it is about: reports and sentences are named by numbers that exist,
and lists are bounded, since a weak model otherwise goes on until it is cut off.  Only what
OpenAI's strict mode, vLLM and llama.cpp all take is used (no ``maxLength``), unless there are
`Bounds`, which also ask for patterns.
"""

from collections.abc import Collection, Sequence
from typing import Any

from globesumm.languages import LANGUAGES, script_of
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.request import canonical_json
from globesumm.values import ConflictCause, IssueKind, Passage

MOST_ITEMS = 60
"""Items of the longest list asked for."""

_LONGEST_ENUMERATION = 250


def list_form(most: int, bounds: Bounds | None = None, scripts: Collection[str] = ()) -> str:
    """A list of at most `most` sentences; with `bounds` of at least one, in `scripts`."""
    sentences = _list(_string(bounds, scripts), most, bounds)
    if bounds:
        sentences["minItems"] = 1
    return canonical_json(_object({"sentences": sentences}))


def text_form(bounds: Bounds, scripts: Collection[str]) -> str:
    """One text in `scripts`, within `bounds`."""
    return canonical_json(_object({"text": bounds.text(scripts)}))


def issues_form(
    reports: Sequence[Passage], bounds: Bounds | None = None, scripts: Collection[str] = ()
) -> str:
    """Issues between the numbered sentences of `reports`; at most one for each sentence."""
    counts = [len(report.sentences) for report in reports]
    place = _object({"report": _one_to(len(counts)), "sentence": _one_to(max(counts, default=1))})
    issue = {
        "kind": {"type": "string", "enum": [str(kind) for kind in IssueKind]},
        "sentences": _list(place, 2 * len(counts), bounds),
        "detail": _string(bounds, scripts),
    }
    return canonical_json(_object({"issues": _list(_object(issue), sum(counts), bounds)}))


def strategies_form(
    conflicts: int, bounds: Bounds | None = None, scripts: Collection[str] = ()
) -> str:
    """One strategy for each of so many conflicts; with `bounds` for at least one, if there is."""
    strategy = {
        "conflict": _one_to(conflicts),
        "cause": {"type": "string", "enum": [str(cause) for cause in ConflictCause]},
        "strategy": _string(bounds, scripts),
    }
    strategies = _list(_object(strategy), conflicts, bounds)
    if bounds and conflicts:
        strategies["minItems"] = 1
    return canonical_json(_object({"strategies": strategies}))


def scripts_for(language: str, like: str = "") -> tuple[str, ...]:
    """The scripts (ISO 15924) that an answer in `language` may have; that of `like` is one too."""
    row = LANGUAGES.get(language)
    # A source's language may be mistaken; its script is there to see.
    told = script_of(like) if like else None
    return tuple(dict.fromkeys([*(row.scripts if row else ()), *([told] if told else [])]))


def _string(bounds: Bounds | None, scripts: Collection[str]) -> dict[str, Any]:
    return bounds.string(scripts) if bounds else {"type": "string"}


def _list(item: dict[str, Any], most: int, bounds: Bounds | None) -> dict[str, Any]:
    held = min(most, bounds.items) if bounds else most
    return {"type": "array", "items": item, "maxItems": _bounded(held)}


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
