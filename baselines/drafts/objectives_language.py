"""Language balance: whether a draft draws on the languages of its sources alike.

GlobeSumm (section 5.4 and appendix C.3) measures over a data set which languages' documents
entail its summaries.  Here the same shares are taken of one draft, so that one can be chosen
that treats low-resource languages fairly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from baselines.drafts.base import Draft, Task
from baselines.drafts.objectives import document_verdicts, draft_sentences
from globesumm.errors import UnknownName
from globesumm.languages import UNKNOWN
from globesumm.text.sentences import SPLITTER
from metrics.base import Better, Measured, Signature
from metrics.bias.formula import Entailed, language_scores, normalized
from metrics.entailment.base import Entailer

Measure = Literal["entropy", "worst"]

MEASURES = ("entropy", "worst")


def balance(counts: Sequence[Entailed], measure: Measure = "entropy") -> Measured:
    """How evenly one summary draws on languages: 0 (on one alone) to 1 (on all alike).

    Every language's share is the mean over its documents (so that many documents of a language
    do not make it weigh more), divided by the sum over languages (`normalized`).  ``entropy`` is
    the entropy of those shares over the logarithm of the number of languages; ``worst`` the
    least share times that number.  With fewer than two languages there is nothing to balance,
    and where no document entails a sentence nothing to share out: None with the reason.
    """
    scores = language_scores(counts)
    if len(scores) < 2:
        return Measured(None, f"{len(scores)} language: there is nothing to balance")
    held = normalized(scores)
    values = [one.value for one in held.values()]
    if any(value is None for value in values):
        return Measured(None, next(iter(held.values())).note)
    known = [value for value in values if value is not None]
    if measure == "worst":
        return Measured(min(known) * len(known))
    entropy = -math.fsum(value * math.log(value) for value in known if value)
    return Measured(min(1.0, entropy / math.log(len(known))))


@dataclass(frozen=True, slots=True)
class LanguageBalance:
    """`balance` of a draft over the languages of its original documents: 0 to 1, higher is better.

    Premise is each document as the pipeline prepared it (KIS+CLP, as in the paper, where that
    was done), language that of the original.  A few sentences make a coarse measure: with five
    sentences a language's share moves in fifths.
    """

    entailer: Entailer
    measure: Measure = "entropy"
    better: Better = field(default=Better.HIGHER, init=False)
    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise UnknownName("measure of language balance", self.measure, MEASURES)

    @property
    def name(self) -> str:
        return "language-balance" if self.measure == "entropy" else "language-worst"

    @property
    def signature(self) -> str:
        return str(
            Signature.of(
                self.name,
                entailer=self.entailer.name,
                per="document-mean",
                split=SPLITTER,
                v=1,
            )
        )

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        stated = {draft.number: draft_sentences(task, draft) for draft in drafts}
        original = {one.id: one.language for one in task.originals}
        languages = {
            one.id: original.get(one.id, one.language)
            for one in task.documents
            if original.get(one.id, one.language) != UNKNOWN
        }
        if len(set(languages.values())) < 2:
            reason = f"the documents are in {len(set(languages.values()))} known language"
            return [Measured(None, f"{reason}: there is nothing to balance")] * len(drafts)
        verdicts = document_verdicts(self.entailer, task, stated)
        found = []
        for draft in drafts:
            counts, failed = [], 0
            for name, language in languages.items():
                asked = [
                    verdicts[draft.number, name, place]
                    for place in range(len(stated[draft.number]))
                ]
                if not asked or any(one.value is None for one in asked):
                    failed += 1
                    continue
                counts.append(
                    Entailed(
                        summary=task.id,
                        document=name,
                        language=language,
                        entailed=sum(bool(one.entailed) for one in asked),
                        sentences=len(asked),
                    )
                )
            found.append(_told(balance(counts, self.measure), failed, languages))
        return found


def _told(measured: Measured, failed: int, languages: Mapping[str, str]) -> Measured:
    if not failed:
        return measured
    told = f"{failed} of {len(languages)} documents could not be judged"
    return Measured(measured.value, f"{told}; {measured.note}" if measured.note else told)
