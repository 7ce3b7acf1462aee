"""Every verb, used wrongly: exit status 2 and one line that names the thing and what to do."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.cli.main import VERBS
from tests.cli_help.wrong_uses import MISSING, WRONG, prepare

ROOT = Path(__file__).resolve().parents[2]

REMEDY = re.compile(
    r"\b(give|name|choose|take|leave|delete|repeat|use|write|make|makes|add|correct|set|say|restore|"
    r"did you mean|known:|choose from|--help|pip install|globesumm \w+|needs|keeps|is for|"
    r"required)\b|known:|--help",
)
"""What a message that says what to do holds at least one of."""

BESIDE = re.compile(r"^(refused|damaged|warning): |^\W*(and )?\d+ more|\d+ refused|\d+ \[\d\d:|^$")
"""Lines that may stand above the message: what was refused of a file, and progress."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    prepare(folder)
    return folder


@pytest.mark.parametrize(("command", "named"), WRONG)
def test_a_wrong_use_ends_with_2_and_one_line_that_names_it_and_a_remedy(
    command: str,
    named: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = sizes(place)
    assert main(command.split()) == 2
    said = capsys.readouterr()
    *beside, message = said.err.rstrip("\n").replace("\r", "\n").split("\n")
    assert "Traceback" not in said.err
    assert message.startswith("globesumm: "), said.err
    assert named in message
    assert REMEDY.search(message), message
    assert [line for line in beside if not BESIDE.search(line)] == []
    after = sizes(place)
    for path in sorted(after.keys() - before.keys(), reverse=True):
        _removed(path)
    # Nothing is changed, and no folder is begun for what will not be made.
    assert after == before


def _removed(path: Path) -> None:
    """So that the next use is not taken for this one's."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def sizes(place: Path) -> dict[Path, int]:
    """Every folder (0) and file with its bytes.

    Aside are locks, what SQLite keeps beside a base, and the list of what was refused, which is
    all that reading a bad file comes to.
    """
    return {
        path: 0 if path.is_dir() else path.stat().st_size
        for path in place.rglob("*")
        if path.name != ".lock"
        and not path.name.endswith((".sqlite-shm", ".sqlite-wal", ".rejected.jsonl"))
    }


def test_every_verb_is_used_wrongly() -> None:
    assert {command.split()[0] for command, _ in WRONG} == set(VERBS)
    assert len(WRONG) >= 60


@pytest.mark.parametrize(("command", "package", "extra"), MISSING)
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    command: str, package: str, extra: str, place: Path
) -> None:
    # In a process of its own: in this one it may have been loaded, and Java started, before.
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, package, *command.split()],
        cwd=place, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    message = done.stderr.rstrip("\n").split("\n")[-1]
    assert package in message
    assert f"pip install 'globesumm[{extra}]'" in message


WITHOUT = """
import sys
from importlib import metadata

package, listed = sys.argv[1], metadata.version


def version(name):
    if name == package:
        raise metadata.PackageNotFoundError(name)
    return listed(name)


sys.modules[package], metadata.version = None, version
from globesumm.cli import main

sys.exit(main(sys.argv[2:]))
"""
"""As if the first argument were not installed: neither imported, found nor listed."""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "closed.jsonl"
    path.write_text("{}")
    path.chmod(0)
    assert main(["score", "--candidates", str(path)]) == 2
    assert "closed.jsonl: cannot be read" in capsys.readouterr().err
