"""Drawing drafts: the same question asked several times, and what is said on from an answer.

Drafts share their prompt and differ in their sample, so each is stored by itself: a run that was
killed, or that wants more of them, buys none twice.  Where the server gives several answers to
one prompt they come in one call (`globesumm.llm.together`), else at once in several.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from annotation.answers import Answer, text_reader
from annotation.author import Asked, Author, Question, StepError
from annotation.threads import in_threads
from annotation.window import ask_within
from baselines.drafts.base import Draft, Task
from globesumm.llm.errors import (
    ConnectionLost,
    ModelError,
    NotStored,
    RateLimited,
    ServerFault,
    TimedOut,
)
from globesumm.llm.request import Decoding, Message
from globesumm.llm.together import draw_together

T = TypeVar("T")

SEEDS_APART = 1000
"""Servers get seed + sample: so far apart are seeds, so that repeats share no draft's seed."""

PASSING = (RateLimited, ServerFault, ConnectionLost, TimedOut, NotStored)
"""Failures that say nothing about the question: to go on without the answer would be to choose
among fewer drafts for ever, so the summary fails and is made when the command is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Who draws, and how: `author` at `temperature` and `top_p`, `most_at_once` calls at a time.

    Without shared threads (`annotation.threads.THREADS`) each drawing has its own.
    """

    author: Author
    temperature: float = 0.7
    top_p: float | None = None
    most_at_once: int = 8

    def sampled(self, sample: int) -> Author:
        """The author of draft `sample` (from 0)."""
        decoding = draft_decoding(self.author.decoding, self.temperature, self.top_p)
        return replace(self.author, decoding=decoding, sample=self.author.sample + sample)

    def draw(self, task: Task, count: int) -> list[Draft]:
        """`count` drafts; one that the model could not give is named, and the rest go on.

        Raises `StepError` for a failure that may be over when the command is repeated.
        """
        self._draw_together(task, count)
        return in_threads(
            [partial(self._one, task, number) for number in range(1, count + 1)],
            self.most_at_once,
        )

    def say(
        self,
        question: Question,
        messages: tuple[Message, ...],
        read: Callable[[str], Answer],
        sample: int = 0,
    ) -> Asked[Answer]:
        """The answer to what is said on after a draft; raises what `Author.ask` raises."""
        return self.sampled(sample).ask(question, messages, read)

    def _one(self, task: Task, number: int) -> Draft:
        read = text_reader(task.target)
        author = self.sampled(number - 1)
        try:
            asked = ask_within(author, task.step, task.passages, lambda _: read)
        except StepError as error:
            raise_if_passing(error)
            return Draft(number=number, text=None, reason=error.reason)
        return Draft(number=number, text=asked.value.items[0], asked=asked)

    def _draw_together(self, task: Task, count: int) -> None:
        if count < 2:
            return
        messages = task.step.messages(task.passages)
        if (self.author.tokens_over(messages, task.step.reserve) or 0) > 0:
            return
        question = task.step.question
        requests = [
            author.request(question, messages) for author in map(self.sampled, range(count))
        ]
        draw_together(self.author.model, requests)


def draft_decoding(plain: Decoding, temperature: float, top_p: float | None) -> Decoding:
    """How drafts are drawn by an author who is otherwise asked with `plain`."""
    seed = None if plain.seed is None else plain.seed * SEEDS_APART
    return replace(plain, temperature=temperature, top_p=top_p, seed=seed)


def raise_if_passing(error: StepError) -> None:
    """Raise `error` where the same question may be answered later."""
    if isinstance(error.__cause__, PASSING):
        raise error


def failed(
    task: Task,
    reason: str,
    error: ModelError | None = None,
    *,
    question: Question | None = None,
) -> StepError:
    """The failure of a whole task: its question, or another `question`, had no answer."""
    messages = task.step.messages(task.passages)
    found = StepError(question or task.step.question, reason, messages, None)
    found.__cause__ = error
    return found
