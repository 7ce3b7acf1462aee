"""What is asked about facts, what waits to be asked, and what was heard."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from globesumm.finite import counted
from globesumm.llm.recording import Use, Why
from globesumm.prompts import Data
from metrics.facts.replies import Read

V = TypeVar("V")


@dataclass(slots=True)
class Count:
    """What it took: `calls` made (or answered by a call store), how many answers could be read."""

    calls: int = 0
    read: int = 0
    repaired: int = 0
    split: int = 0
    failed: int = 0

    @property
    def rate(self) -> float | None:
        """Answers read / calls, 0 to 1; None before the first."""
        return self.read / self.calls if self.calls else None

    def __str__(self) -> str:
        rate = "no call" if self.rate is None else f"{100 * self.rate:.1f}% of the replies read"
        return (
            f"{counted(self.calls, 'call')}, {rate}, {counted(self.split, 'batch split')}, "
            f"{self.repaired} repaired, {self.failed} without an answer"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(Generic[V]):
    """Facts on one text, asked about with one prompt.

    `shown` are the prompt's other values; `read` makes verdicts of a reply about `count` facts
    with a mark.  `about` is what decides a verdict beside the fact and the judge.  Where the text
    is `divisible` and too long for the judge, fewer facts are not tried: the caller cuts the text.
    """

    prompt: str
    facts: tuple[str, ...]
    shown: Mapping[str, str | int | Data]
    read: Callable[[str, int, str], Read[V]]
    about: tuple[str, ...]
    divisible: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """The verdict on one fact, or why there is none; `overrun` as in `Read`."""

    verdict: V | None
    reason: str | None = None
    overrun: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What a reply says; `reply` is None where none came, `crowded` where fewer facts may help."""

    read: Read[Any]
    use: Use
    reply: str | None = None
    crowded: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """Facts of the batch at `place` to be asked about; `before` are the calls that led here."""

    place: int
    facts: tuple[str, ...]
    why: Why
    before: tuple[Use, ...] = ()
