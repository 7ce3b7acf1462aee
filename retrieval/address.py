"""Which addresses may be asked at all.

A list of URLs is other people's data, and a page may redirect anywhere: without this a news
list could make us read ``http://169.254.169.254/`` or a router's pages.  The check sits where
names become addresses, so the address checked is the address connected to.
"""

import re
import socket
from collections.abc import Container, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from globesumm.errors import UsageError
from retrieval.fetching import Fetching

_NAT64 = 0x64FF9B << 96
_INSIDE = tuple(
    ip_network(written)
    for written in ("192.0.0.0/24", "168.63.129.16/32", "fec0::/10", "64:ff9b:1::/48")
)
"""What Python's tables, or some releases of them, call global and yet lies inside: protocol
assignments and a cloud's metadata service, another cloud's, site-local and local NAT64 (RFC 6890,
3879, 8215)."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet.

    Loopback, private, link-local, shared, multicast, documentation and reserved ranges are not;
    an IPv4 address wrapped in an IPv6 one counts as itself.  What is no address is not public.
    """
    try:
        ip = ip_address(address.partition("%")[0].strip("[]"))
    except ValueError:
        return False
    inner = _wrapped(ip) if isinstance(ip, IPv6Address) else None
    if inner is not None:
        return is_public(str(inner))
    if any(ip in network for network in _INSIDE):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def is_localhost(host: str) -> bool:
    """Whether `host` is a name that means this machine whatever a resolver says (RFC 6761)."""
    labels = host.lower().rstrip(".").split(".")
    return labels[-1] == "localhost"


def _wrapped(ip: IPv6Address) -> IPv4Address | None:
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if int(ip) >> 32 in {0, _NAT64 >> 32} and int(ip) > 1:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


@lru_cache(maxsize=4096)
def literal(host: str) -> str | None:
    """The IP address that `host` is as it stands, so that no resolver is asked; None for names.

    Short, decimal, octal and hexadecimal IPv4 forms (``127.1``, ``2130706433``) count, since
    sockets take them.
    """
    bare = host.strip("[]").rstrip(".")
    try:
        return str(ip_address(bare.partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(bare))
    except (OSError, UnicodeError, ValueError):
        return bare if bare.replace(".", "").isdigit() else None


_NAME = re.compile(r"(?!.{254})(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_-]{1,63}\.?")


def is_host(host: str) -> bool:
    """Whether `host`, as a client encodes it, is a name or an address that a resolver may see.

    Escapes, nulls, blanks and labels of more than 63 letters are none: what one library reads
    as a strange name another may read as an address (RFC 1123, 2.1).
    """
    return ":" in host or _NAME.fullmatch(host.lower()) is not None


class Routes:
    """Where named hosts are to be connected to instead: ``{"*.example": "127.0.0.1:8080"}``.

    A key is a host name, ``*.domain`` for all names below it, or ``*``; the most exact one
    counts.  Raises `UsageError` for what is no ``address:port``.
    """

    def __init__(self, connect_to: Mapping[str, str]) -> None:
        self._rows: dict[str, tuple[str, int]] = {}
        for host, place in connect_to.items():
            address, _, port = place.rpartition(":")
            address = address.strip("[]")
            try:
                ip_address(address)
                number = int(port)
            except ValueError:
                number = 0
            if not 0 < number < 65536:
                raise UsageError(
                    f"connect {host} to {place!r}: not an address:port: write it as host:port"
                )
            self._rows[host.lower()] = (address, number)
        self.named = frozenset(self._rows.values())

    def of(self, host: str) -> tuple[str, int] | None:
        """The address and port to connect to in the place of `host`, or None."""
        labels = host.lower().rstrip(".").split(".")
        names = [".".join(labels), *(f"*.{'.'.join(labels[i:])}" for i in range(1, len(labels)))]
        return next((self._rows[name] for name in [*names, "*"] if name in self._rows), None)


def guarded_socket(info: Any, named: Container[tuple[str, int]] = ()) -> socket.socket:
    """A socket for the address in `info` (as from getaddrinfo), if that is a public one.

    This is the last word: it sees the very address that will be connected to.  The places
    `named` by the user are let through.
    """
    family, kind, protocol, _, address = info
    if (address[0], address[1]) not in named and not is_public(address[0]):
        raise NotPublicError(address[0], address[0])
    return socket.socket(family, kind, protocol)


def guarded_resolver(routes: Routes, *, allow_private: bool = False) -> Any:
    """An aiohttp resolver that refuses a name if any of its addresses is not public.

    aiohttp connects to the very rows returned here and asks no second time, so a name that
    leads elsewhere at the next look-up gains nothing.
    """
    from aiohttp.abc import AbstractResolver
    from aiohttp.resolver import ThreadedResolver

    class GuardedResolver(AbstractResolver):
        def __init__(self) -> None:
            self._inner = ThreadedResolver()

        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
            if place := routes.of(host):
                return [_row(host, *place)]
            found = await self._inner.resolve(host, port, family)
            for row in found:
                if not allow_private and not is_public(row["host"]):
                    raise NotPublicError(host, row["host"])
            return list(found)

        async def close(self) -> None:
            await self._inner.close()

    return GuardedResolver()


def _row(host: str, address: str, port: int) -> dict[str, Any]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    row = {"hostname": host, "host": address, "port": port, "family": family}
    return {**row, "proto": 0, "flags": socket.AI_NUMERICHOST}


def connector(settings: Fetching) -> Any:
    """An aiohttp connector that goes only where `settings` allow, checked at every connection."""
    from aiohttp import TCPConnector

    routes = Routes(settings.connect_to)

    def factory(info: Any) -> socket.socket:
        return guarded_socket(info, routes.named)

    return TCPConnector(
        resolver=guarded_resolver(routes, allow_private=settings.allow_private),
        socket_factory=None if settings.allow_private else factory,
        limit=settings.concurrency,
    )


class NotPublicError(OSError):
    """A name leads to an address that is not on the public internet."""

    def __init__(self, host: str, address: str) -> None:
        shown = host if host == address else f"{host} ({address})"
        super().__init__(f"{shown} is not a public address")
