"""The whole method on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 knows no French and summarizes badly: this shows that everything is wired up, that every
answer is stored and that nothing is asked twice; it says nothing of quality.
"""

from pathlib import Path

import pytest

from annotation.author import Author
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.request import Decoding
from globesumm.prompts import Library, shipped_prompts
from globesumm.values import Event, Round
from tests.annotation.conftest import carry_out, document, event
from tests.live import Server, answered, within_forms

pytestmark = pytest.mark.slow

FERRY = event(
    document("a", 0, "en", "The ferry Alma sank on Monday. Nine people are missing."),
    document("b", 5, "fr", "Le bac Alma a coulé lundi. Douze personnes manquent."),
    document("c", 9, "en", "Fourteen people died when the Alma sank."),
)
CALLS = 3 + 1 + 4 * 2
"""Key information of each report, a list put into English, and four calls a round."""


def run(
    model: OpenedModel, prompts: Library | None = None, happening: Event = FERRY
) -> list[Round]:
    writing = Author(
        model=model,
        prompts=prompts or Library(),
        decoding=Decoding(max_tokens=700),
        bounds=Bounds(2, 40),
    )
    return carry_out(happening, "crs.kis-clp.protocol", writing, max_words=60)


def test_a_small_model_carries_out_the_method_and_nothing_is_asked_twice(
    live_server: Server, tmp_path: Path
) -> None:
    store, before = tmp_path / "calls.sqlite", answered(live_server.log)
    with open_model("smollm2", live_server.url, store=store, most_at_once=1) as model:
        first = run(model)
        made = model.totals.calls
        # A summary may be a text whose list is there already.
        assert made + model.totals.hits == CALLS
        assert made >= CALLS - 2
        assert model.totals.failed == 0
    assert within_forms(store) == made == answered(live_server.log) - before
    assert len(first) == 2
    for done in first:
        for step in ("where", "strategies", "summary", "kis"):
            assert done.answers[step].strip()
    assert first[1].inputs[0] == first[0].carry
    with open_model("smollm2", live_server.url, store=store, most_at_once=1) as model:
        assert run(model) == first
        assert (model.totals.calls, model.totals.hits) == (0, CALLS)
    own = tmp_path / "own" / "pgp" / "summary.md"
    own.parent.mkdir(parents=True)
    own.write_bytes(shipped_prompts()["pgp.summary"].content + b"\nWrite plainly.\n")
    with open_model("smollm2", live_server.url, store=store, most_at_once=1) as model:
        # The lists and the comparison do not know of the summary's prompt; its list may change.
        run(model, Library(tmp_path / "own"), event(*FERRY.documents[:2]))
        assert model.totals.calls in (1, 2)
        assert model.totals.calls + model.totals.hits == 2 * 2 - 1 + 4
    assert within_forms(store) == answered(live_server.log) - before
