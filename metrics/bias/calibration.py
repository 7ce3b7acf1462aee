"""How well an entailer reads each language: what it finds of sentences known to be entailed.

An entailer that overlooks more in one language makes every summarizer look biased against it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.languages import UNKNOWN
from globesumm.values import Document
from metrics.entailment.base import Entailer, Pair, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pair whose answer is known; the premise's language is the one calibrated."""

    pair: Pair
    entailed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Rates of "entailed" for premises in one language.

    `hit` is the rate among sentences known to be entailed, `false` among sentences known not to
    be (None where none were judged).  `n` of `expected` pairs were judged.
    """

    language: str
    hit: float | None
    false: float | None
    n: int
    expected: int
    reason: str | None = None

    def corrected(self, share: float) -> float | None:
        """The share of sentences truly entailed, from an observed one (Rogan and Gladen, 1978).

        (share − false) / (hit − false); it may lie outside 0 to 1, as an unbiased estimate
        must.  None where the entailer does not tell entailed from other sentences.
        """
        if self.hit is None or self.false is None or self.hit - self.false < 0.05:
            return None
        return (share - self.false) / (self.hit - self.false)


def calibrate(entailer: Entailer, known: Iterable[Known]) -> dict[str, Calibration]:
    """The calibration of each language among the premises, in alphabetical order."""
    pairs = list(dict.fromkeys(known))
    verdicts = entailer.entails([one.pair for one in pairs])
    groups: dict[str, list[tuple[bool, Verdict]]] = {}
    for one, verdict in zip(pairs, verdicts, strict=True):
        groups.setdefault(one.pair.premise_language, []).append((one.entailed, verdict))
    return {language: _calibration(language, groups[language]) for language in sorted(groups)}


def _calibration(language: str, held: Sequence[tuple[bool, Verdict]]) -> Calibration:
    judged = [(true, verdict) for true, verdict in held if verdict.value is not None]
    hits = [bool(verdict.entailed) for true, verdict in judged if true]
    wrong = [bool(verdict.entailed) for true, verdict in judged if not true]
    reasons = (verdict.reason for _, verdict in held if verdict.value is None)
    return Calibration(
        language=language,
        hit=sum(hits) / len(hits) if hits else None,
        false=sum(wrong) / len(wrong) if wrong else None,
        n=len(judged),
        expected=len(held),
        reason=next(reasons, None),
    )


Versions = Mapping[str, Document]
"""One report by language: translations of each other."""


def from_translations(
    reports: Sequence[Versions], pivot: str, *, apart: int = 1, most_sentences: int = 20
) -> list[Known]:
    """Known pairs from translated reports, the same sentences for every language.

    Each sentence of the version in `pivot` is entailed by the report in every other language
    (and, trivially, in its own, which is left out), and not by the report `apart` places on,
    which should be on another subject.  Reports that lack the pivot are passed over.
    """
    known = []
    for place, versions in enumerate(reports):
        if pivot not in versions:
            continue
        sentences = _sentences(versions[pivot])[:most_sentences]
        other = reports[(place + apart) % len(reports)]
        for told, entailed in ((versions, True), (other, False)):
            if told is versions and not entailed:
                continue
            known += [
                _known(document, sentence, pivot, entailed=entailed)
                for language, document in sorted(told.items())
                if language != pivot
                for sentence in sentences
            ]
    return known


def from_own_sentences(
    documents: Sequence[Document], *, apart: int = 1, most_sentences: int = 10
) -> list[Known]:
    """Known pairs within each language: a document's own sentences, and another's.

    Weaker than translations: a sentence found verbatim says little of one in other words or in
    the summary's language, so it shows only gross failures.
    """
    by_language: dict[str, list[Document]] = {}
    for document in documents:
        by_language.setdefault(document.language, []).append(document)
    known = []
    for language, held in sorted(by_language.items()):
        for place, document in enumerate(held):
            other = held[(place + apart) % len(held)]
            for sentence in _sentences(document)[:most_sentences]:
                known.append(_known(document, sentence, language, entailed=True))
                if other is not document and sentence not in other.text:
                    known.append(_known(other, sentence, language, entailed=False))
    return known


def _sentences(document: Document) -> list[str]:
    from globesumm.text.sentences import split

    return split(document.text, document.language)


def _known(document: Document, sentence: str, language: str, *, entailed: bool) -> Known:
    return Known(
        pair=Pair(
            premise=document.text,
            hypothesis=sentence,
            premise_language=document.language or UNKNOWN,
            hypothesis_language=language,
        ),
        entailed=entailed,
    )
