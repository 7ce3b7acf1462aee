"""Judges are checked on known summaries through a real llama.cpp server, and paid once.

A model of this size judges badly: this shows that the check gets through, not what it says.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.cli.main import run
from tests.live import llama_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 2048) as url:
        yield url


def test_a_judge_is_checked_over_http_and_asked_nothing_twice(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        *("metrics", "check", "--languages", "en-en", "--each", "1", "--resamples", "20"),
        *("--metrics", "llm-coverage", "--judge", "smollm2", "--base-url", server),
        *("--at-once", "1", "--out", str(tmp_path / "out"), "--format", "jsonl"),
    ]
    printed = []
    for _ in range(2):
        assert run(arguments) in (0, 1)
        printed.append(capsys.readouterr().out)
    row, about = (json.loads(line) for line in printed[0].splitlines())
    assert (row["metric"], row["model"], row["expected"]) == ("llm-coverage", "smollm2", 6)
    assert row["n"] + sum(count for _, count in row["reasons"]) == 6
    assert about["about"]["unavailable"] == {}
    assert printed[1] == printed[0]
    assert (tmp_path / "out" / "calls.sqlite").is_file()
