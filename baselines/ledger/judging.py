"""A model as the judge of what summaries do about conflicts, with CRE's question."""

from collections.abc import Sequence
from dataclasses import dataclass

from baselines.ledger.values import Handling, Treatment
from globesumm.llm.request import Model
from globesumm.values import Issue
from metrics.base import Candidate
from metrics.cre import Cre
from metrics.cre_conflicts import conflict_of
from metrics.cre_formula import ADDRESSED, NOT_ADDRESSED, NOT_INVOLVED

_MEANS = {
    ADDRESSED: Treatment.ADDRESSED,
    NOT_INVOLVED: Treatment.ABSENT,
    NOT_ADDRESSED: Treatment.UNADDRESSED,
}


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks `model` one question a round about all conflicts so far (`metrics.cre.Cre`)."""

    model: Model

    @property
    def name(self) -> str:
        return str(Cre(self.model, {}, "ledger").signature)

    def __call__(self, summary: str, language: str, disputed: Sequence[Issue]) -> list[Handling]:
        """Verdicts in order; without a treatment, with the reason, where the reply had none."""
        standard = {"round": [conflict_of(issue) for issue in disputed]}
        candidate = Candidate(id="round", text=summary, language=language, event="round")
        (judged,) = Cre(self.model, standard, "ledger").judged([candidate])
        if judged.verdicts is None:
            return [Handling(round=0, treatment=None, note=judged.reason)] * len(disputed)
        return [
            Handling(round=0, treatment=_MEANS[verdict], note=judged.note)
            for verdict in judged.verdicts
        ]
