"""A brief as a Word document (Office Open XML), by python-docx."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

from baselines.citations import escaping
from globesumm.errors import MissingPackage
from globesumm.report.briefs.spans import Block, Span
from globesumm.unfinished import new_file

_STYLES = {
    "title": "Title", "heading": "Heading 1", "part": "Heading 2", "text": "Normal",
    "item": "List Bullet", "sub": "List Bullet 2",
}  # fmt: skip
_MARKS = {"ltr": "\u200e", "rtl": "\u200f"}
"""Marks that show nothing and have a direction (UAX #9): older programs know no isolates."""

_EAST = "w:eastAsia"
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (2.2) does not allow."""


def write_docx(blocks: Sequence[Block], path: Path) -> None:
    """Write the brief to `path`, whole or not at all; text from right to left is set so.

    Outside text becomes runs of text and nothing else: no field, no macro, no markup.  Links are
    the sources' own http(s) addresses.  Raises `MissingPackage` without python-docx.
    """
    try:
        import docx
    except ImportError as error:
        raise MissingPackage("python-docx", "writing DOCX", "docx") from error
    made: Any = docx.Document()
    properties = made.core_properties
    properties.title = _legal("".join(one.text for one in blocks[0].spans))[:255]
    properties.author, properties.comments = "globesumm brief", ""
    for block in blocks:
        paragraph = made.add_paragraph(style=_STYLES[block.kind])
        direction = _direction(block.leading)
        if direction == "rtl":
            paragraph.paragraph_format.element.get_or_add_pPr().append(_element("w:bidi"))
        for span in block.spans:
            _add(paragraph, span)
            if _direction(span) != direction:
                paragraph.add_run(_MARKS[direction])
    with new_file(path) as file:
        made.save(file)


def _direction(span: Span) -> str:
    """Of an outside text whose language is not known its first letter with a direction tells."""
    if span.direction != "auto":
        return span.direction
    strong = (bidirectional(letter) for letter in span.text)
    first = next((one for one in strong if one in {"L", "R", "AL"}), "L")
    return "ltr" if first == "L" else "rtl"


def _add(paragraph: Any, span: Span) -> None:
    text = _legal(escaping.plain(span.text) if span.outside else span.text)
    # Where it begins or ends in a sign or number, that would else go with what stands beside it.
    leftwards = _direction(span) == "rtl"
    mark = _MARKS["rtl"] if leftwards else ""
    run = paragraph.add_run(f"{mark}{text}{mark}")
    run.bold = span.strong or None
    properties = run._r.get_or_add_rPr()  # noqa: SLF001  # python-docx has no call for these
    if leftwards:
        properties.append(_element("w:rtl"))
    if span.outside and span.language:
        kind = _EAST if span.language.partition("-")[0] in {"zh", "ja", "ko"} else "w:val"
        kind = "w:bidi" if leftwards else kind
        properties.append(_element("w:lang", **{kind: span.language}))
    if span.link:
        _link(paragraph, run, _legal(span.link))


def _link(paragraph: Any, run: Any, address: str) -> None:
    """Put the run into a link to `address`."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml.ns import qn

    kept = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = _element("w:hyperlink")
    link.set(qn("r:id"), kept)
    run.font.underline = True
    paragraph._p.append(link)  # noqa: SLF001  # as above
    link.append(run._r)  # noqa: SLF001  # as above


def _element(name: str, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = OxmlElement(name)
    for key, value in attributes.items():
        made.set(qn(key), value)
    return made


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
