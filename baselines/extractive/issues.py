"""What the documents repeat, leave out and contradict."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster
from baselines.extractive.conflicts import Contest, issue
from baselines.extractive.encoders import Floors
from globesumm.text.details import details, negation_languages
from globesumm.values import Issue, IssueKind, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of what was found is reported; the notes give the totals.

    `omissions`: the most omissions of a round.  `omission_words`: a shorter sentence is no
    claim that one could leave out.
    """

    omissions: int = 10
    omission_words: int = 6


def redundancies(claims: Claims, clusters: Sequence[Cluster], voice: Sequence[int]) -> list[Issue]:
    """Claims of two documents or more, in the order of `clusters`, with all their statements."""
    issues = []
    for cluster in clusters:
        if len(cluster.members) < 2:
            continue
        heard = len(_speakers(cluster, claims, voice))
        note = None
        if heard < len(cluster.members):
            note = f"{len(cluster.members)} documents, {_voices(heard)}: copies count once"
        issues.append(
            Issue(kind=IssueKind.REDUNDANCY, statements=_statements(cluster, claims), note=note)
        )
    return issues


def omissions(
    claims: Claims,
    clusters: Sequence[Cluster],
    voice: Sequence[int],
    *,
    ranks: Sequence[float],
    closest: Sequence[float],
    floors: Floors,
    limits: Limits,
) -> tuple[list[Issue], list[str]]:
    """Claims that one voice alone makes, and notes.

    A sentence is such a claim if it has enough words, asks nothing, and no sentence of another
    voice comes near it; `closest` is each sentence's highest cosine with one.  Those with a
    figure come first, since they tell something definite, and within both groups those that
    LexRank puts first.
    """
    heard = len(set(voice))
    if heard < 2:
        return [], []
    alone = [
        cluster
        for cluster in clusters
        if len(_speakers(cluster, claims, voice)) == 1
        and all(closest[member] < floors.covered for member in cluster.members)
        and _is_claim(claims, cluster.members[0], limits)
    ]

    def order(cluster: Cluster) -> tuple[bool, float, tuple[int, ...]]:
        sentences = (claims.sentences[member] for member in cluster.members)
        definite = any(_has_figure(one.text, one.language) for one in sentences)
        return not definite, -max(ranks[member] for member in cluster.members), cluster.members

    kept = sorted(alone, key=order)[: limits.omissions]
    issues = [
        Issue(
            kind=IssueKind.OMISSION,
            statements=_statements(cluster, claims),
            note=f"told by 1 of {heard} voices",
        )
        for cluster in kept
    ]
    if len(kept) == len(alone):
        return issues, []
    return issues, [f"{len(kept)} of {len(alone)} claims of one voice are listed"]


def conflicts(
    claims: Claims, found: Sequence[Contest], published: Sequence[datetime | None]
) -> tuple[list[Issue], list[str]]:
    """Each contest as an issue, and a note on languages in which negation cannot be read."""
    languages = {sentence.language for sentence in claims.sentences}
    unread = sorted(languages - negation_languages())
    notes = [f"no list of negations for {', '.join(unread)}"] if unread else []
    return [issue(contest, claims, published) for contest in found], notes


def _speakers(cluster: Cluster, claims: Claims, voice: Sequence[int]) -> set[int]:
    return {voice[document] for document in cluster.documents(claims)}


def _statements(cluster: Cluster, claims: Claims) -> tuple[Statement, ...]:
    return tuple(claims.statements[member] for member in cluster.members)


def _voices(count: int) -> str:
    return f"{count} voice{'' if count == 1 else 's'}"


@lru_cache(maxsize=20_000)
def _has_figure(text: str, language: str) -> bool:
    return bool(details(text, language).quantities)


def _is_claim(claims: Claims, place: int, limits: Limits) -> bool:
    sentence = claims.sentences[place]
    asks = sentence.text.rstrip("\"'»”’)] ").endswith(("?", "؟", "？", "\u037e"))
    return not asks and claims.words(place) >= limits.omission_words
