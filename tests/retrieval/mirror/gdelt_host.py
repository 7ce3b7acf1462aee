"""GDELT's host in its own form: list files and 15-minute zips under ``/gdeltv2/``.

Rows are real ones (the 2020 half of the samples in ``gdelt/rows``) where that folder is given,
else made up in the same columns.  Stamps, record numbers and addresses are made the slot's own, so
that no two slots share a record or an address.  The lists name GDELT's public address, as the
real ones do: a client must put its base in place of it.
"""

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.retrieval.mirror.gdelt_rows import made_up, own_row, real_rows
from tests.retrieval.mirror.replies import Reply

if TYPE_CHECKING:
    from tests.retrieval.mirror.web_server import Site

PUBLIC_BASE = "http://data.gdeltproject.org/gdeltv2/"
SLOT = timedelta(minutes=15)
STREAMS: Mapping[str, str] = {"english": "", "translation": ".translation"}
"""Stream → what stands between stamp and product in its file names."""
PRODUCTS: Mapping[str, str] = {"export": "export.CSV", "mentions": "mentions.CSV", "gkg": "gkg.csv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GdeltFile:
    """A zip as it is served; `rows` is what its one member holds, `urls` the documents named."""

    name: str
    stamp: str
    stream: str
    product: str
    rows: int
    urls: tuple[str, ...]
    content: bytes = field(repr=False)
    listed_size: int
    listed_md5: str

    @property
    def line(self) -> str:
        return f"{self.listed_size} {self.listed_md5} {PUBLIC_BASE}{self.name}"


class GdeltHost:
    """Files by name, and the lists made of them whenever a list is asked for."""

    def __init__(self, site: "Site", data: Path | None) -> None:
        self.base = ""
        self.site, self.data = site, data
        self.files: dict[str, GdeltFile] = {}
        self.listed: dict[str, list[str]] = {stream: [] for stream in STREAMS}
        for stream, infix in STREAMS.items():
            dashed = infix.replace(".", "-")
            for kind in ("masterfilelist", "lastupdate"):
                self.site.put(f"/gdeltv2/{kind}{dashed}.txt", partial(self._list, stream, kind))

    def fill(
        self,
        first: str,
        slots: int,
        *,
        streams: Iterable[str] = tuple(STREAMS),
        products: Iterable[str] = tuple(PRODUCTS),
        rows: int = 10,
        skip: Collection[str] = (),
        urls: Sequence[str] = (),
    ) -> None:
        """Serve and list `slots` quarter hours from the stamp `first` on, but none of `skip`.

        `urls` take the place of the documents' addresses, in turn, over all files.
        """
        start = datetime.strptime(first, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        given = iter(urls)
        for number in range(slots):
            stamp = f"{start + number * SLOT:%Y%m%d%H%M%S}"
            for stream in streams:
                for product in products:
                    if stamp not in skip:
                        self.add(stamp, stream, product, rows=rows, urls=given)

    def add(
        self,
        stamp: str,
        stream: str = "english",
        product: str = "gkg",
        *,
        rows: int = 10,
        urls: Iterator[str] | None = None,
        content: bytes | None = None,
        listed: bool = True,
        served: bool = True,
        size: int | None = None,
        md5: str | None = None,
    ) -> GdeltFile:
        """One file; `content` instead of rows, `size` and `md5` for a list that errs.

        `listed` without `served` is a file that the list names and the host lacks.
        """
        member = f"{stamp}{STREAMS[stream]}.{PRODUCTS[product]}"
        table = (
            list(self._rows(stamp, stream, product, rows, urls or iter(())))
            if content is None
            else []
        )
        zipped = zip_of(member, table_bytes(table)) if content is None else content
        column = {"export": 60, "mentions": 5, "gkg": 4}[product]
        file = GdeltFile(
            name=f"{member}.zip", stamp=stamp, stream=stream, product=product,
            rows=len(table), urls=tuple(row[column] for row in table), content=zipped,
            listed_size=len(zipped) if size is None else size,
            listed_md5=hashlib.md5(zipped).hexdigest() if md5 is None else md5,
        )  # fmt: skip
        self.files[file.name] = file
        if served:
            self.site.put(f"/gdeltv2/{file.name}", zipped, "application/zip")
        if listed:
            self.listed[stream].append(file.line)
        return file

    def add_gal(self, stamp: str, records: Iterable[Mapping[str, object]]) -> None:
        """An article list of one minute, under ``/gdeltv3/gal/``."""
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        path = f"/gdeltv3/gal/{stamp}.gal.json.gz"
        self.site.put(path, gzip.compress(lines.encode(), mtime=0), "application/gzip")

    def _list(self, stream: str, kind: str, _asking: object) -> Reply:
        lines = self.listed[stream]
        if kind == "lastupdate":
            newest = max((line.rpartition("/")[2][:14] for line in lines), default="")
            lines = [line for line in lines if line.rpartition("/")[2].startswith(newest)]
        return Reply(body="".join(f"{line}\n" for line in lines).encode(), kind="text/plain")

    def _rows(
        self, stamp: str, stream: str, product: str, count: int, urls: Iterator[str]
    ) -> Iterator[list[str]]:
        real = real_rows(self.data, stream, product) if self.data else []
        for number in range(count):
            template = real[number % len(real)] if real else made_up(stream, product, number)
            url = next(urls, None)
            yield own_row(template, product, stamp, number, url, translated=stream != "english")


def table_bytes(rows: Iterable[Sequence[str]]) -> bytes:
    """Rows in GDELT's form: TAB between, LF after, no quoting, UTF-8."""
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def zip_of(member: str, content: bytes) -> bytes:
    """A zip with one member, the same bytes each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(member, (2023, 5, 1, 0, 0, 0)), content)
    return buffer.getvalue()
