"""The page on scale: its program runs, its forms of a cluster are understood, its folders exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from globesumm.shards import run_stage
from globesumm.shards.slurm import SETTINGS, settings
from tests.shards import stages

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def test_the_program_of_the_page_makes_a_next_stage_of_the_first_ones_results(
    tmp_path: Path,
) -> None:
    run_stage(
        stages.write, stages.shards(3), tmp_path / "gdelt" / "gkg",
        suffix=".jsonl", workers=1, progress_name="first",
    )  # fmt: skip
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "program.py").write_text(program)
    for made, reused in ((3, 0), (0, 3)):
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == f"{{'rows': {3 * stages.LINES}}} {made} {reused} []\n"
    assert len(list((tmp_path / "sorted").glob("*.txt"))) == 3


def test_every_setting_of_slurm_is_on_the_page_and_its_example_is_one() -> None:
    assert all(f"`{name}`" in PAGE for name in SETTINGS)
    (example,) = re.findall(r"--cluster (slurm:\S+)", PAGE)
    assert settings(example)["jobs"] == 20


def test_every_file_of_a_folder_is_on_the_page(tmp_path: Path) -> None:
    run_stage(
        stages.write, stages.shards(1), tmp_path,
        suffix=".tsv", workers=1, progress_name="shards", settings={"a": 1},
    )  # fmt: skip
    beside = {path.name for path in tmp_path.iterdir() if path.suffix != ".tsv"}
    assert beside == {"_counts", "_stage", ".lock"}
    assert all(f"FOLDER/{name}" in PAGE for name in beside)


def test_the_pages_way_to_start_a_worker_is_understood(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (options,) = re.findall(r"^dask worker --scheduler-file \S+ (.*?) *#", PAGE, re.MULTILINE)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", *options.split(), "--help"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert "--nthreads 1" in options
