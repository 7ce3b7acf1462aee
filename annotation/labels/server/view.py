"""What templates are given: texts with their direction, cut into what a keyboard can reach.

Templates escape whatever they print; nothing that comes from data is ever marked as safe.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from annotation.labels.guide import guide
from annotation.labels.kinds import COMMON, REVIEW_KEYS, Kind, kind_of, payload_of
from annotation.labels.payloads import Prediction
from annotation.labels.spans import spans
from annotation.labels.values import Item
from annotation.labels.wording import in_words
from globesumm.languages import LANGUAGES, UNKNOWN
from globesumm.records import to_json
from globesumm.values import ConflictCause


@cache
def environment() -> Environment:
    """Where templates come from; whatever they print is escaped."""
    made = Environment(
        loader=PackageLoader("annotation.labels.server"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        direction=direction,
        language_name=language_name,
        common_keys=COMMON,
        causes=[cause.value for cause in ConflictCause],
        spans=spans,
        json=to_json,
        clock=clock,
    )
    made.filters["tag"] = tag
    return made


def render(template: str, values: Mapping[str, Any]) -> str:
    """One page."""
    return environment().get_template(template).render(values)


def direction(code: str) -> str:
    """``ltr``, ``rtl``, or ``auto`` where nobody knows: then the text's letters tell."""
    row = LANGUAGES.get(code)
    return row.direction if row else "auto"


def tag(code: str) -> str:
    """What stands in ``lang``: empty for an unknown language, as HTML has it."""
    return "" if code == UNKNOWN else code


def language_name(code: str) -> str:
    """The language as people read it."""
    row = LANGUAGES.get(code)
    return row.name if row else "unknown language"


def clock(seconds: float) -> str:
    """``1 h 05 min`` or ``3 min``; less than a minute in seconds."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{int(seconds)} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def shown(item: Item, who: str, seed: int) -> dict[str, Any]:
    """What the template of the item's kind needs."""
    kind: Kind = kind_of(item.kind)
    payload = payload_of(item)
    values: dict[str, Any] = {
        "kind": kind,
        "keys": REVIEW_KEYS if item.kind == "issues" and payload.review else kind.keys,
        "item": item,
        "payload": payload,
        "guide": guide(item.kind),
    }
    if item.kind == "preference":
        values["first"] = first_shown(item, who, seed)
    if item.kind == "issues":
        values["finding"] = finding_in_words
    return values


def first_shown(item: Item, who: str, seed: int) -> str:
    """Which summary this person sees first: drawn by lot, and the same each time."""
    digest = sha256(f"{seed}\0{item.id}\0{who}".encode("utf-8", "backslashreplace")).digest()
    return "ab"[digest[0] & 1]


def finding_in_words(one: Prediction) -> str:
    """Where a finding stands."""
    sides = [
        f"{name} list {', '.join(map(str, numbers))}"
        for name, numbers in (("first", one.first), ("second", one.second))
        if numbers
    ]
    cause = f" (cause: {one.cause})" if one.cause else ""
    return f"{one.kind}: {' and '.join(sides)}{cause}"


def told(
    item: Item, answer: Mapping[str, Any] | None, who: str, seed: int, note: str | None = None
) -> list[str]:
    """An answer, of whomever, in words for `who`: "the first" is the one that they see first."""
    if answer is not None and item.kind == "preference":
        answer = {**answer, "first": first_shown(item, who, seed)}
    return in_words(item, answer, note)


def verdicts(item: Item, who: str, seed: int) -> list[tuple[str, list[str]]]:
    """Every model's answer in words for `who`."""
    return [(name, told(item, answer, who, seed)) for name, answer in item.models.items()]
