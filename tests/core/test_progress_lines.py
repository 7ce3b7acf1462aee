"""Messages and progress lines share stderr without running into each other."""

import subprocess
import sys
from importlib import import_module

import pytest

from globesumm.cli import main
from globesumm.errors import UsageError
from globesumm.progress import say, track


def test_a_message_during_progress_stands_on_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in track(range(3), "days"):
        say(f"day {number} is odd")
    told = capsys.readouterr()
    # A terminal shows of each line what comes after the last return to its beginning.
    shown = [line.rsplit("\r", 1)[-1] for line in told.err.split("\n")]
    assert [line for line in shown if "is odd" in line] == [f"day {day} is odd" for day in range(3)]
    assert told.out == ""


def test_a_message_with_line_ends_and_escapes_is_one_harmless_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say("a\nb\x1b[2J\rc")
    assert capsys.readouterr().err == "a b\\x1b[2J\\x0dc\n"


def test_a_message_alone_loads_no_progress_bar() -> None:
    program = (
        "import sys; from globesumm.progress import say; say('x'); print('tqdm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("False\n", "x\n")


@pytest.mark.parametrize(
    "error", [UsageError("none"), OSError(28, "No space left"), KeyboardInterrupt()], ids=repr
)
def test_what_ends_a_command_is_its_last_line_whatever_progress_was_being_drawn(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: list[str]) -> int:
        # Held by a name, a line is drawn for as long as the error is looked at.
        days = track(track(range(3), "within"), "days")
        for _day in days:
            raise error
        return 0

    monkeypatch.setattr(import_module("globesumm.cli.main"), "_dispatch", broken)
    assert main(["days"]) in {2, 130}
    told = capsys.readouterr().err.splitlines()
    assert any("days" in line for line in told[:-1])
    assert told[-1].startswith("globesumm: ")
