"""Which claims make the summary, in whose words, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster
from baselines.extractive.conflicts import Contest
from globesumm.values import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What makes a claim worth a place.

    A claim's weight is, summed over its voices, the best member's LexRank to the power of
    `rank_power` (below 1 it evens out hubs), times ``1 + lead / position``, position being 1 for
    a document's first sentence.  It is multiplied by `prefer_target` if the sentence that would
    tell it is in the target language: the merge cannot translate, so the reader gets what they
    can read unless something else weighs that many times as much.  The defaults were tuned on
    three real events in seven languages.
    """

    lead: float = 10.0
    rank_power: float = 0.5
    prefer_target: float = 20.0


def weigh(
    cluster: Cluster,
    claims: Claims,
    ranks: list[float],
    voice: Sequence[int],
    weights: Weights,
) -> float:
    """The weight of `cluster` in any language, above 0, rounded so that ties are ties."""
    best: dict[int, float] = {}
    for member in cluster.members:
        speaker = voice[claims.document[member]]
        weight = ranks[member] ** weights.rank_power
        weight *= 1 + weights.lead / (1 + claims.position[member])
        best[speaker] = max(best.get(speaker, 0.0), weight)
    return round(sum(best.values()), 6)


def representative(
    cluster: Cluster,
    claims: Claims,
    ranks: list[float],
    target: str,
    outdone: Sequence[frozenset[int]] = (),
) -> int:
    """The member that speaks for `cluster`: in the target language if it has one.

    Among those the one that LexRank puts first.  Where reports differ, only the members that
    are `outdone` in the fewest details can speak, in the target language or not, and of those
    the latest: an outdated figure is worse than a foreign sentence.
    """
    if len(cluster.members) == 1:
        return cluster.members[0]
    lost = {m: sum(m in members for members in outdone) for m in cluster.members}
    able = [member for member in cluster.members if lost[member] == min(lost.values())]
    readable = [member for member in able if claims.sentences[member].language == target] or able
    if outdone:
        return max(readable)
    return min(readable, key=lambda member: (-ranks[member], member))


def tell(
    claims: Claims,
    weight: Mapping[Cluster, float],
    ranks: list[float],
    contested: Sequence[Contest],
    *,
    target: str,
    max_words: int,
    prefer_target: float,
    alike: float,
) -> tuple[Sentence, ...]:
    """The summary: one sentence a claim, weightiest claims first, in reading order.

    A sentence that does not fit into what is left of `max_words` is passed over for a shorter
    one; one that is as close as `alike` (a cosine) to one already chosen is left out.  If no
    sentence fits at all, the shortest stands alone.
    """
    outdone: dict[Cluster, list[frozenset[int]]] = {}
    for contest in contested:
        outdone.setdefault(contest.cluster, []).append(contest.outdone())
    speaker = {
        cluster: representative(cluster, claims, ranks, target, outdone.get(cluster, ()))
        for cluster in weight
    }

    def order(cluster: Cluster) -> tuple[float, int]:
        place = speaker[cluster]
        readable = claims.sentences[place].language == target
        return -round(weight[cluster] * (prefer_target if readable else 1), 6), place

    chosen: dict[int, Cluster] = {}
    left = max_words
    for cluster in sorted(weight, key=order):
        place = speaker[cluster]
        needed = claims.words(place)
        if 0 < needed <= left and all(claims.cosine(place, other) < alike for other in chosen):
            chosen[place] = cluster
            left -= needed
    if not chosen and weight:
        shortest = min(
            weight, key=lambda cluster: (claims.words(speaker[cluster]), speaker[cluster])
        )
        chosen[speaker[shortest]] = shortest
    return tuple(_told(claims, place, chosen[place], contested) for place in sorted(chosen))


def _told(claims: Claims, place: int, cluster: Cluster, contested: Sequence[Contest]) -> Sentence:
    """A sentence of the summary with all statements of its claim that do not contradict it."""
    against = {
        member
        for contest in contested
        if contest.cluster == cluster and any(place in said for said in contest.values.values())
        for said in contest.values.values()
        if place not in said
        for member in said
    }
    agreeing = [m for m in cluster.members if m != place and m not in against]
    return replace(
        claims.sentences[place],
        statements=tuple(claims.statements[member] for member in (place, *agreeing)),
    )
