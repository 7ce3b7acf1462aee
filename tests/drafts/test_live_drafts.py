"""Every method on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 rates and writes badly: this shows that everything is wired, that what the plan counts is
what is asked, and that nothing is asked twice; it says nothing of quality.
"""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.records import write_records
from tests.drafts.conftest import event
from tests.live import asked, llama_server

pytestmark = pytest.mark.slow

RECIPES = (
    "sts.none.direct.rerank-2",
    "sts.none.direct.rerank-rouge-2",
    "sts.none.direct.self-refine-1",
    "sts.none.direct.debate-2x2",
)


def test_every_method_runs_over_a_real_server_as_planned_and_asks_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "events.jsonl", [event(2)])
    path, run = tmp_path / "live.toml", tmp_path / "run"
    with llama_server(tmp_path, 4096) as url:
        path.write_text(
            f"""
            inputs = ["events.jsonl"]
            recipes = {json.dumps(RECIPES)}
            max_words = 40
            metrics = ["alignment-lexical"]
            models = [{{ name = "smollm2", base_url = "{url}" }}]
            judges = [{{ model = "smollm2", metrics = ["llm-coverage"], weighted = true }}]
            [decoding]
            max_tokens = 300
            bounded = {{ items = 2, characters = 40 }}
            [drafts]
            stop = false
            [limits]
            at_once = 1
            """
        )
        assert main(["grid", str(path), "--out", str(run), "--dry-run"]) == 0
        said = capsys.readouterr().out
        (planned,) = (int(line.split()[0]) for line in said.splitlines() if "for summaries" in line)
        assert main(["grid", str(path), "--out", str(run)]) == 0
        store = CallStore(run / "calls.sqlite", read_only=True)
        made, failed = len(store), store.totals().failed
        judged = [one for one in store.answers() if one.request.top_logprobs]
        rated = [
            one for one in store.answers() if one.request.grammar and not one.request.top_logprobs
        ]
        store.close()
        assert 2 * 2 >= len(rated) > 0
        assert all(one.completion and one.completion.text in "12345" for one in rated)
        assert all(one.completion and one.completion.tokens for one in judged)
        account = asked(run)
        assert account["planned"] == planned
        assert planned == account["made"] + account["spared"]
        assert account["unreached"] == account["again"] == account["shortened"] == 0
        assert (made - len(judged), failed) == (account["made"], 0)
        assert main(["grid", str(path), "--out", str(run)]) == 0
        assert "this time: 0 calls" in capsys.readouterr().err
        assert main(["drafts", str(run)]) == 0
        assert "taken by" in capsys.readouterr().out
