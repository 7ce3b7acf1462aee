"""The forms of a fact judge's replies as JSON schemas, for weak judges whose servers keep forms.

Without them a reply is asked for in words and read strictly (`metrics.facts.replies`); with them it
can only be what was asked for: one object with the mark, one entry for each fact in its order.
"""

from collections.abc import Mapping
from typing import Any

from globesumm.languages import script_of
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.request import canonical_json
from globesumm.prompts import Data

_NUMBERS = 250
"""Of sentences that are named one by one; grammars of more are slow."""


def form_of(
    prompt: str, mark: str, values: Mapping[str, str | int | Data], bounds: Bounds
) -> str | None:
    """The form of the reply to `prompt` with `values`; None for one that has no mark."""
    name = prompt.removeprefix("facts.")
    text = bounds.string(_scripts(values))
    if name in ("extract", "decompose"):
        found = {"type": "array", "items": text, "minItems": 1, "maxItems": bounds.items}
    elif name in ("review", "vote", "verify", "match"):
        count = values["count"]
        entries = [
            _entry(name, place + 1, text, values, bounds) for place in range(int(str(count)))
        ]
        found = {"type": "array", "prefixItems": entries, "minItems": len(entries)}
        found |= {"maxItems": len(entries)}
    else:
        return None
    return canonical_json(_object({mark: found}))


def _entry(
    name: str,
    place: int,
    text: dict[str, Any],
    values: Mapping[str, str | int | Data],
    bounds: Bounds,
) -> dict[str, Any]:
    fact: dict[str, Any] = {"fact": {"type": "integer", "enum": [place]}}
    if name == "match":
        most = min(int(str(values["sentences"])), _NUMBERS)
        number = {"type": "integer", "enum": list(range(1, most + 1))}
        return _object(
            fact
            | {"sentences": {"type": "array", "items": number, "maxItems": min(bounds.items, most)}}
        )
    if name == "review":
        return _object(fact | {"keep": {"type": "boolean"}, "reason": text})
    more = {"evidence": text} if name == "verify" else {}
    return _object(fact | more | {"supported": {"type": "boolean"}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _scripts(values: Mapping[str, str | int | Data]) -> tuple[str, ...]:
    """The scripts of the texts shown, and the Latin one, in which prompts ask for reasons."""
    shown = [value.text for value in values.values() if isinstance(value, Data)]
    told = [script for text in shown if (script := script_of(text))]
    return tuple(dict.fromkeys([*told, "Latn"]))
