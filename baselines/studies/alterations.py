"""One detail of a sentence altered, or the sentence said otherwise with every detail kept.

Rules and word lists by language are in ``alterations.toml``.  Every rule changes one stretch of
the sentence and nothing else, and says what it changed.  What is not covered: numbers in words,
negation by anything but the listed verbs, changes of names and places.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import regex

from baselines.studies.draws import choice, number

DIGITS = r"\p{Nd}"
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{M}\p{Nd}.,:/،٫'’#№+−-])(?<!\p{Nd}\s)"
    rf"(?:{DIGITS}{{1,3}}(?:[.,\u00a0\u202f ]{DIGITS}{{3}})+(?:[.,]{DIGITS}{{1,2}})?"
    rf"|{DIGITS}+(?:[.,]{DIGITS}+)?)"
    rf"(?![\p{{L}}\p{{M}}{DIGITS}:/'’-]|[.,]{DIGITS}|[\u00a0 ]{DIGITS}{{3}}(?!{DIGITS})"
    r"|\.\s*\p{Ll}|[،٫]\p{Nd}|\s\p{Nd})"
)
_YEAR = regex.compile(
    r"(?<![\p{L}\p{Nd}.,:/-])(?:19[89]\d|20[01]\d)(?![\p{L}\p{Nd}:/-]|[.,]\p{Nd})"
)
_CLOCK = regex.compile(r"(?i)^\s?(?:[ap]\.?\s?m\b|gmt|utc|h\b|heures?|hod|बजे|η\b|th\b|st\b|er\b)")
_NAMED = regex.compile(r"(?i)(?:\bno\.?|\bnr\.?|№|#|\bflight|\bvol|\barticle|\bg)\s?$")
_ASIDE = regex.compile(r"\s?\([^()\p{Nd}]{3,60}\)")
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
class _Change:
    start: int
    end: int
    after: str
    whole: str | None = None


def languages() -> list[str]:
    """The languages with rules."""
    return sorted(_lists())


def alter(sentence: str, language: str, kind: str, *key: object) -> Altered | None:
    """`sentence` with one detail of `kind` (a key of `KINDS`) altered, or None if it has none.

    `key` draws among what could be altered and into what; equal keys give equal results.
    """
    drawn = (*key, sentence, kind)
    options = [
        (rule, change) for rule in KINDS[kind] for change in _RULES[rule](sentence, language, drawn)
    ]
    return _applied(sentence, kind, choice(options, *drawn)) if options else None


def reworded(sentence: str, language: str, *key: object) -> Altered | None:
    """`sentence` said otherwise with every detail kept, or None where no rule applies.

    Kept means: the same value in another number format, the same day in another date format,
    or a clause that names the source, or a bracketed aside without digits, left out.
    """
    drawn = (*key, sentence, "reworded")
    by_rule = {rule: list(make(sentence, language)) for rule, make in _NEUTRAL.items()}
    rules = sorted(rule for rule, changes in by_rule.items() if changes)
    if not rules:
        return None
    # The rule is drawn first, or the commonest would crowd out the others.
    rule = choice(rules, *drawn)
    return _applied(sentence, None, (rule, choice(by_rule[rule], *drawn)))


def _applied(sentence: str, kind: str | None, option: tuple[str, _Change]) -> Altered:
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


def negates(sentence: str, language: str) -> bool:
    """Whether `sentence` holds a word that negates, by the list made for altering."""
    return bool(regex.search(_lists()[language]["negated"], sentence))


# --- alterations --------------------------------------------------------------------------


def _numbers(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[_Change]:
    """The first digit exchanged for one at least two away: the value moves by 20 % or more.

    Format, unit and all else stay.  Years, days, times and numbers that are names are left.
    """
    for found in _plain_numbers(sentence, language):
        first = found[0][0]
        old = int(first)
        new = choice([d for d in range(1, 10) if abs(d - old) >= 2], *key, found.start())
        zero = ord(first) - old
        yield _Change(found.start(), found.start() + 1, chr(zero + new), found[0])


def _months(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[_Change]:
    for start, end, form, place in month_names(sentence, language):
        others = [other for other in range(12) if form[other] != form[place]]
        yield _Change(start, end, form[choice(others, *key, start)])


def _weekdays(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[_Change]:
    """A day two to five days away, so that a change of time zone cannot explain it."""
    for start, end, form, place in weekday_names(sentence, language):
        yield _Change(start, end, form[(place + choice(range(2, 6), *key, start)) % 7])


def _days(sentence: str, language: str, key: tuple[object, ...]) -> Iterator[_Change]:
    """The number of the day beside a month's name, moved by 3 to 12."""
    for start, end, day in _day_numbers(sentence, language):
        new = (day - 1 + 3 + number(*key, start) % 10) % 28 + 1
        if abs(new - day) >= 2:
            yield _Change(start, end, str(new))


