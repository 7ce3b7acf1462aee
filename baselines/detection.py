"""How well found issues match the ones that people marked.

A found issue is *right* if it puts together statements of at least two documents that stand
together in one marked issue of its kind; a marked issue is *found* if some found issue does
that.  Statements are the same if they are of the same document and either text contains the
other (people quote, splitters cut).  Precision is right / found issues (per cluster, so that
one wrong cluster is one error however many sentences it has), recall is marked issues found /
marked issues.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from globesumm.values import Issue, IssueKind, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Counts of one kind of issue; ratios are None where their denominator is 0."""

    kind: IssueKind
    right: int
    reported: int
    found: tuple[Issue, ...]
    missed: tuple[Issue, ...]
    wrong: tuple[Issue, ...]

    @property
    def precision(self) -> float | None:
        """Right clusters / reported clusters, 0 to 1, higher is better."""
        return self.right / self.reported if self.reported else None

    @property
    def recall(self) -> float | None:
        """Marked issues found / marked issues, 0 to 1, higher is better."""
        marked = len(self.found) + len(self.missed)
        return len(self.found) / marked if marked else None

    def by_cause(self) -> dict[str, tuple[int, int]]:
        """Cause → (found, marked)."""
        found = Counter(str(issue.cause) for issue in self.found)
        missed = Counter(str(issue.cause) for issue in self.missed)
        return {
            cause: (found[cause], found[cause] + missed[cause])
            for cause in sorted(found.keys() | missed.keys())
        }


def compare(reported: Sequence[Issue], marked: Sequence[Issue], kind: IssueKind) -> Detection:
    """Hold `reported` issues of one kind against the `marked` ones of that kind."""
    ours = [issue for issue in reported if issue.kind is kind]
    theirs = [issue for issue in marked if issue.kind is kind]
    needed = 1 if kind is IssueKind.OMISSION else 2
    hits = {
        (mine, gold)
        for mine, issue in enumerate(ours)
        for gold, standard in enumerate(theirs)
        if len(_shared_documents(issue, standard)) >= needed
    }
    right = {mine for mine, _ in hits}
    found = {gold for _, gold in hits}
    return Detection(
        kind=kind,
        right=len(right),
        reported=len(ours),
        found=tuple(issue for gold, issue in enumerate(theirs) if gold in found),
        missed=tuple(issue for gold, issue in enumerate(theirs) if gold not in found),
        wrong=tuple(issue for mine, issue in enumerate(ours) if mine not in right),
    )


def _shared_documents(one: Issue, other: Issue) -> set[str]:
    return {
        mine.document
        for mine in one.statements
        for theirs in other.statements
        if _same(mine, theirs)
    }


def _same(one: Statement, other: Statement) -> bool:
    if one.document != other.document:
        return False
    left, right = _folded(one.text), _folded(other.text)
    return bool(left and right) and (left in right or right in left)


def _folded(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
