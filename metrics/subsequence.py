"""Longest common subsequences on bit vectors, in the two forms that ROUGE needs.

A row of the usual table is one Python integer, so that a column costs a few operations on
machine words instead of one step a cell (Crochemore et al., 2001; Hyyrö, 2004).
"""

from collections.abc import Sequence


def length(left: Sequence[int], right: Sequence[int]) -> int:
    """Tokens in the longest common subsequence of two token number sequences, 0 or more."""
    from rapidfuzz.distance import LCSseq

    return int(LCSseq.similarity(left, right))


class Reference:
    """A token sequence prepared for many comparisons: where in it each token stands."""

    __slots__ = ("full", "size", "tokens", "where")

    def __init__(self, tokens: Sequence[int]) -> None:
        self.tokens = tokens
        self.size = len(tokens)
        self.full = (1 << self.size) - 1
        self.where: dict[int, int] = {}
        for place, token in enumerate(tokens):
            self.where[token] = self.where.get(token, 0) | (1 << place)

    def places(self, other: Sequence[int]) -> list[int]:
        """Places in the reference of one longest common subsequence with `other`, descending.

        Where several are longest, the one chosen is that of ROUGE-1.5.5 and rouge-score: from
        the ends, a match is always taken, else the step goes where the table is larger, and
        back in the reference on a tie.
        """
        every = max(1, int(len(other) ** 0.5))
        rows = [self.full]
        row = self.full
        for index, token in enumerate(other, 1):
            row = self._next(row, token)
            if index % every == 0:
                rows.append(row)
        found: list[int] = []
        place, column, block = self.size, len(other), -1
        stretch: list[int] = []
        while place and column:
            # Only every √n-th row was kept; a stretch is computed again when it is entered.
            if (column - 1) // every != block:
                block = (column - 1) // every
                stretch = [rows[block]]
                for token in other[block * every : (block + 1) * every]:
                    stretch.append(self._next(stretch[-1], token))
            if self.tokens[place - 1] == other[column - 1]:
                found.append(place - 1)
                place, column = place - 1, column - 1
            elif stretch[column - block * every] >> (place - 1) & 1:
                place -= 1
            else:
                column -= 1
        return found

    def _next(self, row: int, token: int) -> int:
        """The next row; bit i is 0 where the table grows by one between places i and i + 1."""
        matches = row & self.where.get(token, 0)
        return ((row + matches) | (row - matches)) & self.full
