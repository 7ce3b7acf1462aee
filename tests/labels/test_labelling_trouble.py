"""What goes wrong around a project: full and read-only disks, damage, ends at a bad moment."""

import json
import os
import shutil
import socket
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, tzinfo
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from annotation.labels.kinds import read_answer
from annotation.labels.people import make_links
from annotation.labels.project import DATABASE, SETTINGS, Project, Settings
from annotation.labels.server import answering
from annotation.labels.server.guard import HEADERS
from annotation.labels.store import WAIT_SECONDS, Store, code_of, in_words
from annotation.labels.values import Annotator
from globesumm.cli.main import run
from globesumm.errors import DataError, UsageError
from tests.labels.sample_items import answer, items, small
from tests.labels.served import Links, ask, note_fact, project_of, serving, serving_apart, ticket_in

SUPPORTED = {"supported": True}
SETTLED = Settings(annotators=(Annotator(name="ada"),))


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Links]:
    project = project_of(tmp_path_factory.mktemp("p") / "p", items(models=3), "ada", overlap=1)
    with serving(project) as server:
        yield server


def asked(
    links: Links, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer; `path` is below the link."""
    link = urlsplit(links.links["ada"])
    connection = HTTPConnection(str(link.netloc), timeout=30)
    told = headers or {}
    connection.putrequest(method, link.path + path, skip_host="host" in told)
    for name, value in told.items():
        connection.putheader(name, value)
    connection.putheader("content-length", str(len(body)))
    connection.endheaders(body)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, {name.lower(): value for name, value in reply.getheaders()}, text


FAR = "9" * 30


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path",
    [
        *(f"item/{FAR}", f"item/{'9' * 5000}", f"dispute/{FAR}", f"after/{FAR}", "item/-1"),
        *(f"item/{FAR}/later", f"item/{FAR}/verdicts", "nothing", "item/1/x", "%00"),
    ],
)
def test_an_address_that_is_no_page_is_said_to_be_none(
    links: Links, method: str, path: str
) -> None:
    status, headers, text = asked(links, method, path)
    assert status == 404
    assert headers["content-type"].startswith("text/html" if method == "GET" else "application/")
    assert ("Not here" if method == "GET" else "nothing can be sent") in text


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "é", "//", "http://evil"])
def test_an_origin_that_is_not_ours_is_refused_however_it_is_written(
    links: Links, origin: str
) -> None:
    assert asked(links, "POST", "undo", {"origin": origin})[0] == 403


@pytest.mark.parametrize(
    "host", ["[", "evil@127.0.0.1", "127.0.0.1/..", "127.0.0.1:x", "127.0.0.1?", "evil#127.0.0.1"]
)
def test_a_host_that_is_no_host_is_refused(links: Links, host: str) -> None:
    assert asked(links, "GET", "", {"host": host})[0] == 403


@pytest.mark.parametrize("seconds", ["9" * 4000, "1e999", "NaN", "-1", "true", '"x"', "null"])
def test_whatever_a_page_says_of_its_time_the_answer_is_kept(links: Links, seconds: str) -> None:
    page = ask(f"{links.links['ada']}item/1").text
    told = json.dumps({"ticket": ticket_in(page), "answer": answer("relevance"), "seconds": 0})
    body = told.replace('"seconds": 0', f'"seconds": {seconds}').encode()
    assert asked(links, "POST", "item/1", {"content-type": "application/json"}, body)[0] == 200


def test_a_strategy_holds_what_files_take_and_no_more_than_a_person_writes() -> None:
    item = items()[1]
    mark = {"kind": "conflict", "first": [1], "second": [2], "cause": "update"}
    odd = read_answer(item, {"issues": [{**mark, "strategy": " the \ud83d later\0 one "}]})
    assert odd["issues"][0]["strategy"] == "the ? later one"
    blank = read_answer(item, {"issues": [{**mark, "strategy": "\0 "}]})
    assert blank["issues"][0]["strategy"] is None
    with pytest.raises(DataError, match="issue 1, strategy: longer than 5000"):
        read_answer(item, {"issues": [{**mark, "strategy": "x" * 5001}]})


class SetBack(datetime):
    """A clock that somebody has set back by three days."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "SetBack":
        return cls.fromtimestamp(time.time() - 3 * 86400, tz)


def test_a_clock_that_was_set_back_costs_no_label_and_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(tmp_path / "p", [small(n) for n in range(3)], "ada", overlap=1)
    with serving(project) as server:
        tickets = [ticket_in(ask(f"{server.links['ada']}item/{n}").text) for n in (1, 2, 3)]
        monkeypatch.setattr(answering, "datetime", SetBack)
        for number, seconds in enumerate((5.5, 1e9, None), start=1):
            said = {"ticket": tickets[number - 1], "answer": SUPPORTED, "seconds": seconds}
            assert ask(f"{server.links['ada']}item/{number}", said).status == 200
    found = list(project.store.labels())
    assert [one.seconds for one in found] == [5.5, 3600.0, 0.0]
    assert all(one.started <= one.submitted for one in found)


def full(store: Store) -> sqlite3.Connection:
    """A connection for which the disk is full: no page can be added."""
    connection = sqlite3.connect(store.path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    [pages] = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    return connection


def test_a_full_disk_is_told_nothing_is_half_kept_and_then_all_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    with serving(project) as server:
        link = f"{server.links['ada']}item/1"
        ticket = ticket_in(ask(link).text)
        long = {"ticket": ticket, "answer": SUPPORTED, "note": "x" * 5000}
        with monkeypatch.context() as patch:
            patch.setattr(Store, "connection", property(full))
            for _ in range(3):
                reply = ask(link, long)
                assert reply.status == 503
                assert "the disk is full" in reply.json["error"]
        assert not list(project.store.labels(counting=False))
        assert ask(link, long).status == 200
    assert len(list(project.store.labels())) == 1


def _decide_on_nothing(store: Store) -> None:
    with store.writing() as connection:
        # Deferred, so that it is the commit which fails.
        connection.execute("PRAGMA defer_foreign_keys=ON")
        connection.execute("INSERT INTO decisions VALUES (7, 'v', 'open', NULL)")


def test_a_write_that_fails_at_its_end_leaves_the_connection_usable(tmp_path: Path) -> None:
    store = Store.create(tmp_path / DATABASE)
    store.connection.execute("PRAGMA foreign_keys=ON")
    with pytest.raises(sqlite3.IntegrityError):
        _decide_on_nothing(store)
    note_fact(store, "after", "all")
    assert store.fact("after") == "all"
    assert not store.connection.execute("SELECT count(*) FROM decisions").fetchone()[0]


def test_a_plain_form_that_cannot_be_taken_is_answered_by_a_page(
    links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Store) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(Store, "connection", property(broken))
    for form, start in (
        ("application/x-www-form-urlencoded", "<!doctype"),
        ("Application/JSON", "{"),
    ):
        status, _, text = asked(links, "POST", "consent", {"content-type": form}, b"{}")
        assert status == 503
        assert text.startswith(start)


def test_a_database_that_fails_while_it_is_read_is_a_page_and_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Store) -> sqlite3.Connection:
        raise sqlite3.DatabaseError("database disk image is malformed")

    with serving(project_of(tmp_path / "p", [small(0)], "ada", overlap=1)) as server:
        monkeypatch.setattr(Store, "connection", property(broken))
        reply = ask(f"{server.links['ada']}item/1")
    assert reply.status == 503
    assert "malformed" in reply.text
    assert "<h1>" in reply.text


def test_a_fault_of_the_server_comes_with_the_same_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Store) -> sqlite3.Connection:
        raise ZeroDivisionError

    with serving(project_of(tmp_path / "p", [small(0)], "ada", overlap=1)) as server:
        monkeypatch.setattr(Store, "connection", property(broken))
        reply = ask(f"{server.links['ada']}item/1")
    assert reply.status == 500
    assert HEADERS.items() <= {name.lower(): value for name, value in reply.headers.items()}.items()


