"""What became of each sentence from one round's summary to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from globesumm.values import Sentence

ALIKE = 75.0
"""Least likeness (rapidfuzz's ratio, 0 to 100) at which a sentence counts as another reworded."""

MOST_PAIRS = 250_000
"""Pairs of sentences that are held against each other: 500 new ones beside 500 gone.

Beyond that the time grows out of hand, and a list of rewordings would help no reader.
"""


class Change(StrEnum):
    """What a sentence is to the summary before."""

    KEPT = "kept"
    REWORDED = "reworded"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A change for each sentence of the later summary, and what it no longer says.

    `before` holds, for each sentence, what a reworded one was; None for all others.  `looked` is
    False where there were too many sentences to look for rewordings.
    """

    marks: tuple[Change, ...]
    before: tuple[Sentence | None, ...]
    dropped: tuple[Sentence, ...]
    looked: bool = True


def changes(earlier: Sequence[Sentence], later: Sequence[Sentence]) -> Changes:
    """Each sentence of `later` as kept (equal but for blanks), reworded or added.

    A sentence is at most one other's rewording, in its own language; the likest pairs are taken
    first, earlier places before later ones.
    """
    left = dict(enumerate(earlier))
    places: dict[str, list[int]] = {}
    for place, one in reversed(left.items()):
        places.setdefault(_bare(one), []).append(place)
    marks: dict[int, Change] = {}
    before: dict[int, Sentence] = {}
    for place, one in enumerate(later):
        if same := places.get(_bare(one)):
            del left[same.pop()]
            marks[place] = Change.KEPT
    looked = len(left) * (len(later) - len(marks)) <= MOST_PAIRS
    for _, place, other in sorted(_pairs(left, later, marks)) if looked else ():
        if place not in marks and other in left:
            marks[place] = Change.REWORDED
            before[place] = left.pop(other)
    return Changes(
        marks=tuple(marks.get(place, Change.ADDED) for place in range(len(later))),
        before=tuple(before.get(place) for place in range(len(later))),
        dropped=tuple(left.values()),
        looked=looked,
    )


def _pairs(
    left: dict[int, Sentence], later: Sequence[Sentence], marks: dict[int, Change]
) -> list[tuple[float, int, int]]:
    from rapidfuzz import fuzz

    found = []
    for place, one in enumerate(later):
        if place in marks:
            continue
        for other, sentence in left.items():
            if sentence.language == one.language:
                likeness = fuzz.ratio(_bare(one), _bare(sentence), score_cutoff=ALIKE)
                if likeness:
                    found.append((-likeness, place, other))
    return found


def _bare(sentence: Sentence) -> str:
    return " ".join(sentence.text.split())
