"""Judges are checked on known summaries through a real llama.cpp server, and paid once.

A model of this size judges badly: this shows that the check gets through, not what it says.
"""

import json
from pathlib import Path

import pytest

from globesumm.cli.main import run
from tests.live import Server, answered, kept

pytestmark = pytest.mark.slow


ARTICLE = {
    "id": "ferry",
    "language": "en",
    "excerpts": ["The ferry Alma sank on Monday.", "The captain swam to the shore."],
    "points": {
        "en": {
            "keys": ["The Alma went down on Monday.", "The captain reached land."],
            "reversals": ["The Alma did not sink.", "The captain drowned."],
            "other": ["The harbour is safe."],
        }
    },
}


def test_a_judge_is_checked_over_http_and_asked_nothing_twice(
    live_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    articles = tmp_path / "articles.jsonl"
    articles.write_text(json.dumps(ARTICLE), encoding="utf-8")
    arguments = [
        *("metrics", "check", "--articles", str(articles), "--each", "4", "--resamples", "20"),
        *("--metrics", "llm-coverage", "--judge", "smollm2", "--base-url", live_server.url),
        *("--at-once", "1", "--out", str(tmp_path / "out"), "--format", "jsonl"),
    ]
    printed, before = [], answered(live_server.log)
    for _ in range(2):
        assert run(arguments) == 0
        printed.append(capsys.readouterr().out)
    row, about = (json.loads(line) for line in printed[0].splitlines())
    assert (row["metric"], row["model"], row["expected"]) == ("llm-coverage", "smollm2", 4)
    # The form of a rating is one digit, so that there is no other answer.
    assert (row["n"], row["reasons"]) == (4, [])
    assert about["about"]["unavailable"] == {}
    assert printed[1] == printed[0]
    assert kept(tmp_path / "out") == (4, 0)
    assert answered(live_server.log) - before == 4
