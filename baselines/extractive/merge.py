"""The extractive merge: no model writes, every sentence of the summary is somebody's own."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotation.schemas import Context
from baselines.extractive.claims import Claims, collect
from baselines.extractive.clusters import Cluster, gather
from baselines.extractive.conflicts import Contest, contests
from baselines.extractive.encoders import Encoder, Remembering, choose
from baselines.extractive.graph import alignments, lexrank, links
from baselines.extractive.issues import Limits, conflicts, omissions, redundancies
from baselines.extractive.select import Weights, fill, representative, weigh
from baselines.extractive.voices import voices
from globesumm.languages import UNKNOWN
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

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        claims = collect(sources, self._encoder)
        floors = self._encoder.floors
        edges = alignments(claims, floors)
        clusters = gather(claims, edges, floors)
        voice = voices(claims, edges)
        ranks = lexrank(claims, links(claims, floors))
        clusters = _by_weight(
            claims, clusters, ranks, voice, target=context.target, weights=self.settings.weights
        )
        times = {document.id: document.published for document in context.event.documents}
        published = [
            times.get(claims.statements[span.start].document) if span.stop > span.start else None
            for span in claims.spans
        ]
        contested = contests(claims, clusters, published, floors)
        chosen = self._chosen(claims, clusters, ranks, contested, context)
        told = tuple(_told(claims, place, cluster, contested) for place, cluster in chosen)
        documents = tuple(document for passage in sources for document in passage.documents)
        # What matters does not depend on the language it is told in.
        plain = replace(self.settings.weights, prefer_target=1.0)
        weighty = _by_weight(claims, clusters, ranks, voice, target=UNKNOWN, weights=plain)
        left_out, cut = omissions(claims, weighty, voice, floors, self.settings.limits)
        contradicted, unread = conflicts(claims, contested, published)
        return Round(
            index=context.index,
            documents=documents,
            added=documents,
            summary=" ".join(sentence.text for sentence in told),
            sentences=told,
            issues=(*redundancies(claims, weighty, voice), *left_out, *contradicted),
            inputs=tuple(passages),
            carry=Passage(documents=documents, language=context.target, sentences=told),
            notes=(*_notes(told, voice, context), *cut, *unread),
        )

    def _chosen(
        self,
        claims: Claims,
        clusters: list[Cluster],
        ranks: list[float],
        contested: list[Contest],
        context: Context,
    ) -> list[tuple[int, Cluster]]:
        outdone: dict[Cluster, list[frozenset[int]]] = {}
        for contest in contested:
            outdone.setdefault(contest.cluster, []).append(contest.outdone())
        speaker = {
            representative(
                cluster, claims, ranks, context.target, outdone.get(cluster, ())
            ): cluster
            for cluster in clusters
        }

        def words(place: int) -> int:
            sentence = claims.sentences[place]
            return count_words(sentence.text, sentence.language)

        def alike(left: int, right: int) -> bool:
            return claims.cosine(left, right) >= self._encoder.floors.certain

        places = fill(speaker, words, alike, context.max_words)
        if not places and speaker:
            places = [min(speaker, key=lambda place: (words(place), place))]
        return [(place, speaker[place]) for place in places]


def _by_weight(
    claims: Claims,
    clusters: list[Cluster],
    ranks: list[float],
    voice: Sequence[int],
    *,
    target: str,
    weights: Weights,
) -> list[Cluster]:
    weight = {
        cluster: weigh(cluster, claims, ranks, voice, target=target, weights=weights)
        for cluster in clusters
    }
    return sorted(clusters, key=lambda cluster: (-weight[cluster], cluster.members))


def _told(claims: Claims, place: int, cluster: Cluster, contested: Sequence[Contest]) -> Sentence:
    """A sentence of the summary with all statements of the claim that do not contradict it."""
    sentence = claims.sentences[place]
    against = {
        member
        for contest in contested
        if contest.cluster == cluster and any(place in said for said in contest.values.values())
        for said in contest.values.values()
        if place not in said
        for member in said
    }
    others = [
        claims.statements[member]
        for member in cluster.members
        if member != place and member not in against
    ]
    return Sentence(
        text=sentence.text,
        language=sentence.language,
        statements=(claims.statements[place], *others),
    )


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
