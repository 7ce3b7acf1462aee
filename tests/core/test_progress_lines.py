"""Messages and progress lines share stderr without running into each other."""

import subprocess
import sys

import pytest

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