def _years(sentence: str, _language: str, key: tuple[object, ...]) -> Iterator[_Change]:
    there = {found[0] for found in _YEAR.finditer(sentence)}
    for found in _YEAR.finditer(sentence):
        near = [str(int(found[0]) + step) for step in (-4, -3, -2, 2, 3, 4)]
        others = [year for year in near if year not in there]
        yield _Change(found.start(), found.end(), choice(others, *key, found.start()))


def _negations(sentence: str, language: str, _key: tuple[object, ...]) -> Iterator[_Change]:
    """The first listed verb negated; nothing in a sentence that negates already."""
    if negates(sentence, language):
        return
    matches = [
        (found.start(), found.end(), found.expand(put))
        for find, put in _lists()[language]["negate"]
        if (found := regex.search(find, sentence))
    ]
    if matches:
        yield _Change(*min(matches))


_Rule = Callable[[str, str, tuple[object, ...]], Iterator[_Change]]

_RULES: Mapping[str, _Rule] = {
    "number": _numbers,
    "month": _months,
    "weekday": _weekdays,
    "day": _days,
    "year": _years,
    "negation": _negations,
}

KINDS: Mapping[str, tuple[str, ...]] = {
    "number": ("number",),
    "date": ("month", "weekday", "day", "year"),
    "negation": ("negation",),
}
"""Kinds of alteration and the rules that make them."""


# --- the same said otherwise --------------------------------------------------------------


def _regrouped(sentence: str, language: str) -> Iterator[_Change]:
    group = _lists()[language]["group"]
    for found in _plain_numbers(sentence, language):
        written = found[0]
        if regex.fullmatch(rf"{DIGITS}{{5,6}}", written):
            yield _Change(found.start(), found.end(), written[:-3] + group + written[-3:])
        elif regex.fullmatch(rf"{DIGITS}{{1,3}}{regex.escape(group)}{DIGITS}{{3}}", written):
            yield _Change(found.start(), found.end(), written.replace(group, ""))


def _other_digits(sentence: str, language: str) -> Iterator[_Change]:
    own: str = _lists()[language].get("digits", "")
    for found in _plain_numbers(sentence, language) if own else ():
        if not found[0].isdecimal():
            continue
        to_own = found[0].isascii()
        digits = (own[int(d)] if to_own else str(int(d)) for d in found[0])
        yield _Change(found.start(), found.end(), "".join(digits))


def _percent(sentence: str, language: str) -> Iterator[_Change]:
    word = _lists()[language]["percent"]
    for found in regex.finditer(rf"(?<={DIGITS})\s?(?:[%٪]|{word}(?!\p{{L}}))", sentence):
        yield _Change(found.start(), found.end(), "%" if word in found[0] else f" {word}")


def _digit_for_word(sentence: str, language: str) -> Iterator[_Change]:
    """A digit for a number word that stands alone: "twenty 3" would be no other way to say 23."""
    lists = _lists()[language]
    before, after = (lists.get(f"no_digit_{side}", r"(?!)") for side in ("after", "before"))
    for value, forms in enumerate(lists["words"], 3):
        for form in forms:
            alone = rf"(?<![\p{{L}}\p{{M}}'’-]){form}(?![\p{{L}}\p{{M}}\-‑]|{after})"
            for found in regex.finditer(alone, sentence):
                if not regex.search(before, sentence[: found.start()]):
                    yield _Change(found.start(), found.end(), str(value))


