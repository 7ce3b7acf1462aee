"""Reading answers that are a text or a list, and telling nonsense from them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from annotation.answer_forms import scripts_for
from annotation.author import Unusable
from annotation.lists import parse
from annotation.loose_json import json_in
from globesumm.languages import UNKNOWN, scripts_of
from globesumm.prompts import language_name

MOST_ITEMS = 200
"""Items of the longest list that is taken for an answer; fewer are asked for."""

_LEAST_LETTERS = 12
_OPENING = re.compile(r"\A[^\n]{1,160}[:：]\s*\n\s*\n?(?=\S)")
_FENCE = re.compile(r"\A(?:```[\w-]*|~{3,}[^\n]*)\n(?P<inside>.*?)\n(?:```|~{3,})\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was read: the sentences of a list, or the one text, with what had to be put right."""

    items: tuple[str, ...]
    notes: tuple[str, ...] = ()


def list_reader(language: str, like: str = "") -> Callable[[str], Answer]:
    """A reader of lists in the script of `language`, or in that of the text `like`."""

    def read(text: str) -> Answer:
        listed = parse(text)
        notes = []
        items = [item for item in listed.items if any(c.isalnum() for c in item)]
        if not items:
            raise Unusable("it holds no list of sentences")
        if len(items) > MOST_ITEMS:
            raise Unusable(f"it holds {len(items)} sentences, far too many")
        if listed.form == "prose":
            notes.append("the answer was prose, taken as a list of one")
        once = list(dict.fromkeys(items))
        if len(once) < len(items):
            notes.append(f"{len(items) - len(once)} repeated sentences dropped")
        _check_script(" ".join(once), language, like)
        return Answer(items=tuple(once), notes=tuple(notes))

    return read


def text_reader(language: str, like: str = "") -> Callable[[str], Answer]:
    """A reader of one text in `language`; an opening line such as "Here it is:" is dropped."""

    def read(raw: str) -> Answer:
        text, notes = bare(raw.strip()), []
        if (opening := _OPENING.match(text)) and len(text) > 2 * opening.end():
            notes.append(f"opening line dropped: {' '.join(opening[0].split())!r}")
            text = text[opening.end() :].strip()
        if not any(c.isalnum() for c in text):
            raise Unusable("it holds no text")
        _check_script(text, language, like)
        return Answer(items=(text,), notes=tuple(notes))

    return read


def bare(text: str) -> str:
    """`text` without a fence around it, or out of a JSON object with one string."""
    if fenced := _FENCE.match(text):
        text = fenced["inside"].strip()
    if text.startswith("{") and text.endswith("}"):
        value = json_in(text)
        # Of braces around what is no object, only a list within may be readable.
        parts = list(value.values()) if isinstance(value, dict) else []
        if len(parts) == 1 and isinstance(parts[0], str):
            return parts[0].strip()
    if text.startswith('"') and text.endswith('"'):
        try:
            return str(json.loads(text, strict=False)).strip()
        except ValueError:
            return text
    return text


def _check_script(text: str, language: str, like: str) -> None:
    """Raise `Unusable` where most letters are of a script that `language` is not written in."""
    expected = scripts_for(language, like)
    counts = scripts_of(text)
    letters = counts.total()
    if not expected or letters < _LEAST_LETTERS:
        return
    if sum(counts[script] for script in set(expected)) * 2 < letters:
        wanted = language_name(language) if language != UNKNOWN else "the language of the text"
        raise Unusable(f"it is not written in {wanted}")
