"""Documents longer than the context window: refused, or each trimmed by the same share.

Where the model has a tokenizer and a known window, the share is found before the call; else an
overrun shows in the call's failure, and the share shrinks until the call succeeds.  Trimming
keeps the first sentences of each document, at least one: news puts first what matters most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from annotation.author import SHORTEN, Asked, Author, Question, StepError
from globesumm.llm.errors import ContextOverrun
from globesumm.llm.recording import Why
from globesumm.llm.request import Message
from globesumm.values import Passage

T = TypeVar("T")

PARTS = 64
"""A share is a whole number of parts of so many."""

_MARGIN = 0.95
"""Of the share that a stated overrun suggests; documents' tokens are spread unevenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is asked: `messages` makes the request from passages that may have been trimmed.

    `reserve` is how many tokens the conversation will need later on.
    """

    question: Question
    messages: Callable[[Sequence[Passage]], tuple[Message, ...]]
    reserve: int = 0


def ask_within(
    author: Author,
    step: Step,
    passages: Sequence[Passage],
    reader: Callable[[Sequence[Passage]], Callable[[str], T]],
) -> Asked[T]:
    """The answer to `step` about `passages`, trimmed where that is allowed and needed.

    `reader` makes the reader of the answer from the passages as they were shown.  Raises
    `StepError` where the passages do not fit.
    """
    parts = _fitting(author, step, passages)
    why: Why = "first"
    while True:
        shown = [trimmed(passage, parts) for passage in passages]
        try:
            asked = author.ask(step.question, step.messages(shown), reader(shown), why)
        except StepError as error:
            overrun = error.__cause__
            if not isinstance(overrun, ContextOverrun) or author.overrun == "refuse":
                raise
            smaller = _smaller(parts, overrun)
            while smaller and [trimmed(passage, smaller) for passage in passages] == shown:
                smaller //= 2
            if not smaller:
                raise
            parts, why = smaller, "shortened"
        else:
            if notes := _notes(step.question.step, passages, shown, parts):
                asked = replace(asked, notes=(*notes, *asked.notes))
            return asked


def trimmed(passage: Passage, parts: int) -> Passage:
    """The first sentences of `passage` that hold `parts` of `PARTS` of its characters."""
    if parts >= PARTS or len(passage.sentences) < 2:
        return passage
    allowed = sum(len(sentence.text) for sentence in passage.sentences) * parts / PARTS
    kept = 0
    for sentence in passage.sentences:
        allowed -= len(sentence.text)
        if allowed < 0:
            break
        kept += 1
    return replace(passage, sentences=passage.sentences[: max(1, kept)])


def _fitting(author: Author, step: Step, passages: Sequence[Passage]) -> int:
    """The largest share that fits as far as can be counted; all of it where nothing can."""
    if author.model.context_window is None:
        return PARTS

    def over(parts: int) -> int | None:
        messages = step.messages([trimmed(passage, parts) for passage in passages])
        return author.tokens_over(messages, step.reserve)

    beyond = over(PARTS)
    if beyond is None or beyond <= 0:
        return PARTS
    if author.overrun == "trim" and (over(1) or 0) <= 0:
        low, high = 1, PARTS
        while high - low > 1:
            middle = (low + high) // 2
            if (over(middle) or 0) <= 0:
                low = middle
            else:
                high = middle
        return low
    window = author.model.context_window
    advice = (
        "even with one sentence of each document: take a model with a longer window"
        if author.overrun == "trim"
        else SHORTEN
    )
    reason = f"prompt and answer need {beyond} tokens more than the window of {window}; {advice}"
    raise StepError(step.question, reason, step.messages(passages), None)


def _smaller(parts: int, overrun: ContextOverrun) -> int:
    """The next share to try; half of the last where the server did not say by how much."""
    if overrun.tokens and overrun.window and overrun.tokens > overrun.window:
        suggested = int(parts * overrun.window / overrun.tokens * _MARGIN)
        return max(1, min(suggested, parts - 1)) if parts > 1 else 0
    return parts // 2


def _notes(
    step: str, passages: Sequence[Passage], shown: Sequence[Passage], parts: int
) -> tuple[str, ...]:
    cut = [
        f"{len(after.sentences)} of {len(before.sentences)}"
        for before, after in zip(passages, shown, strict=True)
        if after != before
    ]
    if not cut:
        return ()
    note = (
        f"{step}: trimmed to {parts / PARTS:.0%} of each document to fit the context window "
        f"(first sentences kept: {', '.join(cut)})"
    )
    return (note,)
