"""Outside text in Markdown: it may neither become markup nor a link, nor turn the line around."""

import re
from datetime import datetime

from metrics.printed import one_line

_MARKS = re.compile(r"([\\`*_\[\]<>#|~$!@&{}])")
_ADDRESS = re.compile(r"://|(?<=www)\.", re.IGNORECASE)
_OPEN, _CLOSE = "\u2068", "\u2069"


def when(time: datetime | None) -> str:
    """A time in UTC to the minute, as ``2023-09-09 05:40Z``."""
    # strftime pads no year below 1000 on Linux.
    return "undated" if time is None else f"{time.isoformat(' ', 'minutes')[:16]}Z"


def plain(text: str) -> str:
    """`text` on one line, for a terminal."""
    return one_line(text)


def markdown(text: str) -> str:
    """`text` as literal Markdown on one line, set apart from the line's own direction.

    Bare addresses get a backslash too, since readers make links of them.
    """
    marked = _MARKS.sub(r"\\\1", one_line(text))
    return _OPEN + _ADDRESS.sub(lambda found: f"\\{found[0]}", marked) + _CLOSE
