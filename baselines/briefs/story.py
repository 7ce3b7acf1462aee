"""Which reports tell of the one event: clusters across languages, and the one that is meant."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from globesumm.errors import UnknownName
from globesumm.values import Document
from retrieval.clusters.backgrounds import BACKGROUNDS
from retrieval.clusters.closeness import Settings
from retrieval.clusters.events import clusters
from retrieval.clusters.vectors import Encoder, vectors

BEST = 3
"""Reports of a cluster by which it is judged: how near they are to the words asked for."""


class Stories:
    """Parts reports into stories; what was encoded is kept in the file `kept`."""

    def __init__(self, name: str, kept: Path | None = None, encoder: Encoder | None = None) -> None:
        """`encoder` takes the place of the one called `name`; its background stays."""
        if name not in BACKGROUNDS:
            raise UnknownName("encoder", name, BACKGROUNDS)
        from baselines.extractive.encoders import choose

        self._settings = Settings(background=BACKGROUNDS[name])
        self._encoder = encoder or choose(name)
        self._kept = kept

    def asked_for(self, documents: Sequence[Document], text: str) -> list[str]:
        """The ids of the reports of the story that `text` asks for, in order; [] of none.

        Of the clusters it is the one whose `BEST` nearest reports are, in the mean, nearest to the
        text; one with fewer reports has zeros in their places.
        """
        ordered = _ordered(documents)
        if not ordered:
            return []
        rows = vectors(ordered, self._encoder, self._kept)
        asked = self._encoder.encode([text])[0]
        floor = self._settings.background.across_languages
        near = np.maximum((rows @ asked - floor) / (1 - floor), 0.0)

        def fit(members: tuple[int, ...]) -> tuple[float, int]:
            best = sorted((float(near[place]) for place in members), reverse=True)[:BEST]
            return sum(best) / BEST, len(members)

        return [ordered[at].id for at in max(clusters(ordered, rows, self._settings), key=fit)]

    def of_the_story(self, story: Collection[str], documents: Sequence[Document]) -> set[str]:
        """The ids of those reports that stand in one cluster with most of `story`."""
        ordered = _ordered(documents)
        if not ordered:
            return set()
        rows = vectors(ordered, self._encoder, self._kept)
        found = clusters(ordered, rows, self._settings)
        held = [sum(ordered[at].id in story for at in members) for members in found]
        return {ordered[at].id for at in found[held.index(max(held))]}

    def parts(self, documents: Sequence[Document]) -> list[int]:
        """How many reports each story among `documents` has, the most first."""
        ordered = _ordered(documents)
        if not ordered:
            return []
        rows = vectors(ordered, self._encoder, self._kept)
        return sorted(map(len, clusters(ordered, rows, self._settings)), reverse=True)


def _ordered(documents: Sequence[Document]) -> list[Document]:
    """Each once, by id: the order of finding must not decide."""
    return sorted({one.id: one for one in documents}.values(), key=lambda one: one.id)
