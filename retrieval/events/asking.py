"""A model asked many things side by side, each once and, after an unusable answer, once more."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from globesumm.errors import UsageError
from globesumm.llm.bounded import complete_all
from globesumm.llm.errors import ModelError, excerpt
from globesumm.llm.request import Completion, Decoding, Message, Model, Request
from globesumm.progress import track
from globesumm.prompts import Library

T = TypeVar("T")


class Unusable(Exception):
    """An answer is nonsense.  The message says why, in words that may go back to the model."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What is asked; `read` makes the value of an answer, or raises `Unusable`."""

    content: str
    read: Callable[[str], T]


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """The value of an answer; where there is none (None), `reason` says why."""

    value: T | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A model with its prompts and decoding; `most_at_once` calls are in flight."""

    model: Model
    prompts: Library = field(default_factory=Library)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0, seed=0))
    most_at_once: int = 8

    def ask(self, questions: Sequence[Question[T]], what: str) -> list[Said[T]]:
        """The answer to each question, in order.

        Unusable answers are asked for once more, with the reason; what is unusable then, and what
        the model fails at, has no value.  Errors that end a command (`UsageError`) are raised.
        """
        first = list(self._answers([question.content for question in questions], what))
        said = [_read(question, answer) for question, answer in zip(questions, first, strict=True)]
        again = [place for place, one in enumerate(said) if isinstance(one, _Nonsense)]
        contents = [self._with_reason(questions[place], said[place]) for place in again]
        second = self._answers(contents, f"{what}, once more") if again else iter(())
        for place, answer in zip(again, second, strict=True):
            said[place] = _read(questions[place], answer)
        return [
            Said(None, f"two answers could not be used, the last: {one.reason}")
            if isinstance(one, _Nonsense)
            else one
            for one in said
        ]

    def _answers(self, contents: Sequence[str], what: str) -> Iterator[Completion | ModelError]:
        requests: Iterable[Request] = (
            Request(
                model=self.model.name,
                messages=(Message("user", content),),
                decoding=self.decoding,
            )
            for content in contents
        )
        answers = complete_all(self.model, requests, most_at_once=self.most_at_once)
        yield from track(answers, what, len(contents))

    def _with_reason(self, question: Question[T], said: "Said[T] | _Nonsense") -> str:
        request = self.prompts["retry.default"].render(reason=str(said.reason))
        return f"{question.content}\n\n{request}"


@dataclass(frozen=True, slots=True)
class _Nonsense:
    reason: str


def _read(question: Question[T], answer: Completion | ModelError) -> Said[T] | _Nonsense:
    if isinstance(answer, ModelError):
        if isinstance(answer, UsageError):
            raise answer
        return Said(None, f"the model gave no answer: {answer}")
    try:
        return Said(question.read(answer.text))
    except Unusable as nonsense:
        return _Nonsense(f"{nonsense}: {excerpt(answer.text, 80)!r}")
