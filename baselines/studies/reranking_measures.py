"""What the study measures of the drafts taken, by means that no rule has seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baselines.drafts.base import Choice
from baselines.drafts.objectives_language import balance
from baselines.studies.reranking_data import (
    TARGET,
    World,
    Written,
    true_coverage,
    true_faithfulness,
    true_repetition,
)
from globesumm.values import Score
from metrics.base import Better, Candidate, Column, Measured, Metric
from metrics.bias.formula import Entailed
from metrics.entailment import Entailer, LexicalStandIn, Pair

KNOWN = "known points"
COLUMNS = (
    Column(name="coverage", better=Better.HIGHER, low=0.0, high=1.0),
    Column(name="faithfulness", better=Better.HIGHER, low=0.0, high=1.0),
    Column(name="balance", better=Better.HIGHER, low=0.0, high=1.0),
    Column(name="balance-lexical", better=Better.HIGHER, low=0.0, high=1.0),
    Column(name="repetition", better=Better.LOWER, low=0.0, high=1.0),
    Column(name="red", better=Better.LOWER, high=1.0),
    Column(name="red-tokens", better=Better.LOWER, low=0.0, high=1.0),
)
"""What the choices are measured by; no rule has seen any of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One event, its drafts, and which draft each system took (by place)."""

    world: World
    drafts: tuple[Written, ...]
    taken: Mapping[str, int]
    choices: Mapping[str, Choice]


def measured(held: Sequence[Chosen], reds: Sequence[Metric]) -> dict[str, list[Score]]:
    """By system, one score an event and column."""
    entailer = _renderings()
    found: dict[str, list[Score]] = {}
    for name in held[0].taken if held else ():
        taken = [(one.world, one.drafts[one.taken[name]]) for one in held]
        scores = [
            score
            for made, draft in taken
            for score in _of_known_points(made, draft, entailer, name)
        ]
        candidates = [_candidate(made, draft, name) for made, draft in taken]
        scores += [score for metric in reds for score in metric.score(candidates)]
        found[name] = scores
    return found


def _of_known_points(made: World, draft: Written, entailer: Entailer, system: str) -> list[Score]:
    values: dict[str, Measured] = {
        "coverage": Measured(true_coverage(made, draft)),
        "faithfulness": Measured(true_faithfulness(draft)),
        "balance": true_balance(made, draft),
        "balance-lexical": lexical_balance(made, draft, entailer),
        "repetition": Measured(true_repetition(draft)),
    }
    return [
        Score(
            id=made.id,
            metric=name,
            value=one.value,
            note=one.note,
            signature=f"{name}|by:{entailer.name if name == 'balance-lexical' else KNOWN}",
            event=made.id,
            recipe=system,
        )
        for name, one in values.items()
    ]


def true_balance(made: World, draft: Written) -> Measured:
    """`balance` by known points: a document entails a sentence whose point it tells."""
    sentences = len(draft.right) + len(draft.wrong) + len(draft.twice)
    return balance(
        [
            Entailed(
                summary=made.id,
                document=document.id,
                language=document.language,
                entailed=sum(point in told for point in (*draft.right, *draft.twice)),
                sentences=sentences,
            )
            for document, told in zip(made.documents, made.told, strict=True)
        ]
    )


def lexical_balance(made: World, draft: Written, entailer: Entailer) -> Measured:
    """`balance` by an entailer on the documents as rendered in English, which no proxy sees."""
    from globesumm.text.sentences import split

    sentences = split(draft.text, TARGET)
    counts = []
    for document, told in zip(made.documents, made.told, strict=True):
        premise = " ".join(made.say(point, TARGET) for point in told)
        pairs = [
            Pair(
                premise=premise,
                premise_language=TARGET,
                hypothesis=sentence,
                hypothesis_language=TARGET,
            )
            for sentence in sentences
        ]
        counts.append(
            Entailed(
                summary=made.id,
                document=document.id,
                language=document.language,
                entailed=sum(bool(one.entailed) for one in entailer.entails(pairs)),
                sentences=len(sentences),
            )
        )
    return balance(counts)


def _candidate(made: World, draft: Written, system: str) -> Candidate:
    return Candidate(id=made.id, text=draft.text, language=TARGET, event=made.id, recipe=system)


def _renderings() -> Entailer:
    return LexicalStandIn(chunk_words=30)
