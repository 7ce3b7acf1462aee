"""Requests known by what they are made of: who is asked, the texts between them, and the list."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who is asked.

    `identity` is all that a request says of it (model, decoding), `label` its name in tables.
    `seconds` are those of a call whose answer has so many tokens, `room` the tokens that a
    prompt may have (None: not known).
    """

    label: str
    identity: Hashable
    seconds: Callable[[int], float] = lambda _: 0.0
    room: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Who writes the summaries, who prepares documents, who makes what a round hands on."""

    writing: Asked
    preparing: Asked
    carrying: Asked

    @classmethod
    def of(cls, asked: Asked) -> "Roles":
        """All three by one."""
        return cls(writing=asked, preparing=asked, carrying=asked)


@dataclass(frozen=True, slots=True)
class Text:
    """A text that need not exist yet; `symbol` tells it from others, None is a text without words.

    `covers` is the place of the document it speaks for, or with a minus how many of the first
    ones.  `depth` calls in a row come before it is there, and `ends` is the second when they are
    done if nothing else has to be waited for.
    """

    symbol: Hashable
    tokens: int
    language: str
    covers: int
    depth: int = 0
    ends: float = 0.0


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One request; tokens are estimates, and `tight` ones may not fit the context window.

    `early` ones are not made where a model ends its work before they come up.
    """

    step: str
    asked: str
    prompt_tokens: int
    answer_tokens: int
    depth: int
    ends: float
    seconds: float
    tight: bool
    early: bool = False


class Ledger:
    """Every distinct request so far, in the order in which they first came up."""

    def __init__(self) -> None:
        self.calls: dict[Hashable, PlannedCall] = {}
        self.asked = 0
        self._numbers: dict[Hashable, int] = {}

    def ask(
        self,
        key: tuple[Hashable, ...],
        step: str,
        asked: Asked,
        tokens: tuple[int, int],
        after: Sequence[Text],
        *,
        early: bool = False,
    ) -> tuple[int, PlannedCall]:
        """The number of the request known by `key`, and what is planned for it.

        `tokens` are those of prompt and answer; `after` are the texts it waits for.  A request
        that is `early` wherever it comes up may not be made.
        """
        self.asked += 1
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        call = self.calls.get(number)
        if call is None:
            seconds = asked.seconds(tokens[1])
            call = PlannedCall(
                step,
                asked.label,
                *tokens,
                1 + max(text.depth for text in after),
                seconds + max(text.ends for text in after),
                seconds,
                asked.room is not None and tokens[0] > asked.room,
                early,
            )
            self.calls[number] = call
        elif call.early and not early:
            call = self.calls[number] = replace(call, early=False)
        return number, call


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryQuestion:
    """The question for one summary.

    `key` is how it is known where someone with an identity is asked, `tokens` those of prompt and
    answer, `after` what it waits for; `sources` are the texts of all documents so far.
    """

    key: Callable[[Hashable], tuple[Hashable, ...]]
    tokens: tuple[int, int]
    after: Sequence[Text]
    asked: Asked
    sources: Sequence[Text]
    into: str
    max_words: int


class SymbolicWriting(Protocol):
    """How a summary's text is had: what `annotation.merges.writing.Writing` will ask."""

    def __call__(self, ledger: Ledger, question: SummaryQuestion) -> Text:
        """The text taken; its symbol tells it from any other."""


def once(ledger: Ledger, question: SummaryQuestion) -> Text:
    """One answer, taken as it is."""
    key, asked = question.key(question.asked.identity), question.asked
    number, call = ledger.ask(key, "summary", asked, question.tokens, question.after)
    return replace(answer_of(call), symbol=number)


def answer_of(call: PlannedCall) -> Text:
    """The answer to `call`, as far as it is known before it is there."""
    return Text(None, call.answer_tokens, "", 0, call.depth, call.ends)
