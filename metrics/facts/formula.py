"""The closed forms of the three scores (OmniCSEval, appendix D), apart from any judge."""

from collections.abc import Sequence

from globesumm.finite import counted
from metrics.base import Better, Column, Measured

COLUMNS = tuple(
    Column(name=name, better=Better.HIGHER, low=0.0, high=1.0)
    for name in ("completeness", "conciseness", "faithfulness")
)
"""The three scores in the paper's order."""

Matches = Sequence[Sequence[int]]
"""For each key fact the numbers of the sentences that state it, empty where none does."""

NO_KEY_FACT = "the source has no key fact"
NO_SENTENCE = "the summary has no sentence"
NO_FACT = "the summary states no fact"


def completeness(matches: Matches, sentences: int) -> Measured:
    """Key facts that some sentence states / key facts (D.1): 0 to 1, higher is better.

    Without key facts there is no value.  A summary without sentences states none of them: 0.
    """
    _check(matches, sentences)
    if not matches:
        return Measured(None, NO_KEY_FACT)
    return Measured(sum(bool(held) for held in matches) / len(matches))


def conciseness(matches: Matches, sentences: int) -> Measured:
    """Sentences that state some key fact / sentences (D.1): 0 to 1, higher is better.

    Without sentences there is no value, and without key facts neither: no sentence could have
    stated one.
    """
    _check(matches, sentences)
    if not sentences:
        return Measured(None, NO_SENTENCE)
    if not matches:
        return Measured(None, NO_KEY_FACT)
    return Measured(len({number for held in matches for number in held}) / sentences)


def faithfulness(supported: Sequence[bool | None]) -> Measured:
    """Facts that the source supports / facts of the summary (D.2): 0 to 1, higher is better.

    Without facts there is no value.  One fact without a verdict (None) leaves the whole summary
    unscored: a share of the others would favour summaries whose hard facts failed to be judged.
    """
    if not supported:
        return Measured(None, NO_FACT)
    unjudged = sum(verdict is None for verdict in supported)
    if unjudged:
        return Measured(None, f"{unjudged} of {counted(len(supported), 'fact')} without a verdict")
    return Measured(sum(bool(verdict) for verdict in supported) / len(supported))


def _check(matches: Matches, sentences: int) -> None:
    """Numbers count from 0 or from 1, which gives the same scores, but not from both."""
    numbers = {number for held in matches for number in held}
    if sentences < 0:
        raise ValueError(f"{sentences} sentences")
    if wrong := [number for number in numbers if not 0 <= number <= sentences]:
        raise ValueError(f"sentence {wrong[0]} of {sentences}")
    if {0, sentences} <= numbers:
        raise ValueError(
            f"sentence 0 and sentence {sentences} of {sentences}: count from 0 or from 1"
        )
