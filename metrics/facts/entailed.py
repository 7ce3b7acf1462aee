"""Matching and verification by an entailment model instead of a judge that is asked."""

from collections.abc import Sequence

from globesumm.values import KeyFact
from metrics.entailment import Entailer, Pair, Verdict
from metrics.facts.batches import Answer
from metrics.facts.judge import Checked
from metrics.facts.pipeline import Match, Verify
from metrics.facts.replies import Sentences
from metrics.facts.sources import Source


def matching_by_entailment(entailer: Entailer) -> Match:
    """A sentence states a key fact if it entails it; each sentence is read by itself.

    A sentence without a letter or digit states nothing.  A key fact has no verdict where some
    sentence could not be judged and none entails it, nor where one does but another is open:
    which sentences state it decides conciseness.
    """

    def match(
        facts: Sequence[KeyFact], sentences: Sequence[str], language: str
    ) -> list[Answer[Sentences]]:
        telling = [n for n, text in enumerate(sentences, 1) if any(map(str.isalnum, text))]
        pairs = [
            Pair(
                premise=sentences[n - 1],
                hypothesis=fact.text,
                premise_language=language,
                hypothesis_language=fact.language,
            )
            for fact in facts
            for n in telling
        ]
        said = iter(entailer.entails(pairs))
        return [_stated([(n, next(said)) for n in telling]) for _ in facts]

    return match


def _stated(said: Sequence[tuple[int, Verdict]]) -> Answer[Sentences]:
    reason = next((one.reason for _, one in said if one.entailed is None), None)
    if any(one.entailed is None for _, one in said):
        return Answer(None, reason or "the entailer gave no verdict")
    return Answer(tuple(n for n, one in said if one.entailed))


def by_entailment(entailer: Entailer) -> Verify:
    """Verification by an entailment model, which cuts long parts and takes the highest piece."""

    def verify(facts: Sequence[str], language: str, source: Source) -> list[Checked]:
        pairs = [
            Pair(
                premise=part.text,
                hypothesis=fact,
                premise_language=part.language,
                hypothesis_language=language,
            )
            for fact in facts
            for part in source.parts
        ]
        verdicts = entailer.entails(pairs)
        each = len(source.parts)
        found = []
        for first in range(0, len(verdicts), each):
            held = verdicts[first : first + each]
            said = [one.entailed for one in held]
            supported = True if True in said else None if None in said else False
            found.append(
                Checked(
                    supported=supported,
                    by_part={p.id: v for p, v in zip(source.parts, said, strict=True)},
                    pieces=sum(one.chunks for one in held),
                    reason=next((one.reason for one in held if one.reason), None)
                    if supported is None
                    else None,
                )
            )
        return found

    return verify
