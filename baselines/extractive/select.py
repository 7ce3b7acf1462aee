"""Which claims make the summary, in whose words, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster
from baselines.extractive.conflicts import Contest
from globesumm.values import Sentence

QUOTES = frozenset('"“”„«»「」『』')


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What makes a claim worth a place.

    The worth of a sentence is ``exp(lead / position + support * s) * r ** rank_power``, position
    being 1 for a document's first sentence, s how near it comes to what the other voices say (in
    standard deviations) and r its LexRank; it is multiplied by `quoting` if it quotes.  A claim
    weighs as much as the sentence that tells it, times the number of voices that make it, and
    times `prefer_target` if that sentence is in the target language: the merge cannot translate,
    so the reader gets what they can read.

    A claim that is not told in the target language is told if at least `foreign_voices` make
    it; others of that sort only fill a summary that would otherwise use less than the share
    `foreign_share` of its words, or that has nothing in the target language at all.

    The defaults were tuned on three real events in seven languages, into four of these and from
    texts in one language, too.
    """

    lead: float = 2.0
    support: float = 0.5
    rank_power: float = 0.2
    quoting: float = 0.6
    prefer_target: float = 20.0
    foreign_voices: int = 3
    foreign_share: float = 0.5


def worth(
    claims: Claims, ranks: Sequence[float], support: NDArray[np.float64], weights: Weights
) -> list[float]:
    """The worth of each sentence, above 0, rounded so that ties are ties."""
    position = 1 + np.array(claims.position, dtype=np.float64)
    values = np.exp(weights.lead / position + weights.support * support)
    values *= np.array(ranks, dtype=np.float64) ** weights.rank_power
    values[[not QUOTES.isdisjoint(one.text) for one in claims.sentences]] *= weights.quoting
    return [round(value, 6) for value in values.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A claim and the sentence (a place in `Claims`) that would tell it.

    `weight` holds whatever the target language, `voices` are those that make the claim.
    """

    cluster: Cluster
    place: int
    weight: float
    voices: int


def candidates(
    claims: Claims,
    clusters: Sequence[Cluster],
    voice: Sequence[int],
    values: Sequence[float],
    *,
    contested: Sequence[Contest],
    target: str,
) -> list[Candidate]:
    """Each cluster with the sentence that would tell it, weightiest first.

    `values` are the sentences' `worth`.
    """
    outdone: dict[Cluster, list[frozenset[int]]] = {}
    for contest in contested:
        outdone.setdefault(contest.cluster, []).append(contest.outdone())
    found = []
    for cluster in clusters:
        place = representative(cluster, claims, values, target, outdone.get(cluster, ()))
        voices = len({voice[claims.document[member]] for member in cluster.members})
        weight = round(values[place] * voices, 6)
        found.append(Candidate(cluster=cluster, place=place, weight=weight, voices=voices))
    return sorted(found, key=lambda one: (-one.weight, one.cluster.members))


def representative(
    cluster: Cluster,
    claims: Claims,
    values: Sequence[float],
    target: str,
    outdone: Sequence[frozenset[int]] = (),
) -> int:
    """The member that speaks for `cluster`: in the target language if it has one.

    Among those the one of the highest worth.  Where reports differ, only the members that are
    `outdone` in the fewest details can speak, in the target language or not: an outdated figure
    is worse than a foreign sentence.
    """
    if len(cluster.members) == 1:
        return cluster.members[0]
    lost = {m: sum(m in members for members in outdone) for m in cluster.members}
    able = [member for member in cluster.members if lost[member] == min(lost.values())]
    readable = [member for member in able if claims.sentences[member].language == target] or able
    return min(readable, key=lambda member: (-values[member], member))


def tell(
    claims: Claims,
    found: Sequence[Candidate],
    contested: Sequence[Contest],
    weights: Weights,
    *,
    target: str,
    max_words: int,
    alike: float,
) -> tuple[Sentence, ...]:
    """The summary: one sentence a claim, weightiest claims first, in reading order.

    A sentence that does not fit into what is left of `max_words` is passed over for a shorter
    one; one that is as close as `alike` (a cosine) to one already chosen is left out.  If no
    sentence fits at all, the shortest stands alone.
    """
    readable = {one.place: claims.sentences[one.place].language == target for one in found}

    def order(one: Candidate) -> tuple[float, int]:
        preferred = weights.prefer_target if readable[one.place] else 1
        return -round(one.weight * preferred, 6), one.place

    first = [one for one in found if readable[one.place] or one.voices >= weights.foreign_voices]
    taken = {one.place for one in first}
    others = [one for one in found if one.place not in taken]
    share = weights.foreign_share if any(readable.values()) else 1
    chosen: dict[int, Cluster] = {}
    left = max_words
    for pool, least in ((first, 0.0), (others, (1 - share) * max_words)):
        for one in sorted(pool, key=order):
            needed = claims.words(one.place)
            if left <= least:
                break
            if 0 < needed <= left and all(
                claims.cosine(one.place, other) < alike for other in chosen
            ):
                chosen[one.place] = one.cluster
                left -= needed
    if not chosen and found:
        shortest = min(found, key=lambda one: (claims.words(one.place), one.place))
        chosen[shortest.place] = shortest.cluster
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
