"""The whole method on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 knows no French and summarizes badly: this shows that everything is wired up, that every
answer is stored and that nothing is asked twice; it says nothing of quality.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.author import Author
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.request import Decoding
from globesumm.prompts import Library, shipped_prompts
from globesumm.values import Event, Round
from tests.annotation.conftest import carry_out, document, event
from tests.live import llama_server

pytestmark = pytest.mark.slow

FERRY = event(
    document("a", 0, "en", "The ferry Alma sank on Monday. Nine people are missing."),
    document("b", 5, "fr", "Le bac Alma a coulé lundi. Douze personnes manquent."),
    document("c", 9, "en", "Fourteen people died when the Alma sank. The captain was arrested."),
    document("d", 30, "en", "Divers reached the Alma on Wednesday. The search goes on."),
)
CALLS = 2 * 4 - 3 + 4 * 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 8192) as url:
        yield url


def run(
    model: OpenedModel, prompts: Library | None = None, happening: Event = FERRY
) -> list[Round]:
    # In free text a model of this size counts on and on; what stops it is part of the request.
    decoding = Decoding(max_tokens=500, stop=(" 4. ", "\n4. "))
    writing = Author(model=model, prompts=prompts or Library(), decoding=decoding)
    return carry_out(happening, "crs.kis-clp.protocol", writing, max_words=60)


def test_a_small_model_carries_out_the_method_and_nothing_is_asked_twice(
    server: str, tmp_path: Path
) -> None:
    store = tmp_path / "calls.sqlite"
    with open_model("smollm2", server, store=store, most_at_once=1) as model:
        first = run(model)
        made = model.totals.calls
        assert made >= CALLS
        assert model.totals.failed == 0
    assert len(first) == 3
    for done in first:
        for step in ("where", "strategies", "summary", "kis"):
            assert done.answers[step].strip()
    with open_model("smollm2", server, store=store, most_at_once=1) as model:
        assert run(model) == first
        assert (model.totals.calls, model.totals.hits) == (0, made)
    own = tmp_path / "own" / "pgp" / "summary.md"
    own.parent.mkdir(parents=True)
    own.write_bytes(shipped_prompts()["pgp.summary"].content + b"\nWrite plainly.\n")
    with open_model("smollm2", server, store=store, most_at_once=1) as model:
        # The lists and the comparison do not know of the summary's prompt; its list may change.
        run(model, Library(tmp_path / "own"), event(*FERRY.documents[:2]))
        assert model.totals.calls in (1, 2)
        assert model.totals.calls + model.totals.hits == 2 * 2 - 1 + 4
