"""The judges of entailment and of conflicts on a real llama.cpp server, over real HTTP.

A model of this size judges badly: this shows that questions and answers get through and that what
is no verdict is unscored with its reason; it says nothing of quality.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.llm.backends import open_model
from globesumm.llm.request import Decoding
from metrics import Candidate
from metrics.cre import Cre
from metrics.cre_conflicts import Conflict
from metrics.entailment import LLMJudge, Pair, Remembering
from tests.live import llama_server

pytestmark = pytest.mark.slow

CONFLICTS = (Conflict(text="Nine or twelve died."), Conflict(text="It sank on Monday or Tuesday."))
TEXT = "The ferry sank on Monday, others say Tuesday. Twelve people died."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 4096) as url:
        yield url


def test_entailment_is_asked_over_http_and_each_pair_once(server: str, tmp_path: Path) -> None:
    pairs = [
        Pair(premise=TEXT, hypothesis=one, premise_language="en", hypothesis_language="en")
        for one in ("Twelve people died.", "Nobody died.", "The ferry sank.")
    ]
    with open_model("smollm2", server, most_at_once=1) as model:
        entailer = Remembering(LLMJudge(model, most_at_once=1), tmp_path / "verdicts.sqlite")
        with entailer:
            first = entailer.entails(pairs)
            assert model.totals.calls >= len(pairs)
            made = model.totals.calls
            again = entailer.entails(
                [pair for pair, one in zip(pairs, first, strict=True) if one.value is not None]
            )
            assert model.totals.calls == made
    assert again == [one for one in first if one.value is not None]
    for one in first:
        assert one.value in (0.0, 1.0) or (one.value is None and one.reason)


def test_conflicts_are_judged_over_http_or_unscored_with_the_reason(
    server: str, tmp_path: Path
) -> None:
    decoding = Decoding(temperature=0.0, seed=0, max_tokens=120)
    text = Candidate(id="ferry", text=TEXT, language="en", event="ferry")
    store = tmp_path / "calls.sqlite"
    found = []
    for _ in range(2):
        with open_model("smollm2", server, store=store, most_at_once=1) as model:
            metric = Cre(model, {"ferry": CONFLICTS}, decoding=decoding, most_at_once=1)
            found += metric.score([text])
            used = (model.totals.calls, model.totals.hits)
    assert used[0] == 0
    assert used[1] in (1, 2)
    assert found[0] == found[1]
    assert (found[0].value is None) == (
        found[0].note is not None and "no verdicts" in found[0].note
    )
