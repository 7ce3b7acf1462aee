"""GDELT's files in their served form, made for tests: one member a zip, lists with size and md5."""

import hashlib
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

WIDTHS = {"gkg.csv": 27, "export.CSV": 61, "mentions.CSV": 16}
BASE = "http://data.gdeltproject.org/gdeltv2/"


def data(*parts: str) -> Path:
    """A file of the shared data; the test is skipped where it is absent."""
    folder = os.environ.get("GLOBESUMM_DATA")
    if not folder:
        pytest.skip("GLOBESUMM_DATA does not name the folder of shared data")
    path = Path(folder, "gdelt", *parts)
    if not path.exists():
        pytest.skip(f"{path} is absent")
    return path


def zipped(folder: Path, member: str, content: bytes) -> Path:
    """`content` as ``MEMBER.zip`` in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{member}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return path


def line(path: Path) -> str:
    """The line of the master list for the zip at `path`."""
    content = path.read_bytes()
    return f"{len(content)} {hashlib.md5(content).hexdigest()} {BASE}{path.name}\n"


def write_lists(folder: Path, more: Iterable[str] = ()) -> None:
    """Master lists of all zips in `folder`, with `more` lines in that of the English stream."""
    lines = {path.name: line(path) for path in sorted(folder.glob("*.zip"))}
    english = [text for name, text in lines.items() if ".translation." not in name]
    translated = [text for name, text in lines.items() if ".translation." in name]
    (folder / "masterfilelist.txt").write_text("".join([*english, *more]))
    (folder / "masterfilelist-translation.txt").write_text("".join(translated))


def gkg_row(
    *,
    number: int = 0,
    url: str = "https://example.org/a",
    date: str = "20230502100000",
    title: str = "A title",
    info: str = "",
    extras: str | None = None,
    collection: str = "1",
    words: str = "250",
    gcam: str = "wc:250,c12.1:3",
) -> bytes:
    """One row of GKG with its 27 columns."""
    cells = [""] * 27
    cells[0], cells[1], cells[2] = f"{date}-{number}", date, collection
    cells[3], cells[4] = "example.org", url
    cells[15] = f"-1.5,2.0,3.5,5.5,20.1,0.4,{words}"
    cells[17], cells[25] = gcam, info
    cells[26] = f"<PAGE_TITLE>{title}</PAGE_TITLE>" if extras is None else extras
    return "\t".join(cells).encode()


def gkg(*rows: bytes) -> bytes:
    """Rows as the content of a file."""
    return b"".join(row + b"\n" for row in rows)
