"""One wire story in several languages: translated copies, found by sentence vectors.

A translation follows its original sentence by sentence, while two reports of one event only
share what happened.  So the first sentences of both are compared: the similarity of two reports
is the mean, over the sentences of one, of the cosine to the nearest sentence of the other; the
smaller of both directions counts.  Two reports are copies if each is the other's nearest in its
language and they are similar enough.

On translated news and other reports of the same events (MultiLing 2011; Arabic, English, French
and Greek, vectors of multilingual-e5-small) this found 141 of 144 pairs of translations, and none
of 1,008 pairs that tell one event in their own words.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from globesumm.languages import UNKNOWN
from globesumm.text.sentences import SPLITTER, split
from globesumm.values import Document
from retrieval.duplicates.agencies import agency_of
from retrieval.duplicates.near import trust

SENTENCES = 6
SHORTEST = 25
"""Characters of a sentence that says enough to be compared."""

FEWEST = 2
_NEAREST = 5
_ROWS = 1024

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Sentences to vectors of length 1 in one space for all languages."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(number of texts, dimensions) vectors."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Similarities from which two reports may be copies; they belong to one space of vectors.

    `alone` is for a pair without any other report of either language to be held against.  The
    defaults were measured on multilingual-e5-small (see the module).
    """

    nearest: float = 0.87
    alone: float = 0.89


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCopy:
    """`document` tells the same wire story as `of`, the most trusted of its group; both are ids.

    `similarity` (0 to 1) is that to its nearest copy.  `agency` is the one that it names, or
    the only one that its group names.
    """

    document: str
    of: str
    similarity: float
    agency: str | None = None


def signature(encoder: Encoder, floors: Floors | None = None) -> str:
    """What decides the result, for records."""
    chosen = floors or Floors()
    floor = f"{chosen.nearest:g}/{chosen.alone:g}"
    return f"wire|{encoder.name}|sentences:{SENTENCES}|floors:{floor}|split:{SPLITTER}"


def wire_copies(
    documents: Iterable[Document],
    encoder: Encoder,
    floors: Floors | None = None,
    watch: Callable[[Sequence[Document]], Iterable[Document]] = iter,
) -> list[WireCopy]:
    """The copies across languages among `documents`; near-duplicates should be gone before.

    Reports of unknown language, and those with fewer than `FEWEST` sentences of `SHORTEST`
    characters, are nobody's copies.  `watch` may show progress while sentences are encoded.
    """
    chosen = floors or Floors()
    by_trust = sorted(documents, key=trust)
    reports: list[Document] = []
    vectors: list[Vectors] = []
    for document in watch(by_trust):
        sentences = _first_sentences(document)
        if document.language != UNKNOWN and len(sentences) >= FEWEST:
            reports.append(document)
            vectors.append(encoder.encode(sentences))
    links: dict[int, list[tuple[int, float]]] = {}
    places: dict[str, list[int]] = {}
    for place, document in enumerate(reports):
        places.setdefault(document.language, []).append(place)
    for left, right in combinations(sorted(places), 2):
        for one, other, similarity in _mutual(places[left], places[right], vectors, chosen):
            links.setdefault(one, []).append((other, similarity))
            links.setdefault(other, []).append((one, similarity))
    return _groups(reports, links)


def _first_sentences(document: Document) -> list[str]:
    found: list[str] = []
    for sentence in split(document.text[:6000], document.language):
        if len(sentence) >= SHORTEST:
            found.append(sentence)
        if len(found) == SENTENCES:
            break
    return found


def similarity_of(one: Vectors, other: Vectors) -> float:
    """The similarity of two reports by the vectors of their sentences (see the module)."""
    cosines = one @ other.T
    return float(min(cosines.max(axis=1).mean(), cosines.max(axis=0).mean()))


def _mutual(
    left: Sequence[int], right: Sequence[int], vectors: Sequence[Vectors], floors: Floors
) -> Iterable[tuple[int, int, float]]:
    """The pairs of two languages that are nearest to each other, and near enough."""
    scores: dict[int, dict[int, float]] = {}
    backward: dict[int, dict[int, float]] = {}
    for one, other in _candidates(left, right, vectors):
        similarity = similarity_of(vectors[one], vectors[other])
        scores.setdefault(one, {})[other] = similarity
        backward.setdefault(other, {})[one] = similarity
    floor = floors.alone if len(left) == len(right) == 1 else floors.nearest
    for one, found in scores.items():
        other, similarity = _best(found)
        if similarity >= floor and _best(backward[other])[0] == one:
            yield one, other, similarity


def _best(found: Mapping[int, float]) -> tuple[int, float]:
    """The nearest; of equal ones the most trusted."""
    return min(found.items(), key=lambda item: (-item[1], item[0]))


def _candidates(
    left: Sequence[int], right: Sequence[int], vectors: Sequence[Vectors]
) -> Iterable[tuple[int, int]]:
    """Pairs of which one is among the nearest of the other by the means of their vectors."""
    means = {place: _mean(vectors[place]) for place in (*left, *right)}
    found: set[tuple[int, int]] = set()
    for here, there in ((left, right), (right, left)):
        columns = np.stack([means[place] for place in there]).T
        most = min(_NEAREST, len(there))
        for start in range(0, len(here), _ROWS):
            rows = here[start : start + _ROWS]
            cosines = np.stack([means[place] for place in rows]) @ columns
            nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :most]
            for row, choices in zip(rows, nearest, strict=True):
                for choice in choices:
                    pair = (row, there[int(choice)])
                    found.add(pair if here is left else pair[::-1])
    return sorted(found)


def _mean(rows: Vectors) -> Vectors:
    mean: Vectors = rows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length else mean


def _groups(
    reports: Sequence[Document], links: Mapping[int, Sequence[tuple[int, float]]]
) -> list[WireCopy]:
    """Reports that are linked, directly or by others, as copies of the most trusted of them."""
    copies: list[WireCopy] = []
    seen: set[int] = set()
    for head in sorted(links):
        if head in seen:
            continue
        group, waiting = {head}, [head]
        while waiting:
            for other, _ in links[waiting.pop()]:
                if other not in group:
                    group.add(other)
                    waiting.append(other)
        seen |= group
        agencies = {place: agency_of(reports[place]) for place in group}
        named = {agency for agency in agencies.values() if agency}
        shared = next(iter(named)) if len(named) == 1 else None
        copies += [
            WireCopy(
                document=reports[place].id,
                of=reports[head].id,
                similarity=max(similarity for _, similarity in links[place]),
                agency=agencies[place] or shared,
            )
            for place in sorted(group - {head})
        ]
    return copies
