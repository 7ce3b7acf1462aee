"""A sentence said otherwise with every detail kept.

Lists by language are in ``alterations.toml``.
"""

from collections.abc import Callable, Iterator, Mapping

import regex

from baselines.studies.draws import choice
from baselines.studies.spotting import (
    DIGITS,
    Altered,
    Change,
    applied,
    lists,
    month_names,
    negates,
    plain_numbers,
    weekday_names,
)

_ASIDE = regex.compile(r"\s?\([^()\p{Nd}]{3,60}\)")


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
    return applied(sentence, None, (rule, choice(by_rule[rule], *drawn)))


def _regrouped(sentence: str, language: str) -> Iterator[Change]:
    group = lists()[language]["group"]
    for found in plain_numbers(sentence, language):
        written = found[0]
        if regex.fullmatch(rf"{DIGITS}{{5,6}}", written):
            yield Change(found.start(), found.end(), written[:-3] + group + written[-3:])
        elif regex.fullmatch(rf"{DIGITS}{{1,3}}{regex.escape(group)}{DIGITS}{{3}}", written):
            yield Change(found.start(), found.end(), written.replace(group, ""))


def _other_digits(sentence: str, language: str) -> Iterator[Change]:
    own: str = lists()[language].get("digits", "")
    for found in plain_numbers(sentence, language) if own else ():
        if not found[0].isdecimal():
            continue
        to_own = found[0].isascii()
        digits = (own[int(d)] if to_own else str(int(d)) for d in found[0])
        yield Change(found.start(), found.end(), "".join(digits))


def _percent(sentence: str, language: str) -> Iterator[Change]:
    word = lists()[language]["percent"]
    for found in regex.finditer(rf"(?<={DIGITS})\s?(?:[%٪]|{word}(?!\p{{L}}))", sentence):
        yield Change(found.start(), found.end(), "%" if word in found[0] else f" {word}")


def _digit_for_word(sentence: str, language: str) -> Iterator[Change]:
    """A digit for a number word that stands alone: "twenty 3" would be no other way to say 23."""
    own = lists()[language]
    before, after = (own.get(f"no_digit_{side}", r"(?!)") for side in ("after", "before"))
    for value, forms in enumerate(own["words"], 3):
        for form in forms:
            alone = rf"(?<![\p{{L}}\p{{M}}'’-]){form}(?![\p{{L}}\p{{M}}\-‑]|{after})"
            for found in regex.finditer(alone, sentence):
                if not regex.search(before, sentence[: found.start()]):
                    yield Change(found.start(), found.end(), str(value))


def _date_format(sentence: str, language: str) -> Iterator[Change]:
    form: str = lists()[language].get("day_month", "")
    for start, end, row, place in month_names(sentence, language) if form else ():
        after = regex.match(r"\s(\d{1,2}),\s(\d{4})(?!\d)", sentence, pos=end)
        if language == "en" and after:
            made = form.format(day=int(after[1]), month=row[place], year=after[2])
            yield Change(start, after.end(), made)
        before = regex.search(r"(?<![\d.,/])(\d{1,2})\.?\s(?:de\s)?$", sentence[:start])
        year = regex.match(r",?\s(\d{4})(?!\d)", sentence, pos=end)
        if language != "en" and before and year:
            made = form.format(day=int(before[1]), number=place + 1, year=year[1])
            yield Change(before.start(), year.end(), made)


def _no_attribution(sentence: str, language: str) -> Iterator[Change]:
    for pattern in lists()[language]["attributions"]:
        found = regex.search(pattern, sentence)
        if found and len(found[0]) < len(sentence) / 2 and not _telling(found[0], language):
            yield Change(found.start(), found.end(), "")


def _no_aside(sentence: str, language: str) -> Iterator[Change]:
    for found in _ASIDE.finditer(sentence):
        if not _telling(found[0], language):
            yield Change(found.start(), found.end(), "")


def _telling(text: str, language: str) -> bool:
    """Whether `text` holds a detail of its own, so that leaving it out would lose one."""
    return bool(
        regex.search(DIGITS, text)
        or negates(text, language)
        or any(month_names(text, language))
        or any(weekday_names(text, language))
    )


_NEUTRAL: Mapping[str, Callable[[str, str], Iterator[Change]]] = {
    "number regrouped": _regrouped,
    "other digits": _other_digits,
    "percent sign or word": _percent,
    "digit for number word": _digit_for_word,
    "date format": _date_format,
    "attribution left out": _no_attribution,
    "aside left out": _no_aside,
}
