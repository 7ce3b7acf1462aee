"""Files over HTTP from the local mirror: checked before they count, and asked for with patience."""

import errno
import hashlib
import http.server
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import DataError, UsageError
from retrieval.gdelt import web_base
from retrieval.gdelt.base import Due, FolderBase
from retrieval.gdelt.cache import Cache, as_listed
from retrieval.gdelt.failures import NotAsListed, NotServed, Unreachable
from retrieval.gdelt.list_files import master_list
from retrieval.gdelt.lists import Listed, listed
from retrieval.gdelt.names import Product, Stream, file_name
from retrieval.gdelt.places import GDELT, article_list_beside, base_at
from retrieval.gdelt.slots import stamp, window
from retrieval.gdelt.web_base import Patience, WebBase
from tests.retrieval.gdelt_files import gkg, gkg_row, line, zipped
from tests.retrieval.mirror.web_server import Mirror

SLOT = "20230501000000"
NAME = f"{SLOT}.gkg.csv.zip"


@pytest.fixture(autouse=True)
def _no_host_is_down() -> Iterator[None]:
    web_base._failed_in_a_row.clear()
    yield
    web_base._failed_in_a_row.clear()


def served(mirror: Mirror) -> tuple[WebBase, Listed, list[float]]:
    """A base that notes its waits in place of waiting, and the one file that it serves."""
    file = mirror.gdelt.add(SLOT)
    waits: list[float] = []
    patience = Patience(tries=4, timeout_seconds=1.0)
    return WebBase(mirror.gdelt.base, patience, waits.append), listed(file.line), waits


def test_a_file_is_fetched_once_and_is_as_listed(mirror: Mirror, tmp_path: Path) -> None:
    base, file, waits = served(mirror)
    path = Cache(tmp_path).zip_of(file, base)
    assert hashlib.md5(path.read_bytes()).hexdigest() == file.md5
    assert Cache(tmp_path).zip_of(file, base) == path
    assert mirror.asked("/gdeltv2/") == [f"/gdeltv2/{NAME}"]
    assert (waits, sorted(tmp_path.iterdir())) == ([], [path])


@pytest.mark.parametrize(
    ("fault", "expected"),
    [("429", [5.0, 10.0]), ("500", [5.0, 10.0]), ("429 with Retry-After", [1.0, 1.0]),
     ("503 with Retry-After", [1.0, 1.0]), ("cut", [5.0, 10.0]), ("reset", [5.0, 10.0]),
     ("slow", [5.0, 10.0])],
)  # fmt: skip
def test_what_passes_is_waited_for(
    mirror: Mirror, tmp_path: Path, fault: str, expected: list[float]
) -> None:
    base, file, waits = served(mirror)
    mirror.fault(f"*{NAME}", fault, times=2)
    assert Cache(tmp_path).zip_of(file, base).is_file()
    assert waits == expected
    assert len(mirror.asked("/gdeltv2/")) == 3


LASTING: dict[str, tuple[type[DataError], str, int]] = {
    "404": (NotServed, "status 404", 1),
    "403": (Unreachable, "status 403", 1),
    "429": (Unreachable, "status 429", 4),
    "500": (Unreachable, "status 500", 4),
    "wrong bytes": (NotAsListed, "md5", 2),
    "longer": (NotAsListed, "more came than", 2),
    "truncated": (NotAsListed, "are listed", 2),
    "empty": (NotAsListed, "0 bytes came", 2),
    "page instead": (NotAsListed, "bytes came where|more came than", 2),
    "cut": (Unreachable, "cut short", 4),
    "reset": (Unreachable, "tries: 4", 4),
    "endless": (NotAsListed, "more came than", 2),
    "trickle": (Unreachable, "slower than 1000 bytes a second", 4),
}
"""Accident to the kind of failure, what it says, and how often the file is asked for."""


@pytest.mark.parametrize("fault", LASTING)
def test_each_lasting_accident_is_named_and_leaves_nothing_behind(
    mirror: Mirror, tmp_path: Path, fault: str
) -> None:
    kind, said, asked = LASTING[fault]
    base, file, _ = served(mirror)
    mirror.fault(f"*{NAME}", fault)
    with pytest.raises(kind, match=said):
        Cache(tmp_path).zip_of(file, base)
    assert len(mirror.asked("/gdeltv2/")) == asked
    assert not [path for path in tmp_path.iterdir() if path.suffix in {".zip", ".part"}]


