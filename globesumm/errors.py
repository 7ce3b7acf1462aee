"""Every error a user of this package can meet, as one tree.

::

    GlobeSummError
    ├── UsageError            the request cannot be carried out as stated (exit status 2)
    │   ├── UnknownName       a recipe, model, language, metric or setting nobody knows
    │   ├── MissingPackage    an optional package is needed and is not installed
    │   └── RunMismatch       a run folder holds the results of other settings
    └── DataError             a file or record cannot be read as what it should be

A message says what was wrong, where, and what to do.  `UsageError` and its children end a
command; a `DataError` met while reading one record of many becomes a named record, so that
the other records go on.
"""

import errno
from collections.abc import Iterable
from difflib import get_close_matches


class GlobeSummError(Exception):
    """Root of the tree; `str(error)` is one line fit for a terminal."""


class UsageError(GlobeSummError):
    """The request cannot be carried out as stated."""


class UnknownName(UsageError):
    """A name that is in no table; the message offers the nearest one that is."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        names = sorted(known)
        self.kind, self.name, self.nearest = kind, name, nearest_name(name, names)
        place = f" in {where}" if where else ""
        hint = (
            f"did you mean {self.nearest!r}?"
            if self.nearest
            else f"known: {', '.join(names) or 'none'}"
        )
        super().__init__(f"unknown {kind} {name!r}{place}: {hint}")


class MissingPackage(UsageError):
    """An optional package is needed and is not installed."""

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed: "
            f"pip install 'globesumm[{extra}]'"
        )


class RunMismatch(UsageError):
    """A run folder was made with other settings; the message names the fields that differ."""

    def __init__(self, folder: str, differing: Iterable[str]) -> None:
        self.differing = tuple(differing)
        super().__init__(
            f"{folder} holds a run with other settings ({'; '.join(self.differing)}): "
            "choose another --out, or repeat the command with the settings of that run"
        )


class DataError(GlobeSummError):
    """A file or record cannot be read as what it should be."""


def cannot_read(path: object, error: OSError) -> str:
    """What is said of a file that cannot be read, and what to do about it."""
    reason = error.strerror or type(error).__name__
    return f"{path}: cannot be read ({reason}): {_REMEDIES.get(error.errno or 0, 'check it')}"


_REMEDIES = {
    errno.ENOENT: "name a file that is there",
    errno.ENOTDIR: "name a file that is there",
    errno.EISDIR: "name a file, no folder",
    errno.EACCES: "ask for the right to read it",
    errno.EPERM: "ask for the right to read it",
}


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, or None where none is near."""
    # The dashes that all options begin with would make any two of them alike.
    by_folded = {candidate.casefold().lstrip("-"): candidate for candidate in known}
    matches = get_close_matches(name.casefold().lstrip("-"), by_folded, n=1, cutoff=0.5)
    return by_folded[matches[0]] if matches else None
