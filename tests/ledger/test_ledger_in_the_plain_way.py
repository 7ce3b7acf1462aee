"""The ledger looks up what might belong together; it finds what comparing all with all finds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest

from baselines.citations.citing import parts
from baselines.ledger import Nearness, building, ledger
from baselines.ledger.chains import Chain
from baselines.ledger.sides import counted, readable, specific, told_values, topics
from baselines.ledger.telling import Telling
from baselines.ledger.treating import ANYBODY, Disputed, treated
from baselines.ledger.values import Handling, Voice
from globesumm.text.details import Kind
from globesumm.values import (
    ConflictCause,
    Document,
    Event,
    Issue,
    IssueKind,
    Round,
    Sentence,
    Statement,
    Strategy,
    Summary,
)
from metrics.entailment import Entailer, LexicalStandIn, Pair
from metrics.entailment.base import Hypothesis, Verdict

BEGUN = datetime(2024, 5, 1, 8, tzinfo=UTC)
DOCUMENTS = tuple(
    Document(id=f"d{at}", language="en", text="x", published=BEGUN + timedelta(hours=at))
    for at in range(5)
)
EVENT = Event(id="e", description="An event.", documents=DOCUMENTS)
FIGURES = ("9", "14", "2,012", "2,946", "12:30", "77", "51,000")
COUNTED = ("people were killed", "were injured", "people", "people", "rooms", "percent")
WORDS = (
    "The mayor opened the gate.", "The mayor did not open the gate.", "The gate stayed shut.",
    "Nobody knows who shut the gate; the mayor was away.", "The captain ignored the warning.",
)  # fmt: skip


def sentence(draw: Random) -> str:
    if draw.random() < 0.3:
        return draw.choice(WORDS)
    one = f"{draw.choice(FIGURES)} {draw.choice(COUNTED)} at {draw.choice(('sea', 'home'))}"
    if draw.random() < 0.3:
        one += f", and {draw.choice(FIGURES)} {draw.choice(COUNTED)} on land"
    return f"{one}."


def issue(draw: Random) -> Issue:
    names = [one.id for one in DOCUMENTS] + ["d0 + d1"]
    statements = tuple(
        Statement(document=draw.choice(names), index=at, language="en", text=sentence(draw))
        for at in range(draw.randint(1, 3))
    )
    one, other = draw.sample(FIGURES[:4], 2)
    differs, note = draw.choice(
        (
            (f"number: {one} / ≥{other}".replace(",", ""), None),
            ("time: 12:30 / 00:30", None),
            ("negation: negated / affirmed", None),
            ("weekday: Mon / Fri", None),
            ("how many were killed", None),
            (f"who {draw.choice(('shut', 'opened'))} the gate", None),
            ("open / shut", f"open: {statements[0].document}; shut: {statements[-1].document}"),
            (None, None),
        )
    )
    return Issue(kind=IssueKind.CONFLICT, statements=statements, differs=differs, note=note)


def drawn(seed: int) -> Summary:
    draw = Random(seed)
    rounds: list[Round] = []
    for number in range(1, 5):
        issues = [issue(draw) for _ in range(draw.randint(0, 6))]
        earlier = [one for round_ in rounds for one in round_.issues]
        issues += draw.sample(earlier, min(len(earlier), draw.randint(0, 3)))
        told = tuple(Sentence(text=sentence(draw), language="en") for _ in range(5))
        causes = [draw.choice((*ConflictCause, None)) for _ in issues]
        rounds.append(
            Round(
                index=number,
                documents=tuple(one.id for one in DOCUMENTS[: number + 1]),
                added=(),
                summary=" ".join(one.text for one in told),
                sentences=told,
                issues=tuple(issues),
                strategies=tuple(
                    Strategy(issue=place, cause=cause, text="Say so.")
                    for place, cause in enumerate(causes)
                    if cause
                ),
            )
        )
    return Summary(
        event="e", recipe="crs.none.direct", model="m", target="en", text=rounds[-1].summary,
        rounds=tuple(rounds),
    )  # fmt: skip


def plain_chains(rounds: Iterable[Round]) -> list[Chain]:
    """Each issue against each earlier conflict."""
    found: list[Chain] = []
    for round_ in rounds:
        earlier = list(found)
        settled = {strategy.issue: strategy for strategy in round_.strategies}
        for place, one in enumerate(round_.issues):
            best = max(earlier, key=lambda chain: chain.likeness(one), default=None)
            if best is None or best.likeness(one) == 0:
                best = Chain()
                found.append(best)
            best.take(round_.index, one, settled.get(place))
    return found


@dataclass
class Plainly:
    """Each sentence of a summary against each side and each statement of a conflict."""

    entailer: Entailer
    known: dict[tuple[str, str], float] = field(default_factory=dict)

    def treated(
        self, round_: int, telling: Telling, disputed: Disputed, _near: Nearness
    ) -> Handling:
        told: dict[str, list[Sentence]] = {}
        for one in telling.sentences:
            for value in self._sides(one, disputed):
                told.setdefault(value, []).append(one)
        others = {} if told else self._other_figures(telling.sentences, disputed)
        return Handling(
            round=round_,
            treatment=None,
            words=tuple(dict.fromkeys(one.text for some in told.values() for one in some))
            or tuple(dict.fromkeys(others.values())),
            values=tuple(value for value in disputed.values if value in told),
            note=", ".join(others) or None,
        )

    def _near(self, part: str, voice: Voice) -> float:
        if (part, voice.text) not in self.known:
            pair = Pair(
                premise=voice.text, hypothesis=part, premise_language="en", hypothesis_language="en"
            )
            self.known[part, voice.text] = self.entailer.entails([pair])[0].value or 0.0
        return self.known[part, voice.text]

    def _sides(self, one: Sentence, disputed: Disputed) -> list[str]:
        found: set[str] = set()
        for part in parts(one.text):
            close = [(self._near(part, voice), voice) for voice in disputed.voices]
            touching = [(value, voice) for value, voice in close if value > self.entailer.threshold]
            if disputed.kind and readable(disputed.kind, disputed.values):
                given = told_values(part, "en", None, disputed.kind, disputed.values)
                found |= {
                    value
                    for value in given
                    if touching or counts_the_same(part, value, disputed.kind, disputed)
                }
            elif touching:
                best = max(touching, key=lambda one: one[0])[1]
                found |= {best.value} if best.value is not None else set()
        return [value for value in disputed.values if value in found]

    def _other_figures(self, told: Sequence[Sentence], disputed: Disputed) -> dict[str, str]:
        if disputed.kind is not Kind.NUMBER:
            return {}
        about = counted_of(disputed, Kind.NUMBER)
        telling = about - {ANYBODY}
        return {
            written: one.text
            for one in told
            for topic, written in counted(one.text, "en").items()
            if topic in (telling or about)
            if telling
            or any(
                self._near(part, voice) > self.entailer.threshold
                for part in parts(one.text)
                if written in part
                for voice in disputed.voices
            )
        }


def counted_of(disputed: Disputed, kind: Kind) -> set[str]:
    return {
        topic
        for voice in disputed.voices
        if voice.value is not None
        for topic in topics(voice.text, "en", kind, voice.value)
    }


def counts_the_same(part: str, value: str, kind: Kind, disputed: Disputed) -> bool:
    if kind is Kind.NEGATION:
        return False
    shared = topics(part, "en", kind, value) & counted_of(disputed, kind)
    return bool(shared - {ANYBODY} or (shared and specific(value)))


class ByLetters(LexicalStandIn):
    """Another measure than shared words, with few ties."""

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        del language
        held = set(pairwise(premise))
        wanted = [set(pairwise(one.text)) for one in hypotheses]
        return [Verdict(value=len(one & held) / len(one)) for one in wanted]


@pytest.mark.parametrize("entailer", [LexicalStandIn(0.5), ByLetters(0.6)], ids=["words", "pairs"])
def test_looking_up_finds_what_comparing_all_with_all_finds(
    entailer: Entailer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_lookup(round_: int, telling: Telling, disputed: Disputed, near: Nearness) -> Handling:
        found = treated(round_, telling, disputed, near)
        other = (found.note or "").partition("none of its statements gives: ")[2]
        return Handling(
            round=round_, treatment=None, words=found.words, values=found.values, note=other or None
        )

    plainly = Plainly(entailer)
    told = carried = others = 0
    for seed in range(30):
        summary = drawn(seed)
        monkeypatch.setattr(building, "treated", by_lookup)
        found = ledger(summary, EVENT, Nearness(entailer))
        with monkeypatch.context() as patched:
            patched.setattr(building, "chains", plain_chains)
            patched.setattr(building, "treated", plainly.treated)
            plain = ledger(summary, EVENT, Nearness(entailer))
        assert found == plain, seed
        told += sum(bool(one.final.values) for one in found)
        carried += sum(len(one.named) > 1 for one in found)
        others += sum(bool(one.final.note) for one in found)
    assert min(told, carried) > 60
    assert others > 4


def tolls(conflicts: int) -> Summary:
    """So many death tolls, named in two rounds and all told in both summaries."""

    def toll(at: int, more: int) -> str:
        return f"{1000 + 2 * at + more} people were seen in the village of Name{at}."

    def named(at: int) -> Issue:
        said = (
            Statement(document=f"d{more}", index=at, language="en", text=toll(at, more))
            for more in (0, 1)
        )
        differs = f"number: {1000 + 2 * at} / {1001 + 2 * at}"
        return Issue(kind=IssueKind.CONFLICT, statements=tuple(said), differs=differs)

    told = tuple(Sentence(text=toll(at, 1), language="en") for at in range(conflicts))
    rounds = tuple(
        Round(
            index=number, documents=("d0", "d1"), added=(), summary="", sentences=told,
            issues=tuple(map(named, range(conflicts))),
        )
        for number in (1, 2)
    )  # fmt: skip
    return Summary(
        event="e", recipe="crs.none.direct", model="m", target="en", text="", rounds=rounds
    )


class Counting(LexicalStandIn):
    """Says how many pairs it judged."""

    asked = 0

    def entails(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += len(pairs)
        return super().entails(pairs)


def test_only_conflicts_with_a_figure_in_common_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[Issue] = []
    likeness = Chain.likeness

    def counting(self: Chain, issue: Issue) -> int:
        compared.append(issue)
        return likeness(self, issue)

    monkeypatch.setattr(Chain, "likeness", counting)
    entailer = Counting(0.9)
    found = ledger(tolls(100), EVENT, Nearness(entailer))
    assert [one.named for one in found] == [(1, 2)] * 100
    assert all(len(one.final.words) == 1 for one in found)
    assert len(compared) == 100
    assert entailer.asked <= 2 * 100
