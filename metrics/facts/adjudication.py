"""What becomes of key facts that the self-review did not keep: people or a panel decide.

OmniCSEval, 3.3: several members judge each fact by themselves, and only a fact that all call key
is added.  One missing answer leaves it out, and open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from globesumm.values import Judgement
from metrics.facts.coefficients import cohen_kappa
from metrics.facts.judge import FactJudge
from metrics.facts.records import RejectedFact, SourceFacts
from metrics.facts.sources import Source

TASK = "key-fact"
KEY, NOT_KEY = "key", "not key"
ANSWERS = (KEY, NOT_KEY)

Votes = Mapping[str, Mapping[str, bool]]
"""By member, by item: whether the fact is key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The key facts after adjudication (table 3).

    Of `asked` facts `agreed` were called key by all members, and `open` lack an answer.  `kappa`
    is Cohen's of the first two members over the facts that both answered (None: not defined).
    """

    facts: tuple[SourceFacts, ...]
    asked: int
    agreed: int
    open: int
    kappa: float | None


def item(source: str, rejected: RejectedFact) -> str:
    """What names a rejected fact in a labelling task."""
    return f"{source}\t{rejected.fact.text}"


def of_people(judgements: Iterable[Judgement]) -> dict[str, dict[str, bool]]:
    """Answers ``key`` and ``not key`` of the labelling task, by member; others are no answer."""
    found: dict[str, dict[str, bool]] = {}
    for one in judgements:
        if one.task == TASK and one.answer in ANSWERS:
            found.setdefault(one.judge, {})[one.item] = one.answer == KEY
    return found


def of_panel(
    facts: Sequence[SourceFacts], sources: Mapping[str, Source], panel: Sequence[FactJudge]
) -> dict[str, dict[str, bool]]:
    """The answers of models that review the rejected facts again, each by itself."""
    found: dict[str, dict[str, bool]] = {}
    for judge in panel:
        mine = found.setdefault(judge.asker.model.name, {})
        for one in facts:
            source = sources.get(one.source)
            if source is None or not one.rejected:
                continue
            texts = [rejected.fact.text for rejected in one.rejected]
            for rejected, kept in zip(one.rejected, judge.review(texts, source), strict=True):
                if kept is not None:
                    mine[item(one.source, rejected)] = kept
    return found


def decided(facts: Sequence[SourceFacts], votes: Votes) -> Decided:
    """The facts that all members call key are added to the accepted ones."""
    asked = agreed = unanswered = 0
    made = []
    for one in facts:
        added: list[RejectedFact] = []
        for rejected in one.rejected:
            asked += 1
            answers = [member.get(item(one.source, rejected)) for member in votes.values()]
            if answers and all(answers):
                added.append(rejected)
            unanswered += not answers or None in answers
        agreed += len(added)
        made.append(
            replace(
                one,
                facts=None
                if one.facts is None
                else (*one.facts, *(rejected.fact for rejected in added)),
                rejected=tuple(rejected for rejected in one.rejected if rejected not in added),
            )
        )
    members = list(votes.values())[:2]
    kappa = None
    if len(members) == 2:
        both = sorted(members[0].keys() & members[1].keys())
        kappa = cohen_kappa([members[0][i] for i in both], [members[1][i] for i in both])
    return Decided(facts=tuple(made), asked=asked, agreed=agreed, open=unanswered, kappa=kappa)
