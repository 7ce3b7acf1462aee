"""A kill between any two lines that take a result in leaves it done or not done, never between."""

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from globesumm.shards import folder as folder_module
from globesumm.shards import run_stage
from tests.shards import stages
from tests.shards.conftest import Check


def run_until(line: int, folder: Path) -> bool:
    """Run one shard in a child that is killed at its `line`-th line in the folder's module."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 9
    seen = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_filename != folder_module.__file__:
            return None
        seen += event == "line"
        if seen == line:
            os.kill(os.getpid(), 9)
        return trace

    try:
        sys.settrace(trace)
        run(folder)
    finally:
        os._exit(0)


def run(folder: Path) -> tuple[int, int, int]:
    outcome = run_stage(
        stages.write, stages.shards(1), folder, suffix=".tsv", workers=1, progress_name="shards"
    )
    return outcome.done, outcome.reused, outcome.counts["rows"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are made with fork")
def test_a_kill_at_any_line_leaves_a_shard_done_or_not_done(
    tmp_path: Path, is_whole: Check
) -> None:
    seen = set()
    line = 1
    while run_until(line, tmp_path / str(line)):
        outcome = run(tmp_path / str(line))
        assert outcome in {(1, 0, stages.LINES), (0, 1, stages.LINES)}
        seen.add(outcome)
        is_whole(tmp_path / str(line), stages.shards(1))
        line += 1
    assert line > 40
    assert len(seen) == 2
