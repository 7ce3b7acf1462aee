"""The whole grid on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 summarizes badly and may run on until it is cut off: this shows that every cell ends as a
summary or as a named failure, that nothing is asked twice, and says nothing of quality.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.llm.call_store import CallStore
from globesumm.records import write_records
from globesumm.runs import Run
from tests.annotation.conftest import document
from tests.live import llama_server

pytestmark = pytest.mark.slow

FERRY = (
    document("a", 0, "en", "The ferry Alma sank on Monday. Nine people are missing."),
    document("b", 5, "fr", "Le bac Alma a coulé lundi. Douze personnes manquent."),
)

CONFIG = """
inputs = ["ferry.jsonl"]
recipes = ["all"]
max_words = 40
metrics = ["rouge"]

[decoding]
max_tokens = 100

[[models]]
name = "smollm2"
base_url = "{url}"
provider = "llama.cpp"
size = "135M"
type = "open"
context = 8192
at_once = 1
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 8192) as url:
        yield url


def test_every_cell_of_the_grid_ends_as_a_summary_or_a_named_failure_and_is_paid_once(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "ferry.jsonl", FERRY)
    config, out = tmp_path / "live.toml", tmp_path / "run"
    config.write_text(CONFIG.format(url=server), encoding="utf-8")
    assert main(["grid", str(config), "--out", str(out)]) in (0, 1)
    printed = capsys.readouterr().out
    runs = [Run(folder) for folder in sorted((out / "parts").iterdir())]
    made = {(run.folder.name, one.recipe) for run in runs for one in run.summaries()}
    failed = {(run.folder.name, one.recipe): one for run in runs for one in run.failures()}
    assert len(made | failed.keys()) == 28
    assert not made & failed.keys()
    of_model = {recipe for part, recipe in made if part.startswith("smollm2")}
    assert len(of_model) >= 5
    assert all(one.reason for one in failed.values())
    assert "crs.kis-clp.protocol" in printed
    calls = _calls(out)
    assert calls >= 15
    main(["grid", str(config), "--out", str(out)])
    assert _calls(out) == calls


def _calls(out: Path) -> int:
    store = CallStore(out / "calls.sqlite", read_only=True)
    try:
        return store.totals().calls
    finally:
        store.close()
