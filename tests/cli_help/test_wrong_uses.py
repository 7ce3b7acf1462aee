"""Every verb, used wrongly: exit status 2 and one line that names the thing and what to do."""

import builtins
import os
import re
import sys
from importlib import metadata, util
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main
from globesumm.cli.main import VERBS
from tests.cli_help.wrong_uses import MISSING, WRONG, prepare

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
    before = {path: path.stat().st_size for path in place.rglob("*") if path.name != ".lock"}
    assert main(command.split()) == 2
    said = capsys.readouterr()
    *beside, message = said.err.rstrip("\n").replace("\r", "\n").split("\n")
    assert "Traceback" not in said.err
    assert message.startswith("globesumm: "), said.err
    assert named in message
    assert REMEDY.search(message), message
    assert [line for line in beside if not BESIDE.search(line)] == []
    held = {path: path.stat().st_size for path in place.rglob("*") if path.name != ".lock"}
    assert held.items() >= before.items()


def test_every_verb_is_used_wrongly() -> None:
    assert {command.split()[0] for command, _ in WRONG} == set(VERBS)
    assert len(WRONG) >= 60


@pytest.mark.parametrize(("command", "package", "extra"), MISSING)
def test_a_package_that_is_not_installed_is_named_with_its_extra(  # noqa: PLR0917
    command: str,
    package: str,
    extra: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hide(package, monkeypatch)
    monkeypatch.chdir(place)
    assert main(command.split()) == 2
    message = capsys.readouterr().err.rstrip("\n").split("\n")[-1]
    assert package in message
    assert f"pip install 'globesumm[{extra}]'" in message


def hide(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if `package` were not installed: neither imported, found nor listed."""
    real_import, real_find, real_version = builtins.__import__, util.find_spec, metadata.version

    def missing(name: str) -> bool:
        return name == package or name.startswith(f"{package}.")

    def imported(name: str, *rest: Any, **more: Any) -> Any:
        if missing(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real_import(name, *rest, **more)

    def found(name: str, *rest: Any) -> Any:
        return None if missing(name) else real_find(name, *rest)

    def version(name: str) -> str:
        if missing(name):
            raise metadata.PackageNotFoundError(name)
        return real_version(name)

    for name in [name for name in sys.modules if missing(name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", imported)
    monkeypatch.setattr(util, "find_spec", found)
    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "closed.jsonl"
    path.write_text("{}")
    path.chmod(0)
    assert main(["score", "--candidates", str(path)]) == 2
    assert "closed.jsonl: cannot be read" in capsys.readouterr().err
