"""A query by a model: the description in another language, names as language links have them."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial

from globesumm.languages import LANGUAGES, scripts_of
from globesumm.prompts import Data, Library, language_name
from retrieval.events.asking import Asker, Question, Said, Unusable
from retrieval.events.wording import names_in
from retrieval.portal.values import PortalEvent

PROMPT = "query.default"
RULE = "translated-1"

_FENCED = re.compile(r"```[\w-]*[^\S\n]*\n(.*)\n[^\S\n]*```", re.DOTALL)
_LONGEST_ENDING = 3
"""Letters by which a word may end otherwise than in the dictionary."""


def translate(
    wanted: Sequence[tuple[PortalEvent, str]], asker: Asker
) -> list[Said[tuple[str, tuple[str, ...]]]]:
    """For each (event, language) the query and the names that the model left out of it.

    Those names stand at the query's end: what an article is called there is not the model's to
    decide.
    """
    questions = [_question(event, language, asker.prompts) for event, language in wanted]
    return asker.ask(questions, "queries")


def _question(
    event: PortalEvent, language: str, prompts: Library
) -> Question[tuple[str, tuple[str, ...]]]:
    names = names_in(event, language)
    listed = "\n".join(f"{title} = {name}" for title, name in names.items())
    content = prompts[PROMPT].render(
        target=language_name(language),
        description=Data(label="description", text=event.description),
        names=Data(label="names", text=listed or "(there is none)"),
    )
    return Question(
        content, partial(_read, language=language, description=event.description, names=names)
    )


def _read(
    answer: str, *, language: str, description: str, names: Mapping[str, str]
) -> tuple[str, tuple[str, ...]]:
    text = _stated(answer)
    if len(text) > 5 * len(description) + 500:
        raise Unusable("the description is far longer than the one given")
    if _plain(text) == _plain(description):
        raise Unusable(f"the description is not in {LANGUAGES[language].name}")
    scripts = scripts_of(text)
    own = sum(scripts[script] for script in LANGUAGES[language].scripts)
    if 2 * own < scripts.total() or not own:
        raise Unusable(f"the description is not in the script of {LANGUAGES[language].name}")
    lost = tuple(name for name in names.values() if not _holds(text, name))
    return " ".join([text, *lost]), lost


def _stated(answer: str) -> str:
    bare = answer.strip()
    fenced = _FENCED.fullmatch(bare)
    try:
        content = json.loads(fenced[1] if fenced else bare)
    except (ValueError, RecursionError):
        raise Unusable("the answer is no JSON object") from None
    if not isinstance(content, dict) or list(content) != ["description"]:
        raise Unusable('the answer is no JSON object with the one key "description"')
    text = content["description"]
    if not isinstance(text, str) or not any(character.isalpha() for character in text):
        raise Unusable("the description has no word")
    return " ".join(text.split())


def _holds(text: str, name: str) -> bool:
    """Whether each word of `name` stands in `text`, its ending aside."""
    there = _plain(text)
    for word in _plain(name).split():
        ending = min(_LONGEST_ENDING, max(0, len(word) - 3))
        if word[: len(word) - ending] not in there:
            return False
    return True


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFC", text).casefold()
    # The vowel signs of Devanagari and its like are marks, and part of their word.
    kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded)
    return " ".join("".join(kept).split())
