"""Where the details of a sentence stand, by the word lists in ``alterations.toml``.

These lists and rules were written apart from those of the conflict decision.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import regex

DIGITS = r"\p{Nd}"
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{M}\p{Nd}.,:/،٫'’#№+−-])(?<!\p{Nd}\s)"
    rf"(?:{DIGITS}{{1,3}}(?:[.,\u00a0\u202f ]{DIGITS}{{3}})+(?:[.,]{DIGITS}{{1,2}})?"
    rf"|{DIGITS}+(?:[.,]{DIGITS}+)?)"
    rf"(?![\p{{L}}\p{{M}}{DIGITS}:/'’-]|[.,]{DIGITS}|[\u00a0 ]{DIGITS}{{3}}(?!{DIGITS})"
    r"|\.\s*\p{Ll}|[،٫]\p{Nd}|\s\p{Nd})"
)
YEAR = regex.compile(r"(?<![\p{L}\p{Nd}.,:/-])(?:19[89]\d|20[01]\d)(?![\p{L}\p{Nd}:/-]|[.,]\p{Nd})")
_CLOCK = regex.compile(r"(?i)^\s?(?:[ap]\.?\s?m\b|gmt|utc|h\b|heures?|hod|बजे|η\b|th\b|st\b|er\b)")
_NAMED = regex.compile(r"(?i)(?:\bno\.?|\bnr\.?|№|#|\bflight|\bvol|\barticle|\bg)\s?$")
NEAR = 14
"""Characters on either side within which a month's name makes a number part of a date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """A changed sentence; `kind` is what was changed, ``number``, ``date`` or ``negation``.

    `rule` says how (``"month"``, ``"number regrouped"``), `before` and `after` are the stretch
    that was replaced and what replaced it, `whole` the detail that it is a part of, as it was.
    Where nothing is contradicted, `kind` is None.
    """

    text: str
    kind: str | None
    rule: str
    before: str
    after: str
    whole: str


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch ``[start, end)`` to be replaced by `after`; `whole` is the detail around it."""

    start: int
    end: int
    after: str
    whole: str | None = None


def applied(sentence: str, kind: str | None, option: tuple[str, Change]) -> Altered:
    """`sentence` with the change of `option` (its rule, and the change) made."""
    rule, change = option
    text = sentence[: change.start] + change.after + sentence[change.end :]
    if change.start == 0 and not change.after:
        text = text[:1].upper() + text[1:]
    before = sentence[change.start : change.end]
    return Altered(
        text=text,
        kind=kind,
        rule=rule,
        before=before,
        after=change.after,
        whole=change.whole or before,
    )


def languages() -> list[str]:
    """The languages with rules."""
    return sorted(lists())


def negates(sentence: str, language: str) -> bool:
    """Whether `sentence` holds a word that negates, by the list made for altering."""
    return bool(regex.search(lists()[language]["negated"], sentence))


def month_names(sentence: str, language: str) -> Iterator[tuple[int, int, list[str], int]]:
    """(start, end, row of names in this form, 0-based month) of every month's name."""
    for start, end, form, place in _names(sentence, language, "months"):
        plain = form[place] not in lists()[language]["beside_digit"]
        around = sentence[max(0, start - 4) : start] + sentence[end : end + 4]
        if plain or regex.search(DIGITS, around):
            yield start, end, form, place


def weekday_names(sentence: str, language: str) -> Iterator[tuple[int, int, list[str], int]]:
    """(start, end, row of names in this form, 0-based weekday) of every weekday's name."""
    return _names(sentence, language, "weekdays")


def _names(sentence: str, language: str, which: str) -> Iterator[tuple[int, int, list[str], int]]:
    pattern, at = _name_pattern(language, which)
    for found in pattern.finditer(sentence):
        form, place = at[found["name"]]
        yield found.start("name"), found.end("name"), form, place


@cache
def _name_pattern(language: str, which: str) -> tuple[Any, dict[str, tuple[list[str], int]]]:
    own = lists()[language]
    at: dict[str, tuple[list[str], int]] = {}
    for form in own[which]:
        for place, name in enumerate(form):
            at.setdefault(name, (form, place))
    names = "|".join(regex.escape(name) for name in sorted(at, key=len, reverse=True))
    prefixes = own.get("prefixes", "")
    pattern = rf"(?<![\p{{L}}\p{{M}}]){prefixes}(?P<name>{names})(?![\p{{L}}\p{{M}}])"
    return regex.compile(pattern), at


def plain_numbers(sentence: str, language: str) -> Iterator[Any]:
    """Matches of the numbers that count or measure something."""
    dated = [(start, end) for start, end, _, _ in month_names(sentence, language)]
    for found in _NUMBER.finditer(sentence):
        start, end = found.span()
        digits = regex.sub(rf"[^{DIGITS}]", "", found[0])
        if digits.startswith(("0", "०", "٠")) or (len(digits) == 4 and digits == found[0]):
            # A zero in front belongs to a code, four digits in a row mostly to a year.
            continue
        if any(start - NEAR < at and until < end + NEAR for at, until in dated):
            continue
        if _CLOCK.match(sentence[end : end + 10]) or _NAMED.search(sentence[:start]):
            continue
        yield found


def day_numbers(sentence: str, language: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, day) of every day's number beside a month's name."""
    for start, end, _, _ in month_names(sentence, language):
        before = regex.search(
            r"(?<![\d.,/:])(\d{1,2})(?=\.?\s(?:de\s)?\p{L}?-?$)", sentence[:start]
        )
        after = regex.match(r"\s(\d{1,2})(?![\d:]|[.,]\d|st|nd|rd|th)", sentence, pos=end)
        for found in (before, after if language in {"en", "hi"} else None):
            if found and 1 <= int(found[1]) <= 31:
                yield found.start(1), found.end(1), int(found[1])


@cache
def lists() -> dict[str, dict[str, Any]]:
    """The word lists of each language, as the head of ``alterations.toml`` explains them."""
    text = files("baselines.studies").joinpath("alterations.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
