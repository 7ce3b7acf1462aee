"""What a citation is."""

from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    """Why a sentence of a document is cited, the firmest first."""

    OWN = "own"
    """The summary sentence stands there, word for word."""
    MERGE = "merge"
    """What made the summary names it as saying the same."""
    ENTAILED = "entailed"
    """An entailer says that it states the summary sentence."""
    JOINTLY = "jointly"
    """An entailer says that it does so together with the other sentences cited so."""
    NEAREST = "nearest"
    """It does not suffice; no support, but what a reader should look at first."""


class Standing(StrEnum):
    """Whether a summary sentence has support; `UNJUDGED` is not the same as none."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One cited sentence: the `index`-th (from 1) of `document`.

    `score` is the entailer's value, 0 to 1; None where none was asked (own and merge).
    """

    document: str
    index: int
    language: str
    text: str
    basis: Basis
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One sentence of a round's summary, and what it rests on.

    `sentence` is its place in the summary from 1.  `supports` are ordered by basis, then by
    falling score.  `judged` of `pairs` sentences of documents got a value from the entailer
    (both 0 where none was asked); without support, `nearest` is the one with the highest value.
    `figures` are numbers and times of the sentence that no cited sentence gives.  `method`
    names the entailer and the rules; `note` is why a sentence was not judged, or what a reader
    must know.
    """

    event: str
    recipe: str
    round: int
    sentence: int
    language: str
    text: str
    standing: Standing
    supports: tuple[Support, ...] = ()
    figures: tuple[str, ...] = ()
    judged: int = 0
    pairs: int = 0
    nearest: Support | None = None
    method: str = ""
    note: str | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents cited, each once, in the order of `supports`."""
        return tuple(dict.fromkeys(support.document for support in self.supports))
