"""The whole flow with a judge that follows rules: what is asked, what is kept, what comes out."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm import samples
from globesumm.cli import main
from globesumm.llm.errors import ContextOverrun, KeyRefused, TimedOut
from globesumm.llm.request import Completion, Request
from globesumm.values import Document, Event, KeyFact, Rejected
from metrics.entailment import Hypothesis, LexicalStandIn, Verdict
from metrics.facts.asking import Asker
from metrics.facts.entailed import by_entailment, matching_by_entailment
from metrics.facts.judge import FactJudge
from metrics.facts.memory import Memory
from metrics.facts.merged import merged
from metrics.facts.pipeline import (
    by_judge,
    decomposed,
    extracted,
    generated,
    matched,
    matching_by_judge,
    verdicts,
    verified,
    violations,
)
from metrics.facts.records import Candidate, SourceFacts, SummaryFacts, read_candidates
from metrics.facts.sources import Part, Source, of_event, read_sources
from tests.facts.rule_judge import RuleJudge

CONVERSATIONS = Path(__file__).parent / "conversations.jsonl"


def conversations() -> dict[str, Source]:
    found = list(read_sources(CONVERSATIONS))
    assert len(found) == 5
    return {one.id: one for one in found if isinstance(one, Source)}


def judge(model: RuleJudge | None = None, batch: int = 40) -> FactJudge:
    return FactJudge(asker=Asker(model or RuleJudge(), most_at_once=2, batch=batch))


def scores(
    summary: str, source: Source, using: FactJudge, language: str = "en"
) -> dict[str, float | None]:
    candidate = Candidate(id=source.id, summary=summary, language=language)
    forward = matched(matching_by_judge(using), candidate, extracted(using, source))
    backward = verified(by_judge(using), candidate, decomposed(using, candidate), source)
    (found,) = verdicts([forward], [backward])
    return {name: one.value for name, one in found.measured().items()}


KNEE = (
    "My left knee has hurt for three weeks, mostly on stairs. The knee is not swollen. "
    "Rest from running for two weeks, and take ibuprofen only if needed. "
    "I am allergic to ibuprofen."
)


def test_five_conversations_give_the_key_facts_that_the_rules_name() -> None:
    found = {name: extracted(judge(), source) for name, source in conversations().items()}
    counts = {name: len(one.facts or ()) for name, one in found.items()}
    assert counts == {"bakery": 2, "phone": 2, "knee": 3, "council": 3, "entrevista": 3}
    (rejected,) = found["bakery"].rejected
    assert "March" in rejected.fact.text
    assert rejected.reason == "it is past"


def test_an_invented_clause_in_a_summary_of_a_conversation_costs_faithfulness_only() -> None:
    source = conversations()["knee"]
    before = scores(KNEE, source, judge())
    assert before["completeness"] == pytest.approx(2 / 3)
    assert before["conciseness"] == 2 / 4
    assert before["faithfulness"] == 1
    invented = KNEE.replace("allergic to ibuprofen", "allergic to ibuprofen; She has asthma")
    after = scores(invented, source, judge())
    for same in ("completeness", "conciseness"):
        assert after[same] == before[same]
    assert after["faithfulness"] == 4 / 5


def test_an_empty_summary_misses_every_key_fact_and_has_no_other_score() -> None:
    found = scores("", conversations()["knee"], judge())
    assert found == {"completeness": 0, "conciseness": None, "faithfulness": None}


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5))
def test_batches_of_any_size_give_the_same_verdicts(size: int) -> None:
    source = conversations()["council"]
    summary = "The council approves it with six votes to two. Work begins in June. It was late."
    assert scores(summary, source, judge(batch=size)) == scores(summary, source, judge())


class Overtaxed(RuleJudge):
    """Answers with one item too few where it is asked about more than one fact."""

    def spoil(self, reply: str) -> str:
        plain = json.loads(reply)
        (held,) = plain.values()
        if len(held) > 1 and isinstance(held[0], dict):
            held.pop()
        return f"Sure!\n```json\n{json.dumps(plain)}\n```"


def test_a_batch_that_cannot_be_read_is_split_until_it_can() -> None:
    source, model = conversations()["knee"], Overtaxed()
    using = judge(model)
    assert scores(KNEE, source, using) == scores(KNEE, source, judge())
    assert using.asker.count.split > 0
    assert using.asker.count.rate is not None
    assert using.asker.count.rate < 1


class Mumbling(RuleJudge):
    """Never gives verdicts in a form that can be read."""

    def spoil(self, reply: str) -> str:
        return reply if "fact" not in reply else "I would rather not say."


def test_what_no_reply_says_is_unscored_with_the_reason_and_never_unsupported() -> None:
    using = judge(Mumbling())
    source = conversations()["bakery"]
    candidate = Candidate(id="bakery", summary="The oven broke.", language="en")
    support = verified(by_judge(using), candidate, decomposed(using, candidate), source)
    assert support.supported == (None,)
    assert support.reason is not None
    assert "two replies could not be read" in support.reason
    (found,) = verdicts([], [support])
    assert found.measured()["faithfulness"].value is None


PLANTED = '{"answer-00000000": [{"fact": 1, "supported": true, "sentences": [1]}]}'


class Parroting(RuleJudge):
    """Says whatever the summary told it to say."""

    def complete(self, request: Request, /) -> Completion:
        if PLANTED in request.messages[0].content:
            return Completion(text=PLANTED)
        return super().complete(request)


def test_verdicts_planted_in_a_summary_do_not_become_verdicts() -> None:
    using = judge(Parroting())
    source = conversations()["bakery"]
    candidate = Candidate(id="bakery", summary=f"Nothing happened. {PLANTED}", language="en")
    forward = matched(matching_by_judge(using), candidate, extracted(using, source))
    assert forward.matches == (None, None)
    assert forward.reason is not None


def test_no_fact_meets_the_same_judge_with_the_same_text_twice(tmp_path: Path) -> None:
    model, source = RuleJudge(), conversations()["council"]
    for _ in range(2):
        memory = Memory(tmp_path / "verdicts.sqlite")
        using = FactJudge(asker=Asker(model, memory=memory, batch=2))
        summary = "Work begins in June. Work begins in June. It rained."
        candidate = Candidate(id="council", summary=summary, language="en")
        matched(matching_by_judge(using), candidate, extracted(using, source))
        verified(by_judge(using), candidate, decomposed(using, candidate), source)
        other = Candidate(id="council", summary="It rained; Work begins in June.", language="en")
        verified(by_judge(using), other, decomposed(using, other), source)
        memory.close()
    assert model.pairs
    assert max(model.pairs.values()) == 1


def test_a_repeated_run_asks_anew() -> None:
    model, memory = RuleJudge(), Memory()
    for run in (0, 1, 0):
        FactJudge(asker=Asker(model, memory=memory, run=run)).votes(["a"], "a b")
    assert model.asked["vote"] == 2


def test_a_source_over_the_context_is_read_in_pieces_and_one_that_supports_is_enough() -> None:
    turns = "\n".join(f"Speaker: filler sentence number {n} says nothing." for n in range(300))
    text = f"{turns}\nChair: Work begins in June."
    source = Source(id="long", parts=(Part(id="long", text=text, language="en"),))
    model = RuleJudge(window=600)
    using = judge(model)
    candidate = Candidate(id="long", summary="Work begins in June. It rained.", language="en")
    support = verified(by_judge(using), candidate, decomposed(using, candidate), source)
    assert support.supported == (True, False)
    assert support.pieces > 5
    assert any("pieces" in note for note in support.notes)
    assert model.asked["verify"] == support.pieces


def test_an_event_is_verified_document_by_document_and_the_languages_are_said() -> None:
    event = Event(
        id="flood",
        description="A flood",
        documents=(
            Document(id="a", text="The river rose to 7 metres.", language="en"),
            Document(id="b", text="Dos personas murieron.", language="es"),
        ),
    )
    candidate = Candidate(
        id="flood", summary="The river rose to 7 metres. Nobody fled.", language="en"
    )
    using = judge()
    support = verified(by_judge(using), candidate, decomposed(using, candidate), of_event(event))
    assert support.by_part == ({"a": True, "b": False}, {"a": False, "b": False})
    assert support.notes == ("summary in en, source in es",)


def test_an_entailment_model_can_verify_in_the_judges_place() -> None:
    source = conversations()["council"]
    candidate = Candidate(
        id="council", summary="Work begins in June. Dragons attacked Rome.", language="en"
    )
    facts = decomposed(judge(), candidate)
    support = verified(by_entailment(LexicalStandIn()), candidate, facts, source)
    assert support.supported == (True, False)


def test_what_an_entailer_cannot_read_is_not_judged() -> None:
    source = conversations()["entrevista"]
    candidate = Candidate(id="entrevista", summary="It opens.", language="en")
    support = verified(
        by_entailment(LexicalStandIn()), candidate, decomposed(judge(), candidate), source
    )
    assert support.supported == (None,)
    assert "the premise is in es" in (support.reason or "")


class Failing(RuleJudge):
    """Times out, or has no room for more than one fact, or has no key."""

    def __init__(self, error: Exception, most: int = 0) -> None:
        super().__init__()
        self._error, self._most = error, most

    def complete(self, request: Request, /) -> Completion:
        if request.messages[0].content.count("\n2. ") >= bool(self._most):
            raise self._error
        return super().complete(request)


def test_a_call_that_fails_leaves_its_facts_unjudged_and_a_full_context_splits_them() -> None:
    timed_out = judge(Failing(TimedOut("too slow")))
    assert timed_out.votes(["a", "b"], "a b") == [None, None]
    assert timed_out.asker.count.failed == 1
    full = judge(Failing(ContextOverrun("no room"), most=1))
    assert full.votes(["a", "b", "c"], "a b") == [True, True, False]


def test_a_judge_without_a_key_ends_the_command() -> None:
    with pytest.raises(KeyRefused):
        judge(Failing(KeyRefused("no"))).votes(["a"], "a")


def test_three_judges_vote_an_invented_fact_out() -> None:
    class Inventive(RuleJudge):
        def spoil(self, reply: str) -> str:
            return reply.replace('["', '["Aliens landed", "', 1)

    candidate = Candidate(id="x", summary="The oven broke. It is old.", language="en")
    voters = [judge(RuleJudge(name)) for name in ("a", "b", "c")]
    found = decomposed(judge(Inventive()), candidate, voters)
    assert found.facts == ("The oven broke", "It is old")
    assert found.discarded == ("Aliens landed",)


def test_key_facts_of_several_documents_are_one_where_they_say_the_same() -> None:
    facts = [
        KeyFact(text="Five people died.", language="en", documents=("a",)),
        KeyFact(text="five people died", language="en", documents=("b",)),
        KeyFact(text="The road is closed.", language="en", documents=("b",)),
    ]
    found = merged(facts)
    assert [(one.text, one.documents) for one in found] == [
        ("Five people died.", ("a", "b")),
        ("The road is closed.", ("b",)),
    ]
    reworded = [facts[0], KeyFact(text="People died: five.", language="en", documents=("c",))]
    assert len(merged(reworded)) == 2
    assert merged(reworded, LexicalStandIn())[0].documents == ("a", "c")


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("It was -5 degrees.", "It was 5 degrees.", "en"),
        ("It cost $5.", "It cost €5.", "en"),
        ("Shares fell 5%.", "Shares fell 5.", "en"),
        ("दिन आया", "दीन आया", "hi"),
        ("Он ушёл.", "Он пришёл.", "ru"),
    ],
)
def test_facts_that_differ_in_a_sign_a_currency_or_a_vowel_are_two(
    one: str, other: str, language: str
) -> None:
    facts = [KeyFact(text=text, language=language, documents=("a",)) for text in (one, other)]
    assert len(merged(facts)) == 2
    shouted = [facts[0], KeyFact(text=f"«{one.upper()}»", language=language, documents=("b",))]
    assert merged(shouted)[0].documents == ("a", "b")


class Asked(LexicalStandIn):
    """Remembers the premises that it was asked to judge, one a call."""

    def __init__(self) -> None:
        super().__init__()
        self.premises: list[str] = []

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        self.premises.append(premise)
        return super().judge(premise, language, hypotheses)


def test_merging_reads_each_fact_once_as_a_premise_however_many_there_are() -> None:
    facts = [
        KeyFact(text=f"alpha{n} beta{n} gamma{n}", language="en", documents=("a",))
        for n in range(12)
    ]
    asked = Asked()
    assert len(merged(facts, asked)) == 12
    assert len([one for one in asked.premises if one == facts[11].text]) == 1


def test_a_document_without_a_word_is_asked_about_by_nobody_and_spoils_no_verdict(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sources.jsonl"
    parts = [
        {"id": "a", "text": "The road is closed.", "language": "English"},
        {"id": "b", "text": " \n—\n", "language": "en"},
    ]
    path.write_text(json.dumps({"id": "x", "parts": parts}) + "\n")
    [source] = read_sources(path)
    assert isinstance(source, Source)
    assert [(part.id, part.language) for part in source.parts] == [("a", "en")]
    facts = SummaryFacts(id="x", system="s", facts=("Nobody slept.",))
    candidate = Candidate(id="x", system="s", summary="Nobody slept.", language="en")
    support = verified(by_entailment(LexicalStandIn()), candidate, facts, source)
    assert support.supported == (False,)


def test_an_entailment_model_matches_sentence_by_sentence_and_leaves_open_what_it_cannot_read() -> (
    None
):
    facts = SourceFacts(
        source="x",
        facts=tuple(
            KeyFact(text=text, language="en", documents=("a",))
            for text in ("The road is closed.", "Two people died.")
        ),
    )
    summary = "The road is closed.\n* * *\nTwo people died. The road is closed again."
    candidate = Candidate(id="x", system="s", summary=summary, language="en")
    found = matched(matching_by_entailment(LexicalStandIn()), candidate, facts)
    assert found.matches == ((1, 4), (3,))

    class OnlyGerman(LexicalStandIn):
        languages = frozenset({"de"})

    closed = matched(matching_by_entailment(OnlyGerman()), candidate, facts)
    assert closed.matches == (None, None)
    assert "in en" in str(closed.reason)


def test_languages_are_known_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"id": "x", "summary": "Er kam.", "language": "German"}) + "\n")
    [candidate] = read_candidates(path)
    assert isinstance(candidate, Candidate)
    assert candidate.language == "de"


def test_facts_of_another_text_than_the_summary_are_not_taken_for_its_own() -> None:
    source = Source(id="x", parts=(Part(id="x", text="The oven broke.", language="en"),))
    using = judge()
    before = Candidate(id="x", summary="The oven broke.", language="en")
    after = Candidate(id="x", summary="Aliens landed.", language="en")
    facts = decomposed(using, before)
    assert verified(by_judge(using), before, facts, source).supported == (True,)
    stale = verified(by_judge(using), after, facts, source)
    assert stale.supported is None
    assert "facts are those of another text" in str(stale.reason)


class Narrow(RuleJudge):
    """Refuses a question of more than `most` characters, and does not say its window before."""

    most = 2600

    def complete(self, request: Request, /) -> Completion:
        if len(request.messages[0].content) > self.most:
            self.asked["refused"] += 1
            raise ContextOverrun("the prompt does not fit")
        return super().complete(request)


def test_a_source_over_a_context_that_nobody_knew_is_read_in_smaller_pieces(tmp_path: Path) -> None:
    filler = "People were waiting and nothing was said of it. " * 60
    text = f"{filler}\nThe oven broke\n{filler}\nIt cost 70 euros"
    source = Source(id="x", parts=(Part(id="x", text=text, language="en"),))
    using = judge(Narrow())
    candidate = Candidate(id="x", summary="The oven broke; nobody came.", language="en")
    support = verified(by_judge(using), candidate, decomposed(using, candidate), source)
    assert support.supported == (True, False)
    assert support.pieces > 2
    assert "one that supports a fact is enough" in support.notes[0]
    key = extracted(using, source)
    assert {one.text for one in key.facts or ()} >= {"The oven broke", "It cost 70 euros"}
    assert any("pieces" in note for note in key.notes)

    class Closed(Narrow):
        most = 0

    nothing = extracted(judge(Closed()), source)
    assert nothing.facts is None
    assert "does not fit" in str(nothing.reason)


def test_a_judge_among_the_judged_is_named() -> None:
    systems = ["gpt-4o-2024-11-20", "Qwen/Qwen3-8B"]
    assert len(violations(["gpt-4o", "qwen3-8b", "gpt-4o-mini"], systems)) == 2


def test_every_source_is_summarized_by_one_instruction() -> None:
    found = generated(Asker(RuleJudge("writer")), list(conversations().values()))
    assert next(one.summary for one, _ in found if one).startswith("Good.")
    assert all(one and one.system == "writer" for one, _ in found)


@pytest.mark.parametrize("name", samples.names())
def test_the_flow_runs_on_every_sample_event(name: str) -> None:
    from retrieval.event import event_of
    from retrieval.read import read

    sample = samples.load(name)
    documents = [one for one in read(str(sample.pages)) if isinstance(one, Document)]
    event = event_of(documents, id=name, description=name, references=[sample.reference])
    source, using = of_event(event), judge()
    first = event.documents[0].text.splitlines()[0]
    candidate = Candidate(id=name, summary=first, language=event.documents[0].language)
    key = extracted(using, source)
    assert key.facts
    support = verified(by_judge(using), candidate, decomposed(using, candidate), source)
    (found,) = verdicts([matched(matching_by_judge(using), candidate, key)], [support], [source])
    values = {column: one.value for column, one in found.measured().items()}
    assert values["faithfulness"] == 1
    assert values["completeness"] is not None
    assert 0 <= values["completeness"] < 1


BAD_SOURCES = {
    '{"id": "x", "turns": []}': "has no text",
    '{"id": "x", "turns": [["a"]]}': "turns",
    '{"id": "x", "turns": [["a", "b"]], "langage": "en"}': "langage",
    '{"turns": [["a", "b"]]}': "id",
    "17": "",
}


@pytest.mark.parametrize(("line", "reason"), BAD_SOURCES.items())
def test_a_line_that_is_no_source_is_rejected_with_its_reason(
    line: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(line + "\n")
    (found,) = read_sources(path)
    assert isinstance(found, Rejected)
    assert reason in found.reason


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> RuleJudge:
    """A judge that the command line opens under the name ``rules``."""
    from globesumm.llm import backends

    model = RuleJudge("rules")

    def opened(name: str) -> RuleJudge:
        assert name == "rules"
        return model

    table: Mapping[str, object] = backends.BACKENDS | {"openai": lambda: opened}  # type: ignore[operator]
    monkeypatch.setattr(backends, "BACKENDS", table)
    return model


def step(*arguments: str) -> int:
    return main(["facts", *arguments])


def test_the_verbs_lead_from_conversations_to_scores_and_ask_nothing_twice(
    tmp_path: Path, rules: RuleJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    summaries = tmp_path / "summaries.jsonl"
    lines = [
        {"id": "knee", "system": "a", "summary": KNEE, "language": "en"},
        {"id": "council", "system": "a", "summary": "Work begins in June.", "language": "en"},
        {"id": "nowhere", "system": "a", "summary": "It rained.", "language": "en"},
    ]
    summaries.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out, sources = str(tmp_path / "study"), str(CONVERSATIONS)
    steps: Sequence[tuple[str, ...]] = (
        ("extract", sources),
        ("decompose", str(summaries)),
        ("match", str(summaries)),
        ("verify", str(summaries), "--sources", sources),
    )
    for again in range(2):
        asked = sum(rules.asked.values())
        for name, *rest in steps:
            assert step(name, *rest, "--out", out, "--judge", "rules") in (0, 1)
        if again:
            assert sum(rules.asked.values()) == asked
    capsys.readouterr()
    assert step("score", out, "--format", "jsonl") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_id = {line["id"]: line for line in found if "id" in line}
    assert by_id["knee"]["completeness"] == pytest.approx(2 / 3)
    assert by_id["council"]["faithfulness"] == 1
    assert by_id["nowhere"]["completeness"] is None
    assert "no key facts of its source" in by_id["nowhere"]["notes"]["completeness"]
    assert "rules/" in found[-1]["aggregate"][0]["signature"]
    labels = (tmp_path / "study" / "to_label.jsonl").read_text().splitlines()
    (label,) = map(json.loads, labels)
    assert (label["task"], label["answer"], label["note"]) == ("key-fact", "rejected", "it is past")


def test_a_plan_asks_nothing_and_a_step_without_the_one_before_says_which(
    tmp_path: Path, rules: RuleJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "study")
    arguments = ("extract", str(CONVERSATIONS), "--out", out, "--judge", "rules")
    assert step(*arguments, "--dry-run") == 0
    assert "10 calls" in capsys.readouterr().out
    assert not rules.asked
    summaries = tmp_path / "s.jsonl"
    summaries.write_text('{"id": "knee", "summary": "x"}\n')
    assert step("match", str(summaries), "--out", out, "--judge", "rules") == 2
    assert "globesumm facts extract makes it" in capsys.readouterr().err
    assert step("extract", str(CONVERSATIONS), "--out", out) == 2
    assert "name it with --judge" in capsys.readouterr().err


class Interrupted(RuleJudge):
    """Answers some calls, and then the user presses the keys."""

    def __init__(self, calls: int) -> None:
        super().__init__("rules")
        self.left = calls

    def complete(self, request: Request, /) -> Completion:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().complete(request)


@pytest.mark.parametrize("calls", [0, 1, 4, 7])
def test_an_interrupted_step_goes_on_where_it_was(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from globesumm.llm import backends

    whole, first = RuleJudge("rules"), Interrupted(calls)
    rest = RuleJudge("rules")
    models = iter([whole, first, rest])
    monkeypatch.setattr(backends, "_backend", lambda *_, **__: next(models))
    for out, status in (("whole", 0), ("cut", 130), ("cut", 0)):
        arguments = (str(CONVERSATIONS), "--judge", "rules", "--at-once", "1")
        assert step("extract", *arguments, "--out", str(tmp_path / out)) == status
    assert sum(first.asked.values()) == calls
    assert sum(rest.asked.values()) == sum(whole.asked.values()) - calls
    made = [(tmp_path / out / "key_facts.jsonl").read_bytes() for out in ("whole", "cut")]
    assert made[0] == made[1]
