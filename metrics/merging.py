"""New scores beside the ones a run already holds: nothing lost, nothing mixed."""

from collections.abc import Iterable, Sequence

from globesumm.values import Score
from metrics.base import Candidate

NO_SUMMARY = "no summary: "
"""How the note of a score begins whose text could not be made."""

LATE = "not scored: made after this metric was computed; score with it again"


_MADE = Candidate(id="", text="made", language="en")


def merged(
    held: Iterable[Score], fresh: Sequence[Score], candidates: Iterable[Candidate]
) -> list[Score]:
    """The scores held of other columns, then the fresh ones.

    A column that was computed again is replaced whole, so that one column never holds two
    signatures; only a column without any value, as a missing package leaves it, replaces none
    that has values.  What is held of texts that are no longer among the `candidates` goes;
    where a held column lacks one of them, it is unscored with the reason, so that no total
    forgets it.
    """
    columns: dict[str, list[Score]] = {}
    for score in held:
        columns.setdefault(score.metric, []).append(score)
    computed = {score.metric for score in fresh if score.value is not None}
    renewed = computed | {
        score.metric
        for score in fresh
        if all(one.value is None for one in columns.get(score.metric, ()))
    }
    given = {(one.recipe, one.id): one for one in candidates}
    found: list[Score] = []
    for metric, column in columns.items():
        if metric in renewed:
            continue
        kept = {
            (one.recipe, one.id): one
            for one in column
            if one.value is not None
            or not str(one.note).startswith(NO_SUMMARY)
            # It still could not be made, for the reason that is held.
            or not given.get((one.recipe, one.id), _MADE).text
        }
        signature = column[0].signature
        for key, candidate in given.items():
            found.append(kept.get(key) or unscored(candidate, metric, signature, LATE))
    return [*found, *(score for score in fresh if score.metric in renewed)]


def unscored(candidate: Candidate, metric: str, signature: str, note: str) -> Score:
    """The score of one column that there is not, with the reason."""
    return Score(
        id=candidate.id,
        metric=metric,
        value=None,
        signature=signature,
        note=note,
        event=candidate.event,
        recipe=candidate.recipe,
        round=candidate.round,
        language=candidate.language,
    )
