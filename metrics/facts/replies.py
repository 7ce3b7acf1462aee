"""From a judge's reply to verdicts on numbered facts, without ever guessing.

A reply is repaired where only its form is broken (see `metrics.facts.literals`).  What it leaves
open is unread with the reason: another number of facts than was asked about, a sentence that is
not there, two verdicts on one fact, two different lists, "yes" without a sentence.  Where the
question bore a mark, only the list behind that mark counts, since no text under judgement can
hold it.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

from metrics.facts.literals import Found, Pairs, values

V = TypeVar("V")

Sentences = tuple[int, ...]

SUPPORT: Mapping[str, bool] = {
    "yes": True, "true": True, "supported": True, "1": True,
    "no": False, "false": False, "notsupported": False, "unsupported": False, "0": False,
}  # fmt: skip
"""What a judge may call a verdict on support, letters and digits in lower case."""

_NUMBER_KEYS = frozenset({"fact", "keyfact", "id", "index", "number", "no", "factnumber", "factid"})
_SENTENCE_KEYS = frozenset(
    {"sentences", "sentence", "linenumber", "linenumbers", "lines", "line", "sentencenumbers",
     "sentencenumber", "matchedsentences", "matches"}
)  # fmt: skip
_VERDICT_KEYS = frozenset(
    {"supported", "response", "answer", "verdict", "label", "category", "matched", "issupported",
     "entailed", "vote", "keep", "key"}
)  # fmt: skip
_EVIDENCE_KEYS = frozenset({"evidence", "reason", "reasoning", "explanation"})
_NUMBERED = re.compile(
    r"\s*+(?:key\s*facts?|facts?|sentences?|lines?|[slf]|no\.?|#)?\s*+[#\[(]?(\d{1,6})[\])]?\.?\s*",
    re.IGNORECASE,
)
_NOTHING = frozenset({"", "none", "null", "na", "nan", "nothing", "no"})


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a fact is supported, and what the judge gave as evidence or reason."""

    supported: bool
    evidence: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Read(Generic[V]):
    """One verdict for each fact asked about, or why there are none; exactly one is None.

    `overrun`: the question was longer than the context of the judge.
    """

    verdicts: tuple[V, ...] | None
    reason: str | None = None
    overrun: bool = False


class _UnreadError(Exception):
    """The reply leaves something open; `str(error)` says what."""


def read_matches(reply: str, count: int, sentences: int, mark: str = "") -> Read[Sentences]:
    """For each of `count` facts (at least 1) the numbers, from 1 to `sentences`, that state it."""
    return _read(reply, count, mark, lambda item: _matched(item, sentences))


def read_support(
    reply: str, count: int, mark: str = "", words: Mapping[str, bool] = SUPPORT
) -> Read[Support]:
    """For each of `count` facts (at least 1) whether it is supported; `words` name verdicts."""
    return _read(reply, count, mark, lambda item: _supported(item, words))


def _read(reply: str, count: int, mark: str, item: Callable[[Any], V]) -> Read[V]:
    try:
        return Read(_agreed(_lists(reply, mark), count, mark, item))
    except _UnreadError as error:
        return Read(None, str(error))


def _agreed(lists: Sequence[Any], count: int, mark: str, item: Callable[[Any], V]) -> tuple[V, ...]:
    """The verdicts that all lists give."""
    if not lists:
        what = f"no list behind {mark}" if mark else "no list"
        raise _UnreadError(f"it holds {what} that can be read")
    found = [_ordered(one, count, item) for one in lists]
    if any(other != found[0] for other in found[1:]):
        raise _UnreadError(f"it holds {len(found)} lists that differ")
    return found[0]


def _lists(reply: str, mark: str) -> list[Any]:
    """The lists of verdicts in a reply: those behind the mark, or all there are without one."""
    if mark:
        return lists_behind(reply, mark)
    found = list(values(reply))
    # One object a line is a list whose brackets were left out.
    if len(found) > 1 and all(isinstance(one.value, Pairs) for one in found):
        return [[one.value for one in found]]
    lists = []
    for one in found:
        inner = [value for _, value in _pairs(one.value) if _is_list_of_verdicts(value)]
        lists += inner or ([one.value] if _is_list_of_verdicts(one.value) else [])
    if not lists:
        lists = [one.value for one in found if isinstance(one.value, Pairs)]
    return lists


def lists_behind(reply: str, mark: str) -> list[Any]:
    """What stands behind `mark` in a reply, as a key or as words that lead to a list."""
    return [
        value
        for one in values(reply)
        for value in (*_behind_key(one.value, mark), *_behind_text(one, reply, mark))
    ]


def _is_list_of_verdicts(value: Any) -> bool:
    return isinstance(value, list) and (
        any(isinstance(item, Pairs | list | bool) or item is None for item in value)
    )


def _behind_key(value: Any, mark: str) -> list[Any]:
    return [held for key, held in _pairs(value) if key.strip().casefold() == mark.casefold()]


