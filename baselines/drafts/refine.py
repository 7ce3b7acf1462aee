"""Self-refine: a model criticises its own draft and writes it anew (Madaan et al., 2023).

The perspective paper iterates three times.  Each round starts from the question and the latest
draft alone, so that the conversation does not outgrow the context window.
"""

import re
from dataclasses import dataclass, replace

from annotation.answers import Answer, bare, text_reader
from annotation.author import Asked, Question, StepError, Unusable
from baselines.drafts.base import Choice, Draft, Made, Task
from baselines.drafts.drawing import Drawing, failed, raise_if_passing
from baselines.drafts.record import CRITIQUES, kept
from globesumm.llm.request import Message
from globesumm.prompts import language_name
from globesumm.records import to_json

RULE = "the last revision"
_NO_CHANGE = re.compile(r"\W*no changes?\W*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfRefine:
    """A draft, and `rounds` times a critique of it and a revision.

    With `stop` it ends when the critic finds nothing to change.  A revision that cannot be had
    ends it as well, with the latest draft and the reason in the notes.
    """

    rounds: int = 3
    stop: bool = True

    @property
    def name(self) -> str:
        return "self-refine"

    @property
    def signature(self) -> str:
        ends = "the critic may end it" if self.stop else "every round is carried out"
        return f"{self.name}: rounds {self.rounds}; {ends}"

    def __call__(self, task: Task, drawing: Drawing) -> Made:
        first = drawing.draw(task, 1)[0]
        if first.asked is None or first.text is None:
            raise failed(task, f"the first draft could not be had: {first.reason}")
        drafts = [replace(first, by="first draft")]
        base = first.asked.conversation[:-1]
        notes: list[str] = []
        critiques: list[str] = []
        for number in range(1, self.rounds + 1):
            latest = drafts[-1].text or ""
            said = (*base, Message("assistant", latest))
            try:
                critique, revised = self._round(task, drawing, said)
            except StepError as error:
                raise_if_passing(error)
                notes.append(f"ended in round {number}: {error}")
                break
            critiques.append(critique)
            if revised is None:
                notes.append(f"ended in round {number}: the critic found nothing to change")
                break
            drafts.append(
                Draft(
                    number=number + 1,
                    text=revised.value.items[0],
                    by=f"revision {number}",
                    asked=replace(revised, conversation=said),
                )
            )
            if drafts[-1].text == latest:
                notes.append(f"ended in round {number}: the revision changed nothing")
                break
        last = drafts[-1]
        choice = Choice(chosen=last.number, rule=RULE, notes=tuple(notes))
        more = {CRITIQUES: to_json(critiques)} if critiques else None
        answer = kept(last.asked or first.asked, drafts, choice, more)
        return Made(answer=answer, drafts=tuple(drafts), choice=choice)

    def _round(
        self, task: Task, drawing: Drawing, said: tuple[Message, ...]
    ) -> tuple[str, Asked[Answer] | None]:
        """The critique, and the revision; None where there is nothing to change."""
        prompts, about = drawing.author.prompts, task.step.question.about
        prompt = prompts["drafts.critique"]
        asking = (*said, Message("user", prompt.render()))
        critique = drawing.say(
            Question(step="critique", about=about, prompt=prompt, text_in="en"),
            asking,
            read_critique,
        )
        said_of_it = critique.value.items[0]
        if self.stop and _NO_CHANGE.match(said_of_it):
            return said_of_it, None
        prompt = prompts["drafts.revise"]
        text = prompt.render(target=language_name(task.target), max_words=task.max_words)
        messages = (*asking, Message("assistant", said_of_it), Message("user", text))
        question = Question(step="revise", about=about, prompt=prompt, text_in=task.target)
        return said_of_it, drawing.say(question, messages, text_reader(task.target))


def read_critique(text: str) -> Answer:
    """Any text that says something."""
    text = bare(text)
    if not any(char.isalnum() for char in text):
        raise Unusable("it holds no text")
    return Answer(items=(text,))
