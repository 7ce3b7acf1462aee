"""How near each sentence comes to what each other document says."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import SCALE

NOTHING = -1
"""Nearness to a document without a sentence."""


class Closest:
    """For each sentence and document the highest cosine between them."""

    def __init__(self) -> None:
        self._by_document: list[NDArray[np.float32]] = []

    def add(self, cosines: NDArray[np.float64], spans: tuple[slice, ...]) -> None:
        """Take in the last of `spans`; `cosines` are as for `SentenceGraph`, exact in 32 bits."""
        new = np.full((len(cosines), len(spans)), NOTHING, dtype=np.float32)
        for place, columns in enumerate(spans[:-1]):
            block = cosines[:, columns]
            there = self._by_document[place]
            if there.shape[1] < len(spans):
                more = ((0, 0), (0, max(8, there.shape[1])))
                there = self._by_document[place] = np.pad(there, more, constant_values=NOTHING)
            if block.size:
                new[:, place] = block.max(axis=1)
                there[:, len(spans) - 1] = block.max(axis=0)
        self._by_document.append(new)

    def elsewhere(self, voice: Sequence[int]) -> list[float]:
        """For each sentence the highest cosine with a sentence of another voice, -1 if none."""
        speaker = np.array(voice)
        found: list[float] = []
        for place, highest in enumerate(self._by_document):
            others = highest[:, : len(voice)][:, speaker != speaker[place]]
            found += others.max(axis=1, initial=NOTHING).tolist()
        return found

    def support(self, voice: Sequence[int], language: NDArray[np.int64]) -> NDArray[np.float64]:
        """How near each sentence comes to the other voices, on average, in standard deviations.

        From a sentence's highest cosine with a voice is taken the mean of all sentences of its
        language with that voice, since cosines differ more by languages than by meaning;
        `language` numbers the language of each sentence.  0 where there is no other voice.
        """
        count, speaker = len(voice), np.array(voice, dtype=np.int64)
        support = np.zeros(len(language))
        if not len(language):
            return support
        own = np.repeat(speaker, [len(rows) for rows in self._by_document])
        highest = np.concatenate([rows[:, :count] for rows in self._by_document])
        heard = [one for one in np.unique(speaker) if (own == one).any()]
        nearest = np.stack([highest[:, speaker == one].max(axis=1) for one in heard], axis=1)
        for code in np.unique(language):
            rows = np.flatnonzero(language == code)
            others = own[rows, None] != np.array(heard)[None, :]
            support[rows] = _standardized(nearest[rows].astype(np.float64), others)
        return support


def _standardized(values: NDArray[np.float64], there: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean of each row's values that are there, each less its column's mean; by deviation."""
    known = np.maximum(1, there.sum(axis=0))
    above = np.where(there, values - (values * there).sum(axis=0) / known, 0.0)
    deviation = np.sqrt((above**2).sum() / max(1, there.sum()))
    if deviation < 1 / SCALE**2:  # nothing but what rounding leaves
        return np.zeros(len(values))
    means: NDArray[np.float64] = above.sum(axis=1) / np.maximum(1, there.sum(axis=1)) / deviation
    return means