DAMAGED = ["status", "links", "agreement", "results --out {out}", "export --out {out}.csv"]


@pytest.mark.parametrize("action", DAMAGED)
def test_a_damaged_project_is_told_in_a_line_with_what_to_do(
    tmp_path: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project = project_of(tmp_path / "p", [small(n) for n in range(200)], "ada", overlap=1)
    project.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    project.store.close()
    with (project.folder / DATABASE).open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xa5" * 80 * 4096)
    verb, *rest = action.format(out=tmp_path / "out").split()
    assert run(["label", verb, str(project.folder), *rest]) == 2
    assert "is damaged: take your last copy" in capsys.readouterr().err


def nobody(folder: Path) -> int | None:
    """Be somebody who may read `folder` and write nothing there; the user to become again."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    if (user := os.geteuid()) == 0:
        os.seteuid(65534)
    return user


def test_an_archive_that_cannot_be_written_to_can_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    project = project_of(folder / "p", [small(0)], "ada", overlap=1)
    links = make_links(project)
    project.store.close()
    for beside in project.folder.glob("*-wal"):
        beside.unlink()
    user = nobody(project.folder)
    try:
        again = Project.open(project.folder)
        assert again.store.count() == 1
        assert make_links(again) == links
        assert run(["label", "status", str(project.folder)]) == 0
        with pytest.raises(sqlite3.OperationalError) as caught:
            note_fact(again.store, "a", "b")
        assert "cannot be written to" in str(in_words(caught.value, again.store.path))
        assert "0/1" in capsys.readouterr().out
    finally:
        if user == 0:
            os.seteuid(0)
        project.folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_project_whose_making_was_ended_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", ended)
        with pytest.raises(KeyboardInterrupt):
            Project.create(tmp_path / "p", SETTLED)
    assert [path.name for path in (tmp_path / "p").iterdir()] == [SETTINGS]
    with pytest.raises(DataError, match="no labelling database there"):
        Project.open(tmp_path / "p")
    Project.create(tmp_path / "p", SETTLED)
    assert Project.open(tmp_path / "p").settings == SETTLED


def test_a_project_takes_the_place_of_nothing_that_is_there(tmp_path: Path) -> None:
    (tmp_path / SETTINGS).write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="says something else"):
        Project.create(tmp_path, SETTLED)
    assert (tmp_path / SETTINGS).read_text(encoding="utf-8") == "x = 1\n"
    made = Project.create(tmp_path / "p", SETTLED)
    with pytest.raises(UsageError, match="there already"):
        Project.create(tmp_path / "p", Settings(title="another"))
    assert Project.open(made.folder).settings == SETTLED


def test_a_file_system_without_links_holds_projects_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    store = Store.create(tmp_path / DATABASE)
    assert store.fact("schema") == "1"
    assert [path.name for path in tmp_path.glob(".*")] == []
    assert store.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT])
def test_an_error_says_what_to_do_also_by_its_extended_code(code: int) -> None:
    error = sqlite3.OperationalError("told by SQLite")
    assert code_of(error) == -1
    assert str(in_words(error, Path("p"))) == "p: told by SQLite"
    error.sqlite_errorcode = code | (3 << 8)
    assert code_of(error) == code
    assert "told by SQLite" in str(in_words(error, Path("p")))
    assert len(str(in_words(error, Path("p")))) > len("p: told by SQLite") + 20


def test_clients_that_never_finish_neither_keep_others_waiting_nor_the_server_from_stopping(
    tmp_path: Path,
) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    with serving_apart(project) as server:
        link = urlsplit(server.links["ada"])
        held = [socket.create_connection((link.hostname, link.port)) for _ in range(120)]
        head = f"POST {link.path}item/1 HTTP/1.1\r\nHost: {link.netloc}\r\ncontent-length: 9999\r\n"
        for number, one in enumerate(held):
            one.sendall((head if number % 2 else f"{head}\r\n").encode())
        began = time.monotonic()
        assert ask(server.links["ada"]).status == 200
        assert time.monotonic() - began < WAIT_SECONDS / 2
        server.process.terminate()
        assert server.process.wait(20) is not None
        for one in held:
            one.close()
        assert server.process.stderr
        assert "Traceback" not in server.process.stderr.read()
