"""The first Ctrl-C lets the calls in flight finish; the second ends at once."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NOTICE = (
    b"\nfinishing the calls in flight, so that what they cost is kept; "
    b"Ctrl-C once more ends at once\n"
)


class Interrupt:
    """Whether the user asked to stop."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def heard_interrupts() -> Iterator[Interrupt]:
    """Turn the first SIGINT into a wish to stop; a program's own handler comes back after."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may handle signals; elsewhere the program decides.
        yield interrupt
        return

    def ask(_number: int, _frame: FrameType | None) -> None:
        if interrupt.asked:
            raise KeyboardInterrupt
        interrupt.asked = True
        # Straight to the file: print may be in the middle of a line when a signal comes.
        os.write(2, _NOTICE)

    earlier = signal.signal(signal.SIGINT, ask)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, earlier)
