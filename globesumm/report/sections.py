"""Where the events of a report go: into it while they are few, else into a file each."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.records import write_text

MOST_EVENTS = 40
"""Events that one file may hold."""

MOST_CHARACTERS = 6_000_000
"""Characters of HTML of all events that one file may hold."""

GENERATOR = 'name="generator" content="globesumm report"'
"""What a file of this report says of itself near its beginning."""


class Sections:
    """The sections of events, in order.

    `held` are those that stand in the report itself, `links` the address of each event from
    there; `split` says that every event has a file of its own.  `write` makes such a file of
    (number, section, address of the report).
    """

    def __init__(self, report: Path, write: Callable[[int, str, str], str]) -> None:
        # A report without a suffix would be named as its folder is.
        self._folder = report.with_suffix("") if report.suffix else report.with_suffix(".events")
        self._report, self._write = report, write
        self.held: list[str] = []
        self.links: list[str] = []
        self.split = False
        self._size = 0

    def add(self, section: str) -> None:
        """Take the next event."""
        self.links.append(f"#event-{len(self.links) + 1}")
        self.held.append(section)
        self._size += len(section)
        if self.split or len(self.held) > MOST_EVENTS or self._size > MOST_CHARACTERS:
            self._put_down()

    def _put_down(self) -> None:
        """Everything held becomes files."""
        if self._folder.exists() and not self._folder.is_dir():
            raise UsageError(
                f"{self._folder} is no folder: the report's events are to go there; "
                "name another report with --out"
            )
        self.split = True
        first = len(self.links) - len(self.held) + 1
        for number, section in enumerate(self.held, first):
            name = f"event-{number:04}.html"
            # The folder's own name may hold anything, and a link to it is an address.
            self.links[number - 1] = f"{_quoted(self._folder.name)}/{name}"
            text = self._write(number, section, f"../{_quoted(self._report.name)}")
            write_text(self._folder / name, text)
        self.held.clear()

    def close(self) -> None:
        """After the last event."""
        if self.split:
            self._put_down()

    def sweep(self) -> None:
        """Remove the files of an earlier report that had more events; nothing else is touched."""
        kept = {link.rpartition("/")[2] for link in self.links} if self.split else set()
        for path in sorted(self._folder.glob("event-*.html")):
            if path.name not in kept and path.is_file():
                with path.open(encoding="utf-8", errors="replace") as file:
                    ours = GENERATOR in file.read(2000)
                if ours:
                    path.unlink()
        if not self.split:
            with suppress(OSError):  # other things are in it, or it is not there
                self._folder.rmdir()


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name.encode("utf-8", errors="surrogateescape"))
