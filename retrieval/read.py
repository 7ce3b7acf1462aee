"""News reports in any of several forms → documents: ``read("pages/")``.

What cannot become a document is a `Rejected` that says where it was and why; the rest goes on.
`FORMATS` is the table of forms; adding one means writing a reader and a row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import parse
from globesumm.values import Document, Rejected
from retrieval import multiling, single, tables, web
from retrieval.draft import Piece, RawPage, Reader, Settings
from retrieval.extract_page import Extraction, result_of
from retrieval.files import files_below, is_run, plain_name, refuse_irregular, stem_of
from retrieval.finish import documents
from retrieval.url import has_credentials, is_web, without_credentials


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

    `source` is a folder, a file or a web address.

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
    chosen = settings or Settings()
    found = FORMATS[name].reader(place, stem_of(path, path), chosen)
    extraction = Extraction(
        max_bytes=chosen.max_bytes, now=chosen.now, language=fixed, candidates=wanted
    )
    drafts = (result_of(one, extraction) if isinstance(one, RawPage) else one for one in found)
    return documents(drafts, language=fixed, candidates=wanted)


def folder(source: str, _name: str, settings: Settings) -> Iterator[Piece]:
    """Every file below a folder in the order of its path, each by its own format.

    Hidden files are left out; ids are the paths within the folder.
    """
    root = Path(source)
    for path in files_below(root, settings.leave_out):
        if isinstance(path, Rejected):
            yield path
            continue
        name = format_of(path)
        if name is None:
            ending = Path(plain_name(path)).suffix
            yield Rejected(where=str(path), reason=f"files ending in {ending!r} are not read")
            continue
        yield from FORMATS[name].reader(str(path), stem_of(path, root), settings)


FORMATS: Mapping[str, Format] = {
    "folder": Format(folder),
    "html": Format(single.html, (".html", ".htm", ".xhtml", ".shtml")),
    "text": Format(single.text, (".txt", ".text")),
    "csv": Format(tables.separated, (".csv", ".tsv")),
    "jsonl": Format(tables.json_lines, (".jsonl", ".ndjson")),
    "json": Format(tables.json_file, (".json",)),
    "feed": Format(web.feed, (".rss", ".atom", ".xml")),
    "urls": Format(web.url_list, (".urls",)),
    "url": Format(web.address),
    "warc": Format(web.warc, (".warc",)),
    "multiling": Format(multiling.multiling),
}
"""All forms that can be read, by the name they are asked for."""


def format_of(path: Path) -> str | None:
    """The format of a file (``.gz`` aside): by its name, and for a ``.txt`` by its content."""
    if multiling.is_multiling(path):
        return "multiling"
    ending = Path(plain_name(path)).suffix.lower()
    found = next((name for name, row in FORMATS.items() if ending in row.endings), None)
    if found == "text" and _lists_urls(path):
        return "urls"
    return found


def _lists_urls(path: Path) -> bool:
    """Whether a text file is a list of addresses; its first 64 KiB tell."""
    try:
        refuse_irregular(path)
        with path.open("rb") as file:
            head = file.read(64 * 1024)
    except (OSError, DataError):
        return False
    return web.is_url_list(head.rpartition(b"\n")[0] or head)


def _format(source: str, asked: str | None) -> str:
    if asked is not None and asked not in FORMATS:
        raise UnknownName("format", asked, FORMATS)
    if not source.strip():
        raise UsageError("no source: name a folder, a file or a web address (. is this folder)")
    if has_credentials(source):
        raise UsageError(
            f"{without_credentials(source)}: a user name or password in a web address is never "
            "sent or stored: save the page, and name the file"
        )
    if is_web(source):
        if asked in {None, "url", "feed", "html"}:
            return "url"
        raise UsageError(f"format {asked!r} is for files, and {source} is a web address")
    path = Path(source)
    try:
        path.stat()
    except FileNotFoundError:
        hint = "name a folder, a file or a web address"
        raise UsageError(f"{source[:200]} does not exist: {hint}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{source[:200]} cannot be read ({reason})") from error
    if asked == "url":
        raise UsageError(f"format 'url' is for web addresses, and {source} is a file")
    if path.is_dir():
        if is_run(path):
            raise UsageError(
                f"{source} is the folder of a run, which holds no news: name what the run read"
            )
        if asked in {None, "folder", "multiling"}:
            return asked or "folder"
        raise UsageError(f"format {asked!r} is for files, and {source} is a folder")
    try:
        refuse_irregular(path)
    except DataError as error:
        raise UsageError(f"{error}: save what comes from it, and name that file") from error
    found = asked or format_of(path)
    if found is None or found == "folder":
        names = ", ".join(name for name in FORMATS if name != "folder")
        raise UsageError(f"cannot tell the format of {source}: name one of {names}")
    return found
