"""Controls: merges that know nothing, which a real one has to beat."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotation.schemas import Context
from globesumm.text.words import count_words
from globesumm.values import Passage, Round, Sentence


@dataclass(frozen=True, slots=True)
class Lead:
    """Leading sentences: the first of every document, oldest first, then every second, and on.

    With `readable` only sentences in the target language are taken, as long as there are any;
    without it each stays in its own language.
    """

    readable: bool = False

    @property
    def name(self) -> str:
        """The control as a model's name."""
        return "lead(target language)" if self.readable else "lead"

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        longest = max((len(passage.sentences) for passage in sources), default=0)
        order = [
            (place, index)
            for index in range(longest)
            for place, passage in enumerate(sources)
            if index < len(passage.sentences)
        ]
        return _round(_readable(order, sources, context, self.readable), passages, context)


@dataclass(frozen=True, slots=True)
class Random:
    """Sentences drawn by `seed` and the event's id; otherwise as `Lead`."""

    seed: int = 0
    readable: bool = False

    @property
    def name(self) -> str:
        """The control as a model's name."""
        return f"random(seed {self.seed}{', target language' if self.readable else ''})"

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        order = [
            (place, index)
            for place, passage in enumerate(sources)
            for index in range(len(passage.sentences))
        ]

        def drawn(at: tuple[int, int]) -> bytes:
            key = f"{self.seed}\n{context.event.id}\n{sources[at[0]].documents}\n{at[1]}"
            return sha256(key.encode("utf-8", "backslashreplace")).digest()

        order.sort(key=drawn)
        return _round(_readable(order, sources, context, self.readable), passages, context)


Place = tuple[int, int]
"""(number of a source, number of a sentence in it), both from 0."""


def _readable(
    order: list[Place], sources: tuple[Passage, ...], context: Context, readable: bool
) -> list[Place]:
    kept = [at for at in order if sources[at[0]].sentences[at[1]].language == context.target]
    return kept if readable and kept else order


def _round(order: Iterable[Place], passages: Sequence[Passage], context: Context) -> Round:
    """As many sentences from `order` as fit into ``max_words``."""
    sources = tuple(context.sources or passages)
    chosen: list[Place] = []
    left = context.max_words
    for place, index in order:
        sentence = sources[place].sentences[index]
        needed = count_words(sentence.text, sentence.language)
        if 0 < needed <= left:
            chosen.append((place, index))
            left -= needed
    return told_round(chosen, passages, context)


def told_round(chosen: Iterable[Place], passages: Sequence[Passage], context: Context) -> Round:
    """The round whose summary is the sentences at `chosen` in the sources, in reading order."""
    sources = tuple(context.sources or passages)
    told: tuple[Sentence, ...] = tuple(
        sources[place].sentences[index] for place, index in sorted(chosen)
    )
    documents = tuple(document for passage in sources for document in passage.documents)
    foreign = sum(sentence.language != context.target for sentence in told)
    notes = (f"{foreign} of {len(told)} sentences are not in {context.target}",) if foreign else ()
    return Round(
        index=context.index,
        documents=documents,
        added=documents,
        summary=" ".join(sentence.text for sentence in told),
        sentences=told,
        inputs=tuple(passages),
        carry=Passage(documents=documents, language=context.target, sentences=told),
        notes=notes,
    )
