"""What stands in the project's pages: links, pictures, headings, commands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown.extensions.toc import slugify, unique
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FRONT = tuple(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))


def pages() -> list[Path]:
    """README and its like, and every page of the documentation."""
    return [*FRONT, *sorted(DOCS.rglob("*.md"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a page points at; `line` is where the paragraph begins."""

    target: str
    line: int
    picture: bool


@cache
def tokens(page: Path) -> tuple[Token, ...]:
    """The parsed page, inline contents too, each with the line of its block."""
    found: list[Token] = []
    parser = MarkdownIt("commonmark").enable("table")
    for block in parser.parse(page.read_text(encoding="utf-8")):
        found.append(block)
        for one in block.children or ():
            one.map = block.map
            found.append(one)
    return tuple(found)


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def links(page: Path) -> Iterator[Link]:
    """Links and pictures of `page`, in order."""
    for token in tokens(page):
        if token.type in {"link_open", "image"}:
            name = "href" if token.type == "link_open" else "src"
            yield Link(target=str(token.attrGet(name)), line=_line(token), picture=name == "src")


def anchors(page: Path) -> set[str]:
    """The headings of `page` as the site names them."""
    held = tokens(page)
    ids: set[str] = set()
    for place, token in enumerate(held):
        if token.type == "heading_open":
            shown = "".join(
                one.content for one in held[place + 1].children or () if one.type != "image"
            )
            unique(slugify(shown, "-"), ids)
    return ids


def code(page: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every piece of code: of blocks each command line, joined where it goes on."""
    for token in tokens(page):
        if token.type == "code_inline":
            yield _line(token), token.content
        elif token.type in {"fence", "code_block"} and token.info.split()[:1] != ["diff"]:
            joined = re.sub(r"\\\n\s*", " ", token.content)
            for line in joined.splitlines():
                yield _line(token), re.sub(r"(^|\s)#.*", "", line)


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """(line, words) of every ``globesumm …`` in `page`, up to what a shell would end it at."""
    for line, text in code(page):
        for found in re.finditer(r"(?:^|[\s`(=/;&|])globesumm[ ]+([a-z][^|;&>#`\n]*)", text):
            yield line, found[1].split()
