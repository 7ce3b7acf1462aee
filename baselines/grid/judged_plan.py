"""How many calls judges will make, from the summaries as symbols."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from annotation.ledger import Text
from annotation.symbolic import TOKENS_PER_WORD
from baselines.grid.cells import Part
from globesumm.config import Experiment
from globesumm.llm.request import Usage
from globesumm.values import Event, Recipe
from metrics.cre_conflicts import marked
from metrics.judged import RATINGS
from metrics.sentences import SPLITTERS

_FORM_TOKENS = 400
"""Of a judge's prompt without what is judged."""

_VERDICT_TOKENS = 8

AT_ONCE = ("cre", *RATINGS)
"""Metrics whose judge is asked once a summary, about all that it is held against."""


class JudgedSummaries:
    """The different summaries that each judge sees, with what they are held against."""

    def __init__(
        self, experiment: Experiment, events: Sequence[Event], count: Callable[[str], int]
    ) -> None:
        self._judges = [
            (judge.model, metric)
            for judge in experiment.judges
            if judge.model is not None
            for metric in judge.metrics
        ]
        metrics = {metric for _, metric in self._judges}
        self._held = {
            metric: {event.id: _points(metric, event) for event in events} for metric in metrics
        }
        self._summary = round(experiment.max_words * TOKENS_PER_WORD)
        self._count = count
        self._seen: dict[tuple[str, str], dict[Hashable, int]] = {key: {} for key in self._judges}

    def add(self, event: Event, recipe: Recipe, part: Part, summary: Text | None) -> None:
        """The summary of `event` by a cell; None for a recipe without a model."""
        symbol: Hashable = _free(event, recipe, part) if summary is None else summary.symbol
        if symbol is None:
            return
        for judge, metric in self._judges:
            points = self._held[metric][event.id]
            # A summary in another language than the references is judged all the same.
            for asked in [points] if metric in AT_ONCE and points else points:
                shown = "\n".join(points) if metric in AT_ONCE else str(asked)
                key = (shown, symbol)
                seen = self._seen[judge, metric]
                if key not in seen:
                    seen[key] = self._count(shown)

    def totals(self) -> Iterator[tuple[str, str, int, Usage]]:
        """(judge, metric, calls, their estimated tokens)."""
        for (judge, metric), seen in self._seen.items():
            calls = len(seen)
            prompt = sum(seen.values()) + calls * (self._summary + _FORM_TOKENS)
            usage = Usage(prompt_tokens=prompt, completion_tokens=calls * _VERDICT_TOKENS)
            yield judge, metric, calls, usage


def _points(metric: str, event: Event) -> tuple[str, ...]:
    """What a summary is held against: conflicts, documents, or sentences of the references."""
    if metric in RATINGS:
        return tuple(document.text for document in event.documents if document.text.strip())
    if metric == "cre":
        return tuple(conflict.text for conflict in marked(event))
    split = SPLITTERS["icu"]
    found = (s for text in event.references for s in split(text, event.reference_language))
    return tuple(dict.fromkeys(found))


def _free(event: Event, recipe: Recipe, part: Part) -> Hashable:
    """A summary without a model; None where there can be none."""
    if recipe.prompting == "oracle" and (
        not event.references or event.reference_language != part.target
    ):
        return None
    # A control takes from all documents whatever the schema; the extractive merge need not.
    schema = recipe.schema if recipe.prompting == "extractive" else ""
    seed = part.seed if recipe.prompting == "random" else 0
    return (event.id, recipe.prompting, schema, part.target, seed)
