"""Every method of drafts on a whole sample event through a real llama.cpp server, killed thrice.

Eight reports in eight languages, about 5,700 tokens as SmolLM2 counts, which summarizes and rates
them badly: this shows that what the plan counts is what is asked, through any kills, and nothing
of quality.
"""

import json
import re
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import Run
from tests.live import asked, carried_out_through_kills, kept, llama_server

pytestmark = pytest.mark.slow

RECIPES = (
    "sts.none.lead",
    "sts.none.direct",
    "sts.none.direct.rerank",
    "sts.none.direct.rerank-rouge",
    "sts.none.direct.self-refine",
    "sts.none.direct.debate",
)


def test_every_method_on_a_whole_event_asks_what_was_planned_and_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "live.toml", tmp_path / "run"
    with llama_server(tmp_path, 8192) as url:
        path.write_text(
            f"""
            inputs = ["sample:titan-submersible"]
            recipes = {json.dumps(RECIPES)}
            max_words = 60
            metrics = ["rouge"]
            models = [{{ name = "smollm2", base_url = "{url}" }}]
            [decoding]
            max_tokens = 1500
            bounded = {{ items = 8, characters = 60 }}
            [limits]
            at_once = 1
            """
        )
        command = ["grid", str(path), "--out", str(out)]
        assert main([*command, "--dry-run"]) == 0
        said = re.search(r"^(\d+) calls for summaries", capsys.readouterr().out, re.MULTILINE)
        assert said
        # Outright; nine drafts, each rated twice; three critiques and revisions; two rounds of
        # three agents, whose first texts are among the nine drafts.
        planned = 1 + 9 + 2 * 9 + 2 * 3 + 3 * 2
        assert int(said[1]) == planned
        server = (url, tmp_path / "log")
        assert carried_out_through_kills(command, server, out, planned, (0.1, 0.5, 0.8)) == 0
    print(capsys.readouterr().err)
    account = asked(out)
    assert account["planned"] == planned == account["made"] + account["spared"]
    assert account["unreached"] == account["again"] == account["shortened"] == 0
    assert sum(kept(out)) == account["made"]
    made = {one.recipe for part in (out / "parts").iterdir() for one in Run(part).summaries()}
    assert made == set(RECIPES)
    assert main(["drafts", str(out)]) == 0
    shown = capsys.readouterr().out
    assert all(recipe in shown for recipe in RECIPES if recipe.count(".") > 2)
