"""What every request must be and every answer says, before any page is looked at.

Only requests that name this server as their host are answered (a page elsewhere could otherwise
reach 127.0.0.1 under a name of its own); only those of our own pages may change anything; and
browsers are told to run nothing but our script, to keep nothing and to tell nobody where we are.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # With "no-referrer" browsers would not say of our own forms where they come from.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
}

SAFE = frozenset({"GET", "HEAD"})

HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
"""A host with its port; nothing else belongs into that header."""


class Guard:
    """ASGI middleware; `hosts` are the names, without ports, by which the server is reached."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.strip("[]").lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if reason := self._reason(scope):
            refusal = PlainTextResponse(f"{reason}\n", status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    def _reason(self, scope: Scope) -> str | None:
        """Why the request is refused, None where it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not HOST.fullmatch(host) or _part(f"//{host}", "hostname") not in self.hosts:
            return "This server is not known by that name."
        if scope["method"] in SAFE:
            return None
        origin = headers.get("origin")
        foreign = origin is not None and _part(origin, "netloc") != host.lower()
        if foreign or headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return "Only pages of this server may send answers to it."
        return None


def _part(address: str, part: str) -> str | None:
    """The ``hostname`` or ``netloc`` of an address; None where it is none."""
    try:
        return str(getattr(urlsplit(address), part) or "").lower()
    except ValueError:
        return None
