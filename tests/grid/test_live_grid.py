"""A grid on a real llama.cpp server with a real small model, over real HTTP.

Every pipeline, in both schemas (the protocol is in `test_live_method` and `test_live_annotate`).
SmolLM2 summarizes badly: this shows that every cell ends as a summary or as a named failure, that
what the plan counts is what is asked, and that nothing is asked twice; it says nothing of quality.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation.pipelines import PIPELINES
from globesumm.cli import main
from globesumm.records import write_records
from globesumm.runs import Run
from tests.annotation.conftest import document
from tests.live import WINDOW, Server, answered, asked, kept, within_forms

pytestmark = pytest.mark.slow

FERRY = (
    document("a", 0, "en", "The ferry Alma sank on Monday. Nine people are missing."),
    document("b", 5, "fr", "Le bac Alma a coulé lundi. Douze personnes manquent."),
)

RECIPES = (
    "crs.none.lead",
    "sts.none.direct",
    "crs.translate-summarize.direct",
    "sts.summarize-translate.direct",
    "crs.kis.direct",
    "sts.kis-clp.direct",
)

CONFIG = """
inputs = ["ferry.jsonl"]
recipes = {recipes}
max_words = 40
metrics = ["rouge"]

[decoding]
max_tokens = 500
bounded = {{ items = 2, characters = 30 }}

[limits]
at_once = 1

[[models]]
name = "smollm2"
base_url = "{url}"
provider = "llama.cpp"
size = "135M"
type = "open"
context = 8192
at_once = 1
"""


def command_of(folder: Path, server: Server, recipes: Sequence[str]) -> list[str]:
    config = folder / "live.toml"
    text = CONFIG.format(url=server.url, recipes=json.dumps(recipes))
    config.write_text(text, encoding="utf-8")
    return ["grid", str(config), "--out", str(folder / "run")]


def test_every_cell_of_the_grid_ends_as_a_summary_as_planned_and_is_paid_once(
    live_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [recipe.split(".") for recipe in RECIPES]
    assert {pipeline for _, pipeline, _ in named} == set(PIPELINES)
    write_records(tmp_path / "ferry.jsonl", FERRY)
    out = tmp_path / "run"
    command = command_of(tmp_path, live_server, RECIPES)
    assert main([*command, "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls for summaries", capsys.readouterr().out, re.MULTILINE)
    assert planned
    before = answered(live_server.log)
    assert main(command) == 0
    printed = capsys.readouterr().out
    account = asked(out)
    assert account["planned"] == int(planned[1]) == account["made"] + account["spared"]
    assert account["unreached"] == account["again"] == account["unanswered"] == 0
    assert kept(out) == (account["made"], 0)
    assert within_forms(out / "calls.sqlite") == answered(live_server.log) - before
    runs = [Run(folder) for folder in sorted((out / "parts").iterdir())]
    made = {one.recipe: one for run in runs for one in run.summaries()}
    assert made.keys() == set(RECIPES)
    assert all(one.text.strip() for one in made.values())
    assert all(recipe in printed for recipe in RECIPES)
    assert main(command) == 0
    assert answered(live_server.log) - before == account["made"]


def test_what_is_too_long_for_the_server_fails_by_name_and_is_not_asked_again(
    live_server: Server, tmp_path: Path
) -> None:
    write_records(tmp_path / "ferry.jsonl", [document("a", 0, "en", "word " * WINDOW)])
    command = command_of(tmp_path, live_server, ("crs.none.lead", "sts.none.direct"))
    before = answered(live_server.log)
    assert main(command) == 1
    runs = [Run(folder) for folder in sorted((tmp_path / "run" / "parts").iterdir())]
    assert [one.recipe for run in runs for one in run.summaries()] == ["crs.none.lead"]
    [failed] = [one for run in runs for one in run.failures()]
    assert (failed.recipe, failed.kind) == ("sts.none.direct", "ContextOverrun")
    assert str(WINDOW) in failed.reason
    assert kept(tmp_path / "run") == (0, 1)
    assert main(command) == 1
    assert kept(tmp_path / "run") == (0, 1)
    assert answered(live_server.log) == before
