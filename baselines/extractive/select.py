"""Which claims make the summary, in whose words, and in which order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What makes a claim worth a place.

    A claim's weight is the LexRank of its best member in each voice, summed, times a bonus for
    standing early in its document (`lead` at the first sentence, fading with 1/position), and
    times `prefer_target` if it can be told in the target language: the merge cannot translate,
    so among near-equals the reader gets what they can read.
    """

    lead: float = 5.0
    prefer_target: float = 30.0


def weigh(
    cluster: Cluster,
    claims: Claims,
    ranks: list[float],
    voice: Sequence[int],
    *,
    target: str,
    weights: Weights,
) -> float:
    """The weight of `cluster`, 0 or more, higher first, rounded so that ties are ties."""
    best: dict[int, float] = {}
    for member in cluster.members:
        speaker = voice[claims.document[member]]
        bonus = 1 + weights.lead / (1 + claims.position[member])
        best[speaker] = max(best.get(speaker, 0.0), ranks[member] * bonus)
    weight = sum(best.values())
    if any(claims.sentences[member].language == target for member in cluster.members):
        weight *= weights.prefer_target
    return round(weight, 6)


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
    lost = {m: sum(m in members for members in outdone) for m in cluster.members}
    able = [member for member in cluster.members if lost[member] == min(lost.values())]
    readable = [member for member in able if claims.sentences[member].language == target] or able
    if outdone:
        return max(readable)
    return min(readable, key=lambda member: (-ranks[member], member))


def fill(
    order: Iterable[int],
    words: Callable[[int], int],
    alike: Callable[[int, int], bool],
    most: int,
) -> list[int]:
    """Sentences from `order`, best first, as long as their words fit; in reading order.

    One that does not fit is passed over for a shorter one, and one that is `alike` one already
    chosen is left out.
    """
    chosen: list[int] = []
    left = most
    for place in order:
        needed = words(place)
        if 0 < needed <= left and not any(alike(place, other) for other in chosen):
            chosen.append(place)
            left -= needed
    return sorted(chosen)
