"""What walls, consent pages and pages about missing pages say, in every language of the table."""

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from retrieval.title import key

_BETWEEN = re.compile(r"(?<!\s)\s++[|–—―·•»›:*-]++\s++|(?:(?<!\s)\s++)?+[|｜]\s*+|[.!?:]\s++")
_SENTENCES = re.compile(r"\n|(?<=[.!?。！？।])\s*")
_LETTER = r"[^\W\d_]"


@cache
def phrases(kind: str) -> tuple[str, ...]:
    """All phrases of a kind (``consent``, ``paywall``, ``script``, ``gone``), in normal form.

    ``script_titles`` and ``gone_titles`` are those that tell only as a title.
    """
    source = files("globesumm").joinpath("data", "page_gate", "phrases.toml")
    table: dict[str, dict[str, list[str]]] = tomllib.loads(source.read_text(encoding="utf-8"))
    return tuple(dict.fromkeys(_normal(one) for own in table.get(kind, {}).values() for one in own))


def said_share(text: str, kind: str) -> float:
    """The share (0 to 1) of the letters of `text` in sentences that hold a phrase of `kind`."""
    whole = said = 0
    for line in _SENTENCES.split(text):
        letters = sum(char.isalpha() for char in line)
        whole += letters
        if _pattern(kind).search(_normal(line)):
            said += letters
    return said / whole if whole else 0.0


def how_many(text: str, kind: str) -> int:
    """How many different phrases of `kind` stand in `text`."""
    return len(set(_pattern(kind).findall(_normal(text))))


def is_said(title: str, kind: str) -> bool:
    """Whether a part of `title` between its separators is a phrase of `kind` and nothing else."""
    known = _keys(kind)
    return any(key(part) in known for part in (title, *_BETWEEN.split(title)))


@cache
def _keys(kind: str) -> frozenset[str]:
    keys = {key(one) for one in (*phrases(kind), *phrases(f"{kind}_titles"))}
    if kind == "gone":
        keys |= {"404", "http404", "404notfound", "410gone", *(f"404{one}" for one in keys)}
    return frozenset(keys)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    longest_first = sorted(phrases(kind), key=len, reverse=True)
    inside = "|".join(map(re.escape, longest_first))
    # Scripts without blanks have no edge of a word to ask for.
    return re.compile(rf"(?:(?<!{_LETTER})|(?<=[\u3040-\u9fff\uac00-\ud7af]))(?:{inside})")


def _normal(text: str) -> str:
    composed = unicodedata.normalize("NFC", text).casefold()
    return " ".join(composed.replace("’", "'").replace("ʼ", "'").split())