@pytest.mark.parametrize("fault", ["404", "wrong bytes"])
def test_what_asking_again_will_not_mend_is_not_asked_again_unless_told(
    mirror: Mirror, tmp_path: Path, fault: str
) -> None:
    base, file, _ = served(mirror)
    mirror.fault(f"*{NAME}", fault)
    with pytest.raises(DataError) as first:
        Cache(tmp_path).zip_of(file, base)
    mirror.forget()
    with pytest.raises(type(first.value)) as second:
        Cache(tmp_path).zip_of(file, base)
    assert mirror.asked() == []
    assert str(second.value).startswith(str(first.value))
    mirror.mend()
    assert Cache(tmp_path, again=True).zip_of(file, base).is_file()
    assert Cache(tmp_path).zip_of(file, base).is_file()


def test_a_lasting_failure_of_one_base_is_not_that_of_another(
    mirror: Mirror, tmp_path: Path
) -> None:
    base, file, _ = served(mirror)
    (tmp_path / "empty").mkdir()
    cache = Cache(tmp_path / "zips")
    with pytest.raises(NotServed):
        cache.zip_of(file, FolderBase(tmp_path / "empty"))
    assert cache.zip_of(file, base).is_file()


def test_a_file_that_may_yet_appear_is_asked_for_each_time(mirror: Mirror, tmp_path: Path) -> None:
    base, _, _ = served(mirror)
    recent = datetime.now(UTC).replace(minute=0, second=0) - timedelta(hours=1)
    file = Listed(file_name(f"{stamp(recent)}.gkg.csv.zip"), 10, "0" * 32)
    for _ in range(2):
        with pytest.raises(NotServed):
            Cache(tmp_path).zip_of(file, base)
    assert len(mirror.asked("/gdeltv2/")) == 2


def test_a_cached_file_that_was_damaged_is_fetched_anew(mirror: Mirror, tmp_path: Path) -> None:
    base, file, _ = served(mirror)
    path = Cache(tmp_path).zip_of(file, base)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert Cache(tmp_path).zip_of(file, base).read_bytes() == whole


def test_a_host_that_is_down_is_not_waited_for_at_each_file(tmp_path: Path) -> None:
    waits: list[float] = []
    base = WebBase("http://127.0.0.1:9/", Patience(tries=3), waits.append)
    for number in range(6):
        with pytest.raises(Unreachable):
            base.bring(Due(f"{number}.zip"), tmp_path / "part")
    assert waits == [5.0, 10.0] * 3


def test_a_full_disk_is_not_taken_for_the_host(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, file, waits = served(mirror)

    def full(*_: object) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WebBase, "_save", full)
    with pytest.raises(OSError, match="No space left"):
        Cache(tmp_path).zip_of(file, base)
    assert waits == []


def test_a_host_that_does_not_exist_is_said_at_once(tmp_path: Path) -> None:
    waits: list[float] = []
    base = WebBase("http://no-such-host.invalid/", Patience(), waits.append)
    with pytest.raises(Unreachable):
        base.bring(Due("a.zip"), tmp_path / "part")
    assert len(waits) in {0, 5}, "5 where this machine has no resolver to say so"


class Telling(http.server.BaseHTTPRequestHandler):
    """Answers with the status and headers that the server holds."""

    def do_GET(self) -> None:
        server: Any = self.server
        status, headers = server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def telling() -> Iterator[Any]:
    server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Telling)
    server.answer = (200, {})
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("header", "waits"),
    [
        ("7", [7.0]),
        ("0", [0.0]),
        (format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True), [0.0]),
        ("soon", [5.0]),
        ("-3", [5.0]),
        ("", [5.0]),
    ],
)
def test_the_wait_that_a_host_asks_for_is_kept(
    telling: Any, tmp_path: Path, header: str, waits: list[float]
) -> None:
    telling.answer = (429, {"Retry-After": header})
    kept: list[float] = []
    base = WebBase(f"http://127.0.0.1:{telling.server_port}/", Patience(tries=2), kept.append)
    with pytest.raises(Unreachable, match="status 429"):
        base.bring(Due("a.zip"), tmp_path / "part")
    assert kept == waits


def test_a_wait_beyond_measure_is_a_failure_for_now(telling: Any, tmp_path: Path) -> None:
    telling.answer = (503, {"Retry-After": "86400"})
    kept: list[float] = []
    base = WebBase(f"http://127.0.0.1:{telling.server_port}/", Patience(), kept.append)
    with pytest.raises(Unreachable, match="asks to wait 86400 s"):
        base.bring(Due("a.zip"), tmp_path / "part")
    assert kept == []


