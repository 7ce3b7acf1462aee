"""One event, one recipe, one summary with all its rounds."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from annotation.schemas import (
    Context,
    Merge,
    count_rounds,
    passages,
    without_repeated_carries,
)
from baselines.recipes import SCHEMAS, Maker, maker, parse_recipe
from globesumm import languages
from globesumm.errors import UsageError
from globesumm.text.words import count_words
from globesumm.values import Event, Passage, Recipe, Round, Summary

Progress = Callable[[int, int], None]
"""Called with (rounds done, rounds in all) after each round."""


def summarize(
    event: Event,
    recipe: Recipe | str,
    *,
    target: str = "en",
    max_words: int = 250,
    seed: int = 0,
    progress: Progress | None = None,
    earlier: Summary | None = None,
    merge: tuple[Merge, str] | None = None,
    by: Maker | None = None,
    given: Sequence[Passage] | None = None,
) -> Summary:
    """Summarize `event` into language `target`, with at most `max_words` words in each round.

    `earlier` is a summary of the same event by the same recipe and settings: its rounds are
    kept as far as they still hold.  `by` carries the recipe out; recipes that take a model need
    it.  `merge` (and its name) replaces the recipe's own, for instance one with other settings.
    `given` are the event's `passages` where the caller has them already.

    Raises UsageError if the event has no document with text or `max_words` is below 1, and
    UnknownName for a recipe or language nobody knows.
    """
    chosen = parse_recipe(recipe) if isinstance(recipe, str) else parse_recipe(str(recipe))
    if max_words < 1:
        raise UsageError(f"max_words is {max_words}: give a number of words from 1 up")
    made_by = by or (Maker(merge=merge[0], name=merge[1]) if merge else maker(chosen, seed))
    schema = SCHEMAS[chosen.schema].run
    context = Context(event=event, target=languages.parse(target), max_words=max_words)
    inputs = passages(event) if given is None else list(given)
    if made_by.prepare:
        inputs = made_by.prepare(inputs, context)
    total = count_rounds(schema, len(inputs))
    rounds: list[Round] = []
    for done in schema(inputs, made_by.merge, context, earlier.rounds if earlier else ()):
        rounds.append(_with_overrun(done, context))
        if progress:
            progress(len(rounds), total)
    return Summary(
        event=event.id,
        recipe=str(chosen),
        model=made_by.name,
        target=context.target,
        text=rounds[-1].summary,
        rounds=without_repeated_carries(rounds),
        notes=event.notes,
    )


def _with_overrun(done: Round, context: Context) -> Round:
    """`done` with a note if its summary is longer than asked, as one sentence alone may be."""
    words = count_words(done.summary, context.target)
    if words <= context.max_words:
        return done
    note = f"{words} words, more than the {context.max_words} asked for"
    return replace(done, notes=tuple(dict.fromkeys((*done.notes, note))))
