"""Pages over real HTTP from a server on this machine, and addresses that are never asked."""

import asyncio
import http.server
import socket
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("protego", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError
from globesumm.values import Document, Rejected
from retrieval.address import NotPublicError, guarded_socket, is_public
from retrieval.answers import Fetched
from retrieval.draft import Fetching, Settings
from retrieval.fetch import Fetcher
from retrieval.fetch_many import fetch_all
from retrieval.read import read
from retrieval.robots import refresh_target, rules_of

TEXT = (
    "The bridge over the river closed on Monday after engineers found cracks in two pillars. "
    "The mayor said that repairs would take six weeks and cost about four million euros."
)
PAGE = f"<html lang='en'><head><title>Bridge</title></head><body><p>{TEXT}</p></body></html>"
FEED = """<rss version="2.0"><channel><title>The Daily</title><language>en</language>
<item><title>Bridge</title><link>{base}/good</link><description>Short.</description>
<pubDate>Mon, 15 May 2023 13:18:00 +0200</pubDate></item>
<item><title>Gone</title><link>{base}/gone</link><description>Only this.</description></item>
</channel></rss>"""


class Site(http.server.BaseHTTPRequestHandler):
    """A small site with everything that goes wrong on large ones."""

    asked: list[tuple[str, float]]
    agents: set[str]
    robots: tuple[int, str]

    def do_GET(self) -> None:
        type(self).asked.append((self.path, time.monotonic()))
        type(self).agents.add(self.headers.get("User-Agent", ""))
        base = f"http://{self.headers['Host']}"
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            self.answer(self.robots[0], "text/plain", self.robots[1])
        elif path == "/to":
            self.redirect(unquote(self.path.partition("?")[2]))
        elif path == "/loop":
            self.redirect("/loop2")
        elif path == "/loop2":
            self.redirect("/loop")
        elif path.startswith("/hop"):
            self.redirect(f"/hop{int(path[4:]) + 1}")
        elif path == "/pdf":
            self.answer(200, "application/pdf", "%PDF")
        elif path == "/big":
            self.answer(200, "text/html", PAGE + "x" * 300_000)
        elif path == "/latin":
            self.answer(
                200, "text/html; charset=iso-8859-1", PAGE.replace("Monday", "Möndag"), "latin-1"
            )
        elif path == "/refresh":
            self.answer(200, "text/html", '<meta http-equiv="refresh" content="0; url=/good">')
        elif path == "/slow":
            self.slow()
        elif path == "/feed":
            self.answer(200, "application/rss+xml", FEED.format(base=base))
        elif path in {"/good", "/other", "/private/page"}:
            self.answer(200, "text/html; charset=utf-8", PAGE)
        else:
            self.answer(404, "text/html", PAGE)

    def answer(self, status: int, kind: str, body: str, charset: str = "utf-8") -> None:
        content = body.encode(charset)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def redirect(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def slow(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        for _ in range(50):
            try:
                self.wfile.write(b"<p>x")
                self.wfile.flush()
            except OSError:
                return
            time.sleep(0.1)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[tuple[str, type[Site]]]:
    handler = type("ThisSite", (Site,), {"asked": [], "agents": set(), "robots": (404, "")})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler
    server.shutdown()
    server.server_close()


def fetching(**changed: object) -> Fetching:
    plain: dict[str, object] = {
        "allow_private": True,
        "delay_seconds": 0.0,
        "timeout_seconds": 10.0,
    }
    return Fetching(**{**plain, **changed})  # type: ignore[arg-type]


def fetched(url: str, max_bytes: int = 100_000, **changed: object) -> Fetched | DataError:
    ((_, answer),) = fetch_all([url], fetching(**changed), max_bytes)
    return answer


def test_a_list_of_addresses_becomes_documents_in_its_order(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    base, handler = site
    lines = ["# news", f"{base}/other", "", f"{base}/gone", "nonsense", f"{base}/good"]
    lines.append(f"{base}/good?utm_source=feed")
    (tmp_path / "list.urls").write_text("\n".join(lines))
    found = list(read(tmp_path / "list.urls", settings=Settings(fetching=fetching())))
    documents = [document for document in found if isinstance(document, Document)]
    assert [document.url for document in documents] == [f"{base}/other", f"{base}/good"]
    assert all(document.text == TEXT and document.language == "en" for document in documents)
    assert all(document.id.startswith("127.0.0.1-") for document in documents)
    reasons = [reject.reason for reject in found if isinstance(reject, Rejected)]
    assert len(reasons) == 3
    assert any("404" in reason for reason in reasons)
    assert any("same page" in reason for reason in reasons)
    assert all("globesumm/" in agent for agent in handler.agents)


def test_a_text_file_of_addresses_is_known_as_a_list(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    (tmp_path / "list.txt").write_text(f"# pages\n{site[0]}/good\n")
    (document,) = read(tmp_path / "list.txt", settings=Settings(fetching=fetching()))
    assert isinstance(document, Document)


def test_one_address_is_a_source_too(site: tuple[str, type[Site]]) -> None:
    (document,) = read(f"{site[0]}/good", settings=Settings(fetching=fetching()))
    assert isinstance(document, Document)
    assert document.text == TEXT


def test_a_feed_is_followed_only_when_asked(site: tuple[str, type[Site]]) -> None:
    plain = list(read(f"{site[0]}/feed", settings=Settings(fetching=fetching())))
    assert [found.text for found in plain if isinstance(found, Document)] == [
        "Short.",
        "Only this.",
    ]
    followed = list(read(f"{site[0]}/feed", settings=Settings(fetching=fetching(), follow=True)))
    first, second = (found for found in followed if isinstance(found, Document))
    assert first.text == TEXT
    assert first.published is not None
    assert first.published.isoformat() == "2023-05-15T11:18:00+00:00"
    assert second.text == "Only this."
    assert any("404" in note for note in second.notes)
    assert any(note.startswith("partial") for note in second.notes)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/gone", "status 404"),
        ("/pdf", "application/pdf"),
        ("/big", "larger than 100000 bytes"),
        ("/loop", "circle"),
        ("/hop1", "more than 8 times"),
        ("/to?ftp://127.0.0.1/x", "not an http"),
        ("/to?file:///etc/passwd", "not an http"),
    ],
)
def test_what_is_no_page_says_why(site: tuple[str, type[Site]], path: str, reason: str) -> None:
    answer = fetched(site[0] + path)
    assert isinstance(answer, DataError)
    assert reason in str(answer)


def test_a_body_that_never_ends_is_given_up(site: tuple[str, type[Site]]) -> None:
    start = time.monotonic()
    answer = fetched(f"{site[0]}/slow", timeout_seconds=0.5)
    assert isinstance(answer, DataError)
    assert "too long" in str(answer)
    assert time.monotonic() - start < 4


def test_redirects_and_prompt_refreshes_are_followed(site: tuple[str, type[Site]]) -> None:
    base = site[0]
    for start in (f"{base}/to?/good", f"{base}/refresh", f"{base}/to?{base}/refresh"):
        answer = fetched(start)
        assert isinstance(answer, Fetched)
        assert answer.url == f"{base}/good"


def test_the_servers_charset_is_used(site: tuple[str, type[Site]]) -> None:
    (document,) = read(f"{site[0]}/latin", settings=Settings(fetching=fetching()))
    assert isinstance(document, Document)
    assert "Möndag" in document.text


def test_robots_rules_are_kept(site: tuple[str, type[Site]]) -> None:
    base, handler = site
    handler.robots = (200, "User-agent: *\nDisallow: /private/\n")
    answer = fetched(f"{base}/private/page")
    assert isinstance(answer, DataError)
    assert "robots.txt" in str(answer)
    assert isinstance(fetched(f"{base}/good"), Fetched)
    assert isinstance(fetched(f"{base}/private/page", robots=False), Fetched)
    assert isinstance(fetched(f"{base}/to?/private/page"), DataError)


def test_a_site_whose_robots_cannot_be_read_is_left_alone(site: tuple[str, type[Site]]) -> None:
    base, handler = site
    handler.robots = (503, "")
    answer = fetched(f"{base}/good")
    assert isinstance(answer, DataError)
    assert "503" in str(answer)
    assert [path for path, _ in handler.asked] == ["/robots.txt"]


@pytest.mark.parametrize(
    ("status", "kind", "body", "allowed"),
    [
        (404, "text/plain", b"", True),
        (200, "text/html", b"User-agent: *\nDisallow: /", True),
        (200, "text/plain", b"<html>not found</html>", True),
        (200, "text/plain", b"User-agent: *\nDisallow: /", False),
        (200, "text/plain", b"\xff\xfe\x00", True),
        (500, "text/plain", b"", False),
    ],
)
def test_an_answer_to_robots_means_what_the_standard_says(
    status: int, kind: str, body: bytes, *, allowed: bool
) -> None:
    assert rules_of(status, kind, body).allow("http://a.example/x", "globesumm/1") is allowed


@pytest.mark.parametrize(
    ("body", "allowed", "delay"),
    [
        ("User-agent: globesumm\nAllow: /\n\nUser-agent: *\nDisallow: /", True, 0),
        ("User-agent: *\nAllow: /\n\nUser-agent: GlobeSumm\nDisallow: /\nCrawl-delay: 7", False, 7),
        ("User-agent: news\nDisallow: /\n\nUser-agent: research\nDisallow: /", True, 0),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y", False, 0),
    ],
)
def test_a_group_for_us_comes_before_that_for_all_and_one_for_others_is_not_ours(
    body: str, delay: float, *, allowed: bool
) -> None:
    agent = "globesumm/1.0 (multilingual news summarization research)"
    rules = rules_of(200, "text/plain", body.encode())
    assert rules.allow("http://a.example/y", agent) is allowed
    assert rules.delay(agent) == delay


def test_one_host_is_asked_at_the_pace_it_wants(site: tuple[str, type[Site]]) -> None:
    base, handler = site
    handler.robots = (200, "User-agent: *\nCrawl-delay: 0.3\n")
    list(fetch_all([f"{base}/good", f"{base}/other", f"{base}/good?a=1"], fetching(), 100_000))
    times = [at for path, at in handler.asked if path != "/robots.txt"]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) == 2
    assert min(gaps) >= 0.28


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1", "0.0.0.0"),
        *("10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "[fe80::1]"),
        *("[::ffff:127.0.0.1]", "[fc00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"),
        *("127.0.0.1.", "017700000001", "１２７.0.0.1", "999.1.1.1"),
    ],
)
def test_addresses_off_the_public_internet_are_never_asked(
    site: tuple[str, type[Site]], host: str
) -> None:
    base, handler = site
    port = base.rsplit(":", 1)[1]
    answer = fetched(f"http://{host}:{port}/good", allow_private=False)
    assert isinstance(answer, DataError)
    assert "public address" in str(answer)
    assert handler.asked == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("::ffff:8.8.8.8", True),
        ("::ffff:10.0.0.1", False),
        ("::", False),
        ("255.255.255.255", False),
        ("192.0.2.1", False),
        ("fe80::1%eth0", False),
        ("not an address", False),
    ],
)
def test_public_addresses_are_told_from_all_others(address: str, *, public: bool) -> None:
    assert is_public(address) is public


