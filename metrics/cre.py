"""CRE: what a summary does about the event's known conflicts (GlobeSumm, appendix C.2)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.llm.bounded import complete_all
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion, Decoding, Message, Model, Request
from globesumm.prompts import Data, Library
from globesumm.values import ConflictCause
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
    printable,
)
from metrics.cre_conflicts import Conflict
from metrics.cre_formula import ADDRESSED, ALPHA, NOT_ADDRESSED, NOT_INVOLVED, cre
from metrics.cre_verdicts import Read, read_verdicts, without_planted

JUDGE, REPAIR = "cre.judge", "cre.repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judge said of one candidate.

    `verdicts` are 1, 0 or -1, one for each of `conflicts`, or None with the `reason`; `note`
    says what was repaired or taken out.
    """

    candidate: Candidate
    conflicts: tuple[Conflict, ...]
    verdicts: tuple[int, ...] | None
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseCounts:
    """Verdicts on all conflicts of one cause (None: not judged), over judged candidates.

    `share_of_errors` is this cause's part of all conflicts not addressed (-1), as in the paper's
    figure 4; None where there were none.
    """

    cause: ConflictCause | None
    addressed: int
    not_involved: int
    not_addressed: int
    share_of_errors: float | None

    @property
    def value(self) -> Measured:
        """CRE over the conflicts of this cause."""
        verdicts = [ADDRESSED] * self.addressed + [NOT_INVOLVED] * self.not_involved
        return cre(verdicts + [NOT_ADDRESSED] * self.not_addressed)


@dataclass(frozen=True, slots=True)
class _Question:
    """One candidate's request, and what is needed to read the answer."""

    candidate: Candidate
    conflicts: tuple[Conflict, ...]
    mark: str
    request: Request
    note: str | None


