"""A brief as one HTML file that asks nothing of the network."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.records import write_text
from globesumm.report.briefs.spans import Block
from globesumm.report.page import environment


@dataclass(slots=True)
class Item:
    """An item of a list, with those below it."""

    block: Block
    below: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Part:
    """What stands together: a heading of the third level, a paragraph, or a list."""

    kind: str
    block: Block | None = None
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Section:
    """A heading of the second level with all below it; `name` is its address in the page."""

    name: str
    heading: Block | None
    parts: list[Part] = field(default_factory=list)


def write_page(blocks: Sequence[Block], path: Path) -> None:
    """Write the brief to `path`, whole or not at all.

    Style, script and policy are the report's (see `globesumm.report.page.write_report`); every
    span is escaped, and links lead to http(s) addresses or to places in the page.
    """
    head, *sections = _sections(blocks)
    title = "".join(one.text for one in blocks[0].spans)
    made = environment().get_template("brief.html.j2")
    write_text(path, made.render(title=title, head=head, sections=sections))


def _sections(blocks: Sequence[Block]) -> list[Section]:
    found = [Section("top", None)]
    for block in blocks:
        parts = found[-1].parts
        if block.kind == "heading":
            found.append(Section(f"part-{len(found)}", block))
        elif block.kind == "item":
            if not parts or parts[-1].kind != "list":
                parts.append(Part("list"))
            parts[-1].items.append(Item(block))
        elif block.kind == "sub" and parts and parts[-1].kind == "list":
            parts[-1].items[-1].below.append(block)
        else:
            parts.append(Part(block.kind, block))
    return found
