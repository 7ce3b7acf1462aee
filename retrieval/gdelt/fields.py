"""Single fields of GDELT's rows: times, languages, addresses, titles."""

import html
import re
from datetime import datetime
from functools import lru_cache

from globesumm.errors import UnknownName
from globesumm.languages import UNKNOWN, parse
from retrieval.gdelt.slots import from_stamp
from retrieval.url import has_credentials, is_web

LONGEST_ADDRESS = 8192
LONGEST_TITLE = 10_000
_PLAIN_ADDRESS = re.compile(
    r"https?://[^\s\x00-\x1f\x7f/?#@:]+(?::\d{1,5})?(?:[/?#][^\s\x00-\x1f\x7f]*)?"
)
_ENTITY = re.compile(r"&#[xX]([0-9A-Fa-f]{1,6});")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|$)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_MOST_CHARACTERS = 1 << 15


@lru_cache(maxsize=4096)
def moment(digits: bytes) -> datetime | None:
    """The time (UTC) that 14 digits name, or None if they name none."""
    try:
        return from_stamp(digits.decode("ascii"))
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def source_language(code: str) -> str:
    """The BCP-47 code for GDELT's, of two or three letters; ``"und"`` for one nobody knows."""
    try:
        return parse(code) if code else UNKNOWN
    except UnknownName:
        return UNKNOWN


@lru_cache(maxsize=1024)
def translated_from(info: bytes) -> str | None:
    """The language code in a TranslationInfo, ``srclc:fra;eng:...``; None where it is empty.

    Engines hold blanks, slashes and sometimes colons, so only the part before the first
    semicolon is looked at first.
    """
    for part in info.decode("utf-8", errors="replace").split(";"):
        name, _, value = part.partition(":")
        if name.strip() == "srclc" and value.strip():
            return value.strip().lower()[:20]
    return None


def address_fault(url: str) -> str | None:
    """Why `url` is no address of a web page, or None if it is one."""
    if _PLAIN_ADDRESS.fullmatch(url) and len(url) <= LONGEST_ADDRESS:
        return None
    if len(url) > LONGEST_ADDRESS:
        return f"an address of {len(url)} characters"
    if has_credentials(url):
        return "a user name or password in the address"
    if not is_web(url) or _CONTROL.search(url):
        return "not an http or https address"
    return None


def element(extras: bytes, name: bytes) -> bytes | None:
    """The content of ``<NAME>...</NAME>`` in a document's extras, which are no XML.

    None where the element is not there, or has no end.
    """
    begin = extras.find(b"<%b>" % name)
    if begin < 0:
        return None
    begin += len(name) + 2
    end = extras.find(b"</%b>" % name, begin)
    return extras[begin:end] if end >= 0 else None


class _Characters(dict[str, str]):
    """Hexadecimal code to character, worked out once each (and no more than so many)."""

    def __missing__(self, code: str) -> str:
        character = html.unescape(f"&#x{code};")
        if len(self) < _MOST_CHARACTERS:
            self[code] = character
        return character


_CHARACTERS = _Characters()


def plain(text: str) -> str | None:
    """A title or description as people read it: entities resolved, blanks squeezed.

    GDELT writes letters outside ASCII as entities, some of them twice (``&amp;#x17E;``), some
    of no character at all.  None where nothing is left.
    """
    text = text[:LONGEST_TITLE]
    if "<![CDATA[" in text:
        text = _CDATA.sub(r"\1", text)
    for _ in range(2):
        if "&" not in text:
            break
        parts = _ENTITY.split(text)
        if len(parts) > 1:
            # A table look-up for each instead of a call: a title in Arabic has a hundred.
            parts[1::2] = map(_CHARACTERS.__getitem__, parts[1::2])
            text = "".join(parts)
        if "&" in text:
            text = html.unescape(text)
    text = " ".join(text.split())
    if not text.isprintable():
        text = _CONTROL.sub("", text).strip()
    return text or None