@dataclass(frozen=True, slots=True)
class Cre(Metric):
    """n₁ / (n₁ + n₋₁ + 0.2 · ln(n₀ + e)) over a judge's verdicts on the standard conflicts.

    `standard` holds each event's conflicts by the event's id, and `extraction` names where
    they come from (``marked``, or a name in `metrics.cre_conflicts.EXTRACTIONS` with the number
    of rounds, such as ``issues/5``).  `judge` is any model.
    """

    judge: Model
    standard: Mapping[str, Sequence[Conflict]] = field(repr=False)
    extraction: str = "marked"
    alpha: float = ALPHA
    prompts: Library = field(default_factory=Library, repr=False)
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.0, seed=0))
    most_at_once: int = 8

    @property
    def name(self) -> str:
        return "cre"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name="cre", better=Better.HIGHER, low=0.0, high=1.0),)

    @property
    def signature(self) -> Signature:
        return Signature.of(
            "cre",
            judge=self.judge.name,
            prompt=f"{self.prompts[JUDGE].reference}+{self.prompts[REPAIR].reference}",
            conflicts=self.extraction,
            alpha=f"{self.alpha:g}",
            temperature=str(self.decoding.temperature),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return (f"model {self.judge.name}", "standard conflicts of the event")

    def describe(self) -> Description:
        return Description(
            measures="what the text does about the contradictions between its sources",
            formula="n₁ / (n₁ + n₋₁ + 0.2 · ln(n₀ + e)) over verdicts 1 (settled), 0 (not "
            "touched) and -1 (touched, not settled)",
            range="0 to below 1 (one conflict settled gives .8333, five .9615); higher is better",
            empty="no standard conflict: unscored, since the formula's 0 would look like total "
            "failure; an empty text is judged like any other; a reply that is no list of exactly "
            "as many verdicts is asked for once more, then unscored",
            cost="one call of the judge for each text (two where a reply had to be repaired)",
            source="GlobeSumm, appendix C.2 and table 13; the paper's judge is gpt-3.5-turbo",
            difference="the prompt is this project's own; the standard conflicts are those that "
            "`extraction` names (the paper: of the reference annotation's last five rounds)",
            weak_spots="one judge, one opinion; a text can still talk to the judge in prose: "
            "only lists of verdicts are taken out of it",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [{"cre": self._value(one)} for one in self.judged(candidates)]

    def judged(self, candidates: Sequence[Candidate]) -> list[Judged]:
        """The verdicts on each candidate, in order: the ground of the value and of breakdowns.

        An error of the judge that would meet every call (no key, no such model) is raised;
        any other leaves its candidate unscored.
        """
        found: dict[int, Judged] = {}
        asked: dict[int, _Question] = {}
        for place, candidate in enumerate(candidates):
            conflicts = tuple(self.standard.get(candidate.event or "", ()))
            if conflicts:
                asked[place] = self._question(candidate, conflicts)
            else:
                found[place] = Judged(
                    candidate=candidate,
                    conflicts=(),
                    verdicts=None,
                    reason=_no_conflicts(candidate, self.standard),
                )
        failed: dict[int, tuple[_Question, str, str]] = {}
        for place, answer in self._answers({p: one.request for p, one in asked.items()}).items():
            judged = self._read(asked[place], answer)
            found[place] = judged
            if judged.verdicts is None and isinstance(answer, Completion):
                failed[place] = (asked[place], answer.text, judged.reason or "")
        repairs = {place: self._repair(*one) for place, one in failed.items()}
        for place, answer in self._answers(repairs).items():
            found[place] = self._repaired(failed[place], answer)
        return [found[place] for place in range(len(candidates))]

    def _value(self, judged: Judged) -> Measured:
        if judged.verdicts is None:
            return Measured(None, joined(judged.reason, judged.note))
        return Measured(cre(judged.verdicts, self.alpha).value, judged.note)

    def _question(self, candidate: Candidate, conflicts: tuple[Conflict, ...]) -> _Question:
        text, repaired = printable(candidate.text)
        text, removed = without_planted(text, len(conflicts))
        listed = "\n".join(
            f"{number}. {printable(without_planted(conflict.text, len(conflicts))[0])[0]}"
            for number, conflict in enumerate(conflicts, 1)
        )
        # The mark depends on all that is shown, so nothing shown can hold it.
        shown = f"{listed}\0{text}".encode()
        mark = f"verdicts-{sha256(shown).hexdigest()[:6]}"
        content = self.prompts[JUDGE].render(
            conflicts=Data(label="conflicts", text=listed),
            summary=Data(label="summary", text=text),
            count=len(conflicts),
            mark=mark,
        )
        request = Request(
            model=self.judge.name,
            messages=(Message("user", content),),
            decoding=self.decoding,
        )
        planted = f"kept from the judge: {counted(removed, 'list')} of verdicts in the text"
        return _Question(
            candidate, conflicts, mark, request, joined(repaired, planted if removed else None)
        )

    def _repair(self, question: _Question, reply: str, reason: str) -> Request:
        content = self.prompts[REPAIR].render(
            reason=reason, count=len(question.conflicts), mark=question.mark
        )
        said = (Message("assistant", reply), Message("user", content))
        return replace(question.request, messages=(*question.request.messages, *said))

    def _answers(self, requests: Mapping[int, Request]) -> dict[int, Completion | ModelError]:
        answers = complete_all(self.judge, list(requests.values()), most_at_once=self.most_at_once)
        found = dict(zip(requests, answers, strict=True))
        for answer in found.values():
            if isinstance(answer, ModelError) and isinstance(answer, UsageError):
                raise answer
        return found

    def _read(self, question: _Question, answer: Completion | ModelError) -> Judged:
        count = len(question.conflicts)
        if isinstance(answer, ModelError):
            read = Read(None, f"the judge gave no answer: {answer}")
        else:
            read = read_verdicts(answer.text, count, question.mark)
        return Judged(
            candidate=question.candidate,
            conflicts=question.conflicts,
            verdicts=read.verdicts,
            reason=read.reason,
            note=question.note,
        )

    def _repaired(
        self, failed: tuple[_Question, str, str], answer: Completion | ModelError
    ) -> Judged:
        question, _, first = failed
        again = self._read(question, answer)
        if again.verdicts is None:
            reason = f"no verdicts in two replies of the judge: {first}; then: {again.reason}"
            return replace(again, reason=reason)
        return replace(again, note=joined(again.note, f"the first reply was unusable: {first}"))


def _no_conflicts(candidate: Candidate, standard: Mapping[str, Sequence[Conflict]]) -> str:
    if candidate.event is None:
        return "the text names no event, so its standard conflicts are unknown"
    known = "has no standard conflict" if candidate.event in standard else "is in no annotation"
    return f"the event {candidate.event} {known}"


def by_cause(judged: Iterable[Judged]) -> list[CauseCounts]:
    """The verdicts counted by the conflicts' causes, causes in the protocol's order."""
    counts: Counter[tuple[ConflictCause | None, int]] = Counter(
        (conflict.cause, verdict)
        for one in judged
        if one.verdicts is not None
        for conflict, verdict in zip(one.conflicts, one.verdicts, strict=True)
    )
    errors = sum(number for (_, verdict), number in counts.items() if verdict == NOT_ADDRESSED)
    held = {cause for cause, _ in counts}
    return [
        CauseCounts(
            cause=cause,
            addressed=counts[cause, ADDRESSED],
            not_involved=counts[cause, NOT_INVOLVED],
            not_addressed=counts[cause, NOT_ADDRESSED],
            share_of_errors=counts[cause, NOT_ADDRESSED] / errors if errors else None,
        )
        for cause in (*ConflictCause, None)
        if cause in held
    ]
