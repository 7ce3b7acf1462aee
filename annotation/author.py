"""A model with its prompts and settings, asked once and, after an unusable answer, once more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeVar

from annotation.answer_forms import scripts_for, text_form
from globesumm.errors import GlobeSummError, UsageError
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.errors import ContextOverrun, ModelError, excerpt
from globesumm.llm.recording import Why, asking_for
from globesumm.llm.request import Completion, Decoding, Message, Model, Request
from globesumm.prompts import Library, Prompt

T = TypeVar("T")

Overrun = Literal["refuse", "trim"]


class Unusable(Exception):
    """An answer is nonsense.  The message says why, in words that may go back to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What one call is for: the `step`, what it is `about`, its prompt, the form of its answer.

    `text_in` is the language of an answer that is one text, which has a form only with bounds.
    `planned_as` is the step's name in plans where that is another.
    """

    step: str
    about: str
    prompt: Prompt
    schema: str | None = None
    text_in: str | None = None
    planned_as: str = ""


class StepError(GlobeSummError):
    """One step of one event gave no usable answer.

    `question` says which, `messages` what was asked and `answer` what came back (None if
    nothing did), so that nothing has to be asked again to see what went wrong.  Where the model
    failed, the `ModelError` is the cause.
    """

    def __init__(
        self, question: Question, reason: str, messages: tuple[Message, ...], answer: str | None
    ) -> None:
        self.question, self.reason = question, reason
        self.messages, self.answer = messages, answer
        said = f"; the answer begins {excerpt(answer, 80)!r}" if answer and answer.strip() else ""
        super().__init__(
            f"{question.step} of {question.about} ({question.prompt.reference}): {reason}{said}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[T]):
    """An answer that could be used.

    `text` is the raw answer, `prompt` the prompt's reference, `conversation` everything said,
    the answer included, and `rejected` the raw answer that could not be used before it.
    `notes` say what we had to do, `server_notes` what the server did otherwise than asked.
    `beside` are further texts worth keeping, by name: the drafts that were not taken, and why.
    """

    value: T
    text: str
    prompt: str
    conversation: tuple[Message, ...]
    rejected: str | None = None
    notes: tuple[str, ...] = ()
    server_notes: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who writes: `model` with `prompts` and `decoding`; may be shared by threads.

    `structured` asks servers to enforce the form of lists; without it the prompt alone asks.
    `bounds` narrow these forms, and give texts one.
    `overrun` says what happens to documents longer than the context window: ``"refuse"`` fails
    the item, ``"trim"`` shortens each document by the same share and notes it.  `sample` tells
    repeated draws apart.
    """

    model: Model
    prompts: Library = field(default_factory=Library)
    decoding: Decoding = field(default_factory=Decoding)
    structured: bool = True
    overrun: Overrun = "refuse"
    sample: int = 0
    bounds: Bounds | None = None

    def __post_init__(self) -> None:
        if self.overrun not in ("refuse", "trim"):
            raise UsageError(f"overrun must be 'refuse' or 'trim', not {self.overrun!r}")

    @property
    def allowance(self) -> int:
        """Tokens kept free for an answer: the limit set, else a quarter of the window."""
        if self.decoding.max_tokens is not None:
            return self.decoding.max_tokens
        return min(1024, (self.model.context_window or 4096) // 4)

    def tokens_over(self, messages: tuple[Message, ...], reserve: int = 0) -> int | None:
        """Tokens by which prompt, answer and `reserve` pass the window; None where unknown."""
        window, count = self.model.context_window, self.model.count_tokens(messages)
        if window is None or count is None:
            return None
        return count + self.allowance + reserve - window

    def ask(
        self,
        question: Question,
        messages: tuple[Message, ...],
        read: Callable[[str], T],
        why: Why = "first",
    ) -> Asked[T]:
        """The answer to `messages`, read by `read`, which raises `Unusable` for nonsense.

        `why` is noted of the request (`globesumm.llm.recording`).  Nonsense is asked for once
        more, with the reason; after that, and where the model fails, this raises `StepError`.
        Errors that end a command (`UsageError`) come through.
        """
        first = self._complete(question, messages, why)
        try:
            return _asked(read(first.text), first, question, messages)
        except Unusable as nonsense:
            reason = str(nonsense)
        again = self._with_reason(messages, reason)
        second = self._complete(question, again, "again")
        try:
            value = read(second.text)
        except Unusable as nonsense:
            twice = f"two answers could not be used: {reason}, then {nonsense}"
            raise StepError(question, twice, again, second.text) from nonsense
        asked = _asked(value, second, question, messages)
        note = f"{question.step}: asked twice, because the first answer was unusable: {reason}"
        return replace(asked, rejected=first.text, notes=(note, *asked.notes))

    def _with_reason(self, messages: tuple[Message, ...], reason: str) -> tuple[Message, ...]:
        """`messages` with the reason below the last; the bad answer itself would only mislead."""
        last = messages[-1]
        request = self.prompts["retry.default"].render(reason=reason)
        return (*messages[:-1], replace(last, content=f"{last.content}\n\n{request}"))

    def request(self, question: Question, messages: tuple[Message, ...]) -> Request:
        """What is sent to have `question` answered."""
        schema = question.schema
        if schema is None and question.text_in is not None and self.bounds:
            schema = text_form(self.bounds, scripts_for(question.text_in))
        return Request(
            model=self.model.name,
            messages=messages,
            decoding=self.decoding,
            sample=self.sample,
            schema=schema if self.structured else None,
        )

    def _complete(self, question: Question, messages: tuple[Message, ...], why: Why) -> Completion:
        request = self.request(question, messages)
        try:
            with asking_for(question.planned_as or question.step, why):
                return self.model.complete(request)
        except ModelError as error:
            if isinstance(error, UsageError):
                raise
            reason = str(error)
            if isinstance(error, ContextOverrun) and self.overrun == "refuse":
                reason = f"{reason}; {SHORTEN}"
            said = error.completion.text if error.completion else None
            raise StepError(question, reason, messages, said) from error


SHORTEN = (
    "shorten the documents first (pipeline kis-clp), take a model with a longer window, or let "
    "documents be trimmed"
)
"""What helps where documents are too long and may not be trimmed."""


def _asked(
    value: T, completion: Completion, question: Question, messages: tuple[Message, ...]
) -> Asked[T]:
    return Asked(
        value=value,
        text=completion.text,
        prompt=question.prompt.reference,
        # After a second try the conversation goes on from the plain request.
        conversation=(*messages, Message("assistant", completion.text)),
        server_notes=tuple(f"{question.step}: {note}" for note in completion.notes),
    )
