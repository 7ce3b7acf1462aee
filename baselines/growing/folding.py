"""The rounds that new documents take, made after those that a summary has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.schemas import Context
from baselines.growing.changes import Change, changes, sentences_of
from baselines.recipes import Maker
from baselines.summarize import summarize
from globesumm.text.sentences import split
from globesumm.values import Event, Passage, Round, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A grown summary: the first `kept` rounds are the earlier ones, `made` were made now."""

    summary: Summary
    kept: int
    made: int
    changes: tuple[Change, ...]


def fold(
    event: Event,
    earlier: Summary,
    by: Maker,
    *,
    max_words: int,
    seed: int = 0,
) -> Fold:
    """Summarize `event`, which has grown since `earlier`, by the same recipe.

    Rounds that still hold are kept as they are, and documents that went into one are not
    prepared again, so that nothing is asked of a model but what the new documents take: their
    own preparation and their rounds.  Of single-turn recipes that is the one round over all.
    """
    made = summarize(
        event,
        earlier.recipe,
        target=earlier.target,
        max_words=max_words,
        seed=seed,
        earlier=earlier,
        by=_sparing(by, earlier),
    )
    kept = _kept(earlier.rounds, made.rounds)
    before = (
        sentences_of(earlier.rounds[-1], earlier.target)
        if earlier.rounds
        else split(earlier.text, earlier.target)
    )
    return Fold(
        summary=made,
        kept=kept,
        made=len(made.rounds) - kept,
        changes=tuple(changes(before, sentences_of(made.rounds[-1], made.target))),
    )


def covers(summary: Summary, event: Event) -> bool:
    """Whether the last round speaks for every document of `event`."""
    covered = set(summary.rounds[-1].documents) if summary.rounds else set()
    return {document.id for document in event.documents} <= covered


def _sparing(by: Maker, earlier: Summary) -> Maker:
    """`by`, with the documents that went into earlier rounds taken from there."""
    prepare = by.prepare
    if prepare is None:
        return by
    ready = _prepared(earlier.rounds)

    def spared(inputs: Sequence[Passage], context: Context) -> list[Passage]:
        new = [one for one in inputs if one.documents not in ready]
        done = {one.documents: one for one in (prepare(new, context) if new else [])}
        return [ready.get(one.documents) or done[one.documents] for one in inputs]

    return replace(by, prepare=spared)


def _prepared(rounds: Sequence[Round]) -> dict[tuple[str, ...], Passage]:
    """Each document as it went into its round; the first of two inputs may be a carry."""
    found: dict[tuple[str, ...], Passage] = {}
    for place, round_ in enumerate(rounds):
        for one in round_.inputs if place == 0 else round_.inputs[-1:]:
            if len(one.documents) == 1:
                found[one.documents] = one
    return found


def _kept(before: Sequence[Round], after: Sequence[Round]) -> int:
    """How many rounds at the start are the same; what one hands on may be stored elsewhere."""
    kept = 0
    for one, other in zip(before, after, strict=False):
        if replace(one, carry=None) != replace(other, carry=None):
            break
        kept += 1
    return kept
