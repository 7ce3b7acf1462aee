"""Pre-steps and judging of a grid by batch: across runs, and with batches that fail in part."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm import config
from globesumm.cli import main
from globesumm.llm.request import Message, Request
from globesumm.llm.scripted import Scripted
from tests.llm.batch_house import BatchHouse, Line, answered, expired

SCRIPT = config.shipped()["smoke"].with_suffix(".jsonl")


@pytest.fixture
def house() -> Iterator[BatchHouse]:
    """Answers batches as the script of the smoke grid does."""
    running = BatchHouse()
    running.work = lambda lines: ("completed", [said(line) for line in reversed(lines)], [])
    yield running
    running.stop()


def said(line: Line) -> Line:
    messages = tuple(Message(one["role"], one["content"]) for one in line["body"]["messages"])
    script = Scripted.read(SCRIPT)
    return answered(line, script.complete(Request(model=script.name, messages=messages)).text)


def experiment(folder: Path, house: BatchHouse) -> Path:
    shutil.copy(SCRIPT, folder / "script.jsonl")
    path = folder / "mine.toml"
    path.write_text(
        f"""
inputs = ["sample:titan-submersible"]
recipes = ["crs.kis-clp.direct", "sts.kis.protocol", "sts.translate-summarize.direct"]
metrics = ["rouge"]
[slice]
documents = 4
[presteps]
model = "pre"
carries = false
[[models]]
name = "script"
model = "scripted:script.jsonl"
[[helpers]]
name = "pre"
base_url = "{house.url}"
batch = true
[[judges]]
model = "pre"
metrics = ["cre"]
""",
        encoding="utf-8",
    )
    return path


def calls(told: str) -> int:
    return int(re.findall(r"^this time: (\d+) calls", told, re.MULTILINE)[-1])


def test_what_has_no_order_goes_by_batch_over_several_runs(
    tmp_path: Path, house: BatchHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = experiment(tmp_path, house), str(tmp_path / "run")
    assert main(["grid", str(path), "--dry-run"]) == 0
    plan = capsys.readouterr().out
    planned = sum(map(int, re.findall(r"^pre\s+[a-z_ ]+?\s+(?:<=)?(\d+) ", plan, re.MULTILINE)))
    house.looks = 2
    statuses, total = [], 0
    for _ in range(12):
        statuses.append(main(["grid", str(path), "--out", out, "--no-wait"]))
        told = capsys.readouterr().err
        total += calls(told)
        if statuses[-1] == 0:
            break
        assert "with their servers as batches: repeat the command later" in told
    assert statuses[-1] == 0
    assert len(statuses) > 2
    # Translations and key information, then the lists put over, then the verdicts.
    assert len(house.batches) == 3
    asked = house.asked()
    assert len(asked) == len(set(asked)) == planned
    assert not [one for one in house.calls if "chat/completions" in one]
    assert main(["grid", str(path), "--out", out]) == 0
    assert calls(capsys.readouterr().err) == 0


def test_lines_that_expired_are_handed_over_again(
    tmp_path: Path, house: BatchHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    first = True

    def work(lines: list[Line]) -> tuple[str, list[Line], list[Line]]:
        nonlocal first
        cut, first = (2, False) if first else (0, False)
        return "completed", [said(one) for one in lines[cut:]], [expired(o) for o in lines[:cut]]

    house.work = work
    path, out = experiment(tmp_path, house), str(tmp_path / "run")
    status = main(["grid", str(path), "--out", out])
    told = capsys.readouterr().err
    assert status == 0, told
    assert "2 expired" in told
    asked = house.asked()
    assert len(asked) == len(set(asked)) + 2
