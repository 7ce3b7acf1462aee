"""Facts that the self-review did not keep: who adds them, and when nobody may."""

from pathlib import Path

import pytest

from globesumm.records import write_records
from globesumm.values import Judgement, KeyFact
from metrics.facts.adjudication import decided, item, of_panel, of_people
from metrics.facts.asking import Asker
from metrics.facts.judge import FactJudge
from metrics.facts.pipeline import extracted
from metrics.facts.records import RejectedFact, SourceFacts
from metrics.facts.sources import Source, read_sources
from tests.facts.rule_judge import RuleJudge

REJECTED = tuple(
    RejectedFact(fact=KeyFact(text=text, language="en"), reason="r") for text in "abcd"
)
FACTS = SourceFacts(source="s", facts=(KeyFact(text="x", language="en"),), rejected=REJECTED)


def answers(judge: str, said: str) -> list[Judgement]:
    """One letter a fact: k for key, n for not key, - for no answer."""
    words = {"k": "key", "n": "not key", "-": "I do not know"}
    return [
        Judgement(task="key-fact", item=item("s", one), judge=judge, answer=words[letter])
        for one, letter in zip(REJECTED, said, strict=True)
    ]


def test_only_what_all_call_key_is_added_and_what_lacks_an_answer_stays_open() -> None:
    found = decided([FACTS], of_people([*answers("p", "kkn-"), *answers("q", "knnk")]))
    (made,) = found.facts
    assert [fact.text for fact in made.facts or ()] == ["x", "a"]
    assert [one.fact.text for one in made.rejected] == ["b", "c", "d"]
    assert (found.asked, found.agreed, found.open) == (4, 1, 1)
    # Of the three facts that both answered: two alike, chance (2*1 + 1*2) / 9.
    assert found.kappa == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))


def test_without_answers_nothing_is_added() -> None:
    found = decided([FACTS], {})
    assert found.facts == (FACTS,)
    assert (found.agreed, found.open, found.kappa) == (0, 4, None)


def test_a_panel_of_models_decides_fact_by_fact() -> None:
    class Lenient(RuleJudge):
        def spoil(self, reply: str) -> str:
            return reply.replace("false", "true")

    path = Path(__file__).parent / "conversations.jsonl"
    source = next(one for one in read_sources(path) if isinstance(one, Source))
    facts = extracted(FactJudge(asker=Asker(RuleJudge())), source)
    assert len(facts.rejected) == 1
    for second, agreed in ((Lenient("b"), 1), (RuleJudge("b"), 0)):
        panel = [FactJudge(asker=Asker(model)) for model in (Lenient("a"), second)]
        votes = of_panel([facts], {source.id: source}, panel)
        assert decided([facts], votes).agreed == agreed


def test_labels_and_a_panel_at_once_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from globesumm.cli import main
    from globesumm.llm import backends

    monkeypatch.setattr(backends, "_backend", lambda *_, **__: RuleJudge("rules"))
    labels, sources = tmp_path / "l.jsonl", Path(__file__).parent / "conversations.jsonl"
    text = "Oh no. The technician repaired it on 3 March."
    names = ("p", "q")
    write_records(
        labels,
        [
            Judgement(task="key-fact", item=f"bakery\t{text}", judge=name, answer="key")
            for name in names
        ],
    )
    arguments = ["facts", "extract", str(sources), "--judge", "rules", "--out", str(tmp_path / "o")]
    assert main([*arguments, "--labels", str(labels)]) == 0
    assert "1 of 1 decided to be key by all" in capsys.readouterr().out
    assert main([*arguments, "--labels", str(labels), "--panel", "rules"]) == 2
    assert "not both" in capsys.readouterr().err
