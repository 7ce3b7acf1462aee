"""The extractive merge: no model writes, every sentence of the summary is somebody's own."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotation.schemas import Context
from baselines.extractive.clusters import gather
from baselines.extractive.conflicts import contests
from baselines.extractive.encoders import Encoder, Remembering, choose
from baselines.extractive.issues import Limits, conflicts, omissions, redundancies
from baselines.extractive.prefix import Prefix
from baselines.extractive.select import Weights, candidates, tell, worth
from globesumm.finite import counted
from globesumm.text.words import count_words
from globesumm.values import Passage, Round, Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set about the extractive merge; the defaults were tuned on three real events."""

    weights: Weights = field(default_factory=Weights)
    limits: Limits = field(default_factory=Limits)


class ExtractiveMerge:
    """Merge passages by LexRank over claims; deterministic, needs no model and no network.

    It looks at the sentences of all documents so far (``context.sources``), so a prefix of m
    documents gets the summary that these m documents deserve, and nothing that was left out of
    an earlier summary is lost.  What it hands on is its summary.  From one call to the next it
    keeps what it knows of the documents, so that a further one costs only what it changes.
    """

    def __init__(self, encoder: Encoder | None = None, settings: Settings | None = None) -> None:
        self._encoder = Remembering(encoder or choose())
        self.settings = settings or Settings()
        self.name = f"extractive({self._encoder.name})"
        # Each thread makes its own summaries; the rounds of two must not mix.
        self._of_thread = threading.local()

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        times = {document.id: document.published for document in context.event.documents}
        published = [times.get(_document(passage)) for passage in sources]
        known = self._known(sources, published)
        claims, floors, voice = known.claims, self._encoder.floors, known.voice
        clusters = gather(claims, known.edges, floors)
        ranks = known.graph.lexrank()
        contested = contests(claims, clusters, published, floors, known.disputes)
        weights = self.settings.weights
        values = worth(claims, ranks, known.support(voice), weights)
        found = candidates(
            claims, clusters, voice, values, contested=contested, target=context.target
        )
        # What is told first is also listed first.
        clusters = [one.cluster for one in found]
        place = {cluster: place for place, cluster in enumerate(clusters)}
        contested.sort(key=lambda contest: place[contest.cluster])
        told = tell(
            claims,
            found,
            contested,
            weights,
            target=context.target,
            max_words=context.max_words,
            alike=floors.certain,
        )
        documents = tuple(document for passage in sources for document in passage.documents)
        left_out, cut = omissions(
            claims,
            clusters,
            voice,
            ranks=ranks,
            closest=known.closest_elsewhere(voice),
            floors=floors,
            limits=self.settings.limits,
        )
        contradicted, unread = conflicts(claims, contested, published)
        return Round(
            index=context.index,
            documents=documents,
            added=documents,
            summary=" ".join(sentence.text for sentence in told),
            sentences=told,
            issues=(*redundancies(claims, clusters, voice), *left_out, *contradicted),
            inputs=tuple(passages),
            carry=Passage(documents=documents, language=context.target, sentences=told),
            notes=(*_notes(told, voice, context), *cut, *unread),
        )

    def _known(self, sources: tuple[Passage, ...], published: Sequence[datetime | None]) -> Prefix:
        """What is known of `sources`; only what the round before did not have is worked out."""
        known: Prefix | None = getattr(self._of_thread, "known", None)
        # A failure amid the documents (of the encoder, say) must leave nothing half known behind.
        self._of_thread.known = None
        if known is None or not known.begins(sources, published):
            known = Prefix(self._encoder)
        known.extend(sources, published)
        self._of_thread.known = known
        return known


def _document(passage: Passage) -> str:
    """The document whose publication time is the passage's."""
    said = [one.document for sentence in passage.sentences[:1] for one in sentence.statements[:1]]
    return said[0] if said else passage.documents[0]


def _notes(
    told: tuple[Sentence, ...],
    voice: Sequence[int],
    context: Context,
) -> list[str]:
    notes: list[str] = []
    foreign = sum(sentence.language != context.target for sentence in told)
    if foreign:
        notes.append(
            f"{foreign} of {len(told)} sentences are not in {context.target}: "
            "an extractive summary does not translate"
        )
    heard = len(set(voice))
    if heard < len(voice):
        notes.append(
            f"{len(voice)} documents speak with {counted(heard, 'voice')}: copies count once"
        )
    words = sum(count_words(sentence.text, sentence.language) for sentence in told)
    if words > context.max_words:
        notes.append(
            f"no sentence has at most {context.max_words} words: the shortest, of {words}, "
            "stands alone"
        )
    return notes
