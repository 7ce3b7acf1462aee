"""Carries out a page of the documentation: its files are written, its commands run in order.

Three kinds of fenced blocks are carried out, as far as they have what is named here; all others
only show something.

- ``console``: lines that begin with ``$ `` are commands (a ``\\`` at the end goes on in the next
  line), the lines below one are what it prints.  ``…`` in such a line stands for anything, and
  ``…`` alone for any number of lines.  A command without lines below may print what it likes.
  Every command has to succeed.
- any language with ``title="PATH"``: a file that the reader writes.
- ``diff``: a change that the reader makes, for ``git apply``.
"""

import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sybil import Document, Example, Region
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from globesumm.cli.main import run as globesumm

INFO = re.compile(
    r'(?P<language>[\w+-]+)(?:[ \t]+title="(?P<title>[^"\n]+)")?[ \t]*$\n', re.MULTILINE
)
SHELL = frozenset("|&;<>()$`*?~#\n")
"""What a command line may hold that only a shell understands."""

SECONDS = 300.0
"""After which a command is stuck; it is no measure of speed."""

Commands = Callable[[str], tuple[int, str, str]]
"""Command line to exit status, standard output and standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a page, and the lines shown below it (empty: none are shown)."""

    line: str
    shown: tuple[str, ...]


def commands(block: str) -> list[Command]:
    """The commands of a ``console`` block."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise ValueError(f"{line!r} stands before the first command")
        elif not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        else:
            found[-1][1].append(line.rstrip())
    return [Command(line=line, shown=tuple(shown)) for line, shown in found]


def differences(shown: tuple[str, ...], printed: str) -> str | None:
    """Where what a page shows is not what was printed, as a diff; None where it is."""
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    while shown and not shown[-1]:
        shown = shown[:-1]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in shown
    )
    if re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)):
        return None
    return "\n".join(difflib.unified_diff(shown, lines, "shown", "printed", lineterm="", n=99))


def inside(line: str) -> tuple[int, str, str]:
    """`line` in this process where it is a plain ``globesumm …``, else in a shell."""
    if SHELL & set(line.replace("\\\n", " ")) or not line.startswith("globesumm "):
        return outside()(line)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = globesumm(shlex.split(line.replace("\\\n", " "))[1:])
        except SystemExit as left:  # argparse's --help
            status = int(left.code or 0)
    return status, out.getvalue(), err.getvalue()


def outside(home: Path | None = None) -> Commands:
    """A shell; with `home`, ``globesumm`` and ``python`` there are those of the tree at `home`."""

    def run(line: str) -> tuple[int, str, str]:
        place = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        if home:
            place["PYTHONPATH"] = str(home)
        done = subprocess.run(
            ["bash", "-c", line],
            env=os.environ | place,
            capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return run


def carry_out(page: Path, run: Commands) -> int:
    """Everything `page` tells its reader to do, in the current folder; how many steps it was.

    Raises AssertionError with page, line and what differs.
    """
    steps = 0
    for example in _examples(page):
        where = f"{page.name}, line {example.line}"
        language, title = example.parsed
        source = str(example.region.lexemes["source"])
        if title:
            _write(Path(title), source)
        elif language == "diff":
            _apply(source, where)
        elif language == "console":
            for command in commands(source):
                _check(command, run, where)
                steps += 1
            continue
        else:
            continue
        steps += 1
    return steps


def _examples(page: Path) -> Iterator[Example]:
    yield from Document.parse(str(page), _parser).examples()


def _parser(document: Document) -> Iterator[Region]:
    for region in RawFencedCodeBlockLexer(INFO)(document):
        region.parsed = (region.lexemes["language"], region.lexemes["title"])
        region.evaluator = lambda _: None  # carried out by `carry_out`, in order
        yield region


def _write(path: Path, text: str) -> None:
    assert not path.is_absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _apply(change: str, where: str) -> None:
    assert shutil.which("git"), "changes are made with git apply"
    done = subprocess.run(
        ["git", "apply", "--recount", "-C1", "-"],
        input=change, capture_output=True, text=True, check=False,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(Path.cwd().parent)},
    )  # fmt: skip
    assert done.returncode == 0, f"{where}: the change does not apply: {done.stderr}"


def _check(command: Command, run: Commands, where: str) -> None:
    status, printed, told = run(command.line)
    assert status == 0, f"{where}: {command.line}\nends with {status}\n{printed}\n{told}"
    found = differences(command.shown, printed) if command.shown else None
    assert found is None, f"{where}: {command.line}\n{found}\n{told}"