def _behind_text(found: Found, reply: str, mark: str) -> list[Any]:
    before = reply[max(0, found.start - len(mark) - 40) : found.start]
    return [found.value] if _led_by(mark).search(before) else []


@cache
def _led_by(mark: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(mark)}[\"'`*]*\s*[:=]?\s*(?:```\w*\s*)?\Z", re.IGNORECASE)


def _pairs(value: Any) -> tuple[tuple[str, Any], ...]:
    return value.pairs if isinstance(value, Pairs) else ()


def _ordered(given: Any, count: int, item: Callable[[Any], V]) -> tuple[V, ...]:
    """The verdicts on facts 1 to `count`, by their numbers, or by place where none is numbered."""
    if isinstance(given, Pairs) and not _is_item(given):
        numbered = [(_number(key), value) for key, value in given.pairs]
    elif isinstance(given, Pairs):
        numbered = [(_own_number(given), given)]
    elif isinstance(given, list):
        numbered = [(_own_number(one), one) for one in given]
    else:
        raise _UnreadError("what stands there is no list")
    numbers = {number for number, _ in numbered}
    if None in numbers and len(numbers) > 1:
        raise _UnreadError("some facts are numbered and others are not")
    found: dict[int, V] = {}
    for place, (own, value) in enumerate(numbered, 1):
        number, verdict = place if own is None else own, item(value)
        if found.setdefault(number, verdict) != verdict:
            raise _UnreadError(f"it gives two verdicts on fact {number}")
    if sorted(found) != list(range(1, count + 1)):
        raise _UnreadError(f"it has verdicts on {len(found)} facts, not on facts 1 to {count}")
    return tuple(found[number] for number in range(1, count + 1))


def _is_item(value: Pairs) -> bool:
    keys = {_folded(key) for key, _ in value.pairs}
    return bool(keys & (_NUMBER_KEYS | _SENTENCE_KEYS | _VERDICT_KEYS))


def _own_number(item: Any) -> int | None:
    """The number of the fact that an item speaks of; None where it gives none."""
    if not isinstance(item, Pairs):
        return None
    numbers = {
        number for value in _under(item, _NUMBER_KEYS) if (number := _number(value)) is not None
    }
    if len(numbers) > 1:
        raise _UnreadError("one verdict bears two numbers")
    return numbers.pop() if numbers else None


def _matched(item: Any, sentences: int) -> Sentences:
    if not isinstance(item, Pairs):
        return _numbers(item, sentences)
    said = {_numbers(value, sentences) for value in _under(item, _SENTENCE_KEYS)}
    answers = {_yes_or_no(value, SUPPORT) for value in _under(item, _VERDICT_KEYS)}
    if len(said) > 1 or len(answers) > 1:
        raise _UnreadError("one fact has two verdicts")
    if not said and answers != {False}:
        raise _UnreadError("a fact has no sentence numbers")
    found = said.pop() if said else ()
    if answers and answers.pop() != bool(found):
        raise _UnreadError("an answer and its sentence numbers contradict each other")
    return found


def _numbers(value: Any, sentences: int) -> Sentences:
    """Sentence numbers in rising order."""
    if isinstance(value, str) and not _NUMBERED.fullmatch(value):
        parts = [part for part in re.split(r"[,;\s\[\]]+|\band\b", value) if part]
        value = [] if _folded(value) in _NOTHING else parts
    items = value if isinstance(value, list) else [] if value is None else [value]
    found = set()
    for one in items:
        number = _number(one)
        if number is None:
            raise _UnreadError(f"{str(one)[:20]!r} is no sentence number")
        if not 1 <= number <= sentences:
            raise _UnreadError(f"there is no sentence {number} (1 to {sentences})")
        found.add(number)
    return tuple(sorted(found))


def _supported(item: Any, words: Mapping[str, bool]) -> Support:
    if not isinstance(item, Pairs):
        return Support(_yes_or_no(item, words))
    verdicts = {_yes_or_no(value, words) for value in _under(item, _VERDICT_KEYS)}
    if len(verdicts) != 1:
        raise _UnreadError("one fact has two verdicts" if verdicts else "a fact has no verdict")
    evidence = [value for value in _under(item, _EVIDENCE_KEYS) if isinstance(value, str)]
    return Support(verdicts.pop(), " ".join(evidence) or None)


def _yes_or_no(value: Any, words: Mapping[str, bool]) -> bool:
    known = words.get(_folded(str(value))) if isinstance(value, str | bool | int) else None
    if known is None:
        raise _UnreadError(f"{str(value)[:30]!r} is no verdict")
    return known


def _under(item: Pairs, keys: frozenset[str]) -> Sequence[Any]:
    return [value for key, value in item.pairs if _folded(key) in keys]


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and (found := _NUMBERED.fullmatch(value)):
        return int(found[1])
    return value if isinstance(value, int) else None


def _folded(text: str) -> str:
    """Letters and digits of `text`, in lower case and in one form."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
