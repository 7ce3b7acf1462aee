"""The extractive merge: no model writes, every sentence of the summary is somebody's own."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.schemas import Context
from baselines.extractive.claims import Claims, collect
from baselines.extractive.clusters import Cluster, gather
from baselines.extractive.encoders import Encoder, Remembering, choose
from baselines.extractive.graph import alignments, lexrank, links
from baselines.extractive.issues import Findings, Limits, find
from baselines.extractive.select import Weights, fill, representative, weigh
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

    def __call__(self, passages: Sequence[Passage], context: Context) -> Round:
        sources = tuple(context.sources or passages)
        claims = collect(sources, self._encoder)
        floors = self._encoder.floors
        edges = alignments(claims, floors)
        clusters = gather(claims, edges, floors)
        voice = voices(claims, edges)
        ranks = lexrank(claims, list(links(claims, floors)))
        weight = {
            cluster: weigh(
                cluster,
                claims,
                ranks=ranks,
                voice=voice,
                target=context.target,
                weights=self.settings.weights,
            )
            for cluster in clusters
        }
        clusters.sort(key=lambda cluster: (-weight[cluster], cluster.members))
        findings = find(claims, clusters, voice)
        chosen = self._chosen(claims, clusters, ranks, findings, context)
        told = tuple(self._told(claims, place, cluster) for place, cluster in chosen)
        documents = tuple(document for passage in sources for document in passage.documents)
        return Round(
            index=context.index,
            documents=documents,
            added=documents,
            summary=" ".join(sentence.text for sentence in told),
            sentences=told,
            issues=findings.issues,
            inputs=tuple(passages),
            carry=Passage(documents=documents, language=context.target, sentences=told),
            notes=(*self._notes(told, documents, voice, context), *findings.notes),
        )

    def _chosen(
        self,
        claims: Claims,
        clusters: list[Cluster],
        ranks: list[float],
        findings: Findings,
        context: Context,
    ) -> list[tuple[int, Cluster]]:
        speaker: dict[int, Cluster] = {}
        for cluster in clusters:
            latest = cluster in findings.contested
            place = representative(cluster, claims, ranks, context.target, latest=latest)
            if place not in findings.overtaken:
                speaker[place] = cluster

        def words(place: int) -> int:
            sentence = claims.sentences[place]
            return count_words(sentence.text, sentence.language)

        def alike(left: int, right: int) -> bool:
            cosine = float(claims.cosines(slice(left, left + 1), slice(right, right + 1))[0, 0])
            return cosine >= self._encoder.floors.certain

        places = fill(speaker, words, alike, context.max_words)
        if not places and speaker:
            places = [min(speaker, key=lambda place: (words(place), place))]
        return [(place, speaker[place]) for place in places]

    def _told(self, claims: Claims, place: int, cluster: Cluster) -> Sentence:
        sentence = claims.sentences[place]
        others = [claims.statements[member] for member in cluster.members if member != place]
        return Sentence(
            text=sentence.text,
            language=sentence.language,
            statements=(claims.statements[place], *others),
        )

    def _notes(
        self,
        told: tuple[Sentence, ...],
        documents: tuple[str, ...],
        voice: tuple[int, ...],
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
        if heard < len(documents):
            notes.append(f"{len(documents)} documents speak with {heard} voices: copies count once")
        words = sum(count_words(sentence.text, sentence.language) for sentence in told)
        if words > context.max_words:
            notes.append(
                f"no sentence has at most {context.max_words} words: the shortest, of {words}, "
                "stands alone"
            )
        return notes