def test_a_base_does_not_send_us_to_another_host(telling: Any, tmp_path: Path) -> None:
    telling.answer = (302, {"Location": "http://169.254.169.254/latest/meta-data"})
    base = WebBase(f"http://127.0.0.1:{telling.server_port}/", Patience(tries=1))
    with pytest.raises(Unreachable, match="another host"):
        base.bring(Due("a.zip"), tmp_path / "part")


def test_addresses_in_a_list_are_never_asked(mirror: Mirror, tmp_path: Path) -> None:
    base, file, _ = served(mirror)
    text = f"{file.size} {file.md5} {mirror.address}/elsewhere/{NAME}"
    Cache(tmp_path).zip_of(listed(text), base)
    assert mirror.asked() == [f"/gdeltv2/{NAME}"]


@pytest.mark.parametrize(
    "where",
    ["", "ftp://host/", "http://", "http://me:secret@host/x", "http://host/?q=1", "nowhere"],
)
def test_what_is_no_base_is_refused(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--base"):
        base_at(where)


def test_a_folder_is_read_in_place_and_checked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "mirror", f"{SLOT}.gkg.csv", gkg(gkg_row()))
    file, cache = listed(line(path)), Cache(tmp_path / "zips")
    base = base_at(str(tmp_path / "mirror"))
    assert cache.zip_of(file, base) == path.resolve()
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(NotAsListed):
        cache.zip_of(file, base)
    assert not list((tmp_path / "zips").glob("*.zip"))


def test_a_file_put_into_a_base_folder_later_is_found(tmp_path: Path) -> None:
    path = zipped(tmp_path / "mirror", f"{SLOT}.gkg.csv", gkg(gkg_row()))
    file, cache = listed(line(path)), Cache(tmp_path / "zips")
    base = base_at(str(tmp_path / "mirror"))
    aside = path.rename(tmp_path / "aside")
    with pytest.raises(NotServed):
        cache.zip_of(file, base)
    aside.rename(path)
    assert cache.zip_of(file, base) == path.resolve()


@pytest.mark.parametrize(
    ("base", "beside"),
    [
        (GDELT, "http://data.gdeltproject.org/gdeltv3/gal"),
        ("http://127.0.0.1:80/gdeltv2", "http://127.0.0.1:80/gdeltv3/gal"),
        ("/data/mirror/gdeltv2", "/data/mirror/gdeltv3/gal"),
    ],
)
def test_the_article_list_is_looked_for_beside_the_base(base: str, beside: str) -> None:
    assert article_list_beside(base) == beside


def test_the_wrong_size_in_the_list_is_no_obstacle_where_it_is_known() -> None:
    name = file_name("20160508140000.gkg.csv.zip")
    due = as_listed(Listed(name, 18_095, "0" * 32))
    due.check(10_276_183, "0" * 32)
    with pytest.raises(NotAsListed):
        due.check(18_095, "0" * 32)


ASKED = window("2023-05-01T00:00", "2023-05-01T00:15")


def test_a_list_is_fetched_once_for_a_window_that_is_past(mirror: Mirror, tmp_path: Path) -> None:
    base, _, _ = served(mirror)
    for _ in range(2):
        found = master_list(Stream.ENGLISH, ASKED, [Product.GKG], base, tmp_path)
        assert len(found.files) == 1
    assert mirror.asked() == ["/gdeltv2/masterfilelist.txt"]
    mirror.gdelt.add("20230501001500")
    found = master_list(Stream.ENGLISH, ASKED, [Product.GKG], base, tmp_path, again=True)
    assert len(found.files) == 2


def test_a_list_that_is_a_web_page_is_refused_and_not_kept(mirror: Mirror, tmp_path: Path) -> None:
    base, _, _ = served(mirror)
    mirror.fault("*masterfilelist.txt", "page instead", times=1)
    with pytest.raises(DataError, match="not a GDELT file list"):
        master_list(Stream.ENGLISH, ASKED, [Product.GKG], base, tmp_path)
    assert len(master_list(Stream.ENGLISH, ASKED, [Product.GKG], base, tmp_path).files) == 1


def test_a_base_without_lists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    with pytest.raises(UsageError, match="master lists beside its files"):
        master_list(Stream.ENGLISH, ASKED, [Product.GKG], FolderBase(tmp_path / "mirror"), tmp_path)
