"""Which sentence of a text is the translation of which sentence of another."""

from collections.abc import Sequence

import numpy as np

from baselines.extractive.encoders import Encoder

LENGTHS = 1.6
"""How many times as long as usual for the two texts a translation may be."""
PLACES = 0.2
"""How far apart the two may stand, as a share of their texts."""


def aligned(left: Sequence[str], right: Sequence[str], encoder: Encoder) -> list[tuple[int, int]]:
    """Pairs of places in `left` and `right` that translate each other, in the order of `left`.

    Each is the other's nearest by cosine, their lengths stand to each other about as those of
    the whole texts, and they stand at about the same place.  No floor is put on the cosine, so
    that the choice does not depend on the floor of a decision that is to be measured.
    """
    if not left or not right:
        return []
    cosines = encoder.encode(left) @ encoder.encode(right).T
    best_right, best_left = cosines.argmax(axis=1), cosines.argmax(axis=0)
    usual = sum(map(len, right)) / max(1, sum(map(len, left)))
    found = []
    for i, j in enumerate(map(int, best_right)):
        ratio = len(right[j]) / max(1, len(left[i])) / usual
        apart = abs(_middle(i, left) - _middle(j, right))
        if best_left[j] == i and 1 / LENGTHS <= ratio <= LENGTHS and apart <= PLACES:
            found.append((i, j))
    return found


def _middle(place: int, texts: Sequence[str]) -> float:
    """Where the middle of a sentence stands in its text, from 0 to 1."""
    lengths = np.array([len(text) for text in texts])
    before = int(lengths[:place].sum())
    return float((before + lengths[place] / 2) / max(1, lengths.sum()))
