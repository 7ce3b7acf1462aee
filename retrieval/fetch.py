"""One web page over HTTP, politely and within limits.

Redirects are followed by hand, so that every hop meets the same checks; robots.txt is kept;
each host has its turns and its pace.  What goes wrong is a `FetchError` with a cause that can
be counted.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

from globesumm.errors import MissingPackage
from retrieval.address import (
    NotPublicError,
    connector,
    is_host,
    is_localhost,
    is_public,
    literal,
)
from retrieval.answers import ACCEPTED, Exchange, Fetched, is_readable, media_type, unpacked
from retrieval.fetching import Cause, FetchError, Fetching
from retrieval.hosts import LONGEST_DELAY, Host
from retrieval.robots import Rules, is_reloaded, refresh_target, rules_of
from retrieval.statuses import status_error
from retrieval.url import has_credentials, is_web, without_credentials

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LARGEST_ROBOTS = 512 * 1024
_LARGEST_HEADER = 64 * 1024
_SECONDS_TO_CATCH_UP = 0.05
_FIRST_WAIT = 2.0
"""Seconds before a busy site is asked again where it does not say how long; then twice that."""


class Fetcher:
    """An open HTTP client; use it as an async context manager.

    Raises `MissingPackage` where aiohttp or protego is not installed.
    """

    def __init__(self, settings: Fetching, max_bytes: int) -> None:
        try:
            import aiohttp
            import protego  # noqa: F401
            from yarl import URL
        except ImportError as error:
            raise MissingPackage(error.name or "aiohttp", "fetching pages", "retrieval") from error
        self._settings, self._max_bytes = settings, max_bytes
        self._aiohttp, self._url = aiohttp, URL
        self._troubles = (OSError, ValueError, aiohttp.ClientError, TimeoutError)
        self._session: Any = None
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._hosts: dict[str, Host] = {}
        self.is_held_up: Callable[[], bool] = lambda: False
        """Whether no further request is to be begun for now, since pages wait to be taken."""

    async def __aenter__(self) -> Self:
        self._session = self._aiohttp.ClientSession(
            connector=connector(self._settings),
            timeout=self._aiohttp.ClientTimeout(total=self._settings.timeout_seconds),
            headers={"User-Agent": self._settings.user_agent, "Accept-Encoding": ACCEPTED},
            cookie_jar=self._aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=_LARGEST_HEADER,
            max_field_size=_LARGEST_HEADER,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def fetch(self, url: str, unless: tuple[str, dict[str, str]] | None = None) -> Fetched:
        """The page at `url`, redirects and prompt meta refreshes followed.

        `unless` is an address on the way and the headers to ask for it with, so that a page
        which has not changed since is not sent again.  Raises `FetchError` with the reason if
        the page cannot be had; its cause is `UNCHANGED` if it is as it was.
        """
        hops: list[Exchange] = []
        seen = [url]
        while True:
            here = seen[-1]
            asked = unless[1] if unless is not None and unless[0] == here else None
            hop = await self._polite(here, asked)
            hops.append(hop)
            page = None if _location(hop) is not None else self._page(hop, hops)
            target = refresh_target(page.content) if page else _location(hop)
            if page is not None and (target is None or is_reloaded(page.content, here, target)):
                return page
            try:
                target = urljoin(here, target or "")
            except ValueError as error:
                reason = f"redirected to what is no address ({error})"
                raise FetchError(url, reason, Cause.REDIRECTS) from error
            if target in seen:
                raise FetchError(url, "redirected in a circle", Cause.REDIRECTS)
            if len(seen) > self._settings.max_redirects:
                reason = f"redirected more than {len(seen) - 1} times"
                raise FetchError(url, reason, Cause.REDIRECTS)
            seen.append(target)

    def _page(self, hop: Exchange, hops: list[Exchange]) -> Fetched:
        kind, charset = media_type(hop.header("content-type"))
        content = unpacked(hop.body, hop.header("content-encoding"), hop.url, self._max_bytes)
        return Fetched(url=hop.url, content=content, kind=kind, charset=charset, hops=tuple(hops))

    async def _polite(self, url: str, headers: dict[str, str] | None = None) -> Exchange:
        """One hop in its host's turn, asked again where the site is busy."""
        address = self._checked(url)
        parts = urlsplit(url)
        host = self._host(parts.hostname or "")
        async with host.turn(url):
            delay = self._settings.delay_seconds
            if self._settings.robots:
                rules = await self._rules_for(host, f"{parts.scheme}://{parts.netloc}")
                if not rules.allow(url, self._settings.user_agent):
                    raise FetchError(url, rules.refusal, rules.cause)
                asked = rules.delay(self._settings.user_agent)
                delay = max(delay, min(asked, LONGEST_DELAY))
            tries = 0
            while True:
                await host.wait(delay)
                try:
                    async with self._slots:
                        while self.is_held_up():  # noqa: ASYNC110  # by what another thread does
                            await asyncio.sleep(_SECONDS_TO_CATCH_UP)
                        hop = await self._ask(url, address, headers)
                    host.worked()
                except FetchError as error:
                    host.failed(error)
                    wait = getattr(error, "wait", None)
                    if wait is None or wait > LONGEST_DELAY or tries >= self._settings.retries:
                        raise
                    tries += 1
                    host.rest(wait or _FIRST_WAIT * 2 ** (tries - 1))
                else:
                    return hop
                finally:
                    host.rest(delay)

    def _host(self, name: str) -> Host:
        name = name.lower().rstrip(".")
        if name not in self._hosts:
            self._hosts[name] = Host(name, self._settings)
        return self._hosts[name]

    def _checked(self, url: str) -> Any:
        """The address as the client reads it.

        Refuses what is no web address, and literal addresses, which no resolver ever sees.
        """
        if not is_web(url):
            shown = without_credentials(url)
            raise FetchError(shown, "not an http or https address", Cause.NOT_WEB)
        if has_credentials(url):
            shown = without_credentials(url)
            raise FetchError(shown, "its user name or password is not sent", Cause.NOT_WEB)
        try:
            # It folds full-width digits and the like into an address.
            read = self._url(url)
            host = read.raw_host or ""
        except ValueError as error:
            raise FetchError(url, _reason(error)[0], Cause.NOT_WEB) from error
        if not is_host(host):
            raise FetchError(url, f"{host[:80]!r} is not a host name", Cause.NOT_WEB)
        address = literal(host)
        inside = is_localhost(host) or (address is not None and not is_public(address))
        if inside and not self._settings.allow_private:
            reason = str(NotPublicError(host, address or host))
            raise FetchError(url, reason, Cause.NOT_PUBLIC)
        return read

    async def _rules_for(self, host: Host, site: str) -> Rules:
        if site in host.rules:
            return host.rules[site]
        async with host.reading_rules:
            if site not in host.rules:
                async with self._slots:
                    host.rules[site] = await self._read_rules(f"{site}/robots.txt")
        return host.rules[site]

    async def _read_rules(self, url: str) -> Rules:
        for _ in range(5):
            try:
                async with self._session.get(self._checked(url), allow_redirects=False) as response:
                    if response.status in _REDIRECTS and "Location" in response.headers:
                        url = urljoin(url, response.headers["Location"])
                        continue
                    body = await response.content.read(_LARGEST_ROBOTS)
                    packed = response.headers.get("Content-Encoding")
                    with suppress(FetchError):
                        body = unpacked(body, packed, url, _LARGEST_ROBOTS)
                    return rules_of(response.status, response.content_type, body)
            except FetchError as error:
                return Rules(None, str(error), error.cause)
            except self._troubles as error:
                reason, cause = _reason(error)
                why = Cause.NOT_PUBLIC if cause is Cause.NOT_PUBLIC else Cause.ROBOTS_UNKNOWN
                return Rules(None, f"robots.txt could not be read ({reason})", why)
        return rules_of(404, "", b"")

    async def _ask(self, url: str, address: Any, headers: dict[str, str] | None = None) -> Exchange:
        at = datetime.now(UTC)
        asked = self._session.get(address, allow_redirects=False, headers=headers)
        try:
            async with asked as response:
                status, reason = response.status, response.reason or ""
                moved = status in _REDIRECTS and "Location" in response.headers
                if status != 200 and not moved:
                    raise status_error(url, status, response.headers.get("Retry-After"))
                kind, _ = media_type(response.headers.get("Content-Type"))
                if not moved and not is_readable(kind):
                    why = f"content type {kind[:60]!r} is not a page"
                    raise FetchError(url, why, Cause.NOT_A_PAGE)
                body = b"" if moved else await self._body(response, url)
                return Exchange(
                    url=url,
                    at=at,
                    status=status,
                    reason=reason,
                    headers=tuple(
                        (name.decode("utf-8", "replace"), value.decode("utf-8", "replace"))
                        for name, value in response.raw_headers
                    ),
                    body=body,
                )
        except self._troubles as error:
            raise FetchError(url, *_reason(error)) from error

    async def _body(self, response: Any, url: str) -> bytes:
        """The body, read no further than the limit; a stated length is held to by the client."""
        if response.content_length is not None and response.content_length <= self._max_bytes:
            whole: bytes = await response.read()
            return whole
        chunks: list[bytes] = []
        size = 0
        while chunk := await response.content.readany():
            size += len(chunk)
            if size > self._max_bytes:
                raise FetchError(url, f"larger than {self._max_bytes} bytes", Cause.TOO_LARGE)
            chunks.append(chunk)
        return b"".join(chunks)


def _location(hop: Exchange) -> str | None:
    return hop.header("location") if hop.status in _REDIRECTS else None


def _reason(error: BaseException) -> tuple[str, Cause]:
    if isinstance(error, TimeoutError):
        return "took too long", Cause.TOO_SLOW
    for cause in (error, error.__cause__, getattr(error, "os_error", None)):
        if isinstance(cause, NotPublicError):
            return str(cause), Cause.NOT_PUBLIC
    said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    connects = isinstance(error, OSError) or "Connector" in type(error).__name__
    return said, Cause.UNREACHABLE if connects else Cause.BROKEN
