"""The lines of a day, as wikitext and HTML both give them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.values import Rejected
from retrieval.portal.pieces import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A heading, a bullet of some level, more text of the bullet before it, or stray text.

    `level` is 1 or more for bullets; `line` is the line it begins in, None where there are none.
    """

    kind: Literal["heading", "bullet", "more", "stray"]
    pieces: Sequence[Piece]
    level: int = 0
    line: int | None = None
    notes: Sequence[str] = ()


Items = Sequence[Item | Rejected]
