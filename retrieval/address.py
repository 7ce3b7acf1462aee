"""Which addresses may be asked at all.

A list of URLs is other people's data, and a page may redirect anywhere: without this a news
list could make us read ``http://169.254.169.254/`` or a router's pages.  The check sits where
names become addresses, so the address checked is the address connected to.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

_NAT64 = 0x64FF9B << 96


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
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


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


def guarded_socket(info: Any) -> socket.socket:
    """A socket for the address in `info` (as from getaddrinfo), if that is a public one.

    This is the last word: it sees the very address that will be connected to.
    """
    family, kind, protocol, _, address = info
    if not is_public(address[0]):
        raise NotPublicError(address[0], address[0])
    return socket.socket(family, kind, protocol)


def guarded_resolver() -> Any:
    """An aiohttp resolver that refuses a name if any of its addresses is not public."""
    from aiohttp.abc import AbstractResolver
    from aiohttp.resolver import ThreadedResolver

    class GuardedResolver(AbstractResolver):
        def __init__(self) -> None:
            self._inner = ThreadedResolver()

        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
            found = await self._inner.resolve(host, port, family)
            for row in found:
                if not is_public(row["host"]):
                    raise NotPublicError(host, row["host"])
            return list(found)

        async def close(self) -> None:
            await self._inner.close()

    return GuardedResolver()


class NotPublicError(OSError):
    """A name leads to an address that is not on the public internet."""

    def __init__(self, host: str, address: str) -> None:
        shown = host if host == address else f"{host} ({address})"
        super().__init__(f"{shown} is not a public address")
