"""News reports in any of several forms → documents: ``read("pages/")``.

What cannot become a document is a `Rejected` that says where it was and why; the rest goes on.
`FORMATS` is the table of forms; adding one means writing a reader and a row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import UnknownName, UsageError
from globesumm.languages import parse
from globesumm.values import Document, Rejected
from retrieval import single
from retrieval.draft import Draft, Reader, Settings
from retrieval.files import plain_name, regular_files, stem_of
from retrieval.finish import documents


@dataclass(frozen=True, slots=True)
class Format:
    """One form of input: its reader and the file endings it is recognised by."""

    reader: Reader
    endings: tuple[str, ...] = ()


def read(
    source: Path | str,
    *,
    format: str | None = None,  # noqa: A002 (what the command line calls it)
    language: str | None = None,
    candidates: Sequence[str] | None = None,
    settings: Settings | None = None,
) -> Iterator[Document | Rejected]:
    """The documents in `source`, in a fixed order, and what could not become one.

    `format` is a key of `FORMATS` (default: guessed).  `language` is the language of every
    document where the caller knows it; otherwise each one's is settled from what it declares
    and what its text looks like, with `candidates` as the languages to consider.  Both take any
    spelling of a code in the language table.

    Ids are unique within one call.  Raises `UsageError` if `source` does not exist or its
    format cannot be guessed, `UnknownName` for an unknown format or language; these are raised
    at once, everything after that is a `Rejected`.
    """
    place = str(source)
    name = _format(place, format)
    fixed = parse(language) if language else None
    wanted = [parse(code) for code in candidates] if candidates else None
    path = Path(place)
    drafts = FORMATS[name].reader(place, stem_of(path, path), settings or Settings())
    return documents(drafts, language=fixed, candidates=wanted)


def folder(source: str, _name: str, settings: Settings) -> Iterator[Draft | Rejected]:
    """Every file below a folder in the order of its path, each by its own format.

    Hidden files are left out; ids are the paths within the folder.
    """
    root = Path(source)
    for path in regular_files(root):
        name = format_of(path)
        if name is None:
            known = ", ".join(ending for row in FORMATS.values() for ending in row.endings)
            yield Rejected(where=str(path), reason=f"not a kind of file that is read ({known})")
            continue
        yield from FORMATS[name].reader(str(path), stem_of(path, root), settings)


FORMATS: Mapping[str, Format] = {
    "folder": Format(folder),
    "html": Format(single.html, (".html", ".htm", ".xhtml", ".shtml")),
    "text": Format(single.text, (".txt", ".text")),
}


def format_of(path: Path) -> str | None:
    """The format of a file by its ending (``.gz`` aside), or None."""
    ending = Path(plain_name(path)).suffix.lower()
    return next((name for name, row in FORMATS.items() if ending in row.endings), None)


def _format(source: str, asked: str | None) -> str:
    path = Path(source)
    if asked is not None:
        if asked not in FORMATS:
            raise UnknownName("format", asked, FORMATS)
        return asked
    if not path.exists():
        raise UsageError(f"{source} does not exist: name a folder or a file to read")
    found = "folder" if path.is_dir() else format_of(path)
    if found is None:
        raise UsageError(f"cannot tell the format of {source}: name one of {', '.join(FORMATS)}")
    return found
