"""One answer from several people's, by a named rule, with what is undecided and why.

::

    majority         more people gave it than gave any other answer
    strict-majority  more than half of all who were asked gave it
    unanimous        all who were asked gave it
    groups           yes only where every member of every decision group says yes, else no
                     (OmniCSEval, 3.3: key facts)

A person who says that the item cannot be judged was asked and gave no answer.  An adjudicator's
answer counts in place of what the rule gives, and what it replaces is kept beside it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from annotation.labels.agreement.ratings import Value, tally
from annotation.labels.agreement.units import decided, questions
from annotation.labels.values import Item, Label, Role
from globesumm.errors import UnknownName
from globesumm.finite import numbers

Votes = Mapping[str, Value | None]
"""By person; None where they said that it cannot be judged."""

ANNOTATORS_NEEDED = 3
"""A complete disagreement takes at least so many answers (OmniCSEval, 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a rule makes of votes: an `answer`, or None with the `reason`."""

    answer: Value | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The answer to one question of an item, and how it came about.

    `votes` are the last answers by person (null: cannot be judged) of round `round`; `answer` is
    None where `reason` says what is missing.  With `adjudicators` their word is the answer, and
    `replaced` what `rule` gave (None: it gave nothing).
    """

    item: str
    kind: str
    language: str
    question: str
    answer: Value | None
    rule: str
    round: int
    votes: Mapping[str, Value | None] = field(hash=False)
    reason: str | None = None
    adjudicators: tuple[str, ...] = ()
    replaced: Value | None = None


def _majority(votes: Votes, _: int, __: Mapping[str, str]) -> Outcome:
    counts = tally(votes.values()).most_common()
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return Outcome(answer=None, reason=f"divided: {_told(votes)}")
    return Outcome(answer=counts[0][0])


def _strict_majority(votes: Votes, asked: int, _: Mapping[str, str]) -> Outcome:
    answer, count = tally(votes.values()).most_common(1)[0]
    if 2 * count > asked:
        return Outcome(answer=answer)
    return Outcome(answer=None, reason=f"no answer of more than half of {asked}: {_told(votes)}")


def _unanimous(votes: Votes, asked: int, _: Mapping[str, str]) -> Outcome:
    answer, count = tally(votes.values()).most_common(1)[0]
    if count == asked:
        return Outcome(answer=answer)
    return Outcome(answer=None, reason=f"not all {asked} agree: {_told(votes)}")


def _groups(votes: Votes, asked: int, groups: Mapping[str, str]) -> Outcome:
    given = tally(votes.values())
    if strange := [one for one in given if not isinstance(one, bool)]:
        return Outcome(answer=None, reason=f"groups decide yes or no, and not {strange[0]!r}")
    missing = asked - sum(given.values())
    if missing:
        without = sorted({groups.get(who, "1") for who, said in votes.items() if said is None})
        where = f" (group {', '.join(without)})" if without else ""
        return Outcome(answer=None, reason=f"{missing} of {asked} answers are missing{where}")
    by_group: dict[str, bool] = {}
    for who, said in votes.items():
        name = groups.get(who, "1")
        by_group[name] = by_group.get(name, True) and bool(said)
    return Outcome(answer=all(by_group.values()))


Rule = Callable[[Votes, int, Mapping[str, str]], Outcome]
"""From votes (one at least is an answer), how many were asked, and groups by person."""

RULES: Mapping[str, Rule] = {
    "majority": _majority,
    "strict-majority": _strict_majority,
    "unanimous": _unanimous,
    "groups": _groups,
}

RULE_OF: Mapping[str, str] = {"key-facts": "groups"}
"""The rule of a kind where none is named; of the others ``majority``."""


def decide(
    votes: Votes,
    rule: str = "majority",
    *,
    asked: int | None = None,
    groups: Mapping[str, str] | None = None,
) -> Outcome:
    """What `rule` makes of `votes`.

    `asked` is how many people are to answer, by default those in `votes`; as long as somebody has
    not, nothing is decided by ``unanimous`` and ``groups``.  `groups` names the decision group of
    a person, ``"1"`` where it does not.  Raises `UnknownName` for a rule in no table, and a
    ValueError for a vote that is no finite number.
    """
    if rule not in RULES:
        raise UnknownName("rule of decision", rule, RULES)
    numbers(one for one in votes.values() if isinstance(one, float))
    # Zero has no sign, also where votes are told.
    votes = {who: one + 0.0 if isinstance(one, float) else one for who, one in votes.items()}
    if not tally(votes.values()):
        reason = "nobody can judge it" if votes else "nobody answered"
        return Outcome(answer=None, reason=reason)
    return RULES[rule](votes, max(len(votes), asked or 0), groups or {})


def complete_disagreement(votes: Votes) -> bool:
    """Whether three or more people answered and no two of them said the same."""
    counts = tally(votes.values())
    return len(counts) >= ANNOTATORS_NEEDED and max(counts.values()) == 1


def second_round(decisions: Iterable[Decision]) -> list[str]:
    """The items of matching to be asked again of the same people, once each.

    Those in which three people disagree completely (OmniCSEval, 5), in whichever round, until a
    majority is there or somebody adjudicates.
    """
    return list(
        dict.fromkeys(
            one.item
            for one in decisions
            if one.kind == "matching" and one.answer is None and complete_disagreement(one.votes)
        )
    )


def decisions(
    items: Iterable[Item],
    labels: Iterable[Label],
    *,
    rules: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    asked: Mapping[str, int] | None = None,
) -> list[Decision]:
    """Every question of every item that votes can settle, in order of the items.

    `rules` are rules by kind, `asked` how many people an item is for.  Of a person's labels the
    one of the last round counts.  Labels on an item that is not there, or of another version of
    it, do not count.
    """
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        if label.counts:
            by_item.setdefault(label.item, []).append(label)
    found = []
    for item in items:
        rule = (rules or {}).get(item.kind) or RULE_OF.get(item.kind, "majority")
        version = item.version
        held = [one for one in by_item.get(item.id, ()) if one.version == version]
        people, settled = _last(held, Role.ANNOTATOR), _last(held, Role.ADJUDICATOR)
        for question in questions(item):
            votes = _votes(item, people, question)
            outcome = decide(votes, rule, asked=(asked or {}).get(item.id), groups=groups)
            word = _votes(item, settled, question)
            final, replaced = outcome, None
            if tally(word.values()):
                final, replaced = _unanimous(word, len(word), {}), outcome.answer
                if final.answer is None:
                    final = Outcome(answer=None, reason=f"adjudicators differ: {_told(word)}")
            found.append(
                Decision(
                    item=item.id,
                    kind=item.kind,
                    language=item.language,
                    question=question,
                    answer=final.answer,
                    rule=rule,
                    round=max((one.round for one in people.values()), default=1),
                    votes=votes,
                    reason=final.reason,
                    adjudicators=tuple(word) if tally(word.values()) else (),
                    replaced=replaced,
                )
            )
    return found


def undecided(found: Iterable[Decision]) -> Counter[tuple[str, str]]:
    """(kind, question) to how many items have no answer."""
    return Counter((one.kind, one.question) for one in found if one.answer is None)


def _last(labels: Iterable[Label], role: Role) -> dict[str, Label]:
    """Each person's label of the last round, by person."""
    found: dict[str, Label] = {}
    for one in labels:
        before = found.get(one.annotator)
        if one.role is role and (before is None or one.round >= before.round):
            found[one.annotator] = one
    return dict(sorted(found.items()))


def _votes(item: Item, labels: Mapping[str, Label], question: str) -> dict[str, Value | None]:
    return {
        who: None if one.answer is None else decided(item, one.answer).get(question)
        for who, one in labels.items()
    }


def _told(votes: Votes) -> str:
    """``2 yes, 1 no, 1 cannot judge``."""
    words = {True: "yes", False: "no"}
    counts = tally(votes.values()).most_common()
    parts = [f"{count} {words[said] if isinstance(said, bool) else said}" for said, count in counts]
    if silent := sum(said is None for said in votes.values()):
        parts.append(f"{silent} cannot judge")
    return ", ".join(parts)
