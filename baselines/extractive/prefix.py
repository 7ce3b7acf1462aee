"""What is known of the documents so far, so that a further one costs only what it changes."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import Claims, Collection, encoded
from baselines.extractive.conflicts import Memory, differ_in_number
from baselines.extractive.encoders import Encoder
from baselines.extractive.graph import Edge, SentenceGraph, backwards
from baselines.extractive.nearness import Closest
from baselines.extractive.voices import copies, heard
from globesumm.values import Passage


class Prefix:
    """Sentences, alignments, sentence graph and voices of a growing number of documents.

    All of it is the same whether the documents come at once or one by one.  Memory grows with
    the number of sentences times that of documents.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._collection = Collection()
        self._passages: list[Passage] = []
        self._published: list[datetime | None] = []
        self._copies: list[tuple[int, int]] = []
        self._closest = Closest()
        self._languages: dict[str, int] = {}
        self._codes: list[int] = []
        self.claims: Claims = self._collection.claims
        self.graph = SentenceGraph(encoder.floors)
        self.edges: list[Edge] = []
        self.disputes = Memory()

    def begins(self, passages: Sequence[Passage], published: Sequence[datetime | None]) -> bool:
        """Whether `passages` begin with all that is known here."""
        count = len(self._passages)
        return (
            len(passages) >= count
            and all(map(_same, self._passages, passages))
            and self._published == list(published[:count])
        )

    def extend(self, passages: Sequence[Passage], published: Sequence[datetime | None]) -> None:
        """Take in what `passages` hold beyond what is known; see `begins`."""
        new = passages[len(self._passages) :]
        for passage, rows in zip(new, encoded(new, self._encoder), strict=True):
            self._collection.add(passage, rows)
            for sentence in passage.sentences:
                code = self._languages.setdefault(sentence.language, len(self._languages))
                self._codes.append(code)
        self.claims = self._collection.claims
        for document in range(len(self._passages), len(passages)):
            self._compare(document, published)
        self.edges.sort()
        self._passages, self._published = list(passages), list(published)

    def _compare(self, document: int, published: Sequence[datetime | None]) -> None:
        claims, floors = self.claims, self._encoder.floors
        contradict = partial(differ_in_number, claims, published, floors)
        rows = claims.spans[document]
        cosines = claims.cosines(rows, slice(0, rows.stop))
        for earlier, edges in backwards(claims, floors, document, cosines).items():
            self.edges += edges
            if copies(claims, earlier, document, edges, contradict):
                self._copies.append((earlier, document))
        codes = np.array(self._codes[: rows.stop], dtype=np.int64)
        self.graph.add(cosines, codes[rows, None] == codes[None, :])
        self._closest.add(cosines, claims.spans[: document + 1])

    @property
    def voice(self) -> list[int]:
        """The voice of each document (see `voices`)."""
        return heard(len(self.claims.documents), self._copies)

    def closest_elsewhere(self, voice: Sequence[int]) -> list[float]:
        """For each sentence the highest cosine with a sentence of another voice, -1 if none."""
        return self._closest.elsewhere(voice)

    def support(self, voice: Sequence[int]) -> NDArray[np.float64]:
        """How near each sentence comes to what the other voices say (see `Closest.support`)."""
        return self._closest.support(voice, np.array(self._codes, dtype=np.int64))


def _same(known: Passage, given: Passage) -> bool:
    return known is given or known == given
