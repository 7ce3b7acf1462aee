"""Reranking: several drafts are drawn, proxies score them, the best is taken.

(Perspective paper, section 4: nine drafts, chosen by LLM-Coverage and LLM-Faithfulness.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from baselines.drafts.base import Choice, Draft, Made, Objective, Task
from baselines.drafts.drawing import Drawing, failed
from baselines.drafts.joint import Joined, Rule, scored_by
from baselines.drafts.record import kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerank:
    """`n` drafts, of which `rule` takes one by what `objectives` say of them.

    With one draft nothing is asked of the proxies.  `label` is its name in recipes.
    """

    objectives: tuple[Objective, ...]
    n: int = 9
    rule: Rule = field(default_factory=Joined)
    label: str = "rerank"

    @property
    def name(self) -> str:
        return self.label

    @property
    def signature(self) -> str:
        proxies = " + ".join(one.signature for one in self.objectives)
        return f"{self.name}: n {self.n}; {self.rule.name} of {proxies}"

    def __call__(self, task: Task, drawing: Drawing) -> Made:
        drafts = drawing.draw(task, self.n)
        choice = self.choice(task, drafts)
        return taken(task, drafts, choice)

    def choice(self, task: Task, drafts: Sequence[Draft]) -> Choice:
        """Which of `drafts` to take."""
        texts = [draft for draft in drafts if draft.text is not None]
        if len(drafts) == 1 and texts:
            note = "one draft: there is nothing to choose"
            return Choice(chosen=texts[0].number, rule=self.rule.name, notes=(note,))
        values = scored_by(self.objectives, task, drafts) if texts else {}
        return self.rule.choose(drafts, self.objectives, values)


def taken(task: Task, drafts: Sequence[Draft], choice: Choice) -> Made:
    """What was made by taking the draft of `choice`; raises `StepError` where there is none."""
    chosen = next((draft for draft in drafts if draft.number == choice.chosen), None)
    if chosen is None or chosen.asked is None:
        reasons = dict.fromkeys(draft.reason or "no text" for draft in drafts)
        raise failed(task, f"none of {len(drafts)} drafts could be had: {'; '.join(reasons)}")
    answer = kept(chosen.asked, drafts, choice)
    return Made(answer=answer, drafts=tuple(drafts), choice=choice)
