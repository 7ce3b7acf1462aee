"""Rows of GDELT's files: bytes between line feeds, fields between tabs, and nothing else.

There is no quoting and no escape, so a quotation mark or a carriage return means nothing, and
bytes that are no UTF-8 spoil at most the row that they are in.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from globesumm.values import Rejected
from retrieval.gdelt.failures import OfAnotherKind
from retrieval.gdelt.names import Product
from retrieval.gdelt.schema import older_forms, raw_columns

LONGEST_ROW = 4 << 20
"""Bytes of the longest row accepted; the longest of GDELT's that was seen has 35,860."""
MOST_NAMED = 1000
"""Rejected rows of one file that are named one by one; more are only counted."""
_ENOUGH_BAD = 20
_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s]*@")
_RAW = (Product.GKG, Product.EXPORT, Product.MENTIONS)


@dataclass(slots=True)
class Tally:
    """What became of the rows of one file.

    Every row counts in ``rows``, and in one of ``kept``, ``not_web`` (no web page) and
    ``rejected``; other counts tell what was repaired or is missing in rows that were kept.
    """

    where: str
    product: Product
    counts: Counter[str] = field(default_factory=Counter)
    rejected: list[Rejected] = field(default_factory=list)

    def reject(self, number: int, reason: str, row: bytes) -> None:
        """Count a row as rejected and name it; after many and not one good row, the file itself.

        Raises `OfAnotherKind` then, with what the file seems to be.
        """
        self.counts["rejected"] += 1
        if len(self.rejected) < MOST_NAMED:
            # A password in an address is nobody else's business, in a refused row too.
            excerpt = _CREDENTIALS.sub("", row[:2000].decode("utf-8", errors="replace"))[:200]
            where = f"{self.where}:{number}"
            self.rejected.append(Rejected(where=where, reason=reason, excerpt=excerpt))
        if self.counts["rejected"] >= _ENOUGH_BAD and not self._any_good():
            self.refuse()

    def close(self) -> None:
        """After the last row: raise `OfAnotherKind` if there were rows, and all of them bad."""
        if self.counts["rejected"] and not self._any_good():
            self.refuse()

    def refuse(self) -> None:
        """Raise `OfAnotherKind` with what the first bad row looks like."""
        first = self.rejected[0]
        begin = "\n".join(rejected.excerpt or "" for rejected in self.rejected[:5])
        kind = kind_of(begin.encode(), self.product)
        raise OfAnotherKind(
            f"{self.where}: not a file of {self.product} rows: {kind or first.reason}"
        )

    def _any_good(self) -> bool:
        return bool(self.counts["kept"] or self.counts["not_web"])


def rows(pieces: Iterable[bytes], tally: Tally) -> Iterator[tuple[int, bytes]]:
    """(number from 1, row) of each row that is not blank; each is counted in `tally`."""
    number, begun, skipping = 0, b"", False
    for piece in pieces:
        if skipping:
            end = piece.find(b"\n")
            if end < 0:
                continue
            text, skipping = piece[end + 1 :], False
        else:
            text = begun + piece
        begin, find = 0, text.find
        # Rows are long, so that looking for each end is four times as fast as splitting.
        while (end := find(b"\n", begin)) >= 0:
            number += 1
            if row := _row(number, text[begin:end], tally):
                yield number, row
            begin = end + 1
        begun = text[begin:]
        if len(begun) > LONGEST_ROW:
            number += 1
            tally.counts["rows"] += 1
            tally.reject(number, f"longer than {LONGEST_ROW} bytes", begun)
            begun, skipping = b"", True
    if begun and (row := _row(number + 1, begun, tally)):
        yield number + 1, row


def _row(number: int, line: bytes, tally: Tally) -> bytes:
    if line.endswith(b"\r"):
        line = line[:-1]
        tally.counts["carriage_returns"] += 1
    tally.counts["rows"] += 1
    if not line:
        tally.reject(number, "a blank line", line)
    return line


def wrong_width(row: bytes, product: Product) -> str:
    """What is wrong with a row of another number of columns than `product` has."""
    found, due = row.count(b"\t") + 1, len(raw_columns(product))
    return f"{found} columns where {due} are due"


def kind_of(begin: bytes, product: Product) -> str | None:
    """What a file whose first bad rows are `begin` is, if it is one of the usual other things."""
    head = begin.lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")[0]
    width = head.count(b"\t") + 1
    if head.startswith((b"<", b"{")) and product is not Product.GAL:
        return "a web page or other markup"
    if b"\x00" in begin or b"\xef\xbf\xbd\xef\xbf\xbd" in head:
        return "a binary file"
    if width in older_forms(product):
        return older_forms(product)[width]
    for other in _RAW:
        if other is not product and width == len(raw_columns(other)):
            return f"{other} rows ({width} columns)"
    if width < 3 and max(head.count(b";"), head.count(b",")) >= 5:
        mark = ";" if head.count(b";") > head.count(b",") else ","
        return f"a table with {mark!r} between fields, as a spreadsheet or data frame writes it"
    if b"E+" in head:
        return "numbers like 2.02E+13, as a spreadsheet leaves them"
    names = {column.name.casefold() for column in raw_columns(product)}
    if head.split(b"\t")[0].decode("utf-8", errors="replace").casefold() in names:
        return "a table with a header, not GDELT's raw form"
    return None
