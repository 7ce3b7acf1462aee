"""A brief for a terminal, and as Markdown in which outside text is literal."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from baselines.citations import escaping
from globesumm.report.briefs.spans import Block, Span

_TEXT = {"title": "# ", "heading": "## ", "part": "### ", "text": "", "item": "- ", "sub": "  - "}
_APART = {"title", "heading", "part", "text"}
"""What stands by itself; items follow one another without a blank line."""

_IN_ADDRESS = ":/?#@!$&'*+,;=%~"
"""What an address keeps; brackets of any kind and blanks would end it in Markdown."""


def text(blocks: Sequence[Block]) -> str:
    """The brief as plain lines: no character of it steers a terminal once it is made visible."""
    return _written(blocks, _plain)


def markdown(blocks: Sequence[Block]) -> str:
    """The brief as Markdown; outside text makes neither markup nor a link nor HTML there.

    The only links are the sources' own addresses.
    """
    return _written(blocks, _marked)


def _written(blocks: Sequence[Block], say: Callable[[Span], str]) -> str:
    lines: list[str] = []
    before = "title"
    for block in blocks:
        if lines and (block.kind in _APART or before in _APART):
            lines.append("")
        lines.append(_TEXT[block.kind] + "".join(map(say, block.spans)).rstrip())
        before = block.kind
    return "\n".join(lines) + "\n"


def _plain(span: Span) -> str:
    said = escaping.plain(span.text) if span.outside else span.text
    return f"{said} <{span.link}>" if span.link else said


def _marked(span: Span) -> str:
    if not span.outside:
        # What is ours holds brackets and bars, and never a mark of ours.
        said = span.text.replace("[", "\\[").replace("]", "\\]")
        return f"**{said.strip()}**" if span.strong and said.strip() else said
    said = escaping.markdown(span.text)
    if span.strong:
        said = f"**{said}**"
    return f"[{said}](<{quote(span.link, safe=_IN_ADDRESS)}>)" if span.link else said
