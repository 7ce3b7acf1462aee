"""Redundancy as the source that GlobeSumm cites computes it: token by token."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import regex
from numpy.typing import NDArray

from globesumm.errors import UnknownName
from globesumm.finite import counted
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
)
from metrics.matching import MOST_CELLS
from metrics.red import SHIPPED, EncoderSettings, encoded
from metrics.sentences import SPLITTERS, splitter_name

_WORD = regex.compile(r"[\p{L}\p{N}]")


@dataclass(frozen=True, slots=True)
class RedTokens(Metric):
    """Mean over a text's tokens of the highest cosine with any other of its tokens.

    `stop_words` (lower case) are left out, as are punctuation and the later pieces of words.
    """

    encoder: EncoderSettings = SHIPPED
    split: Literal["icu", "lines"] = "icu"
    stop_words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.split not in SPLITTERS:
            raise UnknownName("sentence splitter", self.split, SPLITTERS, "RedTokens")

    @classmethod
    def minilm(cls) -> "RedTokens":
        """With the encoder that installs as a package; English only."""
        return cls()

    @property
    def name(self) -> str:
        return "red-tokens"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name="red-tokens", better=Better.LOWER, low=0.0, high=1.0),)

    @property
    def signature(self) -> Signature:
        listed = "\n".join(sorted(self.stop_words)).encode()
        return Signature.of(
            "red-tokens",
            model=self.encoder.model,
            layer=self.encoder.layer,
            lang="+".join(self.encoder.languages or ("any",)),
            stop=hashlib.sha256(listed).hexdigest()[:8] if self.stop_words else "none",
            split=splitter_name(self.split),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return self.encoder.requires

    def describe(self) -> Description:
        return Description(
            measures="how near each word of a text comes to another word of it, in context",
            formula="mean over tokens t of max over tokens u ≠ t of max(0, cos(t, u)), u from "
            "the same sentence too",
            range="0 to 1 (every word has a double in a like context); lower is better",
            empty="fewer than two sentences or two tokens: unscored; sentences in a language the "
            "encoder does not know: unscored",
            cost="as red",
            source="Chen et al. (2021), redundancy term, as in the code published with it",
            difference="the source encodes with bert-large-nli-stsb-mean-tokens and leaves out "
            "NLTK's English stop words; here the shipped encoder is used and stop words stay "
            "unless a list is given",
            weak_spots="a word used twice for good reason counts as redundancy; GlobeSumm's Red "
            "compares sentences, so the two must not share a column",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        encoder = self.encoder.load()
        found: list[Mapping[str, Measured]] = []
        for prepared, sentences in encoded(candidates, self.split, self.encoder):
            note = joined(prepared.refusal, prepared.note)
            kept = [
                sentence.vectors[self._counted(encoder.pieces(tokens), sentence.weights)]
                for sentence, tokens in zip(sentences, prepared.sentences, strict=True)
            ]
            measured = _measured(np.concatenate(kept), note) if kept else Measured(None, note)
            found.append({"red-tokens": measured})
        return found

    def _counted(self, pieces: Sequence[str], weights: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which tokens count: no end marks, later pieces, punctuation or stop words."""
        starts = "▁Ġ"
        marked = any(piece.startswith(tuple(starts)) for piece in pieces)
        return np.array(
            [
                weight > 0
                and not piece.startswith("##")
                and (not marked or piece[0] in starts or before == 0)
                and _WORD.search(piece) is not None
                and piece.lstrip(starts).lower() not in self.stop_words
                for piece, weight, before in zip(pieces, weights, (0, *weights[:-1]), strict=True)
            ],
            dtype=np.bool_,
        )


def _measured(vectors: NDArray[np.float32], note: str | None) -> Measured:
    """The mean over rows of the highest cosine with another row, 0 where all are negative."""
    if len(vectors) < 2:
        return Measured(
            None, joined(f"{counted(len(vectors), 'token')} to compare: redundancy needs two", note)
        )
    best = np.zeros(len(vectors))
    rows = max(1, MOST_CELLS // len(vectors))
    for first in range(0, len(vectors), rows):
        block = vectors[first : first + rows] @ vectors.T
        places = np.arange(len(block))
        block[places, places + first] = 0
        best[first : first + rows] = block.max(axis=1)
    return Measured(float(np.clip(best, 0, 1).mean()), note)
