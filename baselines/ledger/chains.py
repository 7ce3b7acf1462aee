"""The same conflict named in several rounds, as one chain."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from baselines.ledger.sides import bare, kind_and_values, specific
from globesumm.text.details import Kind
from globesumm.values import Issue, IssueKind, Round, Statement, Strategy

Key = tuple[str, str]


@dataclass(slots=True)
class Chain:
    """A conflict as the rounds name it: (round, issue, strategy) each time, in order."""

    named: list[tuple[int, Issue, Strategy | None]] = field(default_factory=list)
    said: set[Key] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    kind: Kind | None = None

    def take(self, round_: int, issue: Issue, strategy: Strategy | None) -> None:
        """Add what a further round says of the conflict."""
        kind, values = kind_and_values(issue.differs)
        self.named.append((round_, issue, strategy))
        self.said |= {_key(one) for one in issue.statements}
        self.values |= set(map(bare, values))
        self.kind = self.kind or kind

    def likeness(self, issue: Issue) -> int:
        """How much speaks for `issue` being this conflict; 0 if it is another one."""
        kind, values = kind_and_values(issue.differs)
        if kind is not None and self.kind is not None and kind is not self.kind:
            return 0
        shared = len(self.said & {_key(one) for one in issue.statements})
        common = self.values & set(map(bare, values))
        figures = kind is not None and kind is not Kind.NEGATION
        if figures and self.kind is not None:
            # Two figures of one sentence are two conflicts, and a merge may rephrase the rest.
            if not common or not (shared or any(map(specific, common))):
                return 0
            return 100 * len(common) + shared
        return shared


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


def _key(one: Statement) -> Key:
    return one.document, " ".join(one.text.split())
