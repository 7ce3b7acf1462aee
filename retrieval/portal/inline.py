"""The wikitext of one bullet in pieces, read with mwparserfromhell."""

import html
import re
from collections.abc import Iterator
from typing import Any

from globesumm.errors import MissingPackage
from retrieval.portal import templates
from retrieval.portal.pieces import Cited, Link, Piece, Text, named
from retrieval.portal.titles import page_of
from retrieval.portal.values import Source
from retrieval.url import is_web, without_credentials

MOST_UNCLOSED = 8
"""Brackets, braces and tags in one bullet that may be left open: what a parser must guess about
costs it time that grows with the square of their number."""

_MARK = re.compile(
    r"(?P<open>\{\{|\[\[|\[(?=https?:|//|ftp:|mailto:))|(?P<close>\}\}|\]\]|\])"
    r"|</(?P<end>[a-z]+)\s*>|<(?P<tag>[a-z]+)(?P<rest>[^<>]*>)?",
    re.IGNORECASE,
)
_CLOSES = {"{{": "}}", "[[": "]]", "[": "]"}
_VOID = frozenset({"br", "hr", "img", "wbr", "nowiki"})
# Slips of editors that Wikipedia shows as they are and readers understand.
_SLIPS = (
    (re.compile(r"\[\s*url\s*=\s*(?=https?://)", re.IGNORECASE), "["),
    (re.compile(r"\[\[\s*(https?://[^\[\]]*)\]\]"), r"[\1]"),
    (re.compile(r"\[[ \t]+(?=https?://)"), "["),
    (re.compile(r"(?<=\[)(https?://[^\s\[\]|]+)\|"), r"\1 "),
)
_QUOTES = re.compile(r"'{2,}")
_HIDDEN_TAGS = frozenset({"s", "del", "strike", "gallery", "timeline", "math", "style", "script"})
_OWN_HOST = re.compile(r"^https?://([\w-]+\.)*(wikipedia|wikimedia|wikidata)\.org(?=[/:?#]|$)")


def unclosed(text: str) -> int:
    """How many brackets, braces and tags of `text` are opened and never closed."""
    waiting: list[str] = []
    hopeless = 0
    for found in _MARK.finditer(text):
        if found["open"]:
            waiting.append(_CLOSES[found["open"]])
        elif found["tag"]:
            rest, name = found["rest"], found["tag"].lower()
            if rest is None:
                hopeless += 1
            elif not rest.endswith("/>") and name not in _VOID:
                waiting.append(name)
        else:
            closing = found["close"] or found["end"].lower()
            if waiting and waiting[-1] == closing:
                waiting.pop()
    return hopeless + len(waiting)


def pieces_of(wikitext: str) -> tuple[list[Piece], list[str]]:
    """The pieces of a bullet's text, and notes on what was left out."""
    try:
        import mwparserfromhell
    except ImportError as error:
        raise MissingPackage("mwparserfromhell", "reading wikitext", "retrieval") from error
    notes: list[str] = []
    # Apostrophes are ours to read: one pair left open must not swallow the rest of a bullet.
    for slip, meant in _SLIPS:
        wikitext = slip.sub(meant, wikitext)
    code = mwparserfromhell.parse(wikitext, skip_style_tags=True)
    pieces = list(_walk(code, notes))
    return pieces, list(dict.fromkeys(notes))


def _walk(code: Any, notes: list[str]) -> Iterator[Piece]:
    from mwparserfromhell import nodes

    for node in code.nodes:
        match node:
            case nodes.Text():
                yield Text(_unstyled(str(node)))
            case nodes.HTMLEntity():
                yield Text(html.unescape(str(node)))
            case nodes.Wikilink():
                yield from _link(node, notes)
            case nodes.ExternalLink():
                yield from _external(node, notes)
            case nodes.Template():
                yield from templates.pieces(node, notes, _walk)
            case nodes.Tag():
                yield from _tag(node, notes)
            case nodes.Heading():
                yield from _walk(node.title, notes)
            case _:
                pass  # comments, and arguments of templates, which stand for nothing on a page


def _unstyled(text: str) -> str:
    """Without the apostrophes that mean italics and bold; those beyond five are apostrophes."""

    def real(found: re.Match[str]) -> str:
        length = len(found[0])
        return "'" if length == 4 else "'" * max(0, length - 5)

    return _QUOTES.sub(real, text)


def words(code: Any, notes: list[str]) -> str:
    """What a piece of wikitext shows, in one string."""
    shown = (
        piece.label if isinstance(piece, Cited) else piece.text for piece in _walk(code, notes)
    )
    return "".join(shown)


def _link(node: Any, notes: list[str]) -> Iterator[Piece]:
    title = str(node.title)
    page, kind = page_of(title)
    if kind == "hidden":
        return
    shown = words(node.text, notes) if node.text is not None else ""
    if not shown.strip():
        # The pipe trick, and links without a text of their own.
        shown = html.unescape(title).strip().lstrip(":").replace("_", " ")
        if node.text is not None:
            shown = re.sub(r"\s*\([^()]*\)$|,.*$", "", shown.rpartition(":")[2])
    yield Link(shown, page)


def _external(node: Any, notes: list[str]) -> Iterator[Piece]:
    label = words(node.title, notes).strip() if node.title is not None else ""
    url = html.unescape(str(node.url)).strip()
    yield from cited(url, label if label != url else "", notes)


def cited(url: str, label: str, notes: list[str]) -> Iterator[Piece]:
    """A link to a report; to pages of this encyclopedia and to what is no web address, words."""
    url = f"https:{url}" if url.startswith("//") else url
    if _OWN_HOST.match(url):
        yield Text(label)
    elif not is_web(url):
        notes.append(f"no web address, left out: {url[:100]}")
        yield Text(label)
    else:
        yield Cited(Source(url=without_credentials(url)), label)


def _tag(node: Any, notes: list[str]) -> Iterator[Piece]:
    name = str(node.tag).strip().lower()
    if name in _HIDDEN_TAGS:
        return
    if name in {"br", "hr"}:
        yield Text(" ")
    elif name == "ref" and node.contents is not None:
        # A footnote is no part of the sentence, but what it cites is a source.
        for piece in _walk(node.contents, notes):
            if isinstance(piece, Cited):
                yield Cited(named(piece, at_end=True, in_parens=False))
    elif name == "nowiki" and node.contents is not None:
        yield Text(str(node.contents))
    elif node.contents is not None:
        yield from _walk(node.contents, notes)
