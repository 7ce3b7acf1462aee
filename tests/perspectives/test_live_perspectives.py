"""Every method on perspective pairs through a real llama.cpp server, over real HTTP.

SmolLM2 argues badly: this shows that every side ends as a summary by every method, and that
nothing is asked twice; it says nothing of quality.
"""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run
from tests.live import answered, kept, llama_server

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


def test_each_method_ends_as_a_summary_and_is_paid_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics, out = tmp_path / "topics.jsonl", tmp_path / "run"
    topics.write_text(json.dumps(TOPIC), encoding="utf-8")
    with llama_server(tmp_path, 2048) as url:
        asked = [
            "perspective", "run", str(topics), "--methods", ",".join(METHODS), "--model", "smollm2",
            "--base-url", url, "--max-tokens", "150", "--bounded", "2x20", "--words", "20",
            "--at-once", "1", "--metrics", "rouge", "--out", str(out),
        ]  # fmt: skip
        assert main(asked) == 0
        run = Run.open(out)
        assert not run.failures()
        ended = {(one.recipe, one.event): one.text for one in run.summaries()}
        assert len(ended) == 2 * len(METHODS)
        assert all(text.strip() for text in ended.values())
        assert kept(out) == (answered(tmp_path / "log"), 0)
        assert main(asked) == 0
        assert kept(out) == (answered(tmp_path / "log"), 0)
    capsys.readouterr()
