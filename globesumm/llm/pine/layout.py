"""Which tokens of a prompt are documents, and which documents may change places."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Piece:
    """Some tokens of a prompt: ordinary text (`group` None), or one document of a group.

    Documents of a group stand side by side and have no order among themselves.  A `target`
    document is nearer than all others of its group to whatever asks, however important they are.
    """

    tokens: tuple[int, ...]
    group: int | None = None
    target: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Document tokens `start` to `end` (exclusive) of group `group`, which ends at `group_end`.

    `rank` orders the documents of a group by what they say; it decides between documents of
    equal importance, since their places must not.
    """

    start: int
    end: int
    group: int
    group_start: int
    group_end: int
    rank: int
    target: bool

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens `start` to `end` that attend alike: document number `document`, or text (None)."""

    start: int
    end: int
    document: int | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The documents of a prompt of `length` tokens; what follows the prompt is ordinary text.

    Only documents that have something to change places with are listed: a document without
    tokens is none, and a group of one is ordinary text, which makes PINE plain attention there.
    """

    length: int
    documents: tuple[Span, ...] = ()

    def blocks(self, length: int) -> list[Block]:
        """The documents and the stretches of text around them, over `length` tokens."""
        found, at = [], 0
        for number, span in enumerate(self.documents):
            if at < span.start:
                found.append(Block(at, span.start, None))
            found.append(Block(span.start, span.end, number))
            at = span.end
        if at < length:
            found.append(Block(at, length, None))
        return found

    def before(self, place: int) -> int:
        """How many documents end at or before token `place`."""
        return sum(span.end <= place for span in self.documents)


def layout(pieces: Sequence[Piece]) -> Layout:
    """The layout of `pieces`, one after the other.

    Raises `ValueError` where the documents of a group do not stand side by side.
    """
    pieces = [piece for piece in pieces if piece.tokens]
    runs = [(group, list(run)) for group, run in groupby(pieces, key=lambda piece: piece.group)]
    repeated = [group for group, count in Counter(group for group, _ in runs).items() if count > 1]
    if any(group is not None for group in repeated):
        raise ValueError(f"the documents of group {repeated} do not stand side by side")
    spans: list[Span] = []
    at = number = 0
    for group, run in runs:
        size = sum(len(piece.tokens) for piece in run)
        if group is not None and len(run) > 1:
            by_content = sorted(range(len(run)), key=lambda place: _content(run[place]))
            ranks = {place: rank for rank, place in enumerate(by_content)}
            start = at
            for place, piece in enumerate(run):
                end = start + len(piece.tokens)
                span = Span(start, end, number, at, at + size, ranks[place], piece.target)
                spans.append(span)
                start = end
            number += 1
        at += size
    return Layout(at, tuple(spans))


def in_content_order(pieces: Sequence[Piece]) -> list[Piece]:
    """`pieces` with the documents of each group sorted by what they say.

    PINE does not need it.  With it, equal sets of documents make equal inputs, so that not even
    the rounding of sums can differ between two orders.
    """
    found: list[Piece] = []
    for group, run in groupby(pieces, key=lambda piece: piece.group):
        some = list(run)
        found += some if group is None else sorted(some, key=_content)
    return found


def _content(piece: Piece) -> tuple[bool, tuple[int, ...]]:
    return (not piece.target, piece.tokens)
