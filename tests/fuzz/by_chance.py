"""One target by chance: ``python -m tests.fuzz.by_chance TARGET FOLDER INPUTS SECONDS``.

What coverage found, in the ``corpus`` of FOLDER, is edited as `random.Random` says, without
looking at what is reached: many times faster than by coverage, and as broad as the corpus.
SECONDS is 0 for no limit.  What breaks the target is written to ``found``.
"""

import hashlib
import mmap
import random
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from tests.fuzz.changes import by_chance
from tests.fuzz.tally import Tally
from tests.fuzz.targets import TARGETS, carry_out

MOST_SECONDS = 60
"""Of computing, for one input."""


class TooLong(BaseException):
    """No `Exception`, which a parser might take for a fault of the page."""


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    inputs, seconds = int(sys.argv[3]), int(sys.argv[4])
    target, tally = TARGETS[name], Tally(folder, "by-chance")
    corpus = [one.read_bytes()[: target.longest] for one in sorted((folder / "corpus").iterdir())]
    # Another beginning for each sitting, which the count so far gives.
    chance = random.Random(f"{name} {tally.count}")
    until = time.monotonic() + seconds if seconds else float("inf")
    trying = _Trying(folder / "trying", target.longest)
    signal.signal(signal.SIGVTALRM, _late)
    while inputs > 0 and time.monotonic() < until:
        inputs -= 1
        content = by_chance(chance, target, corpus)
        trying.hold(content)
        tally.add()
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        try:
            carry_out(target, content)
        except BaseException:
            kept = folder / "found" / f"by-chance-{hashlib.sha1(content).hexdigest()}"
            kept.write_bytes(content)
            print(f"Test unit written to {kept}", file=sys.stderr)
            raise
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    trying.forget()


def _late(signum: int, frame: FrameType | None) -> None:
    raise TooLong(f"{MOST_SECONDS} s of computing were not enough")


class _Trying:
    """The input at hand in a file, from which it is known after the process died of it."""

    def __init__(self, path: Path, longest: int) -> None:
        self._path = path
        path.write_bytes(bytes(longest + 8))
        with path.open("r+b") as file:
            self._held = mmap.mmap(file.fileno(), longest + 8)

    def hold(self, content: bytes) -> None:
        self._held[: 8 + len(content)] = len(content).to_bytes(8, "big") + content

    def forget(self) -> None:
        self._held.close()
        self._path.unlink()


def last_tried(folder: Path) -> bytes | None:
    """What a process that ended without a word was trying, if it left that."""
    try:
        held = (folder / "trying").read_bytes()
    except FileNotFoundError:
        return None
    return held[8 : 8 + int.from_bytes(held[:8], "big")]


if __name__ == "__main__":
    main()
