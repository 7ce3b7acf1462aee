"""Sentences: ICU's boundaries for the language, less those that are none.

ICU (Unicode UAX 29 with its locale rules) breaks after every abbreviation that a capital or a
letter without case follows, and between an exclamation in quotation marks and ``he said``.
The rules here take such boundaries back; the words they need are in
``globesumm/data/abbreviations.toml``.  Thai, Lao, Khmer and Burmese end sentences with a blank
as they do clauses: there a line is one sentence unless it has marks that say otherwise.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import icu4py
import regex

SPLITTER = f"icu-{icu4py.icu_version.partition('.')[0]}+joins-2"
"""Rule and ICU version, for signatures; scores of unequal splitters do not compare."""

_LINE: Any = regex.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_WORD_CHARACTER: Any = regex.compile(r"[\p{L}\p{M}\p{N}]")
_SURROGATE: Any = regex.compile("[\ud800-\udfff]")

_QUOTES = "\"'”“„’‘»«›‹」』）〉》】"
_CLOSERS = _QUOTES + ")]}"
_OPENERS = "([{“‘«‹「『（〈《【"
_BLANKS = " \t\u00a0\u2009\u202f"
# A closing mark that a blank sets off from its sentence, as in French.
_DETACHED: Any = regex.compile(r"[»›”)\]}]+(?:\s+|(?=[,;:.])|$)")
# ICU does not count the ellipsis character among the marks that end sentences.
_ELLIPSIS: Any = regex.compile(
    rf"…[{regex.escape(_CLOSERS)}]*\s+(?=[\p{{P}}\p{{S}}]{{0,3}}\p{{Lu}})"
)
_NEXT: Any = regex.compile(r"[\s\p{P}\p{S}]{0,8}?(?P<word>[\p{L}\p{M}]+|\p{N}+)")
_GOES_ON: Any = regex.compile(r"[,;:)\]}、，；：]")
_TOKEN: Any = regex.compile(r"(?r)[^\s(\[{\"'”“„’‘»«›‹/–—]{1,40}$")
_NUMBER_BEFORE: Any = regex.compile(r"(?r)\p{N}\s*$")
# The last letter of a Hebrew acronym is set off by a mark that looks like a quotation mark.
_INSIDE_WORD: Any = regex.compile(r"(?r)\p{Lo}[\"'”’״׳]$")
_NUMBERING: Any = regex.compile(r"[\s\p{P}]{0,4}(?:\p{Nd}{1,3}|\p{L})[.)]{1,2}\s*$")
_UNCASED = (
    r"[\p{Lo}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]"
)
_INITIAL: Any = regex.compile(rf"(?:\p{{Lu}}\p{{M}}*(?:\.?-\p{{Lu}})?|{_UNCASED})", regex.VERSION1)
_UNCASED_LETTER: Any = regex.compile(_UNCASED, regex.VERSION1)
_HANGUL: Any = regex.compile(r"\p{Hangul}")
_HIRAGANA: Any = regex.compile(r"\p{Hiragana}")
_OPENING_QUOTE: Any = regex.compile(r"\s*[\"'“„‚‘«»]")
_ACRONYM: Any = regex.compile(r"(?:\p{L}\p{M}*\.)+\p{L}\p{M}*")
# "p. m." and "и т. д." are "p.m." and "и т.д." with a blank inside.
_SPACED: Any = regex.compile(
    rf"(?r)(?<!\p{{L}})(?:\p{{L}}{{1,3}}\.[{_BLANKS}]?){{1,3}}\p{{L}}{{1,3}}$"
)
_BLANK: Any = regex.compile(rf"[{_BLANKS}]+")
# "5 p.m. Newfoundland time", "5 p.m. Eastern Standard Time"
_ZONE: Any = regex.compile(r"\s*(?:\p{Lu}[\p{L}'’-]*\s+){1,3}[tT]ime\b")
_BRACKET: Any = regex.compile(r"\s*[(\[{]")
_BEFORE_HOUR: Any = regex.compile(r"(?r)(?P<word>\p{L}+)\s+\p{N}[\p{N}:.]*\s*$")
_ORDINAL: Any = regex.compile(r"\p{Nd}{1,2}|[IVX]{1,6}")

_LONGEST_NUMBERING = 12
_WINDOW = 64
"""Characters looked at on either side of a boundary; keeps the cost linear."""


@dataclass(frozen=True, slots=True)
class _Rules:
    join: frozenset[str]
    either: frozenset[str]
    ends: frozenset[str]
    follows: frozenset[str]
    articles: frozenset[str]
    number: frozenset[str]
    units: frozenset[str]
    starters: frozenset[str]
    ordinals: bool

    def lists(self, written: str) -> bool:
        """Whether one of the lists of abbreviations has `written`."""
        token = written.lower()
        return token in self.join or token in self.either or token in self.ends


@cache
def _all_rules() -> dict[str, dict[str, Any]]:
    source = files("globesumm").joinpath("data", "abbreviations.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def _rules(language: str) -> _Rules:
    own, common = _all_rules().get(language, {}), _all_rules()["und"]

    def listed(key: str) -> frozenset[str]:
        return frozenset(f"{common.get(key, '')} {own.get(key, '')}".split())

    own_join = frozenset(own.get("join", "").split())
    either, ends = listed("either"), listed("ends")
    return _Rules(
        join=own_join | (listed("join") - either - ends),
        either=either,
        ends=ends - own_join,
        follows=listed("follows"),
        articles=listed("articles"),
        number=listed("number"),
        units=listed("units"),
        starters=listed("starters"),
        ordinals=bool(own.get("ordinals", False)),
    )


def split(text: str, language: str) -> list[str]:
    """The sentences of `text` in order, without the white space around them.

    Every line end also ends a sentence.  No other character is lost, added or changed.  Any
    language code is accepted; one without a list of its own gets the rules common to all.
    """
    rules = _rules(language)
    return [
        sentence
        for line in _LINE.finditer(text)
        for start, end in _spans(line[0], language, rules)
        if (sentence := line[0][start:end].strip())
    ]


def _spans(line: str, language: str, rules: _Rules) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of one line."""
    start = seen = 0
    has_word = False
    pending: tuple[int, int] | None = None
    for end in _candidates(line, language):
        has_word = has_word or _WORD_CHARACTER.search(line, seen, end) is not None
        seen = end
        if not has_word or (end < len(line) and _joined(line, start, end, rules)):
            continue
        if pending is not None:
            yield pending
        pending, start, has_word = (start, end), end, False
    # Marks that follow the last sentence belong to it.
    yield (0 if pending is None else pending[0], len(line))


