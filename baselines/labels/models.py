"""How well models' answers agree with what people decided, by kind of task and language."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.labels.agreement.coefficients import Coefficient, measured
from annotation.labels.agreement.ratings import Value, ratings
from annotation.labels.agreement.units import decided
from annotation.labels.results.held import Held

MEASURES = ("percent", "Cohen's kappa")
PEOPLE = "people"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstPeople:
    """One model against people's decisions on one question; `n` of `expected` were decided."""

    kind: str
    question: str
    model: str
    n: int
    expected: int
    coefficients: tuple[Coefficient, ...]


def against_people(held: Held, *, resamples: int = 1000, seed: int = 0) -> list[AgainstPeople]:
    """Every model that answered, on every question that votes settle; in order of the items."""
    said: dict[tuple[str, str, str], list[tuple[str, Value, Value | None]]] = {}
    for key, unit, model_says, people_say in _pairs(held):
        said.setdefault(key, []).append((unit, model_says, people_say))
    rows = []
    for (kind, question, model), pairs in said.items():
        known = [(unit, one, other) for unit, one, other in pairs if other is not None]
        both = ratings(
            [(unit, model, one) for unit, one, _ in known]
            + [(unit, PEOPLE, other) for unit, _, other in known]
        )
        rows.append(
            AgainstPeople(
                kind=kind,
                question=question,
                model=model,
                n=len(known),
                expected=len(pairs),
                coefficients=tuple(
                    measured(both, name, resamples=resamples, seed=seed) for name in MEASURES
                ),
            )
        )
    return rows


def _pairs(held: Held) -> Iterator[tuple[tuple[str, str, str], str, Value, Value | None]]:
    for one in held.decisions:
        item = held.items[one.item]
        # Findings are numbered within their item: the question is the same for all of them.
        question = "finding" if one.question.startswith("finding ") else one.question
        for model, answer in item.models.items():
            value = decided(item, answer).get(one.question)
            if value is not None and model != PEOPLE:
                yield (one.kind, question, model), f"{item.id}\t{one.question}", value, one.answer
