"""Several annotators' marks: where they agree, and the one gold that is made of them.

How the paper's three annotators make one gold is not stated, so it is a setting.  Two marks are
held to be the same issue by a rule of `MATCHES`, at most one to one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from globesumm.errors import UnknownName
from globesumm.values import IssueKind
from metrics.marks import Mark, Marked


def overlaps(one: Mark, other: Mark) -> bool:
    """The same kind, and a sentence in common on every side that either stands on."""
    if one.kind is not other.kind:
        return False
    sides = [(one.first, other.first), (one.second, other.second)]
    return all(bool({*a} & {*b}) for a, b in sides if a or b)


def equals(one: Mark, other: Mark) -> bool:
    """The same kind and the same sentences."""
    return (one.kind, one.first, one.second) == (other.kind, other.first, other.second)


Match = Callable[[Mark, Mark], bool]

MATCHES: Mapping[str, Match] = {"overlap": overlaps, "exact": equals}
"""When two marks are the same issue."""

GOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "union": lambda votes, _: votes >= 1,
    "majority": lambda votes, annotators: 2 * votes > annotators,
    "intersection": lambda votes, annotators: votes == annotators,
}
"""Whether an issue that so many (votes) of a pair's annotators marked is gold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far annotators agree on one kind, over all pairs that two of them marked.

    `counts` are each annotator's marks.  `agreement` is 2 x matched / (marks of both), the mean
    over pairs of annotators (Hripcsak and Rothschild, 2005; 1 is best).  `kappa` is Cohen's
    (1960), the mean likewise, over all that could be marked: every pair of sentences, one of
    each document, and for omissions every sentence.  None where nothing was marked.
    """

    kind: IssueKind
    counts: Mapping[str, int]
    agreement: float | None
    kappa: float | None


def matched(one: Sequence[Mark], other: Sequence[Mark], match: Match) -> list[tuple[int, int]]:
    """Places of the same issues, one to one: as many as can be, and of those the closest."""
    import networkx as nx

    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    for place, mark in enumerate(one):
        for across, counterpart in enumerate(other):
            if match(mark, counterpart):
                graph.add_edge((0, place), (1, across), weight=_closeness(mark, counterpart))
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    # Sorted within, the side `one` comes first.
    return sorted((a[1], b[1]) for a, b in map(sorted, pairs))


def _closeness(one: Mark, other: Mark) -> float:
    """The share of their sentences that two marks have in common, 0 to 1."""
    a, b = set(_places(one)), set(_places(other))
    return len(a & b) / len(a | b)


def _places(mark: Mark) -> list[tuple[int, int]]:
    return [(1, one) for one in mark.first] + [(2, one) for one in mark.second]


def gold(marked: Sequence[Marked], how: str = "majority", rule: str = "overlap") -> list[Mark]:
    """The gold of one pair from its annotators' marks.

    Marks of different annotators that match are one issue, and so are those that a third
    joins; it has a vote of each of them.  Its sentences are those that as many named as `how`
    asks for, or all where that leaves a side empty.  Raises `UnknownName` for a setting in no
    table.
    """
    enough, match = _setting(GOLDS, how, "gold"), _setting(MATCHES, rule, "match")
    groups = _groups([(one.annotator, mark) for one in marked for mark in one.issues], match)
    annotators = len({one.annotator for one in marked})
    found = []
    for group in groups:
        votes = {name for name, _ in group}
        if enough(len(votes), annotators):
            found.append(_merged(group, lambda count: enough(count, annotators)))
    return found


def _setting(table: Mapping[str, Callable[..., bool]], name: str, kind: str) -> Callable[..., bool]:
    if name not in table:
        raise UnknownName(f"setting of {kind}", name, table)
    return table[name]


def _groups(marks: Sequence[tuple[str, Mark]], match: Match) -> list[list[tuple[str, Mark]]]:
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(marks)))
    names = dict.fromkeys(name for name, _ in marks)
    for one, other in combinations(names, 2):
        of_one = [place for place, (name, _) in enumerate(marks) if name == one]
        of_other = [place for place, (name, _) in enumerate(marks) if name == other]
        pairs = matched([marks[p][1] for p in of_one], [marks[p][1] for p in of_other], match)
        graph.add_edges_from((of_one[a], of_other[b]) for a, b in pairs)
    groups = sorted(sorted(group) for group in nx.connected_components(graph))
    return [[marks[place] for place in group] for group in groups]


def _merged(group: Sequence[tuple[str, Mark]], enough: Callable[[int], bool]) -> Mark:
    sides = []
    for side in ("first", "second"):
        votes = Counter(
            number
            for number, _ in {
                (number, name) for name, mark in group for number in getattr(mark, side)
            }
        )
        kept = tuple(number for number, count in votes.items() if enough(count))
        sides.append(kept or tuple(votes))
    causes = Counter(mark.cause for _, mark in group if mark.cause)
    return Mark(
        kind=group[0][1].kind,
        first=sides[0],
        second=sides[1],
        cause=causes.most_common(1)[0][0] if causes else None,
    )


def agreement(marked: Iterable[Marked], rule: str = "overlap") -> list[Agreement]:
    """How far the annotators agree, for each kind (GlobeSumm, table 4)."""
    match = _setting(MATCHES, rule, "match")
    by_pair: dict[str, dict[str, Marked]] = {}
    for one in marked:
        by_pair.setdefault(one.pair, {})[one.annotator] = one
    return [_of_kind(kind, by_pair, match) for kind in IssueKind]


def _of_kind(
    kind: IssueKind, by_pair: Mapping[str, Mapping[str, Marked]], match: Match
) -> Agreement:
    names = list(dict.fromkeys(name for pair in by_pair.values() for name in pair))
    counts = {
        name: sum(len(_kind(pair[name], kind)) for pair in by_pair.values() if name in pair)
        for name in names
    }
    agreed, kappas = [], []
    for one, other in combinations(names, 2):
        both = [
            (pair[one], pair[other]) for pair in by_pair.values() if one in pair and other in pair
        ]
        marks = sum(len(_kind(a, kind)) + len(_kind(b, kind)) for a, b in both)
        if marks:
            same = sum(len(matched(_kind(a, kind), _kind(b, kind), match)) for a, b in both)
            agreed.append(2 * same / marks)
        if (kappa := _kappa(both, kind)) is not None:
            kappas.append(kappa)
    return Agreement(kind=kind, counts=counts, agreement=_mean(agreed), kappa=_mean(kappas))


def _kappa(both: Sequence[tuple[Marked, Marked]], kind: IssueKind) -> float | None:
    """Cohen's kappa over the places that `kind` can stand at; None where it is undefined."""
    total = first = second = same = 0
    for one, other in both:
        a, b = (
            {place for mark in _kind(marks, kind) for place in _cells(mark)}
            for marks in (one, other)
        )
        left, right = one.sentences
        total += left + right if kind is IssueKind.OMISSION else left * right
        first, second, same = first + len(a), second + len(b), same + len(a & b)
    if not total:
        return None
    observed = (same + total - first - second + same) / total
    chance = (first * second + (total - first) * (total - second)) / total**2
    return None if chance == 1 else (observed - chance) / (1 - chance)


def _cells(mark: Mark) -> list[tuple[int, int]]:
    if mark.kind is IssueKind.OMISSION:
        return _places(mark)
    return list(product(mark.first, mark.second))


def _kind(marked: Marked, kind: IssueKind) -> list[Mark]:
    return [mark for mark in marked.issues if mark.kind is kind]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
