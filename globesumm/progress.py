"""Progress and remaining time on stderr, in a terminal and in a log alike."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_LOG_LINES = 15.0


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Pass `items` on while showing how many are done, how fast, and the time that is left.

    In a terminal one line is redrawn; in a log a line appears every 15 seconds and at the end.
    Nothing is written to stdout.
    """
    from tqdm import tqdm

    live = sys.stderr.isatty()
    yield from tqdm(
        items,
        desc=what,
        total=total,
        file=sys.stderr,
        mininterval=0.1 if live else SECONDS_BETWEEN_LOG_LINES,
        dynamic_ncols=live,
        leave=True,
        unit="",
    )


def say(message: str) -> None:
    """One line of progress or warning on stderr."""
    print(message, file=sys.stderr, flush=True)
