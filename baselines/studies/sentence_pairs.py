"""Pairs of sentences of which it is known whether they contradict each other.

In one language: a sentence and its copy, with one detail altered or said otherwise.  Across
languages: a sentence and its translation, as it is or with one detail altered on one side.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import regex

from baselines.extractive.encoders import Encoder
from baselines.studies.alignment import aligned
from baselines.studies.alterations import KINDS, alter
from baselines.studies.draws import choice, shuffled
from baselines.studies.multiling_data import MultiLing
from baselines.studies.rewordings import reworded
from baselines.studies.spotting import (
    DIGITS,
    Altered,
    languages,
    month_names,
    negates,
    weekday_names,
)
from globesumm.text.sentences import split
from globesumm.text.words import count_words

SHORTEST, LONGEST = 6, 50
"""Words of a sentence that takes part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two sentences of one document's date; `altered` is what was done to the right one.

    `kind` is the altered detail's kind, None where the two do not contradict each other.
    """

    id: str
    left: str
    left_language: str
    right: str
    right_language: str
    published: datetime | None
    kind: str | None
    altered: Altered | None

    @property
    def languages(self) -> str:
        """Both languages in alphabetical order (``"ar–en"``), or the one."""
        return "–".join(sorted({self.left_language, self.right_language}))


def in_one_language(pilot: MultiLing, seed: int, count: int) -> list[Pair]:
    """`count` altered and `count` reworded pairs, spread over kinds and languages."""
    pairs: dict[tuple[str | None, str], list[Pair]] = defaultdict(list)
    for (topic, number, language), document in sorted(pilot.texts.items()):
        if language not in languages():
            continue
        for index, text in enumerate(split(document.text, language)):
            if not SHORTEST <= count_words(text, language) <= LONGEST:
                continue
            name = f"M{topic}{number}.{language}#{index}"
            made = {kind: alter(text, language, kind, seed) for kind in KINDS}
            for kind, changed in (*made.items(), (None, reworded(text, language, seed))):
                if changed is not None:
                    pair = Pair(
                        id=name,
                        left=text,
                        left_language=language,
                        right=changed.text,
                        right_language=language,
                        published=document.published,
                        kind=kind,
                        altered=changed,
                    )
                    pairs[kind, language].append(pair)
    return _spread(pairs, seed, "one", count)


def across_languages(
    pilot: MultiLing, seed: int, count: int, encoder: Encoder, documents: int
) -> list[Pair]:
    """`count` altered and `count` unaltered translations, spread over kinds and languages.

    They come from `documents` texts, each in English and two other languages that are drawn, and
    every third also in two languages other than English.
    """
    pairs: dict[tuple[str | None, str], list[Pair]] = defaultdict(list)
    for one, other, topic, number in _chosen(pilot, seed, documents):
        there = pilot.in_languages(topic, number)
        texts = [split(there[language].text, language) for language in (one, other)]
        for i, j in aligned(texts[0], texts[1], encoder):
            sides = [(texts[0][i], one), (texts[1][j], other)]
            if not all(SHORTEST <= count_words(*side) <= LONGEST for side in sides):
                continue
            name = f"M{topic}{number}.{one}#{i}+{other}#{j}"
            for pair in _translations(sides, name, there[one].published, seed):
                pairs[pair.kind, pair.languages].append(pair)
    return _spread(pairs, seed, "across", count)


def _chosen(pilot: MultiLing, seed: int, documents: int) -> Iterator[tuple[str, str, str, int]]:
    """(language, language, topic, number): every text with English and with another pair."""
    texts = sorted({(topic, number) for topic, number, _ in pilot.texts})
    wanted = shuffled(texts, str, seed, "documents")[:documents]
    others = [code for code in pilot.languages if code != "en" and code in languages()]
    turn = shuffled(others, str, seed, "languages")
    for place, (topic, number) in enumerate(wanted):
        there = pilot.in_languages(topic, number)
        drawn = [turn[(2 * place + step) % len(turn)] for step in range(min(2, len(turn)))]
        foreign = [language for language in drawn if language in there]
        if "en" in there:
            yield from (("en", language, topic, number) for language in foreign)
        if place % 3 == 0 and len(foreign) == 2:
            yield foreign[0], foreign[1], topic, number


def _translations(
    sides: Sequence[tuple[str, str]], name: str, published: datetime | None, seed: int
) -> Iterator[Pair]:
    first = choice((0, 1), seed, name, "side")
    (left, left_language), (right, right_language) = sides[1 - first], sides[first]
    made: list[tuple[str | None, Altered | None]] = [(None, None)]
    for kind in KINDS:
        changed = alter(right, right_language, kind, seed)
        if changed and stated_too(left, left_language, right_language, changed):
            made.append((kind, changed))
    for altered_kind, altered in made:
        yield Pair(
            id=name,
            left=left,
            left_language=left_language,
            right=altered.text if altered else right,
            right_language=right_language,
            published=published,
            kind=altered_kind,
            altered=altered,
        )


def stated_too(other: str, language: str, altered_language: str, altered: Altered) -> bool:
    """Whether the translation `other` states the detail that was altered.

    A number, day or year must stand there in digits, a month or weekday by its name, and a
    negated sentence's translation must not negate.
    """
    if altered.rule == "negation":
        return not negates(other, language)
    if altered.rule in {"month", "weekday"}:
        names = month_names if altered.rule == "month" else weekday_names
        row = [place for _, _, form, place in names(altered.before, altered_language)]
        return bool(row) and row[0] in {place for *_, place in names(other, language)}
    return _ascii(altered.whole) in {_ascii(found) for found in _runs(other)}


def _runs(text: str) -> list[str]:
    return list(regex.findall(rf"{DIGITS}(?:[.,\u00a0\u202f ]?{DIGITS})*", text))


def _ascii(written: str) -> str:
    return "".join(str(int(char)) for char in written if char.isdecimal())


def _spread(
    pairs: dict[tuple[str | None, str], list[Pair]], seed: int, what: str, count: int
) -> list[Pair]:
    """`count` contradicting and `count` other pairs, kinds and languages taken in turn."""
    found: list[Pair] = []
    for wanted, kinds in ((count, list(KINDS)), (count, [None])):
        quota = _shares(wanted, len(kinds))
        for kind, most in zip(kinds, quota, strict=True):
            piles = [
                shuffled(pile, lambda pair: pair.id, seed, what, kind)
                for (one, _), pile in sorted(pairs.items(), key=str)
                if one == kind
            ]
            found += _in_turn(piles, most)
    return found


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (place < total % parts) for place in range(parts)]


def _in_turn(piles: Iterable[list[Pair]], most: int) -> list[Pair]:
    """The first of every pile, then every second, until there are `most`."""
    left = [list(reversed(pile)) for pile in piles]
    taken: list[Pair] = []
    while len(taken) < most and any(left):
        for pile in left:
            if pile and len(taken) < most:
                taken.append(pile.pop())
    return taken
