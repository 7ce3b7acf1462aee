"""The oracle control: the best that sentences of the sources alone could do against the reference.

No system may look at the reference; this control does, and so bounds the extractive ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotation.schemas import Context
from baselines.controls import Place, told_round
from globesumm.errors import DataError
from globesumm.text.words import count_words
from globesumm.values import Passage, Round, Sentence
from metrics.tokens import TOKENIZERS

Grams = Counter[tuple[str, ...]]

ORDERS = (1, 2)
"""ROUGE-1 and ROUGE-2; the sum of their F1 is what the greedy search raises."""

NOTHING_SHARED = "no sentence that fits shares a word with the reference"


class NoReference(DataError):
    """The event has no reference in the language written, so there is no bound to reach."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """Greedy extraction by ROUGE against the reference, the usual oracle (Nallapati et al., 2017).

    Sentence after sentence is taken that raises ROUGE-1 F1 + ROUGE-2 F1 (as in Liu and Lapata,
    2019) most, until none does or none fits; the earlier of two that raise it alike.  Words are
    those of the metric ``rouge``, and pairs of words end at a sentence's end.  Of several
    references the one is used that can be met best.  Every round is held against the reference
    of the whole event.

    Raises `NoReference` for an event without a reference in the target language.
    """

    @property
    def name(self) -> str:
        """The control as a model's name."""
        return "oracle(rouge1+rouge2)"

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        event = context.event
        if not event.references:
            raise NoReference(f"event {event.id!r} has no reference, which the oracle needs")
        if event.reference_language != context.target:
            raise NoReference(
                f"the references of event {event.id!r} are in {event.reference_language!r}, and "
                f"the oracle needs one in {context.target!r}"
            )
        sources = tuple(context.sources or passages)
        at = [
            (place, index)
            for place, source in enumerate(sources)
            for index in range(len(source.sentences))
        ]
        pool = [_Choice(sources[place].sentences[index]) for place, index in at]
        best: tuple[float, list[int]] = (0.0, [])
        for reference in event.references:
            tried = _greedy(pool, _grams(reference, context.target), context.max_words)
            best = max(best, tried, key=lambda found: found[0])
        chosen: list[Place] = [at[number] for number in best[1]]
        made = told_round(chosen, passages, context)
        return made if chosen else replace(made, notes=(*made.notes, NOTHING_SHARED))


class _Choice:
    """A sentence that may be taken: its length, its n-grams, and how many it has of each order."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = count_words(sentence.text, sentence.language)
        self.grams = _grams(sentence.text, sentence.language)
        self.totals = [grams.total() for grams in self.grams]


def _grams(text: str, language: str) -> list[Grams]:
    words = TOKENIZERS["words"].split(text, language)
    return [Counter((word,) for word in words), Counter(pairwise(words))]


def _greedy(pool: Sequence[_Choice], reference: list[Grams], most: int) -> tuple[float, list[int]]:
    """(ROUGE-1 F1 + ROUGE-2 F1, numbers of the sentences taken)."""
    wanted = [grams.total() for grams in reference]
    # Only what the reference holds can count, so only that is compared.
    shared = [
        [
            {g: n for g, n in mine.items() if g in theirs}
            for mine, theirs in zip(c.grams, reference, strict=True)
        ]
        for c in pool
    ]
    taken: list[int] = []
    held: list[Grams] = [Counter() for _ in ORDERS]
    hits, totals = [0] * len(ORDERS), [0] * len(ORDERS)
    reached, left = 0.0, most
    while True:
        best = reached, -1
        for number, choice in enumerate(pool):
            if number in taken or not 0 < choice.words <= left:
                continue
            score = sum(
                _f1(
                    hits[order] + _gained(shared[number][order], held[order], reference[order]),
                    totals[order] + choice.totals[order],
                    wanted[order],
                )
                for order in range(len(ORDERS))
            )
            if score > best[0]:
                best = score, number
        reached, number = best
        if number < 0:
            return reached, taken
        taken.append(number)
        left -= pool[number].words
        for order in range(len(ORDERS)):
            hits[order] += _gained(shared[number][order], held[order], reference[order])
            totals[order] += pool[number].totals[order]
            held[order].update(shared[number][order])


def _gained(mine: dict[tuple[str, ...], int], held: Grams, reference: Grams) -> int:
    """By how much the clipped overlap grows with a sentence that shares `mine`."""
    return sum(
        min(reference[gram], held[gram] + count) - min(reference[gram], held[gram])
        for gram, count in mine.items()
    )


def _f1(hits: int, candidate: int, reference: int) -> float:
    return 2 * hits / (candidate + reference) if hits else 0.0
