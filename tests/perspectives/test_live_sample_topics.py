"""Every method on all sample topics with two sides through a real llama.cpp server, killed thrice.

SmolLM2 argues badly: this shows that what the plan counts is what is asked, that nothing is asked
twice, and that every side ends as a summary by every method; it says nothing of quality.
"""

import re
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run
from tests.live import asked, carried_out_through_kills, kept, llama_server

pytestmark = pytest.mark.slow

METHODS = ("zero-shot", "lead", "rerank-4", "rerank-rouge-4", "self-refine-2", "debate-3x2")
SIDES = 12


def test_every_method_on_all_sample_topics_asks_what_was_planned_and_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    with llama_server(tmp_path, 4096) as url:
        command = [
            "perspective", "run", "samples", "--methods", ",".join(METHODS), "--model", "smollm2",
            "--base-url", url, "--max-tokens", "640", "--bounded", "4x50", "--words", "30",
            "--at-once", "1", "--metrics", "rouge", "--out", str(out),
        ]  # fmt: skip
        assert main([*command, "--dry-run"]) == 0
        said = re.search(r"^(\d+) calls at most", capsys.readouterr().out, re.MULTILINE)
        assert said
        # A side: outright; four drafts, each rated twice; two critiques and revisions; three
        # agents' second round.
        planned = SIDES * (1 + 4 + 2 * 4 + 2 * 2 + 3)
        assert int(said[1]) == planned
        server = (url, tmp_path / "log")
        assert carried_out_through_kills(command, server, out, planned, (0.1, 0.5, 0.8)) == 0
    print(capsys.readouterr().err)
    account = asked(out)
    assert account["planned"] == planned == account["made"] + account["spared"]
    assert account["unreached"] == account["again"] == account["shortened"] == 0
    assert sum(kept(out)) == account["made"]
    run = Run.open(out)
    assert not run.failures()
    assert len({(one.recipe, one.event) for one in run.summaries()}) == SIDES * len(METHODS)
