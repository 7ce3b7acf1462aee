"""Where a data set lies under the path that ``--data`` named."""

from collections.abc import Callable, Sequence
from pathlib import Path

from globesumm.errors import UsageError


def locate(
    data: Path | None, places: Sequence[str], holds: Callable[[Path], bool], what: str
) -> Path:
    """The first of `places` (relative to `data`) that `holds` the data set.

    `what` is the data set with what must lie there.  Raises UsageError, which says what was
    looked for and where, if `data` is None, does not exist or holds it nowhere.
    """
    if data is None:
        raise UsageError(f"this study needs {what}: name its folder with --data PATH")
    if not data.exists():
        raise UsageError(f"--data {data} does not exist: name the folder with {what}")
    for place in places:
        if holds(data / place):
            return data / place
    looked = ", ".join(place or "." for place in places)
    raise UsageError(f"--data {data} does not hold {what} (looked in: {looked})")