def _date_format(sentence: str, language: str) -> Iterator[_Change]:
    form: str = _lists()[language].get("day_month", "")
    for start, end, row, place in month_names(sentence, language) if form else ():
        after = regex.match(r"\s(\d{1,2}),\s(\d{4})(?!\d)", sentence, pos=end)
        if language == "en" and after:
            made = form.format(day=int(after[1]), month=row[place], year=after[2])
            yield _Change(start, after.end(), made)
        before = regex.search(r"(?<![\d.,/])(\d{1,2})\.?\s(?:de\s)?$", sentence[:start])
        year = regex.match(r",?\s(\d{4})(?!\d)", sentence, pos=end)
        if language != "en" and before and year:
            made = form.format(day=int(before[1]), number=place + 1, year=year[1])
            yield _Change(before.start(), year.end(), made)


def _no_attribution(sentence: str, language: str) -> Iterator[_Change]:
    for pattern in _lists()[language]["attributions"]:
        found = regex.search(pattern, sentence)
        if found and len(found[0]) < len(sentence) / 2 and not _telling(found[0], language):
            yield _Change(found.start(), found.end(), "")


def _no_aside(sentence: str, language: str) -> Iterator[_Change]:
    for found in _ASIDE.finditer(sentence):
        if not _telling(found[0], language):
            yield _Change(found.start(), found.end(), "")


def _telling(text: str, language: str) -> bool:
    """Whether `text` holds a detail of its own, so that leaving it out would lose one."""
    return bool(
        regex.search(DIGITS, text)
        or negates(text, language)
        or any(month_names(text, language))
        or any(weekday_names(text, language))
    )


_NEUTRAL: Mapping[str, Callable[[str, str], Iterator[_Change]]] = {
    "number regrouped": _regrouped,
    "other digits": _other_digits,
    "percent sign or word": _percent,
    "digit for number word": _digit_for_word,
    "date format": _date_format,
    "attribution left out": _no_attribution,
    "aside left out": _no_aside,
}


# --- finding ------------------------------------------------------------------------------


def month_names(sentence: str, language: str) -> Iterator[tuple[int, int, list[str], int]]:
    """(start, end, row of names in this form, 0-based month) of every month's name."""
    for start, end, form, place in _names(sentence, language, "months"):
        plain = form[place] not in _lists()[language]["beside_digit"]
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
    lists = _lists()[language]
    at: dict[str, tuple[list[str], int]] = {}
    for form in lists[which]:
        for place, name in enumerate(form):
            at.setdefault(name, (form, place))
    names = "|".join(regex.escape(name) for name in sorted(at, key=len, reverse=True))
    prefixes = lists.get("prefixes", "")
    pattern = rf"(?<![\p{{L}}\p{{M}}]){prefixes}(?P<name>{names})(?![\p{{L}}\p{{M}}])"
    return regex.compile(pattern), at


def _plain_numbers(sentence: str, language: str) -> Iterator[Any]:
    """Numbers that count or measure something."""
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


def _day_numbers(sentence: str, language: str) -> Iterator[tuple[int, int, int]]:
    for start, end, _, _ in month_names(sentence, language):
        before = regex.search(
            r"(?<![\d.,/:])(\d{1,2})(?=\.?\s(?:de\s)?\p{L}?-?$)", sentence[:start]
        )
        after = regex.match(r"\s(\d{1,2})(?![\d:]|[.,]\d|st|nd|rd|th)", sentence, pos=end)
        for found in (before, after if language in {"en", "hi"} else None):
            if found and 1 <= int(found[1]) <= 31:
                yield found.start(1), found.end(1), int(found[1])


@cache
def _lists() -> dict[str, dict[str, Any]]:
    text = files("baselines.studies").joinpath("alterations.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
