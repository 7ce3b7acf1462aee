"""Sentences of several documents as the points that all further steps work on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.encoders import Encoder
from globesumm.values import Passage, Sentence, Statement

SCALE = 2048
"""Vectors are rounded to this fraction of one.

Sums of such products are exact in double precision, so a cosine is the same number whatever
the order in which threads or blocks of a matrix product add up.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The sentences of all documents in reading order.

    `document[i]` is the place of sentence i's document in `documents` (chronological),
    `position[i]` its 0-based place there, and `vectors` an (n, dimensions) array of whole
    numbers whose dot products, divided by SCALE squared, are cosines.
    """

    documents: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    statements: tuple[Statement, ...]
    document: tuple[int, ...]
    position: tuple[int, ...]
    spans: tuple[slice, ...]
    vectors: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sentences)

    def cosines(self, rows: slice, columns: slice) -> NDArray[np.float64]:
        """Cosines between two runs of sentences, exact to 1/SCALE."""
        product: NDArray[np.float64] = self.vectors[rows] @ self.vectors[columns].T
        return product / SCALE**2

    def cosine(self, left: int, right: int) -> float:
        """The cosine of two sentences."""
        return float(self.vectors[left] @ self.vectors[right]) / SCALE**2


def collect(passages: Sequence[Passage], encoder: Encoder) -> Claims:
    """The sentences of `passages` with their vectors.

    A sentence without a statement (from a model's summary, say) speaks for its passage.
    """
    sentences: list[Sentence] = []
    statements: list[Statement] = []
    document: list[int] = []
    position: list[int] = []
    spans: list[slice] = []
    for place, passage in enumerate(passages):
        start = len(sentences)
        for index, sentence in enumerate(passage.sentences):
            sentences.append(sentence)
            statements.append(_statement(passage, index, sentence))
            document.append(place)
            position.append(index)
        spans.append(slice(start, len(sentences)))
    rows = encoder.encode([sentence.text for sentence in sentences])
    return Claims(
        documents=tuple("+".join(passage.documents) for passage in passages),
        sentences=tuple(sentences),
        statements=tuple(statements),
        document=tuple(document),
        position=tuple(position),
        spans=tuple(spans),
        vectors=np.round(rows.astype(np.float64) * SCALE),
    )


def _statement(passage: Passage, index: int, sentence: Sentence) -> Statement:
    if sentence.statements:
        return sentence.statements[0]
    return Statement(
        document=passage.documents[0],
        index=index + 1,
        language=sentence.language,
        text=sentence.text,
    )
