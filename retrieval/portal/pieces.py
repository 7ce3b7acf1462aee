"""The text of one bullet in pieces, and what becomes of them.

Wikitext and HTML are both taken apart into these pieces, so that what counts as a source, as
part of the sentence or as a mere topic is decided in one place.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from globesumm.text.clean import clean
from retrieval.portal.outlets import names_in, reads_as_outlet
from retrieval.portal.values import Source

_SEPARATORS = re.compile(r"[\s,;:/|()\[\].•·–—-]*(?:(?:and|or|&|via)[\s,;()]*)?")
_SENTENCE_END = re.compile(r"[.!?…。][\"”’')\]]*$")
_OPEN_PAREN = re.compile(r"\s*[(\[]\s*$")
_UNLINKED = re.compile(r"(?<=[.!?…\"”’])(?:\s*\([^()]{2,60}\))+$")
_BRACKETED = re.compile(r"\([^()]+\)")
_LEADING_JOIN = re.compile(r"^[\s,;:.–—-]+")


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """Words that link to an article; `page` is None where it is none of this encyclopedia.

    `names` are what the article is called elsewhere, where the link itself says so.
    """

    text: str
    page: str | None
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cited:
    """A link to a report, with the words that it is shown as (empty where there are none)."""

    source: Source
    label: str = ""


Piece = Text | Link | Cited


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    """One bullet, understood.

    `only_links` says that there is nothing but links to articles and what separates them.
    """

    text: str
    sources: tuple[Source, ...] = ()
    pages: tuple[str, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    only_links: bool = False

    @property
    def is_sentence(self) -> bool:
        """Whether the text ends as a sentence does."""
        return bool(_SENTENCE_END.search(self.text))


def compose(pieces: Sequence[Piece]) -> Inline:
    """Put a bullet together: its sentence, and apart from it the sources and the links."""
    tail = _tail(pieces)
    words: list[str] = []
    sources: list[Source] = []
    for position, piece in enumerate(pieces):
        if not isinstance(piece, Cited):
            if position < tail:
                words.append(piece.text)
            continue
        before = "".join(words[-1:])
        source = named(piece, at_end=position >= tail, in_parens=_ends_open(before))
        sources.append(source)
        if source.label is None and piece.label:
            words.append(piece.label if position < tail else "")
    text, unlinked = _sentence(words, pieces[tail:])
    if not text:
        # A bullet that is nothing but the headline of its source.
        text = _plain(" ".join(piece.label for piece in pieces if isinstance(piece, Cited)))
    return Inline(
        text=text,
        sources=_distinct(_matched(sources, unlinked)),
        pages=tuple(dict.fromkeys(p.page for p in pieces if isinstance(p, Link) and p.page)),
        names={p.page: p.names for p in pieces if isinstance(p, Link) and p.page and p.names},
        only_links=_only_links(pieces),
    )


def _tail(pieces: Sequence[Piece]) -> int:
    """Where the sources at the end begin; `len(pieces)` if there are none."""
    start = len(pieces)
    for position in range(len(pieces) - 1, -1, -1):
        piece = pieces[position]
        if isinstance(piece, Cited):
            start = position
        elif not (isinstance(piece, Text) and _SEPARATORS.fullmatch(piece.text)):
            break
    return start


def named(piece: Cited, *, at_end: bool, in_parens: bool) -> Source:
    """The source with the outlet that its label names, if the label is a name and no headline."""
    source = piece.source
    if source.label is not None or not piece.label:
        return source
    in_parens = in_parens or piece.label.strip().startswith(("(", "["))
    if not reads_as_outlet(piece.label, in_parens=in_parens, at_end=at_end):
        return source
    outlet, agency = names_in(piece.label)
    return replace(source, outlet=outlet, agency=agency)


def _ends_open(text: str) -> bool:
    return bool(_OPEN_PAREN.search(text))


def _sentence(words: Sequence[str], tail: Sequence[Piece]) -> tuple[str, list[Source]]:
    """The words as a sentence, without what only held its sources together."""
    text = _OPEN_PAREN.sub("", "".join(words)) if tail else "".join(words)
    text = _LEADING_JOIN.sub("", _plain(text))
    unlinked: list[Source] = []
    found = _UNLINKED.search(text)
    labels = _BRACKETED.findall(found[0]) if found else []
    if found and all(reads_as_outlet(label, in_parens=True, at_end=True) for label in labels):
        for label in labels:
            outlet, agency = names_in(label)
            unlinked.append(Source(outlet=outlet, agency=agency))
        text = text[: found.start()].rstrip()
    stop = any(isinstance(piece, Text) and "." in piece.text for piece in tail)
    if stop and text and not _SENTENCE_END.search(text):
        text += "."
    return text, unlinked


def _matched(sources: Sequence[Source], unlinked: Sequence[Source]) -> list[Source]:
    """Addresses and names given apart ("https://a.example (BBC)") put together, if as many."""
    bare = [source for source in sources if source.label is None]
    if not unlinked or len(bare) != len(unlinked):
        return [*sources, *unlinked]
    names = iter(unlinked)
    return [source if source.label else replace(next(names), url=source.url) for source in sources]


def _plain(text: str) -> str:
    """Cleaned, blanks squeezed, and without brackets that enclosed nothing but a source."""
    text = " ".join(clean(text).text.split())
    text = re.sub(r"[(\[](?:\s|[,;/])*[)\]]", " ", text)
    text = re.sub(r"\s+([,.;:!?)\]])", r"\1", text)
    return " ".join(re.sub(r"([(\[])\s+", r"\1", text).split())


def _only_links(pieces: Sequence[Piece]) -> bool:
    links = any(isinstance(piece, Link) and piece.text.strip() for piece in pieces)
    return links and all(
        not isinstance(piece, Text) or _SEPARATORS.fullmatch(piece.text) for piece in pieces
    )


def _distinct(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Without repetition: one address counts once, under its first name."""
    kept: dict[object, Source] = {}
    for source in sources:
        kept.setdefault(source.url or source, source)
    return tuple(kept.values())
