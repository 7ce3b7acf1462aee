"""What is known of an outlet by its domain: country, agency, and what a user's own table says.

Tables are given by the user: GDELT's list of domains by country (tab-separated: domain, FIPS
10-4 code, name of the country), or a table with a header, commas, semicolons or tabs between, of
which one column is ``domain``; ``country`` is an ISO 3166-1 code or a name, and all other
columns (ownership, state affiliation) are taken as they are.  Of two tables the later one counts.
"""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.text.clean import clean, decode
from globesumm.values import Document, Outlet
from retrieval.files import read_bytes
from retrieval.url import host_of

LARGEST_TABLE = 64 * 1024 * 1024
_DELIMITERS = "\t,;"
_DOMAIN_COLUMNS = ("domain", "host", "outlet_domain", "site")


class Outlets:
    """Domains with what is known of them; a domain speaks for those below it."""

    def __init__(self, rows: Iterable[Outlet] = ()) -> None:
        self._rows: dict[str, Outlet] = {}
        for agency, domains in agencies_by_domain().items():
            for domain in domains:
                self._rows[domain] = Outlet(domain=domain, agency=agency)
        for row in rows:
            self._add(row)

    def _add(self, row: Outlet) -> None:
        known = self._rows.get(row.domain)
        if known is None:
            self._rows[row.domain] = row
            return
        self._rows[row.domain] = replace(
            known,
            country=row.country or known.country,
            agency=row.agency or known.agency,
            facts={**known.facts, **row.facts},
        )

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, url: str | None) -> Outlet | None:
        """What is known of the outlet at `url`: its host's row, or that of a domain above it."""
        labels = host_of(url or "").split(".")
        for place in range(len(labels) - 1):
            if found := self._rows.get(".".join(labels[place:])):
                return found
        return None

    def completed(self, document: Document) -> Document:
        """`document` with what is known of its outlet."""
        outlet = self.of(document.url)
        return document if outlet is None else replace(document, outlet=outlet)


def outlets_in(paths: Iterable[Path]) -> Outlets:
    """The outlets in tables; raises `UsageError` for what is no such table."""
    return Outlets(row for path in paths for row in rows_of(path))


def rows_of(path: Path) -> Iterator[Outlet]:
    """The rows of one table."""
    try:
        text = decode(read_bytes(path, LARGEST_TABLE)).text
    except DataError as error:
        raise UsageError(str(error)) from error
    lines = text.lstrip("\n").splitlines()
    if not lines:
        raise UsageError(f"{path}: empty: give a table with a column of domains")
    first = lines[0]
    delimiter = max(_DELIMITERS, key=first.count)
    header = [cell.strip().lower() for cell in next(csv.reader([first], delimiter=delimiter))]
    column = next((header.index(name) for name in _DOMAIN_COLUMNS if name in header), None)
    if column is not None:
        yield from _own_rows(lines[1:], header, column, delimiter)
    elif len(header) == 3 and delimiter == "\t" and "." in header[0]:
        yield from _gdelt_rows(lines)
    else:
        raise UsageError(
            f"{path}: neither GDELT's domains by country nor a table with a column 'domain' "
            f"(it begins with {first[:80]!r})"
        )


def _gdelt_rows(lines: Iterable[str]) -> Iterator[Outlet]:
    codes = fips_to_iso()
    for line in lines:
        cells = line.split("\t")
        if len(cells) == 3 and (domain := _domain(cells[0])):
            code = codes.get(cells[1].strip().upper())
            yield Outlet(domain=domain, country=code or cells[2].strip() or None)


def _own_rows(
    lines: Iterable[str], header: list[str], column: int, delimiter: str
) -> Iterator[Outlet]:
    for cells in csv.reader(lines, delimiter=delimiter):
        domain = _domain(cells[column]) if column < len(cells) else ""
        if not domain:
            continue
        said = {
            name: clean(cell).text.strip()
            for name, cell in zip(header, cells, strict=False)
            if name and name != header[column] and cell.strip()
        }
        yield Outlet(
            domain=domain,
            country=said.pop("country", None),
            agency=said.pop("agency", None),
            facts=said,
        )


def _domain(cell: str) -> str:
    text = cell.strip()
    return host_of(text if "://" in text else f"http://{text}") if text else ""


@cache
def fips_to_iso() -> Mapping[str, str]:
    """FIPS 10-4 country codes, as GDELT has them, to ISO 3166-1 alpha-2."""
    source = files("globesumm").joinpath("data", "fips.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def agencies_by_domain() -> Mapping[str, tuple[str, ...]]:
    """Each news agency with its own domains."""
    return {name: tuple(row["domains"]) for name, row in agency_table().items()}


@cache
def agency_table() -> Mapping[str, Mapping[str, list[str]]]:
    """The table of news agencies: their names in bylines and their domains."""
    source = files("globesumm").joinpath("data", "agencies.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
