"""Direct summarization: one call over all the passages (GlobeSumm, C.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.answers import Answer
from annotation.author import Asked, Author, Question
from annotation.merges.rounds import ONE_REPORT, about, ended, untold, with_text
from annotation.merges.writing import Found, Writing, once
from annotation.reports import reports
from annotation.schemas import Context
from annotation.stages import WritingStage
from annotation.window import Step
from globesumm.llm.request import Message
from globesumm.prompts import language_name
from globesumm.values import Passage, Round


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectMerge:
    """A summary asked for outright; the stages of `carry` make of it what the next round gets.

    `writing` is how its text is had.
    """

    author: Author
    carry: tuple[WritingStage, ...] = ()
    writing: Writing = once

    @property
    def name(self) -> str:
        """The model's name."""
        return self.author.model.name

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        told = with_text(passages)
        if not told:
            return untold(passages, context)
        asked = direct_summary(self.author, told, context, self.writing)
        notes = (ONE_REPORT,) if len(told) < len(passages) and len(told) == 1 else ()
        return ended(passages, context, {"summary": asked}, self.carry, notes=notes)


def direct_summary(
    author: Author, told: Sequence[Passage], context: Context, writing: Writing = once
) -> Asked[Answer]:
    """A summary of the passages `told`, asked for outright."""
    prompt = author.prompts["direct.two" if len(told) == 2 else "direct.many"]
    target = language_name(context.target)

    def messages(shown: Sequence[Passage]) -> tuple[Message, ...]:
        text = prompt.render(
            target=target, max_words=context.max_words, reports=reports(shown, context)
        )
        return (Message("user", text),)

    question = Question(step="summary", about=about(context), prompt=prompt, text_in=context.target)
    return writing(author, Step(question=question, messages=messages), told, context, Found())
