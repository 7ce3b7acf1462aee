"""Completion as a person meets it: in real shells, by the scripts that the command prints."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.cli.completion import SHELLS, every_action, whole_parser
from globesumm.cli.main import VERBS, parser_of

MINUTE = 60.0


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from contextlib import redirect_stdout

    folder, made = tmp_path_factory.mktemp("completion"), {}
    for shell in SHELLS:
        made[shell] = folder / f"globesumm.{shell}"
        with made[shell].open("w", encoding="utf-8") as file, redirect_stdout(file):
            assert main(["completion", shell]) == 0
    return made


def shell_or_skip(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_sound_in_its_shell(shell: str, scripts: dict[str, Path]) -> None:
    checked = subprocess.run(
        [shell_or_skip(shell), "-n", str(scripts[shell])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (checked.returncode, checked.stderr) == (0, "")


CASES = [
    ("globesumm summ", {"summarize"}),
    ("globesumm label se", {"serve"}),
    ("globesumm label serve --por", {"--port"}),
    ("globesumm score --metr", {"--metrics"}),
    ("globesumm score run --metrics rouge-", {"rouge-lsum", "rouge-characters"}),
    ("globesumm score run --format mark", {"markdown"}),
    ("globesumm summarize x --recipe crs.none.l", {"crs.none.lead"}),
    ("globesumm summarize x --target d", {"de", "da"}),
    ("globesumm score a-ru", {"a-run"}),
]
"""What is typed before TAB, and what must be offered."""


@pytest.mark.parametrize(("typed", "offered"), CASES)
def test_bash_completes(
    typed: str, offered: set[str], scripts: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "a-run").mkdir()
    words = typed.split(" ")
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; '
        "COMPREPLY=(); name=$(complete -p globesumm); name=${name##*-F }; name=${name%% *}; "
        '"$name" globesumm "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; '
        r'printf "%s\n" "${COMPREPLY[@]}"'
    )
    said = subprocess.run(
        [shell_or_skip("bash"), "-c", script, "bash", str(scripts["bash"]), *words],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert offered <= set(said.stdout.split())
    assert all(one.startswith(words[-1]) for one in said.stdout.split())


@pytest.mark.parametrize(("typed", "offered"), CASES)
def test_fish_completes(
    typed: str, offered: set[str], scripts: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "a-run").mkdir()
    said = subprocess.run(
        [shell_or_skip("fish"), "--no-config", "-c",
         f"source {scripts['fish']}; complete -C '{typed}'"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert offered <= {line.split("\t")[0].strip("/") for line in said.stdout.splitlines()}


@pytest.mark.parametrize(
    ("shell", "starts"),
    [
        (["bash", "--norc", "-i"], "source {script}"),
        (["zsh", "-f", "-i"], "fpath+=($PWD); autoload -Uz compinit; compinit -u -D"),
    ],
)
def test_a_press_of_tab_completes_a_verb_and_an_option(
    shell: list[str], starts: str, scripts: dict[str, Path], tmp_path: Path
) -> None:
    shell_or_skip(shell[0])
    # Where zsh looks for it: a folder of fpath, under the command's name.
    shutil.copy(scripts["zsh"], tmp_path / "_globesumm")
    with_terminal = terminal(shell, tmp_path)
    next(with_terminal)
    ready = f"{starts.format(script=scripts[shell[0]])}; echo rea''dy\n"
    with_terminal.send((ready, "ready"))
    # Echoed letters cannot pass for the completion: they stop short of it.
    with_terminal.send(("globesumm summ\t", "summarize"))
    with_terminal.send(("x --recip\t", "--recipe"))
    with_terminal.close()


def terminal(command: list[str], home: Path) -> Generator[None, tuple[str, str], None]:
    """A shell in a pseudo-terminal; each (typed, expected) sent is awaited on its screen."""
    child, handle = pty.fork()
    if child == 0:
        os.chdir(home)
        os.environ.update({"HOME": str(home), "TERM": "dumb", "PS1": "$ "})
        os.execvp(command[0], command)  # the child of a fork
    try:
        while True:
            typed, expected = yield
            os.write(handle, typed.encode())
            _await(handle, expected)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(handle)


def _await(handle: int, expected: str) -> None:
    seen, last = "", time.monotonic() + MINUTE
    while expected not in seen:
        ready, _, _ = select.select([handle], [], [], max(0.0, last - time.monotonic()))
        assert ready, f"no {expected!r} on the screen, but {seen!r}"
        seen += os.read(handle, 4096).decode(errors="replace")


def test_every_verb_action_and_option_is_in_the_parser_for_completion() -> None:
    whole = {option for action in every_action(whole_parser()) for option in action.option_strings}
    for verb in VERBS:
        assert {o for a in every_action(parser_of(verb)) for o in a.option_strings} <= whole


def test_printing_a_script_loads_nothing_heavy(scripts: dict[str, Path]) -> None:
    for path in scripts.values():
        text = path.read_text(encoding="utf-8")
        assert all(verb in text for verb in VERBS)
        assert "Traceback" not in text


def test_another_shell_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "ksh"]) == 2
    assert "bash" in capsys.readouterr().err
