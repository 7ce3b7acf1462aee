"""The same conflict named in several rounds, as one chain."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

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
        if not _of_summary(issue):
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
    found = _Found()
    for round_ in rounds:
        earlier = len(found.chains)
        settled = {strategy.issue: strategy for strategy in round_.strategies}
        for place, issue in enumerate(round_.issues):
            if issue.kind is not IssueKind.CONFLICT:
                continue
            best = found.like(issue, earlier)
            found.take(best, round_.index, issue, settled.get(place))
    return found.chains


@dataclass(slots=True)
class _Found:
    """Chains so far, looked up by what makes an issue one of them (see `Chain.likeness`)."""

    chains: list[Chain] = field(default_factory=list)
    _by: dict[Hashable, set[int]] = field(default_factory=lambda: defaultdict(set))
    _words: list[str] = field(default_factory=list)

    def like(self, issue: Issue, earlier: int) -> int | None:
        """The place, below `earlier`, of the first of the chains most like `issue`."""
        held = {at for mark in _marks_of(issue) for at in self._by.get(mark, ()) if at < earlier}
        best, most = None, 0
        for at in sorted(held):
            likeness = self.chains[at].likeness(issue)
            if likeness > most:
                best, most = at, likeness
        if most > 1 or not (issue.differs and _of_summary(issue)):
            return best
        # What is only said alike weighs as much as one shared statement: the first chain counts.
        alike = process.extract(
            issue.differs.casefold(),
            self._words[: earlier if best is None else best],
            scorer=fuzz.token_set_ratio,
            score_cutoff=ALIKE,
            limit=None,
        )
        near = (at for at in sorted(at for _, _, at in alike) if self.chains[at].likeness(issue))
        return next(near, best)

    def take(self, at: int | None, round_: int, issue: Issue, strategy: Strategy | None) -> None:
        """Add `issue` to the chain at that place, or begin one."""
        if at is None:
            at = len(self.chains)
            self.chains.append(Chain())
            self._words.append("")
        chain = self.chains[at]
        before = len(chain.values), len(chain.topics)
        chain.take(round_, issue, strategy)
        self._words[at] = (issue.differs or "").casefold()
        grown = before != (len(chain.values), len(chain.topics))
        values = chain.values if grown else ()
        for mark in _marks(map(_key, issue.statements), values, chain.topics):
            self._by[mark].add(at)


def _marks_of(issue: Issue) -> Iterator[Hashable]:
    kind, values = figures_of(issue)
    said = map(_key, issue.statements)
    return _marks(said, set(map(bare, values)), _topics(issue, kind, values))


def _marks(
    said: Iterable[Key], values: Iterable[str], topics: Collection[str]
) -> Iterator[Hashable]:
    """What two conflicts have in common, one of these at least, that are not only said alike."""
    yield from said
    for value in values:
        if specific(value):
            yield value
        for topic in topics:
            yield value, topic, "counted"


def _of_summary(issue: Issue) -> bool:
    return any(is_summary(one.document) for one in issue.statements)


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
