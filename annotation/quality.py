"""What in a round looks wrong and a person should see: flags, not verdicts.

Every check says of every field whether it passed, did not (a flag), or could not be told.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.schemas import with_carries
from globesumm.languages import UNKNOWN
from globesumm.text import sentences
from globesumm.text.details import Quantity, compatible, details
from globesumm.values import Passage, Round, Sentence, Summary

CHECKS: Mapping[str, str] = {
    "language": "the text is in the language that was asked for",
    "numbers": "every number stands in what the text was made from",
    "shrank": "no list is shorter than the one it was made from",
}
"""What each check asks, by its name."""

Detector = Callable[[str], str | None]
"""The language of a text as a code; None where it cannot be told for sure."""

_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d)[.,\u00a0\u202f'’](?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One check of one field of one round (`round` counts from 1).

    `field` is the key of the published layout, with the document's id behind it where it is a
    document's.  `passed` is None where it could not be told; `detail` then says why, and what
    was found where it is False.
    """

    event: str
    round: int
    check: str
    field: str
    passed: bool | None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """How often a check was made, did not pass, and could not be told."""

    check: str
    made: int
    flagged: int
    untold: int


def totals(found: Mapping[tuple[str, bool | None], int]) -> tuple[Total, ...]:
    """For each of `CHECKS`, in its order, from counts by (check, passed)."""
    found = Counter(found)
    return tuple(
        Total(
            check=name,
            made=found[name, True] + found[name, False],
            flagged=found[name, False],
            untold=found[name, None],
        )
        for name in CHECKS
    )


def check_summary(
    summary: Summary, detect: Detector, kis: Mapping[str, Passage] | None = None
) -> Iterator[Checked]:
    """Every check of every round of `summary`.

    `kis` are the documents' lists in their own languages, by document id; without one, what a
    list in the target language was made from is not known, and the check says so.
    """
    before: Round | None = None
    for done in with_carries(summary.rounds):
        given = done.inputs if before is None else done.inputs[1:]
        fields = [
            *_languages(done, given, summary.target, kis or {}, detect),
            *_numbers(done, summary.target),
            *_lengths(done, given, before, kis or {}),
        ]
        for check, field, passed, detail in fields:
            yield Checked(
                event=summary.event,
                round=done.index,
                check=check,
                field=field,
                passed=passed,
                detail=detail,
            )
        before = done


_Found = tuple[str, str, bool | None, str | None]


def _languages(
    done: Round,
    given: Sequence[Passage],
    target: str,
    kis: Mapping[str, Passage],
    detect: Detector,
) -> Iterator[_Found]:
    texts = [("summary", done.summary, target)]
    texts += [("summary_KIS", done.carry.text, target)] if done.carry else []
    for passage in given:
        named = " + ".join(passage.documents)
        texts.append((f"KIS+CLP {named}", passage.text, passage.language))
        if (own := kis.get(named)) is not None and own.language != passage.language:
            texts.append((f"KIS {named}", own.text, own.language))
    for field, text, wanted in texts:
        if not text.strip():
            yield "language", field, None, "no text"
            continue
        if wanted == UNKNOWN:
            yield "language", field, None, "it is not known which language it should be in"
            continue
        found = detect(text)
        if found is None:
            yield "language", field, None, "too short or too mixed to tell"
        else:
            detail = None if found == wanted else f"{found}, not {wanted}: {text[:80]}"
            yield "language", field, found == wanted, detail


def _numbers(done: Round, target: str) -> Iterator[_Found]:
    read = _sentences(done.summary, target)
    sources = [one for passage in done.inputs for one in passage.sentences]
    for field, texts, origins in (
        ("summary", read, sources),
        ("summary_KIS", done.carry.sentences if done.carry else (), read),
    ):
        if not texts:
            yield "numbers", field, None, "no text"
            continue
        new = new_numbers(texts, origins)
        yield "numbers", field, not new, "; ".join(new) or None


def new_numbers(texts: Iterable[Sentence], origins: Sequence[Sentence]) -> list[str]:
    """The numbers of `texts`, as written, that stand in none of `origins`.

    A number stands there as the same digits, or as a value that can mean the same (a rounded
    or converted one).  Dates and times of day are left out: they follow from when a report was
    published as well.  So are "one" and the like, which may be articles.
    """
    known = [one for sentence in origins for one in _quantities(sentence)]
    digits = {run for sentence in origins for run in _digits(sentence.text)}
    found = [one for sentence in texts for one in _quantities(sentence) if not one.soft]
    return list(dict.fromkeys(one.written for one in found if not _stands(one, known, digits)))


def _stands(one: Quantity, known: Sequence[Quantity], digits: set[str]) -> bool:
    runs = _digits(one.written)
    return (bool(runs) and digits.issuperset(runs)) or any(_same(one, other) for other in known)


def _same(one: Quantity, other: Quantity) -> bool:
    if one.amount == other.amount or one.value == other.value:
        return True
    return (one.kind, one.unit) == (other.kind, other.unit) and compatible(one, other)


def _digits(text: str) -> list[str]:
    return _DIGITS.findall(_GROUPED.sub("", text))


def _quantities(sentence: Sentence) -> tuple[Quantity, ...]:
    return details(sentence.text, sentence.language).quantities


def _sentences(text: str, language: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(text=one, language=language) for one in sentences.split(text, language))


def _lengths(
    done: Round, given: Sequence[Passage], before: Round | None, kis: Mapping[str, Passage]
) -> Iterator[_Found]:
    for passage in given:
        named = " + ".join(passage.documents)
        own = kis.get(named)
        yield _shorter(
            f"KIS+CLP {named}",
            len(passage.sentences),
            len(own.sentences) if own else None,
            "the list it was made from is not known",
        )
    if before is not None and done.carry is not None and before.carry is not None:
        made, earlier = len(done.carry.sentences), len(before.carry.sentences)
        yield _shorter("summary_KIS", made, earlier, "")


def _shorter(field: str, made: int, origin: int | None, unknown: str) -> _Found:
    if origin is None:
        return "shrank", field, None, unknown
    shrank = made < origin
    return "shrank", field, not shrank, f"{origin} items before, {made} now" if shrank else None
