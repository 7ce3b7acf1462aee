"""Names and notes that come from data, as cells of tables that people open in spreadsheets."""

import re

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?%?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%", "＝", "＋", "－", "＠")


def sheet_cell(text: str) -> str:
    """`text`, with an apostrophe before it where a spreadsheet would take it for a formula.

    Numbers, signed ones too, stay as they are; so does a lone sign.
    """
    begins = text.lstrip()
    risky = begins.startswith(_FORMULA) and len(begins) > 1 and not _NUMBER.fullmatch(text)
    return f"'{text}" if risky else text
