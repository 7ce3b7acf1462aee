"""The same conflict named in several rounds, as one chain."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from baselines.ledger.sides import bare, figures_of, specific, topics
from globesumm.text.details import Kind
from globesumm.values import Issue, IssueKind, Round, Statement, Strategy

Key = tuple[str, str]

ALIKE = 75
"""How alike (0 to 100) two conflicts in words are said, to be one that a summary carried on."""


@dataclass(slots=True)
class Chain:
    """A conflict as the rounds name it: (round, issue, strategy) each time, in order."""

    named: list[tuple[int, Issue, Strategy | None]] = field(default_factory=list)
    said: set[Key] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    kind: Kind | None = None

    def take(self, round_: int, issue: Issue, strategy: Strategy | None) -> None:
        """Add what a further round says of the conflict."""
        kind, values = figures_of(issue)
        self.named.append((round_, issue, strategy))
        self.said |= {_key(one) for one in issue.statements}
        self.values |= set(map(bare, values))
        self.topics |= _topics(issue, kind, values)
        self.kind = self.kind or kind

    def likeness(self, issue: Issue) -> int:
        """How much speaks for `issue` being this conflict; 0 if it is another one."""
        kind, values = figures_of(issue)
        if kind is not None and self.kind is not None and kind is not self.kind:
            return 0
        shared = len(self.said & {_key(one) for one in issue.statements})
        common = self.values & set(map(bare, values))
        figures = kind is not None and kind is not Kind.NEGATION
        if figures and self.kind is not None:
            # Two figures of one sentence are two conflicts, and a merge may rephrase the rest.
            known = shared or any(map(specific, common))
            if not common or not (known or self.topics & _topics(issue, kind, values)):
                return 0
            return 100 * len(common) + shared
        return shared or self._carried(issue)

    def _carried(self, issue: Issue) -> int:
        """Whether a summary so far is said to conflict, in the words of an earlier round."""
        if not any(is_summary(one.document) for one in issue.statements):
            return 0
        earlier = self.named[-1][1].differs
        alike = fuzz.token_set_ratio(earlier or "", issue.differs or "", processor=str.casefold)
        return int(bool(earlier and issue.differs) and alike >= ALIKE)


def chains(rounds: Iterable[Round]) -> list[Chain]:
    """The conflicts that `rounds` name, in the order in which they arose.

    An issue of a later round belongs to the earlier conflict that it shares most with: figures
    first (of those that turn on figures), then statements; to none that it shares nothing with.
    Issues of one round are kept apart unless an earlier round joined them.
    """
    found: list[Chain] = []
    for round_ in rounds:
        earlier = list(found)
        settled = {strategy.issue: strategy for strategy in round_.strategies}
        for place, issue in enumerate(round_.issues):
            if issue.kind is not IssueKind.CONFLICT:
                continue
            best = max(earlier, key=lambda chain: chain.likeness(issue), default=None)
            if best is None or best.likeness(issue) == 0:
                best = Chain()
                found.append(best)
            best.take(round_.index, issue, settled.get(place))
    return found


def is_summary(document: str) -> bool:
    """Whether a statement speaks for several documents, as that of a summary so far does."""
    return " + " in document


def _topics(issue: Issue, kind: Kind | None, values: Iterable[str]) -> set[str]:
    if kind is None or kind is Kind.NEGATION:
        return set()
    return {
        topic
        for one in issue.statements
        for value in values
        for topic in topics(one.text, one.language, kind, value)
    }


def _key(one: Statement) -> Key:
    return one.document, " ".join(one.text.split())
