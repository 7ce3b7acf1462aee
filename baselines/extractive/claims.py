"""Sentences of several documents as the points that all further steps work on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.encoders import Encoder
from globesumm.text.words import count_words
from globesumm.values import Passage, Sentence, Statement

SCALE = 2048
"""Vectors are rounded to this fraction of one.

Sums of such products are whole numbers below 2**24 and so exact even in single precision: a
cosine is the same number whatever the order in which threads or blocks of a matrix product add
up, and whichever of two sentences came first.
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
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.sentences)

    def cosines(self, rows: slice, columns: slice) -> NDArray[np.float64]:
        """Cosines between two runs of sentences, exact to 1/SCALE."""
        product = self.vectors[rows] @ self.vectors[columns].T
        return product.astype(np.float64) / SCALE**2

    def cosine(self, left: int, right: int) -> float:
        """The cosine of two sentences."""
        return float(self.vectors[left] @ self.vectors[right]) / SCALE**2

    def words(self, place: int) -> int:
        """How many words a sentence has."""
        sentence = self.sentences[place]
        return _count_words(sentence.text, sentence.language)


@lru_cache(maxsize=50_000)
def _count_words(text: str, language: str) -> int:
    # The recurrent loop asks for the sentences of a prefix again in each round.
    return count_words(text, language)


class Collection:
    """Documents taken in one after the other; `claims` at any time are those of all so far."""

    def __init__(self) -> None:
        self._documents: list[str] = []
        self._sentences: list[Sentence] = []
        self._statements: list[Statement] = []
        self._document: list[int] = []
        self._position: list[int] = []
        self._spans: list[slice] = []
        self._rows: NDArray[np.float32] = np.zeros((0, 1), dtype=np.float32)

    def add(self, passage: Passage, rows: NDArray[np.float32]) -> None:
        """Take in a passage with the vectors of its sentences.

        A sentence without a statement (from a model's summary, say) speaks for its passage.
        """
        start, stop = len(self._sentences), len(self._sentences) + len(passage.sentences)
        for index, sentence in enumerate(passage.sentences):
            self._sentences.append(sentence)
            self._statements.append(_statement(passage, index, sentence))
            self._document.append(len(self._documents))
            self._position.append(index)
        self._documents.append("+".join(passage.documents))
        self._spans.append(slice(start, stop))
        if stop > start:
            self._make_room(stop, rows.shape[1])
            self._rows[start:stop] = np.round(rows * SCALE)

    def _make_room(self, needed: int, dimensions: int) -> None:
        if needed > len(self._rows):
            roomier = np.zeros((max(needed, 2 * len(self._rows)), dimensions), dtype=np.float32)
            if len(self._rows):
                roomier[: len(self._rows)] = self._rows
            self._rows = roomier

    @property
    def claims(self) -> Claims:
        """All sentences so far."""
        return Claims(
            documents=tuple(self._documents),
            sentences=tuple(self._sentences),
            statements=tuple(self._statements),
            document=tuple(self._document),
            position=tuple(self._position),
            spans=tuple(self._spans),
            vectors=self._rows[: len(self._sentences)],
        )


def collect(passages: Sequence[Passage], encoder: Encoder) -> Claims:
    """The sentences of `passages` with their vectors."""
    collection = Collection()
    for passage, rows in zip(passages, encoded(passages, encoder), strict=True):
        collection.add(passage, rows)
    return collection.claims


def encoded(passages: Sequence[Passage], encoder: Encoder) -> list[NDArray[np.float32]]:
    """The vectors of the sentences of each passage, made in one go."""
    texts = [sentence.text for passage in passages for sentence in passage.sentences]
    rows = encoder.encode(texts)
    ends = np.cumsum([len(passage.sentences) for passage in passages])
    return np.split(rows, ends[:-1]) if len(passages) else []


def _statement(passage: Passage, index: int, sentence: Sentence) -> Statement:
    if sentence.statements:
        return sentence.statements[0]
    return Statement(
        document=passage.documents[0],
        index=index + 1,
        language=sentence.language,
        text=sentence.text,
    )
