"""What a folder of results must look like, whatever happened to the runs that made it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from globesumm.shards import Shard
from tests.shards.stages import content

Check = Callable[[Path, list[Shard]], None]


@pytest.fixture
def is_whole() -> Check:
    return check_whole


def check_whole(folder: Path, wanted: list[Shard]) -> None:
    """Every shard's result is there once, whole, with its counts; nothing else is."""
    results = {path.name: path.read_bytes() for path in folder.glob("*.tsv")}
    assert results == {f"{shard.name}.tsv": content(shard) for shard in wanted}
    counted = {path.name for path in (folder / "_counts").iterdir()}
    assert counted == {f"{shard.name}.json" for shard in wanted}
    allowed = {"_counts", "_failures", ".lock", "_stage"}
    assert {path.name for path in folder.iterdir()} - set(results) <= allowed
    assert not list((folder / "_failures").glob("*"))


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits for its parent to look at it does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
