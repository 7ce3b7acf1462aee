"""The names of GDELT's files: ``YYYYMMDDHHMMSS[.translation].PRODUCT.zip``."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from retrieval.gdelt.slots import from_stamp, stamp


class Stream(StrEnum):
    """English pages, pages translated into English (Translingual), or the Article List."""

    ENGLISH = "english"
    TRANSLATED = "translated"
    GAL = "gal"


class Product(StrEnum):
    """What a file holds: documents, events, mentions of events, or titles."""

    GKG = "gkg"
    EXPORT = "export"
    MENTIONS = "mentions"
    GAL = "gal"


BEGINS = {
    Stream.ENGLISH: datetime(2015, 2, 18, 23, 0, tzinfo=UTC),
    Stream.TRANSLATED: datetime(2015, 2, 18, 22, 45, tzinfo=UTC),
    Stream.GAL: datetime(2020, 1, 1, tzinfo=UTC),
}
"""The first quarter-hour of each stream."""

_NAME = re.compile(
    r"(?P<stamp>\d{14})(?P<translated>\.translation)?"
    r"\.(?P<product>export\.CSV|mentions\.CSV|gkg\.csv)\.zip"
)
_ENDINGS = {
    Product.EXPORT: "export.CSV",
    Product.MENTIONS: "mentions.CSV",
    Product.GKG: "gkg.csv",
    Product.GAL: "gal.json",
}
_PRODUCTS = {ending: product for product, ending in _ENDINGS.items()}


@dataclass(frozen=True, slots=True, order=True)
class FileName:
    """Which file: of what quarter-hour (UTC), stream and product.  ``str`` gives its name."""

    slot: datetime
    stream: Stream
    product: Product

    def __str__(self) -> str:
        return f"{self.member}.{'gz' if self.stream is Stream.GAL else 'zip'}"

    @property
    def member(self) -> str:
        """The name of the one file inside."""
        translated = ".translation" if self.stream is Stream.TRANSLATED else ""
        return f"{stamp(self.slot)}{translated}.{_ENDINGS[self.product]}"

    @property
    def key(self) -> str:
        """The name that its table goes by here."""
        return self.member.rsplit(".", 1)[0]


def file_name(text: str) -> FileName:
    """The file that `text` names; a ValueError says why where it names none."""
    match = _NAME.fullmatch(text)
    if not match:
        raise ValueError("not the name of a GDELT 2.0 file")
    slot = from_stamp(match["stamp"])
    if slot.minute % 15 or slot.second:
        raise ValueError("not on a quarter-hour")
    stream = Stream.TRANSLATED if match["translated"] else Stream.ENGLISH
    return FileName(slot, stream, _PRODUCTS[match["product"]])
