"""The two orders in which documents are summarized (GlobeSumm, 2.3).

A schema takes passages, one a document and oldest first, and yields rounds; it knows nothing
of what merges.  Single-turn summarization (`single_turn`, ``sts``) merges all at once;
chronological recurrent summarization (`chronological`, ``crs``) merges the first two and folds
in the rest one by one, so that n documents give n - 1 rounds and every prefix of the event has
a summary.  One document alone gives one round over it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from annotation.passages import passages
from globesumm.errors import UsageError
from globesumm.values import Event, Passage, Round

__all__ = [
    "Context",
    "Merge",
    "Schema",
    "chronological",
    "count_rounds",
    "passages",
    "single_turn",
    "with_carries",
    "without_repeated_carries",
]

ALONE = "one document only: it was summarized by itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a merge may look at besides its passages.

    `target` is the language to write, `max_words` the most words a summary may have, `index`
    the 1-based number of the round.  `sources` are the passages of all documents covered so
    far, as the schema was given them: a merge that need not economise on its input (an
    extractive one) looks back at them instead of at the carry alone.
    """

    event: Event
    target: str
    max_words: int = 250
    index: int = 1
    sources: tuple[Passage, ...] = ()


Merge = Callable[[Sequence[Passage], Context], Round]


class Schema(Protocol):
    """Passages in, rounds out; `earlier` rounds that still hold are not merged again."""

    def __call__(
        self,
        inputs: Sequence[Passage],
        merge: Merge,
        context: Context,
        earlier: Sequence[Round] = (),
    ) -> Iterator[Round]: ...


def single_turn(
    inputs: Sequence[Passage], merge: Merge, context: Context, earlier: Sequence[Round] = ()
) -> Iterator[Round]:
    """One round over all passages; `earlier` is given back if it was made from the same ones.

    Raises UsageError if no passage holds a sentence.
    """
    _refuse_nothing(inputs, context)
    if len(earlier) == 1 and earlier[0].inputs == tuple(inputs):
        yield earlier[0]
        return
    yield _merged(inputs, inputs, merge, replace(context, index=1))


def chronological(
    inputs: Sequence[Passage], merge: Merge, context: Context, earlier: Sequence[Round] = ()
) -> Iterator[Round]:
    """Merge the first two passages, then each round's carry with the next passage.

    `earlier` rounds, stored or fresh, come out first and unchanged as far as they were made
    from the same passages in the same order; only what follows is merged.  A document that
    came in last thus costs one round, one that belongs further ahead costs those from its
    place on.  A round without a carry hands its summary's sentences on.

    Raises UsageError if no passage holds a sentence.
    """
    _refuse_nothing(inputs, context)
    if len(inputs) == 1:
        yield from single_turn(inputs, merge, context, earlier)
        return
    kept = _still_holding(inputs, with_carries(earlier))
    yield from kept
    carry = _handed_on(kept[-1], context.target) if kept else inputs[0]
    for place in range(len(kept) + 1, len(inputs)):
        current = _merged(
            (carry, inputs[place]),
            inputs[: place + 1],
            merge,
            replace(context, index=place),
        )
        yield current
        carry = _handed_on(current, context.target)


def count_rounds(schema: Schema, documents: int) -> int:
    """How many rounds `schema` makes of so many documents."""
    return 1 if schema is single_turn else max(1, documents - 1)


def without_repeated_carries(rounds: Iterable[Round]) -> tuple[Round, ...]:
    """`rounds` as they are stored: a carry stands in the next round's ``inputs[0]`` already."""
    every = tuple(rounds)
    return (
        tuple(
            replace(earlier, carry=None) if later.inputs[:1] == (earlier.carry,) else earlier
            for earlier, later in pairwise(every)
        )
        + every[-1:]
    )


def with_carries(rounds: Iterable[Round]) -> tuple[Round, ...]:
    """Stored `rounds` with each carry put back from the next round's ``inputs[0]``."""
    every = tuple(rounds)
    return (
        tuple(
            replace(earlier, carry=later.inputs[0])
            if earlier.carry is None and later.inputs
            else earlier
            for earlier, later in pairwise(every)
        )
        + every[-1:]
    )


def _refuse_nothing(inputs: Sequence[Passage], context: Context) -> None:
    if not any(passage.sentences for passage in inputs):
        count = f"{len(inputs)} documents without a sentence" if inputs else "no documents"
        raise UsageError(
            f"event {context.event.id!r} has {count}: give it at least one document with text"
        )


def _merged(
    given: Sequence[Passage], sources: Sequence[Passage], merge: Merge, context: Context
) -> Round:
    """One call of `merge`; which documents a round covers is the schema's word, not the merge's."""
    made = merge(tuple(given), replace(context, sources=tuple(sources)))
    covered = tuple(document for passage in sources for document in passage.documents)
    first = context.index == 1
    added = covered if first else sources[-1].documents
    notes = (*made.notes, *_notes(sources if first else sources[-1:]))
    if len(sources) == 1:
        notes = (*notes, ALONE)
    return replace(
        made,
        index=context.index,
        documents=covered,
        added=added,
        inputs=tuple(given),
        notes=tuple(dict.fromkeys(notes)),
    )


def _notes(added: Sequence[Passage]) -> Iterator[str]:
    for passage in added:
        for note in passage.notes:
            yield f"{', '.join(passage.documents)}: {note}"


def _still_holding(inputs: Sequence[Passage], earlier: Sequence[Round]) -> tuple[Round, ...]:
    """The longest start of `earlier` that folding `inputs` would make again."""
    kept: list[Round] = []
    for place, done in enumerate(earlier[: len(inputs) - 1], start=1):
        fresh = done.inputs[-1:] == (inputs[place],) and len(done.inputs) == 2
        if not fresh or (place == 1 and done.inputs[0] != inputs[0]):
            break
        kept.append(done)
    return tuple(kept)


def _handed_on(done: Round, target: str) -> Passage:
    if done.carry is not None:
        return done.carry
    return Passage(documents=done.documents, language=target, sentences=done.sentences)
