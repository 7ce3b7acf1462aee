"""The first Ctrl-C lets what runs finish; the second ends at once."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopping:
    """Whether the user asked to stop; nothing further is begun then."""

    def __init__(self) -> None:
        self.asked = False

    def raise_if_asked(self) -> None:
        if self.asked:
            raise KeyboardInterrupt


@contextmanager
def finishing_on_interrupt(notice: str) -> Iterator[Stopping]:
    """Turn the first SIGINT into a wish to stop; a program's own handler comes back after.

    `notice` is said on stderr then: what is finished, and what a second Ctrl-C does.
    """
    stopping = Stopping()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may handle signals; elsewhere the program decides.
        yield stopping
        return

    def asked(_number: int, _frame: FrameType | None) -> None:
        if stopping.asked:
            raise KeyboardInterrupt
        stopping.asked = True
        # Straight to the file: print may be in the middle of a line when a signal comes.
        os.write(2, f"\n{notice}\n".encode())

    earlier = signal.signal(signal.SIGINT, asked)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, earlier)
