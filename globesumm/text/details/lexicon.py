"""The word lists of one language, read from ``globesumm/data/details/<code>.toml``.

An entry is alternatives parted by ``|``; a word that ends in ``*`` stands for every word that
begins so, and ``_`` for any word.  Every list that a language lacks is named by `Lexicon.lacking`.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import regex

from globesumm.text.details.tokens import Token, fold, tokenize

Mark = tuple[str, Any, int]
"""A category, its value and how many tokens it covers."""

LISTS = ("months", "weekdays", "small", "scales", "negation", "bounds", "currencies", "units")


@dataclass(frozen=True, slots=True)
class _Entry:
    rest: tuple[str, ...]
    category: str
    value: Any


def _agrees(pattern: str, word: str) -> bool:
    if pattern == "_":
        return word.isalpha()
    return word.startswith(pattern[:-1]) if pattern[-1] == "*" else word == pattern


@dataclass
class Lexicon:
    """Every word list and convention of one language, ready for look-up."""

    language: str
    raw: dict[str, Any]
    lacking: tuple[str, ...]
    _exact: dict[str, list[_Entry]] = field(default_factory=lambda: defaultdict(list))
    _stems: dict[str, list[_Entry]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.decimal: str = self.raw.get("decimal", ".")
        self.group_too: str = self.raw.get("group_too", "")
        self.order: str = self.raw.get("order", "dmy")
        self.plain_space: bool = self.raw.get("space_groups", False)
        self.units_first: bool = self.raw.get("units_first", False)
        self.day_after_month: bool = self.raw.get("day_after_month", False)
        self.unspaced: bool = self.raw.get("unspaced", False)
        self.proclitics: tuple[str, ...] = tuple(
            sorted((fold(p, self.language)[0] for p in _split(self.raw.get("proclitics", ""))),
                   key=len, reverse=True)
        )  # fmt: skip
        for category, value, text in _entries(self.raw):
            self._add(category, value, text)
        self.longest = max(
            (len(e.rest) + 1 for group in self._exact.values() for e in group), default=1
        )
        self._lengths = sorted({len(stem) for stem in self._stems}, reverse=True)
        self.first = lru_cache(maxsize=20_000)(self._first)
        negation = self.raw.get("negation", {})
        self.negation = _any(negation.get("patterns", []))
        self.exempt = _any(negation.get("exempt_patterns", []))

    def _add(self, category: str, value: Any, text: str) -> None:
        folded, offsets = fold(text, self.language)
        words = [token.text for token in tokenize(text, folded, offsets)]
        parts: list[str] = []
        for word in words:
            if word == "*":
                parts[-1] += "*"
            else:
                parts.append(word)
        if not parts:
            return
        entry = _Entry(tuple(parts[1:]), category, value)
        if parts[0].endswith("*"):
            self._stems[parts[0][:-1]].append(entry)
        else:
            self._exact[parts[0]].append(entry)

    def _known(self, word: str) -> list[_Entry]:
        found = list(self._exact.get(word, ()))
        for length in self._lengths:
            if length <= len(word):
                found += self._stems.get(word[:length], ())
        return found

    def _first(self, word: str) -> tuple[_Entry, ...]:
        """Entries that begin with `word`, if need be after a prefixed particle ("and", "in")."""
        found = self._known(word)
        if found:
            return tuple(found)
        for particle in self.proclitics:
            if word.startswith(particle) and len(word) >= len(particle) + 3:
                found = self._known(word[len(particle) :])
                if found:
                    return tuple(found)
        return ()

    def marks(self, tokens: Sequence[Token]) -> list[dict[str, Mark]]:
        """For each token the longest entry of each category that begins there."""
        marks: list[dict[str, Mark]] = []
        for index, token in enumerate(tokens):
            here: dict[str, Mark] = {}
            if token.kind in "ws":
                for entry in self.first(token.text):
                    size = 1 + len(entry.rest)
                    if index + size > len(tokens) or any(
                        not _agrees(pattern, tokens[index + 1 + place].text)
                        for place, pattern in enumerate(entry.rest)
                    ):
                        continue
                    if entry.category not in here or here[entry.category][2] < size:
                        here[entry.category] = (entry.category, entry.value, size)
            marks.append(here)
        return marks


def _any(patterns: Sequence[str]) -> regex.Pattern[str] | None:
    return regex.compile("|".join(f"(?:{p})" for p in patterns)) if patterns else None


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def _listed(category: str, table: Iterable[tuple[Any, str]]) -> Iterator[tuple[str, Any, str]]:
    for value, words in table:
        for word in _split(words):
            yield category, value, word


def _entries(raw: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for number, names in enumerate(raw.get("months", ()), 1):
        full, *others = _split(names) or [""]
        for name in (full, *others):
            # Abbreviations are words of their own too often ("sept", "dez", the name Jan).
            short = len(name) < len(full) and len(name) <= 4 and full.startswith(name[:2])
            yield from _listed("month_soft" if short else "month", [(number, name)])
    yield from _listed("month_soft", enumerate(raw.get("months_soft", ()), 1))
    yield from _listed("weekday", enumerate(raw.get("weekdays", ())))
    yield from _listed("weekday_short", enumerate(raw.get("weekdays_short", ())))
    small = list(_listed("small", enumerate(raw.get("small", ()), 1)))
    tens = list(_listed("tens", ((10 * n, w) for n, w in enumerate(raw.get("tens", ()), 2))))
    yield from small
    yield from tens
    yield from _listed("hundreds", enumerate(raw.get("hundreds", ()), 2))
    for pattern in raw.get("joined", ()):
        yield from _joined(pattern, small, tens)
    for name in ("hundred", "soft", "and", "of", "today", "yesterday",
                 "tomorrow", "am", "pm", "clock_after", "clock_before", "clock_word", "hour_word",
                 "year_after",
                 "month_after", "day_after", "year_before", "month_before", "day_before",
                 "ordinal_after", "at_least_after", "number_sign"):  # fmt: skip
        yield from _listed(name, [(name, raw.get(name, ""))])
    yield from _listed("scale", ((Decimal(n), w) for n, w in raw.get("scales", {}).items()))
    yield from _listed("bound", raw.get("bounds", {}).items())
    growth = raw.get("growth", {})
    for name, category in (("to", "goal"), ("verbs", "growth"), ("after", "growth_after"),
                           ("and", "growth_and")):  # fmt: skip
        yield from _listed(category, [(name, growth.get(name, ""))])
    yield from _listed("percent", [("%", raw.get("percent", ""))])
    yield from _listed("percent_before", [("%", raw.get("percent_before", ""))])
    for name, category in (("currencies", "currency"), ("units", "unit"), ("topics", "topic"),
                           ("zones", "zone")):  # fmt: skip
        yield from _listed(category, raw.get(name, {}).items())
    yield from _listed("zone_word", [("word", raw.get("zone_word", ""))])
    negation = raw.get("negation", {})
    yield from _listed("negation", [("not", negation.get("words", ""))])
    yield from _listed("exempt", [("not", negation.get("exempt", ""))])


def _joined(
    pattern: str, small: list[tuple[str, Any, str]], tens: list[tuple[str, Any, str]]
) -> Iterator[tuple[str, Any, str]]:
    """Numbers written as one word, from a pattern such as ``{unit}und{tens}``."""
    units = [(value, word) for _, value, word in small if value < 10 and "*" not in word]
    for value, word in units:
        if "{tens}" not in pattern:
            yield "hundreds", value, pattern.replace("{unit}", word)
            continue
        for _, ten, ten_word in tens:
            if "*" not in ten_word:
                yield (
                    "tens",
                    ten + value,
                    pattern.replace("{unit}", word).replace("{tens}", ten_word),
                )


def _file(code: str) -> dict[str, Any] | None:
    path = files("globesumm").joinpath("data", "details", f"{code}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


@cache
def lexicon(language: str) -> Lexicon:
    """The lists of `language`, with the signs all languages share; empty ones where it has none."""
    shared = _file("all") or {}
    own = (_file(language) if regex.fullmatch(r"[a-z]{2,3}", language) else None) or {}
    raw = dict(own)
    for name, table in shared.items():
        if isinstance(table, dict):
            merged = dict(raw.get(name, {}))
            for key, words in table.items():
                merged[key] = f"{merged[key]}|{words}" if key in merged else words
            raw[name] = merged
        else:
            raw[name] = f"{raw[name]}|{table}" if name in raw else table
    return Lexicon(language, raw, tuple(name for name in LISTS if not own.get(name)))


@cache
def languages_with(name: str) -> frozenset[str]:
    """The languages whose file has the list `name` (one of `LISTS`)."""
    folder = files("globesumm").joinpath("data", "details")
    codes = {file.name.removesuffix(".toml") for file in folder.iterdir()} - {"all"}
    return frozenset(code for code in codes if (_file(code) or {}).get(name))
