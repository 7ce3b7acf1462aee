"""What of a source is highlighted beside a fact: context mapping (OmniCSEval, 3.3 and F)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from annotation.plan import estimated_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]
"""Texts to vectors of length 1, one a row."""

SHARE = 0.25
"""Of a source's sentences, at most."""

MOST_TOKENS = 2048
"""Of what is highlighted, at most; tokens are estimated from length and script."""


def similarities(fact: str, sentences: Sequence[str], encode: Encode) -> tuple[float, ...]:
    """The cosine of `fact` with each sentence, from -1 to 1, higher is more alike."""
    if not sentences:
        return ()
    vectors = encode([fact, *sentences])
    return tuple(round(float(one), 4) for one in vectors[1:] @ vectors[0])


def quarter(
    values: Sequence[float], sentences: Sequence[str], most_tokens: int = MOST_TOKENS
) -> tuple[int, ...]:
    """Places from 0 of the most similar quarter of `sentences`, rounded down and at least one.

    The most similar come first until the next would pass `most_tokens`; the paper's "up to 25 %"
    and its cap allow fewer.  Of equal ones the earlier is taken.
    """
    wanted = max(1, int(len(sentences) * SHARE)) if sentences else 0
    chosen: list[int] = []
    tokens = 0
    for place in ranked(values)[:wanted]:
        tokens += estimated_tokens(sentences[place])
        if tokens > most_tokens:
            break
        chosen.append(place)
    return tuple(sorted(chosen))


def top(values: Sequence[float]) -> tuple[int, ...]:
    """Places from 0 of the three most similar sentences; of one where there are three or fewer."""
    return tuple(sorted(ranked(values)[: 3 if len(values) > 3 else 1]))


def ranked(values: Sequence[float]) -> list[int]:
    """Places from the highest value to the lowest, equal ones in their order."""
    return sorted(range(len(values)), key=lambda place: (-values[place], place))
