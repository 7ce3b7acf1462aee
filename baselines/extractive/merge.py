"""The extractive merge: no model writes, every sentence of the summary is somebody's own."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.schemas import Context
from baselines.extractive.claims import Claims, collect
from baselines.extractive.clusters import gather
from baselines.extractive.conflicts import contests
from baselines.extractive.encoders import Encoder, Remembering, choose
from baselines.extractive.graph import Edge, backwards, closest_first, lexrank, links
from baselines.extractive.issues import Limits, conflicts, omissions, redundancies
from baselines.extractive.select import Weights, tell, weigh
from baselines.extractive.voices import voices
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
    an earlier summary is lost.  What it hands on is its summary.
    """

    def __init__(self, encoder: Encoder | None = None, settings: Settings | None = None) -> None:
        self._encoder = Remembering(encoder or choose())
        self.settings = settings or Settings()
        self.name = f"extractive({self._encoder.name})"
        self._sources: tuple[Passage, ...] = ()
        self._edges: list[list[Edge]] = []

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        claims = collect(sources, self._encoder)
        floors = self._encoder.floors
        edges = self._alignments(sources, claims)
        clusters = gather(claims, edges, floors)
        voice = voices(claims, edges)
        ranks = lexrank(claims, links(claims, floors))
        weights = self.settings.weights
        weight = {cluster: weigh(cluster, claims, ranks, voice, weights) for cluster in clusters}
        clusters.sort(key=lambda cluster: (-weight[cluster], cluster.members))
        times = {document.id: document.published for document in context.event.documents}
        published = [
            times.get(claims.statements[span.start].document) if span.stop > span.start else None
            for span in claims.spans
        ]
        contested = contests(claims, clusters, published, floors)
        told = tell(
            claims,
            weight,
            ranks,
            contested,
            target=context.target,
            max_words=context.max_words,
            prefer_target=weights.prefer_target,
            alike=floors.certain,
        )
        documents = tuple(document for passage in sources for document in passage.documents)
        left_out, cut = omissions(
            claims, clusters, voice, ranks=ranks, floors=floors, limits=self.settings.limits
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

    def _alignments(self, sources: tuple[Passage, ...], claims: Claims) -> list[Edge]:
        """All alignments; those among documents that the round before had, too, are kept."""
        same = 0
        for before, now in zip(self._sources, sources, strict=False):
            if before != now:
                break
            same += 1
        del self._edges[same:]
        self._edges += [
            backwards(claims, self._encoder.floors, place) for place in range(same, len(sources))
        ]
        self._sources = sources
        return closest_first(edge for edges in self._edges for edge in edges)


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
        notes.append(f"{len(voice)} documents speak with {heard} voices: copies count once")
    words = sum(count_words(sentence.text, sentence.language) for sentence in told)
    if words > context.max_words:
        notes.append(
            f"no sentence has at most {context.max_words} words: the shortest, of {words}, "
            "stands alone"
        )
    return notes
