"""Pieces of a brief: spans of text, and the headings, paragraphs and items made of them.

Whatever comes from reports, models or people is in spans of their own, marked as `outside`, so
that each form can keep it from acting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from globesumm.report.texts import as_text

BlockKind = Literal["title", "heading", "part", "text", "item", "sub"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a block; `outside` text is not ours, in `language` (empty: unknown).

    `link` is an http(s) address or nothing, `refs` are the numbers of sources it refers to.
    """

    text: str
    outside: bool = False
    language: str = ""
    direction: str = "ltr"
    strong: bool = False
    link: str = ""
    refs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading, a paragraph, or an item of a list (`sub`: of one below).

    `source` is the number of the source that it describes, 0 for none.
    """

    kind: BlockKind
    spans: tuple[Span, ...]
    source: int = 0

    @property
    def leading(self) -> Span:
        """The span whose direction is the block's."""
        return self.spans[0] if self.spans else Span(text="")


def own(text: str, *, strong: bool = False) -> Span:
    """Our own words; no data may be in them but numbers, days and names of languages."""
    return Span(text=text, strong=strong)


def refs(numbers: Sequence[int]) -> Span:
    """Numbers of sources in brackets."""
    return Span(text=f"[{', '.join(map(str, numbers))}]", refs=tuple(numbers))


def said(text: str, language: str, *, strong: bool = False, link: str = "") -> Span:
    """Outside text; where its language is not known its first strong letter gives the direction."""
    set_as = as_text(text, language)
    return Span(
        text=text,
        outside=True,
        language=set_as.language,
        direction=set_as.direction,
        strong=strong,
        link=link,
    )


def block(kind: BlockKind, *spans: Span) -> Block:
    """A block of those spans that hold text."""
    return Block(kind=kind, spans=tuple(one for one in spans if one.text))
