"""Multi-agent debate: several write, read each other, and write anew (Du et al., 2024).

The perspective paper takes three agents and three rounds and does not say what a round is, or
whose text is taken.  Here the first answers are the first round, so that m agents and n rounds
are m n calls; the text taken is the last one that is most like the others' last ones, which is
what a majority is for texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from annotation.answers import text_reader
from annotation.author import Question, StepError
from annotation.threads import in_threads
from baselines.drafts.base import Choice, Draft, Made, Scored, Task
from baselines.drafts.drawing import Drawing, failed, raise_if_passing
from baselines.drafts.joint import DIGITS
from baselines.drafts.record import kept
from globesumm.llm.request import Message
from globesumm.prompts import Data, language_name
from metrics.rouge import Rouge

AGREEMENT = "agreement"
"""By which the text taken stands out: its mean ROUGE F1 (1, 2, L) with the others' texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """`agents` write and read each other in `rounds` rounds; `settle` says whose text is taken."""

    agents: int = 3
    rounds: int = 3
    settle: Literal["central", "first"] = "central"

    @property
    def name(self) -> str:
        return "debate"

    @property
    def signature(self) -> str:
        whose = "the one most like the others" if self.settle == "central" else "the first agent's"
        return f"{self.name}: agents {self.agents}; rounds {self.rounds}; {whose}"

    def __call__(self, task: Task, drawing: Drawing) -> Made:
        drafts = [
            replace(draft, by=f"agent {draft.number}, round 1")
            for draft in drawing.draw(task, self.agents)
        ]
        latest = {draft.number: draft for draft in drafts if draft.text is not None}
        if not latest:
            reasons = dict.fromkeys(draft.reason or "no text" for draft in drafts)
            raise failed(task, f"no agent gave a text: {'; '.join(reasons)}")
        notes = [
            f"agent {one.number} takes no part: {one.reason}" for one in drafts if not one.text
        ]
        for number in range(2, self.rounds + 1):
            if len(latest) < 2:
                notes.append(f"ended before round {number}: one agent is no debate")
                break
            made = self._round(task, drawing, latest, number)
            for agent, draft in zip(tuple(latest), made, strict=True):
                drafts.append(replace(draft, number=len(drafts) + 1))
                if draft.text is not None:
                    latest[agent] = drafts[-1]
                else:
                    notes.append(f"{draft.by}: {draft.reason}; its text before that stands")
        choice = self._settled(task, list(latest.values()), notes)
        chosen = next(draft for draft in drafts if draft.number == choice.chosen)
        if chosen.asked is None:
            raise failed(task, "the text taken has no answer behind it")
        answer = kept(chosen.asked, drafts, choice)
        return Made(answer=answer, drafts=tuple(drafts), choice=choice)

    def _round(
        self, task: Task, drawing: Drawing, latest: dict[int, Draft], number: int
    ) -> list[Draft]:
        prompt = drawing.author.prompts["drafts.debate"]
        about = task.step.question.about
        question = Question(step="debate", about=about, prompt=prompt, text_in=task.target)

        def one(agent: int) -> Draft:
            own = latest[agent]
            others = tuple(
                Data(label=f"summary by writer {other}", text=draft.text or "")
                for other, draft in latest.items()
                if other != agent
            )
            text = prompt.render(
                others=others, target=language_name(task.target), max_words=task.max_words
            )
            asked_before = own.asked
            base = asked_before.conversation[:-1] if asked_before else ()
            said = (*base, Message("assistant", own.text or ""))
            by = f"agent {agent}, round {number}"
            try:
                asked = drawing.say(
                    question, (*said, Message("user", text)), text_reader(task.target), agent - 1
                )
            except StepError as error:
                raise_if_passing(error)
                return Draft(number=0, text=None, reason=error.reason, by=by)
            # The next round starts from the question again, with this text as the answer.
            asked = replace(asked, conversation=said)
            return Draft(number=0, text=asked.value.items[0], by=by, asked=asked)

        return in_threads([partial(one, agent) for agent in latest], drawing.most_at_once)

    def _settled(self, task: Task, last: Sequence[Draft], notes: Sequence[str]) -> Choice:
        if self.settle == "first" or len(last) == 1:
            return Choice(chosen=last[0].number, rule="the first agent's last", notes=tuple(notes))
        values = agreements([draft.text or "" for draft in last], task.target)
        best = max(values)
        tied = tuple(one.number for one, v in zip(last, values, strict=True) if v == best)
        scored = tuple(
            Scored(
                number=draft.number,
                values={AGREEMENT: value},
                joint=value,
                rank=1 + sum(other > value for other in values),
            )
            for draft, value in zip(last, values, strict=True)
        )
        alike = ["the last texts agree alike: the first agent's was taken"]
        return Choice(
            chosen=tied[0],
            rule="the last text most like the others",
            scored=scored,
            tied=tied if len(tied) > 1 else (),
            notes=(*notes, *(alike if len(tied) > 1 else [])),
        )


def agreements(texts: Sequence[str], language: str) -> list[float]:
    """Of each of two texts or more its mean ROUGE F1 (1, 2, L) with the others, 0 to 1."""
    if len(texts) == 1:
        raise ValueError("one text has no others to agree with")
    rouge = Rouge()
    found = []
    for place, text in enumerate(texts):
        others = [other for at, other in enumerate(texts) if at != place]
        values = [
            one.f for other in others for one in rouge.compare(text, other, language).values()
        ]
        found.append(round(sum(values) / len(values), DIGITS))
    return found
