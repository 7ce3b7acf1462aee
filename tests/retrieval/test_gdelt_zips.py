"""Zips that are not what GDELT serves are refused by name, and never expanded without limit."""

import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from retrieval.gdelt import zips
from retrieval.gdelt.failures import OfAnotherKind
from retrieval.gdelt.gal import listings
from retrieval.gdelt.names import Product
from retrieval.gdelt.rows import Tally
from tests.retrieval.gdelt_files import gkg, gkg_row, zipped

MEMBER = "20230502100000.gkg.csv"
CONTENT = gkg(*(gkg_row(number=number) for number in range(500)))


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        for name, content in members:
            made.writestr(name, content)
    return buffer.getvalue()


def put(folder: Path, content: bytes) -> Path:
    path = folder / f"{MEMBER}.zip"
    path.write_bytes(content)
    return path


def content_of(path: Path) -> bytes:
    pieces = list(zips.pieces(path, MEMBER))
    assert max(map(len, pieces), default=0) <= 256 * 1024
    return b"".join(pieces)


@pytest.fixture(params=["isal", "zlib"])
def _codec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    import zlib

    if request.param == "isal":
        pytest.importorskip("isal", reason="isal is not installed")
    else:
        module: ModuleType = zlib
        monkeypatch.setattr(zips, "_codec", lambda: module)


@pytest.mark.usefixtures("_codec")
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("content", [b"", b"x", CONTENT])
def test_the_member_comes_out_as_it_went_in(tmp_path: Path, content: bytes, method: int) -> None:
    assert content_of(put(tmp_path, archive((MEMBER, content), method=method))) == content


def test_a_file_that_is_unzipped_already_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / MEMBER
    path.write_bytes(CONTENT)
    assert b"".join(zips.pieces(path)) == CONTENT


def encrypted() -> bytes:
    made = bytearray(archive((MEMBER, CONTENT)))
    place = made.index(b"PK\x01\x02")
    made[place + 8] |= 1
    return bytes(made)


def false_checksum() -> bytes:
    made = bytearray(archive((MEMBER, CONTENT)))
    place = made.index(b"PK\x01\x02")
    made[place + 16] ^= 0xFF
    return bytes(made)


def false_size() -> bytes:
    """States 5 bytes and holds more: a bomb that hides behind its own label."""
    made = bytearray(archive((MEMBER, b"\0" * (60 << 20))))
    place = made.index(b"PK\x01\x02")
    made[place + 24 : place + 28] = struct.pack("<I", 5)
    return bytes(made)


def renamed(name: bytes) -> Callable[[], bytes]:
    def make() -> bytes:
        same = "x" * len(name)
        return archive((same, CONTENT)).replace(same.encode(), name)

    return make


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "not a zip"),
    "web page": (lambda: b"<html><h1>Sign in to Wi-Fi</h1></html>", "a web page"),
    "gzip": (lambda: gzip.compress(CONTENT), "not a zip"),
    "cut": (lambda: archive((MEMBER, CONTENT))[:-40], "not a zip"),
    "no member": (archive, "0 members"),
    "two members": (lambda: archive((MEMBER, CONTENT), ("b.csv", b"")), "2 members"),
    "path": (renamed(b"../../etc/cron.d/x"), "a path for a name"),
    "drive": (renamed(rb"C:\windows\x.csv"), "a path for a name"),
    "root": (renamed(b"/etc/passwd"), "a path for a name"),
    "folder": (lambda: archive(("folder/", b"")), "a path for a name"),
    "null": (renamed(b"a.csv\x00.exe"), "a path for a name"),
    "other file": (lambda: archive(("20230502101500.gkg.csv", CONTENT)), "holds '2023"),
    "encrypted": (encrypted, "encrypted"),
    "bzip2": (lambda: archive((MEMBER, CONTENT), method=zipfile.ZIP_BZIP2), "compressed in a way"),
    "bomb": (lambda: archive((MEMBER, b"\0" * (60 << 20))), "a zip bomb"),
    "hidden bomb": (false_size, "a zip bomb"),
    "checksum": (false_checksum, "damaged"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_zip_that_is_not_gdelts_is_refused_by_name(tmp_path: Path, kind: str) -> None:
    make, reason = BAD[kind]
    path = put(tmp_path, make())
    with pytest.raises(OfAnotherKind, match=reason) as caught:
        content_of(path)
    assert str(caught.value).startswith(f"{MEMBER}.zip: ")
    assert list(tmp_path.iterdir()) == [path], "nothing is unpacked"


@pytest.mark.usefixtures("_codec")
@pytest.mark.parametrize("place", range(0, 400, 7))
def test_a_flipped_byte_is_damage_and_never_a_crash(tmp_path: Path, place: int) -> None:
    whole = zipped(tmp_path, MEMBER, CONTENT[:4000]).read_bytes()
    place %= len(whole)
    damaged = put(tmp_path, whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
    try:
        content = content_of(damaged)
    except OfAnotherKind:
        return
    assert content == CONTENT[:4000]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"\n" * (60 << 20)), "not a file of gal rows: a blank line"),
        (gzip.compress(b" " * (60 << 20)), "a zip bomb"),
        (gzip.compress(b'{"url": 1}\n' * 9000)[:-9], "not a"),
        (b"PK\x03\x04", "not a whole gzip file"),
        (b"", "not a whole gzip file"),
    ],
)
def test_an_article_list_that_is_none_is_refused(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "20230502100000.gal.json.gz"
    path.write_bytes(content)
    with pytest.raises(OfAnotherKind, match=reason):
        list(listings(path, Tally(path.name, Product.GAL)))
