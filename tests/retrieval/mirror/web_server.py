"""A local mirror of the sources: a real HTTP server on 127.0.0.1 for tests.

::

    from tests.retrieval.mirror.web_server import Mirror     # or the fixture `mirror`

    with Mirror() as mirror:                  # port of its own; a thread of this process
        mirror.address                        # "http://127.0.0.1:43211"

        # GDELT (see gdelt_host.py): lists and zips under mirror.gdelt.base = ADDRESS/gdeltv2/
        mirror.gdelt.fill("20230501000000", slots=4)                 # both streams, 3 products
        mirror.gdelt.fill("20230501000000", slots=96, products=["gkg"], skip={"20230502101500"})
        mirror.gdelt.files["20230501000000.gkg.csv.zip"].rows        # what is in it

        # Wikipedia (see wiki.py): mirror.wiki.api = ADDRESS/w/api.php
        mirror.wiki.load(data / "portal" / "wikitext")
        mirror.wiki.add("Portal:Current events/2023 May 15", "wikitext", revision=7)
        mirror.wiki.languages["Russia"] = {"de": "Russland", "ru": "Россия"}
        mirror.wiki.lag(answers=2)

        # Newspapers (see newspapers.py): pages with what should become of each
        for page in newspapers(mirror): page.url, page.verdict, page.title

        # Anything else
        mirror.put("/a.html", b"<html>...")           # or a Reply, or a function of the request
        mirror.site("paper.example").put("/robots.txt", b"...", kind="text/plain")  # by Host

        # Accidents (names in replies.FAULTS), by shell pattern of the path; first match counts
        mirror.fault("*.gkg.csv.zip", "429 with Retry-After", times=1)
        mirror.fault("/gdeltv2/20230501001500.*", "404")             # for good

        # What was asked
        mirror.asked("/gdeltv2/")             # paths (with query) in order; a second run: []
        mirror.requests[0].user_agent, .status, .at (seconds), .host, .headers
        mirror.most_at_once("/w/api.php")     # how many were in flight together
        mirror.forget()                       # empties the record

A path that nothing was put at is answered 404.  ETag is the md5 of the body (as GDELT's host
has it), If-None-Match gives 304, ``Range: bytes=N-`` gives 206, HEAD sends no body.  Requests are
those of any process on this machine: worker processes and clusters see the same server.
"""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.retrieval.mirror.gdelt_host import GdeltHost
from tests.retrieval.mirror.replies import FAULTS, NOT_FOUND, Reply
from tests.retrieval.mirror.wiki import Wiki