def _candidates(line: str, language: str) -> Iterator[int]:
    """Ends of ICU's sentences, after closing marks set off by a blank, and after ellipses."""
    from icu4py.breakers import SentenceBreaker

    # ICU refuses lone surrogates; a stand-in of the same length keeps the places right.
    segments = SentenceBreaker(_SURROGATE.sub("\ufffd", line), language).segments()
    ellipses = (found.end() for found in _ELLIPSIS.finditer(line))
    ellipsis, last = next(ellipses, None), 0
    for _, end in segments:
        while ellipsis is not None and ellipsis <= end:
            if ellipsis > last:
                yield (last := ellipsis)
            ellipsis = next(ellipses, None)
        detached = _DETACHED.match(line, end)
        place = detached.end() if detached else _before_openers(line, end)
        if place > last:
            yield (last := place)


def _before_openers(line: str, end: int) -> int:
    """`end`, moved before opening marks that ICU took for closing ones, as in ``。「``."""
    place = end
    if end < len(line) and not line[end].isspace():
        while place > 0 and line[place - 1] in _OPENERS:
            place -= 1
    return place


def _joined(line: str, start: int, end: int, rules: _Rules) -> bool:
    """Whether the sentence goes on at `end`, so that there is no boundary."""
    if _GOES_ON.match(line, end):
        return True
    left = line[max(start, end - _WINDOW) : end].rstrip()
    body = left.rstrip(_CLOSERS + _BLANKS)
    quoted = any(mark in _QUOTES for mark in left[len(body) :])
    following = _NEXT.match(line, end, end + _WINDOW)
    word = following["word"] if following else ""
    if body.endswith(("…", "..")):
        return _is_uncased(word) or word[:1].islower()
    if body.endswith("."):
        if quoted:  # Korean particles follow a quotation without a blank.
            return _HANGUL.match(line, end) is not None
        return _joined_at_full_stop(line, (start, end), left, following, rules)
    if body.endswith(("!", "?", "؟", ";", "？", "！")):
        # An exclamation or question inside a sentence: "Stop!" he said.
        return word[:1].islower() or (quoted and word[:1].isalpha() and not _is_cased(word))
    return quoted and body.endswith("。") and _HIRAGANA.match(word) is not None


def _joined_at_full_stop(
    line: str, span: tuple[int, int], left: str, following: Any, rules: _Rules
) -> bool:
    """Whether the full stop that ends `left` marks an abbreviation, initial or ordinal."""
    start, end = span
    body = left.rstrip(_CLOSERS + _BLANKS)[:-1]
    if end - start <= _LONGEST_NUMBERING and _NUMBERING.fullmatch(line, start, end):
        return True
    found = _TOKEN.search(body)
    if found is None:
        return False
    written, before = found[0], body[: found.start()]
    token = written.lower()
    if (spaced := _SPACED.search(body)) and rules.lists(whole := _BLANK.sub("", spaced[0])):
        written, token, before = whole, whole.lower(), body[: spaced.start()]
    word = following["word"] if following else ""
    if word[:1].isnumeric() and token in rules.number:
        return True
    if token in rules.units and _NUMBER_BEFORE.search(before):
        return False
    if token in rules.join:
        return True
    if word and line.startswith(".", following.end()) and rules.lists(f"{token}.{word}"):
        return True  # Inside "v. Chr."
    # "J. A. Smith": a letter with a full stop is an initial, not the article.
    next_is_initial = len(word) == 1 and line[following.end() : following.end() + 1] == "."
    if word.lower() in rules.starters and not next_is_initial:
        return False
    if token in rules.ends and left.endswith("."):
        return _phrase_goes_on(line, end, before, following, rules)
    if _INITIAL.fullmatch(written) and not _INSIDE_WORD.search(before):
        return True
    if token in rules.either or _ACRONYM.fullmatch(written):
        return _OPENING_QUOTE.match(line, end) is None
    return rules.ordinals and word[:1].isupper() and _ORDINAL.fullmatch(written) is not None


def _phrase_goes_on(line: str, end: int, before: str, following: Any, rules: _Rules) -> bool:
    """Whether the phrase goes on after an abbreviation that mostly ends a sentence, as "p.m."."""
    if following is None:
        return False
    word = following["word"]
    if word[:1].islower() or word[:1].isnumeric() or word.lower() in rules.follows:
        return True
    if _BRACKET.match(line, end) or _ZONE.match(line, end, end + _WINDOW):
        return True
    hour = _BEFORE_HOUR.search(before)
    return hour is not None and hour["word"].lower() in rules.articles


def _is_cased(word: str) -> bool:
    return word[:1].isupper() or word[:1].islower()


def _is_uncased(word: str) -> bool:
    """Whether `word` is in an alphabet without capitals (Chinese and Japanese are not meant)."""
    return _UNCASED_LETTER.match(word) is not None
