"""Extractive fragments: the stretches that a summary shares with its source (Grusky et al., 2018).

At each place of the summary the published algorithm takes the longest stretch that it finds in
the source.  Looking for it, it jumps over every match it has tried, and so can miss a longer one
that begins inside: in "a a a b" it finds "a a" and "b" of the summary "a a b", never "a a b".
`greedy` is that algorithm, `longest` the one without the jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_STEPS = 2_000_000
"""Comparisons of two words, after which texts count as too repetitive to be compared."""


class TooRepetitive(Exception):
    """The texts repeat themselves so often that finding fragments would take too long."""


@dataclass(frozen=True, slots=True)
class Fragments:
    """The lengths in words of the fragments of a summary of `words` words, in its order."""

    lengths: tuple[int, ...]
    words: int

    @property
    def coverage(self) -> float:
        """The share of the summary's words that lie in a fragment, from 0 to 1."""
        return sum(self.lengths) / self.words

    @property
    def density(self) -> float:
        """The mean over the summary's words of the length of the fragment each lies in."""
        return sum(length * length for length in self.lengths) / self.words


def greedy(summary: Sequence[str], sources: Sequence[Sequence[str]]) -> Fragments:
    """The fragments that the published algorithm finds; none crosses from one source to another.

    Raises `TooRepetitive`.  An empty summary has no fragments and neither coverage nor density.
    """
    return _fragments(summary, sources, jump=True)


def longest(summary: Sequence[str], sources: Sequence[Sequence[str]]) -> Fragments:
    """The same with the truly longest stretch at each place; density is never lower than
    `greedy` would find at that place.
    """
    return _fragments(summary, sources, jump=False)


def _fragments(
    summary: Sequence[str], sources: Sequence[Sequence[str]], *, jump: bool
) -> Fragments:
    text: list[str | None] = []
    places: dict[str, list[int]] = {}
    for source in sources:
        for place, word in enumerate(source, start=len(text)):
            places.setdefault(word, []).append(place)
        text += [*source, None]
    left = MOST_STEPS
    lengths = []
    at = 0
    while at < len(summary):
        best = free = 0
        for place in places.get(summary[at], ()):
            left -= 1
            if place < free:
                continue
            length = 1
            while at + length < len(summary) and summary[at + length] == text[place + length]:
                length += 1
            left -= length
            if left < 0:
                raise TooRepetitive
            best = max(best, length)
            if jump:
                free = place + length
            elif at + best == len(summary):
                break
        if best:
            lengths.append(best)
        at += max(best, 1)
    return Fragments(lengths=tuple(lengths), words=len(summary))
