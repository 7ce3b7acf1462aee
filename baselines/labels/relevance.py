"""Verdicts on retrieved reports: as judgements, and how good retrieval was before them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.labels.answers import CRITERIA
from annotation.labels.results.decide import Decision
from annotation.labels.results.held import Held, lacking, source
from annotation.labels.values import Item
from globesumm.values import Rejected
from retrieval.index.trec import qrel_line

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The people's word on one candidate of one event, in the form of the chain's judgements.

    The three criteria are those that the rule decided; None where they do not fit `relevant`
    (each of two people can say yes by a criterion of their own).
    """

    event: str
    document: str
    relevant: bool
    same_event: bool | None
    cause_or_consequence: bool | None
    perspective: bool | None
    judge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One judged candidate: its `rank` in retrieval (from 1; None: not stated) and the verdict."""

    language: str
    rank: int | None
    relevant: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """How good retrieval in one language was before people judged its candidates.

    `precision` is the share of relevant among the decided candidates up to the depth; `recall`
    the share found there of all that people found relevant at any rank.  Both from 0 to 1;
    None without a candidate, and recall also where none lies deeper.
    """

    language: str
    candidates: int
    decided: int
    taken: int
    right: int
    relevant: int
    deeper: bool

    @property
    def precision(self) -> float | None:
        return self.right / self.taken if self.taken else None

    @property
    def recall(self) -> float | None:
        return self.right / self.relevant if self.relevant and self.deeper else None

    @property
    def note(self) -> str | None:
        """Why a value is missing."""
        if not self.taken:
            return "no candidate up to the depth is decided"
        if not self.deeper:
            return "recall: no candidate beyond the depth was judged, so what it misses is unknown"
        return None if self.relevant else "recall: nothing is relevant"


def verdicts(held: Held) -> tuple[list[Verdict], list[Rejected]]:
    """The decided verdicts, and the items without one with the reason.

    An item's source names the ``document``; its event is the topic.
    """
    found: list[Verdict] = []
    left: list[Rejected] = []
    for item, by_question in _by_item(held):
        document, main = source(item, "document"), by_question["relevant"]
        if document is None or item.event is None:
            left.append(lacking(item, "event", "document"))
        elif main.answer is None:
            left.append(Rejected(where=f"item {item.id!r}", reason=main.reason or "undecided"))
        else:
            met = {name: by_question[name].answer for name in CRITERIA}
            fits = any(met.values()) is bool(main.answer)
            said = {name: bool(value) if fits else None for name, value in met.items()}
            found.append(
                Verdict(
                    event=item.event,
                    document=document,
                    relevant=bool(main.answer),
                    judge=_judge(main),
                    **said,
                )
            )
    return found, left


def _judge(decision: Decision) -> str:
    if decision.adjudicators:
        return f"people, settled by {', '.join(decision.adjudicators)}"
    return f"people ({decision.rule} of {len(decision.votes)})"


def qrels(found: Iterable[Verdict]) -> list[str]:
    """TREC's judgements, a line each, 1 or 0; blanks in names are written as %20."""
    return [qrel_line(one.event, one.document, int(one.relevant)) for one in found]


def candidates(held: Held, ranks: Mapping[tuple[str, str], int] | None = None) -> list[Candidate]:
    """Every candidate of relevance, decided or not.

    Its rank is that of `ranks` by (event, document), else the ``rank`` of the item's source.
    """
    found = []
    for item, by_question in _by_item(held):
        stated = source(item, "rank")
        given = int(stated) if stated is not None and stated.isdecimal() else None
        rank = (ranks or {}).get((item.event or "", source(item, "document") or ""), given)
        answer = by_question["relevant"].answer
        found.append(
            Candidate(
                language=item.payload["article"].get("language") or item.language,
                rank=rank,
                relevant=None if answer is None else bool(answer),
            )
        )
    return found


def before_verification(found: Sequence[Candidate], depth: int | None = None) -> list[Before]:
    """Precision and recall by language, then of all.

    `depth` is how many candidates of an event and language retrieval would have taken without
    people (None: all, so that recall is not known).  Candidates without a rank count as taken.
    """
    languages = sorted({one.language for one in found})
    rows = [_before(name, [o for o in found if o.language == name], depth) for name in languages]
    return [*rows, _before(ALL, found, depth)] if len(languages) != 1 else rows


def _before(language: str, found: Sequence[Candidate], depth: int | None) -> Before:
    decided = [one for one in found if one.relevant is not None]
    taken = [one for one in decided if depth is None or one.rank is None or one.rank <= depth]
    return Before(
        language=language,
        candidates=len(found),
        decided=len(decided),
        taken=len(taken),
        right=sum(bool(one.relevant) for one in taken),
        relevant=sum(bool(one.relevant) for one in decided),
        deeper=len(taken) < len(decided),
    )


def _by_item(held: Held) -> Iterator[tuple[Item, dict[str, Decision]]]:
    found: dict[str, dict[str, Decision]] = {}
    for one in held.of_kind("relevance").decisions:
        found.setdefault(one.item, {})[one.question] = one
    for name, by_question in found.items():
        yield held.items[name], by_question