def test_a_socket_is_never_opened_to_a_private_address() -> None:
    """Names that resolve to something else at the second look end here."""
    for address in ("127.0.0.1", "10.0.0.1"):
        with pytest.raises(NotPublicError):
            guarded_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)))
    guarded_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 80))).close()


def test_a_redirect_into_the_private_network_is_refused(site: tuple[str, type[Site]]) -> None:
    base, _ = site

    async def hop(target: str) -> str:
        fetcher = Fetcher(fetching(), 100_000)
        async with fetcher:
            first = await fetcher._polite(f"{base}/to?{target}")
        assert first.header("location") == target
        guarded = Fetcher(fetching(allow_private=False), 100_000)
        async with guarded:
            with pytest.raises(DataError) as caught:
                await guarded.fetch(target)
        return str(caught.value)

    for target in (f"{base}/good", "http://[::1]/x", "http://169.254.169.254/latest/meta-data"):
        assert "public address" in asyncio.run(hop(target))


@pytest.mark.parametrize(
    ("content", "target"),
    [
        (
            b'<META HTTP-EQUIV="refresh" CONTENT="0;URL=\'http://a.example/b?x=1&amp;y=2\'">',
            "http://a.example/b?x=1&y=2",
        ),
        (b'<meta http-equiv="refresh" content="600">', None),
        (b'<meta http-equiv="refresh" content="600; url=/a">', None),
        (b'<meta http-equiv="refresh" content="0; url=/a">' + b" " * 5000, None),
    ],
)
def test_only_a_small_page_with_a_prompt_refresh_points_elsewhere(
    content: bytes, target: str | None
) -> None:
    assert refresh_target(content) == target


def test_fetching_works_where_an_event_loop_is_running(site: tuple[str, type[Site]]) -> None:
    async def inside() -> Fetched | DataError:
        return fetched(f"{site[0]}/good")

    assert isinstance(asyncio.run(inside()), Fetched)


def test_many_addresses_come_back_in_order_and_leave_no_thread(
    site: tuple[str, type[Site]],
) -> None:
    before = threading.active_count()
    urls = [f"{site[0]}/good?n={number}" for number in range(60)]
    assert [url for url, _ in fetch_all(urls, fetching(concurrency=4), 100_000)] == urls
    some = fetch_all(urls, fetching(concurrency=4), 100_000)
    next(some)
    some.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name == "fetch"]
    assert threading.active_count() <= before + 60
