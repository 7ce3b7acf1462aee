"""What the documents repeat, leave out and contradict."""

from collections.abc import Sequence
from dataclasses import dataclass

from baselines.extractive.claims import Claims
from baselines.extractive.clusters import Cluster
from globesumm.values import Issue, IssueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of what was found is reported; the totals always are.

    `omissions`: the most omissions of a round.  `omission_words`: a shorter sentence is no
    claim that one could leave out.
    """

    omissions: int = 10
    omission_words: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The issues of a round; `contested` clusters differ in a detail, `overtaken` sentences
    were corrected by a later report and have no place in a summary.
    """

    issues: tuple[Issue, ...]
    contested: frozenset[Cluster] = frozenset()
    overtaken: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def find(claims: Claims, clusters: Sequence[Cluster], voice: tuple[int, ...]) -> Findings:
    """Redundancies in the order of `clusters`."""
    return Findings(issues=tuple(_redundancies(claims, clusters, voice)))


def _redundancies(
    claims: Claims, clusters: Sequence[Cluster], voice: tuple[int, ...]
) -> list[Issue]:
    issues = []
    for cluster in clusters:
        if len(cluster.members) < 2:
            continue
        heard = len({voice[claims.document[member]] for member in cluster.members})
        note = None
        if heard < len(cluster.members):
            note = f"{len(cluster.members)} documents, {heard} voices: copies of one report"
        issues.append(
            Issue(
                kind=IssueKind.REDUNDANCY,
                statements=tuple(claims.statements[member] for member in cluster.members),
                note=note,
            )
        )
    return issues
