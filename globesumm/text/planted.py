"""Signs that a text from outside speaks to a model: orders, roles of a chat, ready verdicts.

Nothing is removed and nothing is decided by it: a text that bears such a sign is flagged where
its document or score is recorded, so that a reader looks at it.  Fences keep every text from
acting (see `globesumm.prompts`); this says where somebody tried.
"""

import base64
import binascii
import codecs
import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

_LOOKED_AT = 200_000
"""Characters of a text that are looked at; an order behind them is not seen."""

_NEAR = 40
"""Characters, within one sentence, between the verb and the object of an order."""

HIDDEN = "hidden letters that spell a text"
ENCODED = "an order in an encoding"
ROLE = "marks of a chat with a model"
ADDRESSED = "words to a model or a judge"
VERDICT = "a ready verdict"
STEERING = "characters that reorder what is shown"

_SAID = "holds what speaks to a model: "


def signs(text: str) -> tuple[str, ...]:
    """What in `text` speaks to a model, each sign once, in a fixed order; () for plain reports.

    Orders are known in the languages of `languages`; an order is written ``an order to a model
    (en)``.  Texts in base64, rot13 and in Unicode's invisible tag letters are read too.
    """
    shown = text[:_LOOKED_AT]
    found = list(_plain_signs(_folded(shown)))
    tags = "".join(chr(ord(char) - 0xE0000) for char in shown if 0xE0020 <= ord(char) <= 0xE007E)
    if len(tags) > 3 and not _is_flag(shown):
        found.append(HIDDEN)
    if any(_plain_signs(_folded(inner)) for inner in _decoded(shown)):
        found.append(ENCODED)
    if any(mark in shown for mark in "\u202d\u202e"):
        found.append(STEERING)
    return tuple(dict.fromkeys(found))


def languages() -> tuple[str, ...]:
    """The languages whose orders are known, as BCP-47 codes."""
    return tuple(_rows()["orders"])


def note(text: str, what: str) -> str | None:
    """A note for the record: ``what holds what speaks to a model: …``; None for plain texts."""
    found = signs(text)
    return f"{what} {_SAID}{', '.join(found)}" if found else None


def is_noted(said: str | None) -> bool:
    """Whether the note of a score or record says that a text speaks to models."""
    return said is not None and _SAID in said


def _plain_signs(text: str) -> list[str]:
    spoken = [code for code, verbs in _verbs().items() if any(verb in text for verb in verbs)]
    orders = [f"an order to a model ({code})" for code in spoken if _orders()[code].search(text)]
    others = ((ROLE, "roles"), (ADDRESSED, "addressed"), (VERDICT, "verdicts"))
    return [*orders, *(sign for sign, row in others if _pattern(row).search(text) is not None)]


def _folded(text: str) -> str:
    """Compatibility forms as themselves, without case and without invisible characters."""
    seen: str = _unseen().sub("", unicodedata.normalize("NFKC", text))
    return str(_blanks().sub(" ", seen)).casefold()


def _is_flag(text: str) -> bool:
    """Tag letters also spell the flags of regions, behind a black flag."""
    return "\U0001f3f4" in text


def _decoded(text: str) -> list[str]:
    turned = codecs.decode(text, "rot13").casefold()
    found = [turned] if any(verb in turned for verb in _verbs()["en"]) else []
    for run in _base64_runs().findall(text)[:50]:
        try:
            found.append(base64.b64decode(run + "=" * (-len(run) % 4)).decode())
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found


@cache
def _rows() -> Any:
    content = (files("globesumm") / "data" / "planted.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)


@cache
def _orders() -> dict[str, Any]:
    import regex

    gap = rf"[^.?!。।\n]{{0,{_NEAR}}}?"
    return {
        code: regex.compile(
            rf"(?<!\p{{L}})(?:{row['verbs']}{gap}(?:{row['objects']})"
            rf"|(?:{row['objects']}){gap}{row['verbs']})"
        )
        for code, row in _rows()["orders"].items()
    }


@cache
def _verbs() -> dict[str, tuple[str, ...]]:
    """For each language the beginnings of the verbs of orders, up to their first variable part.

    Every order has one of them; looking for them first spares most texts the patterns.
    """
    return {code: _beginnings(row["verbs"]) for code, row in _rows()["orders"].items()}


def _beginnings(pattern: str) -> tuple[str, ...]:
    inside = re.sub(r"\([^()]*\)\??", "(", pattern.removeprefix("(?:").removesuffix(")"))
    return tuple(re.split(r"[(\\\[?]", verb)[0] for verb in inside.split("|"))


@cache
def _pattern(row: str) -> Any:
    import regex

    return regex.compile(_rows()[row]["pattern"])


@cache
def _blanks() -> Any:
    import regex

    return regex.compile(r"[^\S\n]+")


@cache
def _unseen() -> Any:
    import regex

    return regex.compile(r"\p{Cf}+")


@cache
def _base64_runs() -> Any:
    import regex

    return regex.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
