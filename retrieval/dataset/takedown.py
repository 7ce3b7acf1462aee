"""A list of what must not be in a data set, and the memory of what was taken out by one.

A line is a web address (with ``*`` at its end all addresses that begin so), a domain (and all
below it), or the id of a document or event; ``#`` begins a comment.  What was taken out is
remembered by digests alone, so that a later build without the list does not bring it back.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.values import Document, Event
from retrieval.event import event_of
from retrieval.url import host_of, is_web, normal

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A document that was taken out: SHA-256 digests of its normal address and of its text."""

    text: str
    url: str | None = None


@dataclass(slots=True, kw_only=True)
class Takedown:
    """Entries of a list, with what was `removed` before; `taken` counts documents by entry."""

    addresses: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    removed: set[Removed] = field(default_factory=set)
    taken: Counter[str] = field(default_factory=Counter)
    remembered: int = 0

    @property
    def entries(self) -> list[str]:
        """All entries in a stable order, as they are counted."""
        return sorted({*self.addresses, *(f"{one}*" for one in self.prefixes), *self.names})

    @property
    def idle(self) -> list[str]:
        """Entries that took nothing out: misspelt, or about something that is not here."""
        return [entry for entry in self.entries if not self.taken[entry]]

    def apply(self, events: Iterable[Event]) -> list[Event]:
        """`events` without what is listed, events without documents left out.

        Marked conflicts that quote a removed document go as well, and a description that was
        its title is made anew.
        """
        urls = {one.url for one in self.removed if one.url}
        texts = {one.text for one in self.removed}
        kept = (self._without(event, urls, texts) for event in events)
        return [event for event in kept if event is not None]

    def _without(self, event: Event, urls: set[str], texts: set[str]) -> Event | None:
        gone: list[Document] = []
        for document in event.documents:
            entry = self._entry(event.id, document)
            mark = _mark(document)
            if entry is not None:
                self.taken[entry] += 1
                self.removed.add(mark)
            elif mark.url in urls or mark.text in texts:
                self.remembered += 1
            else:
                continue
            gone.append(document)
        if not gone:
            return event
        left = [document for document in event.documents if document not in gone]
        return _rest(event, gone, left) if left else None

    def _entry(self, event: str, document: Document) -> str | None:
        for name in (document.id, event):
            if name in self.names:
                return name
        if document.url is None or not is_web(document.url):
            domain = document.source if document.url is None else None
            return self._domain(domain or "")
        address = normal(document.url)
        if address in self.addresses:
            return address
        for prefix in self.prefixes:
            if address.startswith(prefix):
                return f"{prefix}*"
        return self._domain(host_of(document.url))

    def _domain(self, host: str) -> str | None:
        labels = host.casefold().rstrip(".").split(".")
        names = (".".join(labels[place:]) for place in range(len(labels)))
        return next((name for name in names if name and name in self.names), None)


def read_takedown(path: Path) -> Takedown:
    """The list in `path`; raises `UsageError` where it is no text, `DataError` for a bad line."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(
                f"{path}: larger than {_MOST_BYTES} bytes: no list of addresses: "
                "give one, a line each"
            )
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--takedown {path}: cannot be read as UTF-8 text ({error})") from error
    return takedown_of(text.splitlines(), str(path))


def takedown_of(lines: Sequence[str], where: str = "takedown list") -> Takedown:
    """The entries in `lines`."""
    addresses, prefixes, names = set(), set(), set()
    for number, line in enumerate(lines, start=1):
        entry = line.strip() if "://" in line else line.partition("#")[0].strip()
        entry = entry.partition(" #")[0].strip()
        if not entry or entry.startswith("#"):
            continue
        if "://" not in entry:
            if any(blank in entry for blank in " \t"):
                raise DataError(
                    f"{where}:{number}: {entry[:60]!r} is no address, domain or id: "
                    "one entry a line"
                )
            names.add(entry)
            names.add(entry.casefold().removeprefix("www.").rstrip("."))
        elif not is_web(entry.rstrip("*")):
            raise DataError(f"{where}:{number}: {entry[:60]!r} is no web address")
        elif entry.endswith("*"):
            prefixes.add(normal(entry.rstrip("*")))
        else:
            addresses.add(normal(entry))
    return Takedown(
        addresses=frozenset(addresses), prefixes=tuple(sorted(prefixes)), names=frozenset(names)
    )


def digest(text: str) -> str:
    """SHA-256 of `text` in UTF-8, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _mark(document: Document) -> Removed:
    url = document.url
    address = digest(normal(url)) if url is not None and is_web(url) else None
    return Removed(text=digest(document.text), url=address)


def _rest(event: Event, gone: Sequence[Document], left: Sequence[Document]) -> Event:
    lost = {document.id for document in gone}
    conflicts = tuple(
        issue
        for issue in event.conflicts
        if not lost & {statement.document for statement in issue.statements}
    )
    description = event.description
    if description in {document.title for document in gone if document.title}:
        description = event_of(left).description
    return replace(event, documents=tuple(left), conflicts=conflicts, description=description)


def told(takedown: Takedown) -> Mapping[str, int]:
    """Documents taken out by each entry that took any, and by memory of earlier lists."""
    counts = dict(sorted(takedown.taken.items()))
    return counts | ({"taken out earlier": takedown.remembered} if takedown.remembered else {})
