"""Near-duplicates within a language: the same report under another address, lightly edited.

Two texts are near-duplicates if the Jaccard similarity of their shingles is at least the
threshold (Broder, 1997).  Candidates come from MinHash with locality-sensitive hashing (rensa),
in so many bands that a pair at the threshold is missed less than once in a million; each
candidate is then compared exactly, so that nothing is dropped which is not a copy.

Documents are gone through in order of trust: whole before partial ones, earlier before later,
undated last, then by id.  One that is near a document kept before is a copy of the nearest such;
so every copy is near what is kept, and chains of edits do not carry a report away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import MissingPackage, UsageError
from globesumm.values import Document
from retrieval.duplicates.shingles import RULE, Shingler, Shingles, flat, jaccard

THRESHOLD = 0.8
"""Of 100 words two may differ when they stand apart: each changes five of the shingles."""

LEAST_THRESHOLD = 0.5
_MOST_PERMUTATIONS = 128
_MISSED = 1e-6
_SEED = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """`document` is a copy of the document `of`, which is kept; both are ids.

    `similarity` is the Jaccard similarity of their shingles, the threshold to 1.
    """

    document: str
    of: str
    similarity: float


def signature(threshold: float = THRESHOLD) -> str:
    """What decides the result, for records: rule, threshold, bands and package."""
    from importlib.metadata import version

    bands, rows = banding(threshold)
    return f"near|{RULE}|jaccard:{threshold:g}|bands:{bands}x{rows}|rensa:{version('rensa')}"


def near_duplicates(documents: Iterable[Document], threshold: float = THRESHOLD) -> list[Copy]:
    """The copies among `documents`, each language by itself, in order of trust.

    Texts without a letter or digit are nobody's copies.  Raises `UsageError` for a threshold
    below `LEAST_THRESHOLD` or above 1, `MissingPackage` without rensa.
    """
    _checked(threshold)
    by_language: dict[str, list[Document]] = {}
    for document in documents:
        by_language.setdefault(document.language, []).append(document)
    shingler = Shingler()
    copies: list[Copy] = []
    for _, group in sorted(by_language.items()):
        ordered = sorted(group, key=trust)
        sets = [shingler.shingles(document.text) for document in ordered]
        copies += [
            Copy(document=ordered[place].id, of=ordered[kept].id, similarity=similarity)
            for place, kept, similarity in copies_among(sets, threshold)
        ]
    return copies


def trust(document: Document) -> tuple[bool, datetime, str]:
    """The key by which a report is kept rather than its copies: the least first."""
    partial = any(note.startswith("partial") for note in document.notes)
    return partial, document.published or datetime.max.replace(tzinfo=UTC), document.id


def copies_among(
    sets: Sequence[Shingles], threshold: float = THRESHOLD
) -> Iterator[tuple[int, int, float]]:
    """(place of a copy, place of what it copies, similarity) for sets in order of trust."""
    kept_in: dict[tuple[int, int], list[int]] = {}
    for place, keys in _shared_bands(sets, threshold).items():
        candidates = dict.fromkeys(other for key in keys for other in kept_in.get(key, ()))
        scored = ((jaccard(sets[place], sets[other]), -other) for other in candidates)
        similarity, other = max(scored, default=(0.0, 0))
        if similarity >= threshold:
            yield place, -other, similarity
        else:
            for key in keys:
                kept_in.setdefault(key, []).append(place)


def _shared_bands(
    sets: Sequence[Shingles], threshold: float
) -> Mapping[int, list[tuple[int, int]]]:
    """The (band, number of its content) that a set shares with another one, by place, in order."""
    try:
        from rensa import RMinHash, RMinHashLSH
    except ImportError as error:
        raise MissingPackage("rensa", "finding near-duplicates", "retrieval") from error
    places = [place for place, one in enumerate(sets) if len(one)]
    if len(places) < 2:
        return {}
    bands, rows = banding(threshold)
    permutations = bands * rows
    joined, offsets = flat([sets[place] for place in places])
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(joined, offsets, permutations, _SEED)
    lookup = RMinHashLSH(threshold, permutations, bands)
    flagged = lookup.query_duplicate_flags_matrix_one_shot(matrix)
    chosen = [place for place, is_flagged in zip(places, flagged, strict=True) if is_flagged]
    if not chosen:
        return {}
    digests = np.array(matrix.to_rows(), dtype=np.uint64)[np.array(flagged, dtype=bool)]
    shared: dict[int, list[tuple[int, int]]] = {place: [] for place in chosen}
    for band in range(bands):
        numbers, has_company = _grouped(digests[:, band * rows : (band + 1) * rows])
        for row in np.flatnonzero(has_company):
            shared[chosen[row]].append((band, int(numbers[row])))
    return {place: keys for place, keys in shared.items() if keys}


def _grouped(content: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each row the number of its content, and whether another row has the same."""
    mixed = np.zeros(len(content), dtype=np.uint64)
    for column in content.T:
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    _, numbers, counts = np.unique(mixed, return_inverse=True, return_counts=True)
    return numbers, counts[numbers] > 1


def banding(threshold: float) -> tuple[int, int]:
    """(bands, rows a band) of at most 128 permutations: the most rows that miss next to nothing.

    A pair of similarity s shares no band with probability ``(1 - s ** rows) ** bands``
    (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4.2).
    """
    _checked(threshold)
    for rows in range(8, 1, -1):
        bands = _MOST_PERMUTATIONS // rows
        if (1 - threshold**rows) ** bands <= _MISSED:
            return bands, rows
    return _MOST_PERMUTATIONS // 2, 2


def _checked(threshold: float) -> None:
    if not LEAST_THRESHOLD <= threshold <= 1:
        raise UsageError(
            f"threshold {threshold:g}: give a number between {LEAST_THRESHOLD:g} and 1"
        )
