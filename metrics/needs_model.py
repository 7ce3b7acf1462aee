"""Metrics of the GlobeSumm paper that no packaged model can compute.

They are listed beside the others, unscored, with what each would need, so that a report never
looks complete without them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from globesumm.values import Score
from metrics.base import Better, Candidate, Column, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsModel:
    """A metric that is not computed here; `needs` says what is missing, `source` where it is."""

    name: str
    measures: str
    better: Better
    needs: str
    source: str

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name=self.name, better=self.better),)

    @property
    def signature(self) -> Signature:
        return Signature.of(self.name, needs="model")

    def score(self, candidates: Sequence[Candidate]) -> list[Score]:
        """For each candidate a score without a value, whose note says what is missing."""
        return [
            Score(
                id=candidate.id,
                metric=self.name,
                value=None,
                signature=str(self.signature),
                note=f"not scored: needs {self.needs}",
                event=candidate.event,
                recipe=candidate.recipe,
                round=candidate.round,
                language=candidate.language,
            )
            for candidate in candidates
        ]


NEEDS_MODEL: tuple[NeedsModel, ...] = (
    NeedsModel(
        name="nic",
        measures="what a human summary says and the text leaves out",
        better=Better.LOWER,
        needs="an entailment model, named with --entailer (the paper's: true, which is "
        "t5_xxl_true_nli_mixture); nic-lexical and nic-vectors run without one",
        source="GlobeSumm, appendix C.2",
    ),
    NeedsModel(
        name="cre",
        measures="how many of the event's known conflicts the text addresses",
        better=Better.HIGHER,
        needs="an instruction-following model that judges, named with --judge (the paper's: "
        "gpt-3.5-turbo)",
        source="GlobeSumm, appendix C.2",
    ),
    NeedsModel(
        name="language-bias",
        measures="how unevenly the text draws on the languages of its sources",
        better=Better.LOWER,
        needs="an entailment model that reads every language of the event: globesumm bias RUN",
        source="GlobeSumm, section 5.4",
    ),
)
"""In the order in which reports list them."""

NEEDS_JUDGE: tuple[NeedsModel, ...] = (
    NeedsModel(
        name="llm-coverage",
        measures="how much of the sources' main points the text tells, as a model rates it",
        better=Better.HIGHER,
        needs="an instruction-following model that rates, named with --judge (the paper's: "
        "Mistral-7B-Instruct-v0.3)",
        source="perspective paper, section 3.1",
    ),
    NeedsModel(
        name="llm-faithfulness",
        measures="how far the sources support the text, as a model rates it",
        better=Better.HIGHER,
        needs="an instruction-following model that rates, named with --judge (the paper's: "
        "Mistral-7B-Instruct-v0.3)",
        source="perspective paper, section 3.1",
    ),
    NeedsModel(
        name="alignment",
        measures="how far some source entails each sentence of the text, on the mean",
        better=Better.HIGHER,
        needs="an entailment model, named with --entailer (the paper's is AlignScore's); "
        "alignment-lexical and alignment-vectors run without one",
        source="AlignScore (Zha et al., 2023); perspective paper, section 3.1",
    ),
)
"""Metrics that take a model as well, and are listed only where they are asked for."""
