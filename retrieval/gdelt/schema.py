"""The columns of GDELT's files and of the tables made from them, stated once, as data."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from retrieval.gdelt.names import Product

ColumnType = Literal["text", "address", "integer", "number", "time", "day", "texts"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `type` as explained in ``globesumm/data/gdelt/columns.toml``; any may be null."""

    name: str
    type: ColumnType
    about: str


@cache
def raw_columns(product: Product) -> tuple[Column, ...]:
    """The columns of GDELT's own files of `product`, in their order; none for JSON."""
    if product is Product.GAL:
        return ()
    return _columns("columns.toml", product.value)


@cache
def older_forms(product: Product) -> dict[int, str]:
    """What a file of `product` is that has another width, by that width."""
    older: dict[str, str] = _table("columns.toml").get(product.value, {}).get("older", {})
    return {int(width): kind for width, kind in older.items()}


@cache
def table_columns(product: Product) -> tuple[Column, ...]:
    """The columns of the table made from a file of `product`."""
    if product is Product.GKG:
        return _columns("records.toml", "articles")
    if product is Product.GAL:
        return _columns("records.toml", "gal")
    if product is Product.MENTIONS:
        language = Column("language", "text", "BCP-47 code, und where GDELT names none we know")
        return (*raw_columns(product), language)
    return raw_columns(product)


def _columns(file: str, table: str) -> tuple[Column, ...]:
    return tuple(
        Column(row["name"], row["type"], row["about"]) for row in _table(file)[table]["columns"]
    )


@cache
def _table(file: str) -> dict[str, Any]:
    source = files("globesumm").joinpath("data", "gdelt", file)
    return tomllib.loads(source.read_text(encoding="utf-8"))
