"""Every method on perspective pairs through a real llama.cpp server, over real HTTP.

SmolLM2 argues badly and may run on until it is cut off: this shows that every side ends as a
summary or as a named failure, that nothing is asked twice, and says nothing of quality.
"""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.runs import Run
from tests.live import llama_server

pytestmark = pytest.mark.slow

METHODS = ("zero-shot", "lead", "rerank-2", "self-refine-1", "debate-2x2")

TOPIC = {
    "id": "bridge",
    "topic": "A new bridge in Velmar",
    "sides": {
        "for": [
            {"id": "a", "text": "The bridge saves every driver an hour.", "language": "en"},
            {"id": "b", "text": "Die Brücke schafft hundert Arbeitsplätze.", "language": "de"},
        ],
        "against": [
            {"id": "c", "text": "The bridge costs nine million euros.", "language": "en"},
            {"id": "d", "text": "Le pont détruira les prés de la rivière.", "language": "fr"},
        ],
    },
}


def stored(path: Path) -> int:
    store = CallStore(path)
    try:
        return len(list(store.answers()))
    finally:
        store.close()


def test_each_method_ends_as_a_summary_or_a_named_failure_and_is_paid_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics, out = tmp_path / "topics.jsonl", tmp_path / "run"
    topics.write_text(json.dumps(TOPIC), encoding="utf-8")
    with llama_server(tmp_path, 2048) as url:
        asked = [
            "perspective", "run", str(topics), "--methods", ",".join(METHODS), "--model", "smollm2",
            "--base-url", url, "--max-tokens", "48", "--words", "20", "--at-once", "1",
            "--metrics", "rouge", "--out", str(out),
        ]  # fmt: skip
        assert main(asked) in (0, 1)
        run = Run.open(out)
        ended = {(one.recipe, one.event) for one in run.summaries()}
        ended |= {(one.recipe, one.event) for one in run.failures()}
        assert len(ended) == 2 * len(METHODS)
        assert all(one.text.strip() for one in run.summaries())
        assert all(one.reason for one in run.failures())
        paid, texts = stored(out / "calls.sqlite"), {one.event: one.text for one in run.summaries()}
        assert paid
        if not run.failures():
            assert main(asked) == 0
            assert stored(out / "calls.sqlite") == paid
    assert texts
    capsys.readouterr()
