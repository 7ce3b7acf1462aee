"""Long premises in pieces: whole sentences packed to a budget, nothing left out.

A model sees a limited input.  Its value for a long premise is the highest over pieces (as
MiniCheck, AlignScore and SummaC take it), so a fact that needs two distant pieces is missed;
the number of pieces is therefore reported with every verdict.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.finite import counted

Unit = Literal["packed", "sentence", "paragraph"]
"""``packed``: as many sentences as fit the budget; else each sentence or paragraph by itself."""

Measure = Callable[[str], int]
"""Length of a text in what the budget counts (tokens or words)."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """The pieces of one premise in order; `note` says what had to be cut between words."""

    texts: tuple[str, ...]
    note: str | None = None


def chunks(
    text: str, language: str, budget: int, measure: Measure, unit: Unit = "packed"
) -> Chunks:
    """`text` in pieces that each measure at most `budget` (at least 1).

    A sentence longer than the budget is cut between words, and a word between characters; the
    note counts such sentences.  A single character over the budget is left whole.
    """
    if budget < 1:
        raise ValueError(f"a budget of {budget} holds no text")
    if unit == "packed" and measure(text) <= budget:
        return Chunks((text,))
    sentences, cut = [], 0
    for sentence in _units(text, language, unit):
        parts = _fitting(sentence, budget, measure)
        cut += len(parts) > 1
        sentences += parts
    note = f"cut between words, longer than {budget}: {counted(cut, 'sentence')}" if cut else None
    if unit == "packed":
        return Chunks(tuple(_packed(sentences, budget, measure)), note)
    return Chunks(tuple(sentences), note)


def _units(text: str, language: str, unit: Unit) -> list[str]:
    from globesumm.text.sentences import split

    if unit == "paragraph":
        return [line.strip() for line in text.splitlines() if line.strip()]
    return split(text, language)


def _fitting(text: str, budget: int, measure: Measure) -> list[str]:
    """`text` in parts that fit, by halving at the word (else character) nearest the middle."""
    if measure(text) <= budget or len(text) < 2:
        return [text]
    middle = len(text) // 2
    blanks = (text.rfind(" ", 1, middle), text.find(" ", middle, len(text) - 1))
    inner = [place for place in blanks if place > 0]
    place = min(inner, key=lambda blank: abs(blank - middle)) if inner else middle
    halves = (text[:place].strip(), text[place:].strip())
    return [part for half in halves if half for part in _fitting(half, budget, measure)]


def _packed(sentences: Sequence[str], budget: int, measure: Measure) -> list[str]:
    """Consecutive sentences joined while they fit.

    Lengths are added up sentence by sentence, which never measures the same text again; since
    joining may cost a token, each joined piece is measured once more and split if it is over.
    """
    groups: list[list[str]] = []
    filled = 0
    for sentence in sentences:
        length = measure(sentence)
        if not groups or filled + length > budget:
            groups.append([])
            filled = 0
        groups[-1].append(sentence)
        filled += length
    return [piece for group in groups for piece in _checked(group, budget, measure)]


def _checked(group: Sequence[str], budget: int, measure: Measure) -> list[str]:
    piece = " ".join(group)
    if len(group) < 2 or measure(piece) <= budget:
        return [piece]
    half = len(group) // 2
    return [
        part for some in (group[:half], group[half:]) for part in _checked(some, budget, measure)
    ]
