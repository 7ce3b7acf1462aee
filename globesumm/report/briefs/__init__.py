"""A brief as terminal text, Markdown, HTML and DOCX, all from the same blocks."""

from globesumm.report.briefs.blocks import blocks
from globesumm.report.briefs.docx import write_docx
from globesumm.report.briefs.page import write_page
from globesumm.report.briefs.plain import markdown, text
from globesumm.report.briefs.spans import Block, Span

__all__ = ["Block", "Span", "blocks", "markdown", "text", "write_docx", "write_page"]
