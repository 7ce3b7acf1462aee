"""One file of GDELT's, of whatever product, as the rows of its table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from globesumm.errors import DataError
from retrieval.gdelt.articles import articles
from retrieval.gdelt.names import FileName, Product, file_name
from retrieval.gdelt.rows import Tally
from retrieval.gdelt.tables import table_rows
from retrieval.gdelt.zips import pieces


def read(path: Path, name: FileName | None = None) -> tuple[Iterator[tuple[Any, ...]], Tally]:
    """The rows of the zip at `path`, and the tally that fills while they are read.

    `name` is what the file should be, told from the path where None.  Columns are those of
    `retrieval.gdelt.schema.table_columns`.  Reading raises `OfAnotherKind` with the reason if the
    file is something else; bad rows go to the tally, and the rest goes on.
    """
    name = name or _named(path)
    tally = Tally(str(name), name.product)
    content = pieces(path, name.member)
    if name.product is Product.GKG:
        return articles(content, name.stream, tally), tally
    return table_rows(content, name.stream, tally), tally


def _named(path: Path) -> FileName:
    try:
        return file_name(path.name)
    except ValueError as error:
        raise DataError(f"{path}: {error}; state what it holds") from error