@dataclass(slots=True, kw_only=True)
class Seen:
    """One request as it came and what became of it; `status` is 0 for one that got no answer.

    `peer` is the address it came from.
    """

    method: str
    host: str
    path: str
    query: str
    headers: dict[str, str]
    at: float
    peer: str = ""
    until: float = 0.0
    status: int = 0

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def user_agent(self) -> str:
        return self.headers.get("User-Agent", "")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a function that makes an answer is told: parameters of address and form together."""

    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


Content = Reply | Callable[[Asking], Reply]


@dataclass
class Site:
    """What lies under one host name."""

    contents: dict[str, Content] = field(default_factory=dict)

    def put(self, path: str, content: bytes | Content, kind: str = "text/html") -> None:
        self.contents[path] = (
            Reply(body=content, kind=kind) if isinstance(content, bytes) else content
        )


@dataclass
class _Accident:
    pattern: str
    name: str
    left: int | None


class Mirror:
    """The server; made of sites, accidents and a record of requests (see the module)."""

    def __init__(self, data: Path | None = None, listen: str = "127.0.0.1") -> None:
        """`data` is the folder of public samples whose real rows fill GDELT's files.

        `listen` is the address it answers at, where other hosts must reach it.
        """
        self._listen_at = listen
        self.requests: list[Seen] = []
        self.address = ""
        self._default = Site()
        self._sites: dict[str, Site] = {}
        self._accidents: list[_Accident] = []
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mirror", daemon=True)
        self.gdelt = GdeltHost(self._default, data)
        self.wiki = Wiki()
        self._default.put("/w/api.php", self.wiki.answer)

    def put(self, path: str, content: bytes | Content, kind: str = "text/html") -> None:
        """Serve `content` at `path`, whatever host name is asked."""
        self._default.put(path, content, kind)

    def site(self, host: str) -> Site:
        """The contents of a host of its own; what it lacks is 404 there."""
        return self._sites.setdefault(host.lower(), Site())

    def fault(self, pattern: str, name: str, times: int | None = None) -> None:
        """Let the accident `name` befall the next `times` answers (all, if None) of `pattern`."""
        if name not in FAULTS:
            raise KeyError(f"{name!r}: known are {', '.join(FAULTS)}")
        self._accidents.append(_Accident(pattern, name, times))

    def mend(self) -> None:
        """No more accidents."""
        self._accidents.clear()

    def asked(self, prefix: str = "/", method: str | None = None) -> list[str]:
        """Paths with query of the requests so far, in the order they came."""
        return [
            seen.target
            for seen in list(self.requests)
            if seen.path.startswith(prefix) and method in {None, seen.method}
        ]

    def most_at_once(self, prefix: str = "/") -> int:
        """How many requests under `prefix` were in flight at the same time at most."""
        chosen = [seen for seen in list(self.requests) if seen.path.startswith(prefix)]
        return max(
            (sum(it.at <= seen.at < (it.until or seen.at + 1) for it in chosen) for seen in chosen),
            default=0,
        )

    def forget(self) -> None:
        self.requests.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(30):
            raise RuntimeError("the mirror did not start")
        self.gdelt.base = f"{self.address}/gdeltv2/"
        self.wiki.api = f"{self.address}/w/api.php"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self._listen())
        self._started.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _listen(self) -> web.ServerRunner:
        # Tests of hostile addresses want paths as they were sent, so no router reads them.
        runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, self._listen_at, 0).start()
        host, port = runner.addresses[0][:2]
        self.address = f"http://{host}:{port}"
        return runner

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        seen = Seen(
            method=request.method,
            host=request.host.rpartition(":")[0] or request.host,
            path=request.path,
            query=request.rel_url.raw_query_string,
            headers=dict(request.headers),
            at=time.monotonic(),
            peer=request.remote or "",
        )
        self.requests.append(seen)
        try:
            reply = self._reply(seen, dict(request.query) | dict((await request.post()).items()))
            await asyncio.sleep(reply.delay)
            seen.status = 0 if reply.sending == "reset" else reply.status
            return await _send(request, reply)
        finally:
            seen.until = time.monotonic()

    def _reply(self, seen: Seen, parameters: dict[str, object]) -> Reply:
        site = self._sites.get(seen.host.lower(), self._default)
        content = site.contents.get(seen.path, NOT_FOUND)
        if not isinstance(content, Reply):
            texts = {name: str(value) for name, value in parameters.items()}
            content = content(Asking(seen.path, texts, seen.headers))
        for accident in self._accidents:
            if accident.left != 0 and fnmatchcase(seen.target, accident.pattern):
                if accident.left is not None:
                    accident.left -= 1
                return FAULTS[accident.name](content)
        return content


async def _send(request: web.BaseRequest, reply: Reply) -> web.StreamResponse:
    headers = {"Content-Type": reply.kind, **reply.headers}
    status, body = reply.status, reply.body
    if status == 200:
        headers.setdefault("ETag", f'"{hashlib.md5(body).hexdigest()}"')
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers={"ETag": headers["ETag"]})
        start = request.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        if start.isdecimal() and int(start) < len(body):
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            status, body = 206, body[int(start) :]
    elif status == 404 and "Range" in request.headers:
        status = 416
    if request.method == "HEAD":
        return web.Response(status=status, headers={**headers, "Content-Length": str(len(body))})
    if reply.sending == "whole":
        return web.Response(status=status, body=body, headers=headers)
    return await _send_badly(request, reply, web.StreamResponse(status=status, headers=headers))


async def _send_badly(
    request: web.BaseRequest, reply: Reply, response: web.StreamResponse
) -> web.StreamResponse:
    transport = request.transport
    if reply.sending == "reset":
        if transport is not None:
            transport.abort()
        return response
    if reply.sending != "endless":
        response.content_length = len(reply.body)
    await response.prepare(request)
    if reply.sending == "cut":
        await response.write(reply.body[: len(reply.body) // 2])
        if transport is not None:
            transport.close()
        return response
    pieces = [reply.body[at : at + 1] for at in range(len(reply.body))]
    try:
        while reply.sending == "endless":
            await response.write(b"<p>" + b"and so on " * 1000)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0.1)
    except ConnectionError:
        # The client had enough, which is what such answers are for.
        pass
    return response
