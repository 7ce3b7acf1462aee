"""The judges of entailment and of conflicts on a real llama.cpp server, over real HTTP.

A model of this size judges badly: this shows that questions and answers get through and that what
is no verdict is unscored with its reason; it says nothing of quality.
"""

from pathlib import Path

import pytest

from globesumm.llm.backends import open_model
from globesumm.llm.request import Decoding
from metrics import Candidate
from metrics.cre import Cre
from metrics.cre_conflicts import Conflict
from metrics.entailment import LLMJudge, Pair, Remembering
from tests.live import WEAK, Held, Server

pytestmark = pytest.mark.slow

CONFLICTS = (Conflict(text="Nine or twelve died."), Conflict(text="It sank on Monday or Tuesday."))
TEXT = "The ferry sank on Monday, others say Tuesday. Twelve people died."
PAIRS = [
    Pair(premise=TEXT, hypothesis=one, premise_language="en", hypothesis_language="en")
    for one in ("Twelve people died.", "Nobody died.")
]
YES_OR_NO = 'root ::= "yes" | "no"'
VERDICTS = 'root ::= "[" one ", " one "]"\none ::= "1" | "0" | "-1"'


def test_entailment_is_asked_over_http_and_each_pair_once(
    live_server: Server, tmp_path: Path
) -> None:
    with open_model("smollm2", live_server.url, most_at_once=1) as model:
        held = LLMJudge(Held(model, YES_OR_NO), most_at_once=1)
        with Remembering(held, tmp_path / "verdicts.sqlite") as entailer:
            first = entailer.entails(PAIRS)
            assert model.totals.calls == len(PAIRS)
            assert all(one.value in (0.0, 1.0) for one in first)
            assert entailer.entails(PAIRS) == first
            assert model.totals.calls == len(PAIRS)


def test_what_is_no_verdict_on_entailment_has_its_reason_and_alone_is_asked_again(
    live_server: Server, tmp_path: Path
) -> None:
    with open_model("smollm2", live_server.url, most_at_once=1) as model:
        free = LLMJudge(model, most_at_once=1, most_tokens=16)
        with Remembering(free, tmp_path / "verdicts.sqlite") as entailer:
            first = entailer.entails(PAIRS)
            made = model.totals.calls
            assert made >= len(PAIRS)
            said = [(pair, one) for pair, one in zip(PAIRS, first, strict=True)]
            known = [(pair, one) for pair, one in said if one.value is not None]
            assert entailer.entails([pair for pair, _ in known]) == [one for _, one in known]
            assert model.totals.calls == made
    for one in first:
        assert one.value in (0.0, 1.0) or (one.value is None and WEAK.search(one.reason or ""))


def test_conflicts_are_judged_over_http_and_the_judge_is_paid_once(
    live_server: Server, tmp_path: Path
) -> None:
    text = Candidate(id="ferry", text=TEXT, language="en", event="ferry")
    store = tmp_path / "calls.sqlite"
    found, used = [], []
    for _ in range(2):
        with open_model("smollm2", live_server.url, store=store, most_at_once=1) as model:
            decoding = Decoding(temperature=0.0, seed=0, max_tokens=20)
            held = Held(model, VERDICTS)
            metric = Cre(held, {"ferry": CONFLICTS}, decoding=decoding, most_at_once=1)
            found += metric.score([text])
            used.append((model.totals.calls, model.totals.hits))
    assert used == [(1, 0), (0, 1)]
    assert found[0] == found[1]
    assert found[0].value is not None
    assert 0 <= found[0].value < 1


def test_what_is_no_list_of_verdicts_on_conflicts_is_unscored_with_the_reason(
    live_server: Server,
) -> None:
    text = Candidate(id="ferry", text=TEXT, language="en", event="ferry")
    with open_model("smollm2", live_server.url, most_at_once=1) as model:
        decoding = Decoding(temperature=0.0, seed=0, max_tokens=30)
        metric = Cre(model, {"ferry": CONFLICTS}, decoding=decoding, most_at_once=1)
        (one,) = metric.score([text])
        assert model.totals.calls >= 1
    assert (one.value is None) == (WEAK.search(one.note or "") is not None)
