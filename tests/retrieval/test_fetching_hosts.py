"""Hosts that are busy, failing or lying, on the local mirror; and bodies made to hurt."""

import asyncio
import gzip
import socket
import threading
import time
import zlib
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("protego", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError, UsageError
from retrieval import address, fetch_many
from retrieval.address import Routes
from retrieval.answers import Fetched, unpacked
from retrieval.fetch_many import fetch_all, fetch_each, mixed
from retrieval.fetching import CAUSES, PASSING, Cause, FetchError, Fetching
from retrieval.hosts import Host
from tests.retrieval.mirror.replies import Reply, status
from tests.retrieval.mirror.web_server import Mirror

PAGE = b"<html><body><p>The bridge closed on Monday.</p></body></html>"


@pytest.fixture
def paper(mirror: Mirror) -> Mirror:
    mirror.put("/a", PAGE)
    return mirror


def through(mirror: Mirror, **changed: Any) -> Fetching:
    """Every name below ``example`` is the mirror; nothing else private may be asked."""
    place = mirror.address.removeprefix("http://")
    plain = {"connect_to": {"*.example": place}, "delay_seconds": 0.0, "timeout_seconds": 5.0}
    return Fetching(**{**plain, **changed})


def causes(urls: list[str], settings: Fetching, max_bytes: int = 100_000) -> list[Cause | None]:
    return [
        answer.cause if isinstance(answer, FetchError) else None
        for _, answer in fetch_all(urls, settings, max_bytes)
    ]


def test_a_busy_site_is_asked_again_when_it_says(paper: Mirror) -> None:
    paper.fault("/a", "429 with Retry-After", times=1)
    start = time.monotonic()
    assert causes(["http://a.example/a"], through(paper)) == [None]
    assert time.monotonic() - start >= 1.0
    assert paper.asked("/a") == ["/a", "/a"]


def test_a_site_that_stays_busy_is_given_up_after_the_retries(paper: Mirror) -> None:
    paper.fault("/a", "429 with Retry-After")
    assert causes(["http://a.example/a"], through(paper, retries=1)) == [Cause.BUSY]
    assert len(paper.asked("/a")) == 2


def test_a_site_that_wants_more_than_a_minute_is_not_waited_for(paper: Mirror) -> None:
    paper.put("/a", PAGE)
    paper.site("a.example").put("/a", status(503, "", Retry_After="7200"))
    start = time.monotonic()
    assert causes(["http://a.example/a"], through(paper)) == [Cause.SERVER]
    assert time.monotonic() - start < 1.0


def test_a_host_that_keeps_failing_is_left_alone(paper: Mirror) -> None:
    paper.fault("/bad*", "500")
    urls = [f"http://a.example/bad{number}" for number in range(8)]
    found = causes(urls, through(paper, breaker_failures=3))
    assert found == [Cause.SERVER] * 3 + [Cause.GIVEN_UP] * 5
    assert len(paper.asked("/bad")) == 3
    assert causes(["http://b.example/a"], through(paper)) == [None]


def test_a_host_given_up_is_tried_by_one_request_after_its_pause() -> None:
    host = Host("a.example", Fetching(per_host=2, breaker_failures=2, breaker_seconds=0.2))
    failure = FetchError("http://a.example/", "status 500", Cause.SERVER)

    async def admitted() -> bool:
        try:
            async with host.turn("http://a.example/"):
                return True
        except FetchError as error:
            return error.cause is not Cause.GIVEN_UP

    async def story() -> None:
        host.failed(failure)
        assert await admitted()
        host.failed(failure)
        assert not await admitted()
        await asyncio.sleep(0.25)
        async with host.turn("http://a.example/"):
            assert not await admitted()
            host.failed(failure)
        await asyncio.sleep(0.25)
        assert not await admitted()
        await asyncio.sleep(0.2)
        async with host.turn("http://a.example/"):
            host.worked()
        host.failed(failure)
        assert await admitted()

    asyncio.run(story())


def test_missing_pages_do_not_speak_against_their_host(paper: Mirror) -> None:
    urls = [*(f"http://a.example/none{number}" for number in range(9)), "http://a.example/a"]
    assert causes(urls, through(paper)) == [Cause.GONE] * 9 + [None]


def test_a_slow_host_does_not_hold_up_the_others(paper: Mirror) -> None:
    paper.put("/robots.txt", b"User-agent: *\nCrawl-delay: 0.5\n", "text/plain")
    paper.site("quick.example").put("/a", PAGE)
    urls = [*(f"http://slow.example/a?{n}" for n in range(4)),
            *(f"http://quick.example/a?{n}" for n in range(20))]  # fmt: skip
    answers = fetch_each([(url, None) for url in urls], through(paper, concurrency=2), 10_000)
    order = [url for url, _ in answers]
    assert sorted(order) == sorted(urls)
    assert all("quick" in url for url in order[2:20])


def test_pages_come_mixed_by_host_and_none_is_lost() -> None:
    urls = [f"http://{host}.example/{n}" for host in "ab" for n in range(3)] + ["http://c.example/"]
    found = list(mixed(urls, str))
    assert sorted(found) == sorted(urls)
    assert [url[7] for url in found] == list("abcabab")


def test_a_name_that_leads_inside_at_the_second_look_is_refused_there(
    paper: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mirror's own address plays the public one, another of this machine the private one."""
    host, port = paper.address.removeprefix("http://").split(":")
    answers = iter([host, "127.0.0.2", "127.0.0.2"])
    real = socket.getaddrinfo

    def look_up(name: Any, *rest: Any, **named: Any) -> Any:
        return real(next(answers) if name == "rebind.test" else name, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(address, "is_public", lambda ip: ip == host)
    settings = Fetching(delay_seconds=0.0, robots=False, timeout_seconds=5.0)
    url = f"http://rebind.test:{port}/a"
    assert causes([url], settings) == [None]
    assert causes([url], settings) == [Cause.NOT_PUBLIC]
    assert len(paper.asked("/a")) == 1


def test_a_name_with_one_address_inside_is_refused_whole(
    paper: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(paper.address.rsplit(":", 1)[1])
    rows = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("8.8.8.8", "10.0.0.7")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    assert causes([f"http://two.test:{port}/a"], Fetching(robots=False)) == [Cause.NOT_PUBLIC]


def test_only_the_place_named_for_a_mirror_may_be_private(paper: Mirror) -> None:
    paper.put("/out", Reply(status=302, headers={"Location": f"{paper.address}/a"}))
    paper.put("/in", Reply(status=302, headers={"Location": "http://other.example/a"}))
    urls = ["http://a.example/out", "http://a.example/in", f"{paper.address}/a"]
    assert causes(urls, through(paper)) == [Cause.NOT_PUBLIC, None, Cause.NOT_PUBLIC]


def test_the_most_exact_route_counts() -> None:
    routes = Routes({"*": "127.0.0.1:1", "*.b.example": "127.0.0.1:2", "a.b.example": "[::1]:3"})
    found = [routes.of(host) for host in ("x.example", "c.b.example", "A.b.example.", "b.example")]
    assert found == [("127.0.0.1", 1), ("127.0.0.1", 2), ("::1", 3), ("127.0.0.1", 1)]
    assert Routes({"a.example": "127.0.0.1:2"}).of("b.example") is None
    for wrong in ("localhost:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", ":80", ""):
        with pytest.raises(UsageError, match="address:port"):
            Routes({"a": wrong})


BOMB = gzip.compress(b"\0" * 5_000_000, mtime=0)


@pytest.mark.parametrize(
    ("body", "encoding", "cause"),
    [
        (BOMB, "gzip", Cause.TOO_LARGE),
        (gzip.compress(BOMB, mtime=0), "gzip, gzip", Cause.TOO_LARGE),
        (gzip.compress(PAGE, mtime=0)[:-12], "gzip", Cause.BROKEN),
        (PAGE, "gzip", Cause.BROKEN),
        (PAGE, "br", Cause.BROKEN),
        (PAGE, "nonsense", Cause.BROKEN),
        (b"\0" * 100_001, None, Cause.TOO_LARGE),
    ],
)
def test_a_body_that_cannot_be_unpacked_within_the_limit_is_named(
    body: bytes, encoding: str | None, cause: Cause
) -> None:
    with pytest.raises(FetchError) as caught:
        unpacked(body, encoding, "http://a.example/", 100_000)
    assert caught.value.cause is cause


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (PAGE, None),
        (PAGE, "identity"),
        (gzip.compress(PAGE, mtime=0), "GZIP"),
        (gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0), "x-gzip"),
        (gzip.compress(PAGE, mtime=0) + b"\0" * 8, "gzip"),
        (zlib.compress(PAGE), "deflate"),
        (zlib.compress(PAGE)[2:-4], "deflate"),
        (gzip.compress(zlib.compress(PAGE), mtime=0), "deflate, gzip"),
    ],
)
def test_a_body_is_unpacked_as_it_was_packed(body: bytes, encoding: str | None) -> None:
    assert unpacked(body, encoding, "http://a.example/", 100_000) == PAGE


def test_a_bomb_over_http_is_named_and_the_next_page_comes(paper: Mirror) -> None:
    paper.put("/bomb", Reply(body=BOMB, headers={"Content-Encoding": "gzip"}))
    paper.put("/packed", Reply(body=gzip.compress(PAGE), headers={"Content-Encoding": "gzip"}))
    urls = ["http://a.example/bomb", "http://a.example/packed"]
    (_, bomb), (_, page) = fetch_all(urls, through(paper), 100_000)
    assert isinstance(bomb, FetchError)
    assert bomb.cause is Cause.TOO_LARGE
    assert isinstance(page, Fetched)
    assert page.content == PAGE


def test_a_page_is_asked_for_only_if_it_has_changed(paper: Mirror) -> None:
    ((_, first),) = fetch_all(["http://a.example/a"], through(paper), 10_000)
    assert isinstance(first, Fetched)
    etag = first.hops[-1].header("etag")
    assert etag
    unless = ("http://a.example/a", {"If-None-Match": etag})
    ((_, second),) = fetch_each([("http://a.example/a", unless)], through(paper), 10_000)
    assert isinstance(second, FetchError)
    assert second.cause is Cause.UNCHANGED


def test_every_cause_says_what_it_means() -> None:
    assert set(CAUSES) == set(Cause)
    assert set(Cause) > PASSING
    error = FetchError("http://a.example/", "status 404", Cause.GONE)
    assert isinstance(error, DataError)
    assert (str(error), error.kind) == ("http://a.example/: status 404", "gone")


def test_pages_that_nobody_takes_hold_up_the_next_ones(
    paper: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_many, "_UNREAD", 2)
    urls = [(f"http://h{number}.example/a", None) for number in range(60)]
    answers = fetch_each(urls, through(paper, concurrency=2, robots=False), 10_000)
    next(answers)
    time.sleep(0.6)
    asked = len(paper.asked("/a"))
    assert asked < 60
    assert sum(1 for _ in answers) == 59
    assert len(paper.asked("/a")) == 60


def test_who_takes_only_some_pages_leaves_no_thread_behind(paper: Mirror) -> None:
    paper.fault("/a", "slow")
    urls = [(f"http://h{number}.example/a", None) for number in range(30)]
    answers = fetch_each(urls, through(paper, concurrency=5, robots=False), 10_000)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name == "fetch"]
