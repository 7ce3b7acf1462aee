"""Conflict candidates: clusters whose members differ in a concrete detail, with who says what."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import combinations, pairwise

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster
from baselines.extractive.encoders import Floors
from baselines.extractive.graph import Edge
from baselines.extractive.pairs import contradictions, quantity
from globesumm.text.details import Details, Difference, Kind, details
from globesumm.values import Issue, IssueKind

Place = tuple[int, str]
"""A detail: a sentence's place in `Claims` and the detail as written there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One detail of one claim on which reports differ.

    `values` maps each value, in order of first appearance, to the members that state it.
    """

    cluster: Cluster
    kind: Kind
    values: dict[str, tuple[int, ...]]

    def outdone(self) -> frozenset[int]:
        """Members whose value does not prevail.

        Of plain numbers (the dead, the missing) the latest report's prevails, since they move
        as an event unfolds; of everything else what most members say, and of equally many the
        latest.  Members that do not give the detail are not outdone.
        """

        def standing(value: str) -> tuple[int, int]:
            members = self.values[value]
            return (0 if self.kind is Kind.NUMBER else len(members)), members[-1]

        best = max(self.values, key=standing)
        return frozenset(
            member for value, members in self.values.items() if value != best for member in members
        )


class Memory:
    """Clashes and contests of the clusters of the round before, by member.

    Whether two sentences clash does not depend on their clusters, so a cluster that gained a
    member needs only that member's pairs.
    """

    def __init__(self) -> None:
        self.known: dict[int, _Known] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    members: tuple[int, ...]
    clashes: dict[tuple[int, int], list["_Clash"]]
    contests: list[Contest]


def contests(
    claims: Claims,
    clusters: Sequence[Cluster],
    published: Sequence[datetime | None],
    floors: Floors,
    memory: Memory | None = None,
) -> list[Contest]:
    """What the members of each cluster contradict each other on, in the order of `clusters`.

    `published` is the publication time of each document in `claims`.  `memory` saves work where
    the same claims come again with further ones after them.
    """
    before = memory.known if memory else {}
    now: dict[int, _Known] = {}
    found: list[Contest] = []
    for cluster in clusters:
        if len(cluster.members) < 2:
            continue
        known = before.get(cluster.members[0])
        if known is None or known.members != cluster.members:
            known = _read(claims, cluster, published, floors, before)
        now.update(dict.fromkeys(cluster.members, known))
        found += known.contests
    if memory:
        memory.known = now
    return found


def _read(
    claims: Claims,
    cluster: Cluster,
    published: Sequence[datetime | None],
    floors: Floors,
    before: Mapping[int, _Known],
) -> _Known:
    read: dict[int, Details] = {}
    for member in cluster.members:
        sentence = claims.sentences[member]
        time = published[claims.document[member]]
        read[member] = _details(sentence.text, sentence.language, time)
    known = {member: before.get(member) for member in cluster.members}
    clashes: dict[tuple[int, int], list[_Clash]] = {}
    for left, right in combinations(cluster.members, 2):
        earlier = known[left]
        if earlier is not None and earlier is known[right]:
            between = earlier.clashes.get((left, right), [])
        else:
            cosine = claims.cosine(left, right)
            between = [
                _clash(difference, (left, right), (read[left], read[right]), cosine)
                for difference in contradictions(
                    read[left],
                    read[right],
                    cosine,
                    floors,
                    published=published[claims.document[left]],
                    other_published=published[claims.document[right]],
                )
            ]
        if between:
            clashes[left, right] = between
    groups = _joined([clash for between in clashes.values() for clash in between])
    return _Known(
        members=cluster.members,
        clashes=clashes,
        contests=[_contest(cluster, group) for group in groups],
    )


def differ_in_number(
    claims: Claims, published: Sequence[datetime | None], floors: Floors, edge: Edge
) -> bool:
    """Whether two aligned sentences contradict each other in what they count."""
    left, right = (
        _details(sentence.text, sentence.language, published[claims.document[place]])
        for place, sentence in ((one, claims.sentences[one]) for one in (edge.left, edge.right))
    )
    found = contradictions(left, right, claims.cosine(edge.left, edge.right), floors)
    return any(difference.kind is Kind.NUMBER for difference in found)


@lru_cache(maxsize=20_000)
def _details(text: str, language: str, published: datetime | None) -> Details:
    # The recurrent loop reads the sentences of a prefix again in each round.
    return details(text, language, published)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clash:
    """A difference between two places; `order` puts the surest first."""

    order: tuple[int, float, Place, Place]
    kind: Kind
    places: tuple[Place, Place]
    values: tuple[str, str]
    topics: frozenset[str]


def _clash(
    difference: Difference, members: tuple[int, int], read: tuple[Details, Details], cosine: float
) -> _Clash:
    kind = difference.kind
    # Negation is a property of the whole sentence; its wording is no value to go by.
    words = (kind.value,) * 2 if kind is Kind.NEGATION else (difference.left, difference.right)
    found = [quantity(side, text) for side, text in zip(read, words, strict=True)]
    topics = [each.topic for each in found if each is not None and each.topic is not None]
    same = len(topics) == 2 and topics[0] == topics[1]
    places = (members[0], words[0]), (members[1], words[1])
    return _Clash(
        order=(0 if same else 1, -cosine, *places),
        kind=kind,
        places=places,
        values=(difference.left_value, difference.right_value),
        topics=frozenset(topics) - {"people"},
    )


@dataclass(slots=True)
class _Detail:
    """Clashes about one detail, with all their places and topics, and whose places they are."""

    clashes: list[_Clash]
    places: set[Place]
    members: set[int]
    topics: set[str]


def _joined(clashes: list[_Clash]) -> list[list[_Clash]]:
    """Clashes that share a place are about one detail, in order of their first places.

    The surest are joined first, and no group takes a second detail of one sentence or a second
    topic: the dead would otherwise run together with the injured of the same sentence.
    """
    group: dict[Place, _Detail] = {}
    for clash in sorted(clashes, key=lambda clash: clash.order):
        one, other = (group.get(place) or _alone(place) for place in clash.places)
        if len(one.topics | other.topics | clash.topics) > 1:
            continue
        if one is not other:
            if not one.members.isdisjoint(other.members):
                continue
            one.clashes += other.clashes
            one.places |= other.places
            one.members |= other.members
            group.update(dict.fromkeys(other.places, one))
        one.clashes.append(clash)
        one.topics |= other.topics | clash.topics
        group[clash.places[0]] = one
    distinct = {id(detail): detail for detail in group.values()}
    ordered = sorted(distinct.values(), key=lambda detail: min(detail.places))
    return [detail.clashes for detail in ordered]


def _alone(place: Place) -> _Detail:
    return _Detail(clashes=[], places={place}, members={place[0]}, topics=set())


def _contest(cluster: Cluster, group: list[_Clash]) -> Contest:
    counted = Counter(clash.kind for clash in group)
    value = {
        place: stated
        for clash in group
        for place, stated in zip(clash.places, clash.values, strict=True)
    }
    stated: dict[str, list[int]] = {}
    for member, written in sorted(value):
        stated.setdefault(value[member, written], []).append(member)
    return Contest(
        cluster=cluster,
        kind=max(counted, key=lambda kind: (counted[kind], kind.value)),
        values={text: tuple(members) for text, members in stated.items()},
    )


def issue(contest: Contest, claims: Claims, published: Sequence[datetime | None]) -> Issue:
    """`contest` as an issue: statements grouped by value, and who says what in the note."""
    members = [member for value in contest.values.values() for member in value]
    said = "; ".join(
        f"{value}: {', '.join(dict.fromkeys(claims.statements[m].document for m in stating))}"
        for value, stating in contest.values.items()
    )
    return Issue(
        kind=IssueKind.CONFLICT,
        statements=tuple(claims.statements[member] for member in dict.fromkeys(members)),
        differs=f"{contest.kind}: {' / '.join(contest.values)}",
        note=f"{said}. {_hint(contest, claims, published)}",
    )


UNJUDGED = "The cause was not judged"


def _hint(contest: Contest, claims: Claims, published: Sequence[datetime | None]) -> str:
    """A remark where three values or more follow one another in time and all one way."""
    if contest.kind is not Kind.NUMBER or len(contest.values) < 3:
        return UNJUDGED
    spans: list[tuple[datetime, datetime]] = []
    for members in contest.values.values():
        times = [published[claims.document[member]] for member in members]
        known = [time for time in times if time is not None]
        if len(known) < len(times):
            return UNJUDGED
        spans.append((min(known), max(known)))
    if any(before[1] > after[0] for before, after in pairwise(spans)):
        return UNJUDGED
    return f"{UNJUDGED}; the values follow one another in time, as an update's would"
