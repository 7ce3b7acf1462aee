"""Progress and remaining time on stderr, in a terminal and in a log alike."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

SECONDS_BETWEEN_LOG_LINES = 15.0

_DRAWN: list[Callable[[], None]] = []
"""What ends each progress line that is being drawn."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Pass `items` on while showing how many are done, how fast, and the time that is left.

    In a terminal one line is redrawn; in a log a line appears every 15 seconds and at the end.
    Nothing is written to stdout.
    """
    from tqdm import tqdm

    live = sys.stderr.isatty()
    bar = tqdm(
        items,
        desc=what,
        total=total,
        file=sys.stderr,
        mininterval=0.1 if live else SECONDS_BETWEEN_LOG_LINES,
        dynamic_ncols=live,
        leave=True,
        unit="",
    )
    _DRAWN.append(bar.close)
    try:
        yield from bar
    finally:
        _DRAWN.remove(bar.close)


def end_lines() -> None:
    """End the progress lines that an error left being drawn, so that what is said next is last."""
    for end in tuple(_DRAWN):
        end()


def say(message: str) -> None:
    """One line of progress or warning on stderr, whatever outside text is in it.

    It comes above a progress line that is being drawn, and does not run into it.
    """
    line = " ".join(visible(message).splitlines())
    # Where tqdm was never loaded there is no such line, and loading it would cost every command.
    if (tqdm := sys.modules.get("tqdm")) is not None:
        tqdm.tqdm.write(line, file=sys.stderr)
        sys.stderr.flush()
    else:
        print(line, file=sys.stderr, flush=True)


def visible(text: str) -> str:
    """`text` with control characters as escapes, so that no file name or article steers a terminal.

    Line ends and tabs stay.
    """
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
