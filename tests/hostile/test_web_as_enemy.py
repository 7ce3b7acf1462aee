"""Pages, addresses and files made to hurt: none gets through, each is a named rejection.

One table a kind of attack.  A row that is answered by no rule, or under another name than the
one stated, fails; so does a request that reaches a place inside.
"""

import gzip
import io
import socket
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("protego", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError
from globesumm.runs import file_name
from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract_page import Extraction
from retrieval.extract_pool import Worker
from retrieval.fetch_many import fetch_all
from retrieval.fetching import Cause, FetchError, Fetching
from retrieval.gdelt.zips import pieces
from tests.retrieval.mirror.replies import Reply
from tests.retrieval.mirror.web_server import Mirror

PAGE = b"<html><body><p>The bridge closed on Monday.</p></body></html>"
MOST = 200_000


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as running:
        yield running


NOT_PUBLIC = {
    "loopback": "http://127.0.0.1/",
    "loopback, another of its 16 million": "http://127.31.99.7/",
    "loopback by name": "http://localhost/",
    "loopback by name, in capitals with a last dot": "http://LOCALHOST./",
    "a name below localhost": "http://a.b.localhost/",
    "short form": "http://127.1/",
    "decimal": "http://2130706433/",
    "hexadecimal": "http://0x7f000001/",
    "hexadecimal parts": "http://0x7f.0x0.0x0.0x1/",
    "octal": "http://0177.0.0.1/",
    "octal, long": "http://017700000001/",
    "mixed bases": "http://0x7f.1/",
    "zero": "http://0/",
    "this host": "http://0.0.0.0/",
    "last dot": "http://127.0.0.1./",
    "full-width digits": "http://１２７.０.０.１/",
    "circled digits": "http://①②⑦.⓪.⓪.①/",
    "ideographic full stops": "http://127。0。0。1/",
    "half-width full stops": "http://127｡0｡0｡1/",
    "letters that fold to localhost": "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "IPv6 loopback": "http://[::1]/",
    "IPv6 loopback, written out": "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "IPv6 unspecified": "http://[::]/",
    "IPv4 in IPv6": "http://[::ffff:127.0.0.1]/",
    "IPv4 in IPv6, hexadecimal": "http://[::ffff:7f00:1]/",
    "IPv4-compatible IPv6": "http://[::127.0.0.1]/",
    "NAT64": "http://[64:ff9b::7f00:1]/",
    "NAT64 of one's own": "http://[64:ff9b:1::7f00:1]/",
    "6to4": "http://[2002:7f00:1::]/",
    "Teredo": "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "IPv6 link-local": "http://[fe80::1]/",
    "IPv6 link-local with a zone": "http://[fe80::1%25eth0]/",
    "IPv6 site-local": "http://[fec0::1]/",
    "IPv6 unique local": "http://[fd12:3456::1]/",
    "IPv6 multicast": "http://[ff02::1]/",
    "private 10/8": "http://10.0.0.1/",
    "private 172.16/12": "http://172.31.255.254/",
    "private 192.168/16": "http://192.168.1.1/",
    "shared 100.64/10": "http://100.64.0.1/",
    "link-local": "http://169.254.0.9/",
    "metadata service": "http://169.254.169.254/latest/meta-data/iam/",
    "metadata service, decimal": "http://2852039166/latest/",
    "metadata service, IPv6": "http://[fd00:ec2::254]/latest/",
    "metadata service in IPv6": "http://[::ffff:a9fe:a9fe]/",
    "metadata service of another cloud": "http://192.0.0.192/opc/v2/",
    "metadata service of a third": "http://100.100.100.200/latest/",
    "metadata service of a fourth": "http://168.63.129.16/machine?comp=goalstate",
    "benchmarking": "http://198.18.0.1/",
    "documentation": "http://203.0.113.5/",
    "reserved": "http://240.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "multicast": "http://224.0.0.251/",
    "no such IPv4 address": "http://999.1.1.1/",
}

NOT_WEB = {
    "file": "file:///etc/passwd",
    "file with a host": "file://localhost/etc/passwd",
    "ftp": "ftp://a.example/x",
    "gopher": "gopher://127.0.0.1:6379/_FLUSHALL",
    "dict": "dict://127.0.0.1:11211/stat",
    "ldap": "ldap://127.0.0.1/",
    "javascript": "javascript:alert(1)",
    "data": "data:text/html,<p>x</p>",
    "a scheme in a scheme": "jar:http://a.example/x!/y",
    "a view of the source": "view-source:http://a.example/",
    "websocket": "ws://a.example/",
    "no scheme": "//127.0.0.1/x",
    "no slashes": "http:127.0.0.1/x",
    "no host": "http:///etc/passwd",
    "only a port": "http://:80/",
    "a port that is none": "http://a.example:99999/",
    "port zero": "http://a.example:0/",
    "a user": "http://a.example@127.0.0.1/",
    "a user and a password": "http://a.example:80@127.0.0.1/",
    "a user whose at-sign is written twice": "http://a@b@127.0.0.1/",
    "a backslash before the at-sign": "http://a.example\\@127.0.0.1/",
    "a line break and a header": "http://a.example/\r\nHost: 127.0.0.1",
    "a blank": "http://a.example/ HTTP/1.1",
    "a null": "http://a.example\x00.b.example/",
    "a bracket that stays open": "http://[::1/",
    "escaped digits": "http://%31%32%37.0.0.1/",
    "an escaped slash": "http://127.0.0.1%2f.a.example/",
    "a label that is too long": f"http://{'a' * 64}.example/",
    "a name that is no punycode": "http://xn--a-\udc80.example/",
}


def through(mirror: Mirror, **changed: Any) -> Fetching:
    """Every name below ``example`` is the mirror; nothing else that is private may be asked."""
    place = mirror.address.removeprefix("http://")
    plain = {
        "connect_to": {"*.example": place},
        "delay_seconds": 0.0,
        "timeout_seconds": 5.0,
        "retries": 0,
        "breaker_failures": 1000,
    }
    return Fetching(**{**plain, **changed})


def cause_of(url: str, settings: Fetching) -> Cause | None:
    [(_, answer)] = fetch_all([url], settings, MOST)
    return answer.cause if isinstance(answer, FetchError) else None


@pytest.mark.parametrize("url", NOT_PUBLIC.values(), ids=NOT_PUBLIC.keys())
def test_no_spelling_of_an_address_inside_is_asked(url: str) -> None:
    assert cause_of(url, Fetching(robots=False, timeout_seconds=5.0)) is Cause.NOT_PUBLIC


@pytest.mark.parametrize("url", NOT_WEB.values(), ids=NOT_WEB.keys())
def test_no_other_scheme_and_no_trick_of_spelling_is_asked(url: str, mirror: Mirror) -> None:
    assert cause_of(url, through(mirror, robots=False)) is Cause.NOT_WEB
    assert mirror.requests == []


ESCAPES: Mapping[str, tuple[str, Cause]] = {
    "to loopback": ("http://127.0.0.1/", Cause.NOT_PUBLIC),
    "to the metadata service": ("http://169.254.169.254/latest/", Cause.NOT_PUBLIC),
    "to decimal loopback": ("http://2130706433/", Cause.NOT_PUBLIC),
    "to IPv4 in IPv6": ("http://[::ffff:127.0.0.1]/", Cause.NOT_PUBLIC),
    "without a scheme": ("//127.0.0.1/x", Cause.NOT_PUBLIC),
    "to a file": ("file:///etc/passwd", Cause.NOT_WEB),
    "to ftp": ("ftp://a.example/x", Cause.NOT_WEB),
    "to gopher": ("gopher://127.0.0.1:6379/_x", Cause.NOT_WEB),
    "to a script": ("javascript:alert(1)", Cause.NOT_WEB),
    "to data": ("data:text/html,x", Cause.NOT_WEB),
    "with a password": ("http://user:secret@b.example/", Cause.NOT_WEB),
    "to an open bracket": ("http://[::1/", Cause.REDIRECTS),
    "to itself": ("http://a.example/go", Cause.REDIRECTS),
}


@pytest.mark.parametrize(("target", "cause"), ESCAPES.values(), ids=ESCAPES.keys())
@pytest.mark.parametrize("way", ["a redirect", "a refresh", "a redirect of robots.txt"])
def test_no_page_leads_inside(way: str, target: str, cause: Cause, mirror: Mirror) -> None:
    away = Reply(status=302, headers={"Location": target})
    mirror.put("/robots.txt", b"User-agent: *\nAllow: /\n", kind="text/plain")
    if way == "a redirect":
        mirror.put("/go", away)
    elif way == "a refresh":
        mirror.put("/go", f'<meta http-equiv="refresh" content="0; url={target}">'.encode())
    else:
        mirror.put("/robots.txt", away)
        mirror.put("/go", PAGE)
    found = cause_of("http://a.example/go", through(mirror))
    if way != "a redirect of robots.txt":
        assert found is cause
    elif target.endswith("/go"):
        assert found is None  # a page in the place of rules is none
    else:
        # Rules that cannot be read are no leave to ask.
        assert found is not None
        assert mirror.asked("/go") == []
    assert all(seen.host.endswith(".example") for seen in mirror.requests)


def test_a_name_is_checked_by_every_address_it_has(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wildcard names of loopback, and names that change between the check and the connection."""
    asked: list[str] = []

    def look_up(name: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        asked.append(str(name))
        inside = {"127.0.0.1.nip.test": ["127.0.0.1"], "two.test": ["8.8.8.8", "10.0.0.7"]}
        found = inside.get(str(name), ["169.254.169.254"])
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, int(port or 80))) for ip in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    settings = Fetching(robots=False, timeout_seconds=5.0)
    for name in ("127.0.0.1.nip.test", "two.test", "metadata.google.internal", "раypal.test"):
        assert cause_of(f"http://{name}/", settings) is Cause.NOT_PUBLIC
    assert len(asked) == 4  # one look each: none between check and connection


BODIES: Mapping[str, tuple[Callable[[], Reply], Cause]] = {
    "gzip bomb": (
        lambda: packed(gzip.compress(b"\0" * 20_000_000), "gzip"),
        Cause.TOO_LARGE,
    ),
    "gzip bomb in gzip": (
        lambda: packed(gzip.compress(gzip.compress(b"\0" * 20_000_000)), "gzip, gzip"),
        Cause.TOO_LARGE,
    ),
    "deflate bomb": (lambda: packed(zlib.compress(b"\0" * 20_000_000), "deflate"), Cause.TOO_LARGE),
    "bomb in a thousand members": (
        lambda: packed(gzip.compress(b"\0" * 20_000) * 1000, "gzip"),
        Cause.TOO_LARGE,
    ),
    "ten encodings": (lambda: packed(PAGE, ", ".join(["gzip"] * 10)), Cause.BROKEN),
    "an encoding that was not asked for": (lambda: packed(PAGE, "br"), Cause.BROKEN),
    "gzip that ends early": (lambda: packed(gzip.compress(PAGE)[:-9], "gzip"), Cause.BROKEN),
    "endless": (lambda: Reply(body=PAGE, sending="endless"), Cause.TOO_LARGE),
    "a byte now and then": (lambda: Reply(body=PAGE * 3, sending="trickle"), Cause.TOO_SLOW),
    "silence": (lambda: Reply(body=PAGE, delay=30.0), Cause.TOO_SLOW),
    "shorter than it says": (lambda: Reply(body=PAGE, sending="cut"), Cause.BROKEN),
    "larger than a page": (lambda: Reply(body=b"x" * (MOST + 1)), Cause.TOO_LARGE),
    "a header of a megabyte": (
        lambda: Reply(body=PAGE, headers={"X-Long": "x" * 1_000_000}),
        Cause.BROKEN,
    ),
    "a redirect a megabyte long": (
        lambda: Reply(status=302, headers={"Location": "http://a.example/" + "x" * 1_000_000}),
        Cause.BROKEN,
    ),
    "a film": (lambda: Reply(body=PAGE, kind="video/mp4"), Cause.NOT_A_PAGE),
    "a program": (lambda: Reply(body=PAGE, kind="application/octet-stream"), Cause.NOT_A_PAGE),
    "an archive": (lambda: Reply(body=PAGE, kind="application/zip"), Cause.NOT_A_PAGE),
}


def packed(body: bytes, encoding: str) -> Reply:
    return Reply(body=body, headers={"Content-Encoding": encoding})


@pytest.mark.parametrize(("make", "cause"), BODIES.values(), ids=BODIES.keys())
def test_no_answer_fills_the_memory_or_holds_up_the_next(
    make: Callable[[], Reply], cause: Cause, mirror: Mirror
) -> None:
    mirror.put("/bad", make())
    mirror.put("/good", PAGE)
    settings = through(mirror, robots=False, timeout_seconds=1.5)
    found = dict(fetch_all(["http://a.example/bad", "http://b.example/good"], settings, MOST))
    bad, good = found["http://a.example/bad"], found["http://b.example/good"]
    assert isinstance(bad, FetchError)
    assert bad.cause is cause
    assert not isinstance(good, FetchError)
    assert good.content == PAGE


def test_a_chain_of_redirects_without_end_is_left(mirror: Mirror) -> None:
    for number in range(40):
        target = f"http://a.example/{number + 1}"
        mirror.put(f"/{number}", Reply(status=302, headers={"Location": target}))
    assert cause_of("http://a.example/0", through(mirror, robots=False)) is Cause.REDIRECTS
    assert len(mirror.requests) < 20


ENTITIES = b"".join(
    b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 10)
)
MARKUP: Mapping[str, bytes] = {
    "elements that nest 100,000 deep": b"<html><body>" + b"<div>" * 100_000 + b"x",
    "tables that nest 20,000 deep": b"<table><tr><td>" * 20_000 + b"x",
    "entities of entities": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "news">'
    + ENTITIES
    + b"]><html><body><p>&e9;</p></body></html>",
    "an entity that reads a file": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM '
    b'"file:///etc/passwd">]><html><body><p>&e;</p></body></html>',
    "an include of a file": b'<html xmlns:xi="http://www.w3.org/2001/XInclude"><body>'
    b'<xi:include href="file:///etc/passwd" parse="text"/></body></html>',
    "an attribute of 5 MB": b'<html><body><p title="' + b"x" * 5_000_000 + b'">x</p></body></html>',
    "200,000 attributes": b"<html><body><p "
    + b" ".join(b"a%d=1" % n for n in range(200_000))
    + b">x</p></body></html>",
    "a comment that stays open": b"<html><body><!--" + b"-" * 2_000_000,
    "a script that stays open": b"<html><body><script>" + b"<!--<script>" * 100_000,
    "a million opened angles": b"<" * 1_000_000,
    "a million letters with marks": b"<p>" + ("e" + "\u0301" * 1000).encode() * 500 + b"</p>",
    "a picture called a page": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400,
    "an archive called a page": b"PK\x03\x04" + bytes(range(256)) * 400,
    "a PDF called a page": b"%PDF-1.7\n" + bytes(range(256)) * 400,
    "nothing but nulls": b"\0" * 100_000,
    "UTF-16 with half a character": "<p>news</p>".encode("utf-16") + b"\xd8",
    "a charset that is a program": b"<meta charset=\"__import__('os')\"><p>news</p>",
    "a base that is a file": b'<base href="file:///etc/"><link rel=canonical href="p"><p>x</p>',
    "structured data without end": b'<script type="application/ld+json">'
    + b'{"a":[' * 100_000
    + b"</script><p>x</p>",
    "a number too long to be one": b'<script type="application/ld+json">{"datePublished": '
    + b"9" * 100_000
    + b"}</script><p>x</p>",
}


def test_no_markup_ends_the_process_or_the_time_of_a_page() -> None:
    """Extraction runs in a process with a clock; the same process, or its heir, takes the next."""
    worker = Worker(Extraction(seconds=5.0))
    secret = Path("/etc/passwd").read_text().splitlines()[0]
    try:
        for name, content in MARKUP.items():
            begun = time.monotonic()
            url = "http://a.example/x"
            result = worker.result_of(
                RawPage(content=content, where=name, id="x", url=url, requested=url, charset=None)
            )
            assert time.monotonic() - begun < 60, name
            assert isinstance(result, Document | Rejected), name
            assert secret not in repr(result), name
            if isinstance(result, Rejected):
                assert result.kind, name
                assert result.reason, name
            else:
                assert len(result.text) < 10 * len(content), name
    finally:
        worker.close()


def test_an_archive_cannot_write_outside(tmp_path: Path) -> None:
    """GDELT's zips are read as a stream: names inside them are names, never places."""
    names = ["../../evil.csv", "/etc/evil.csv", "a\\..\\evil.csv", "C:\\evil.csv"]
    for number, name in enumerate(names):
        path = tmp_path / f"{number}.gkg.csv.zip"
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            archive.writestr(name, b"20230501\tx\n")
        path.write_bytes(held.getvalue())
        before = sorted(tmp_path.rglob("*"))
        content = None
        with suppress(DataError):  # a named refusal is as good
            content = b"".join(pieces(path))
        assert content in {None, b"20230501\tx\n"}
        assert sorted(tmp_path.rglob("*")) == before


CLIMBING = [
    *("../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "C:\\x", "~root", "con", "NUL.txt", ""),
    *("a\0b", "a\nb", "x" * 5000, "е" * 300, "\udc80", "..%2f..%2fx", ".hidden", "a.", " a "),
    *("\u202egpj.exe", "-rf", "*", "$(id)", "`id`", "|id"),
]


@pytest.mark.parametrize("identifier", CLIMBING)
def test_no_identifier_names_a_place(identifier: str, tmp_path: Path) -> None:
    name = file_name(identifier)
    assert name not in {"", ".", ".."}
    assert name.isascii()
    assert not set(name) & set("/\\\0\n:*$`|~ ")
    assert not name.startswith(("-", "."))
    assert len(name) <= 110
    (tmp_path / name).write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [name]
