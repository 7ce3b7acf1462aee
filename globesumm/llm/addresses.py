"""Where a model server is, and the key it wants."""

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from globesumm.errors import UsageError
from globesumm.llm.errors import NoKey

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL.  `official`: OpenAI's own; `local`: on this machine, so no proxy is used."""

    url: str
    official: bool
    local: bool

    @classmethod
    def read(cls, base_url: str | None) -> "Address":
        """`base_url` checked and completed: an address without a path gets ``/v1``.

        Raises `UsageError` for other schemes, for user names and passwords (they would be
        recorded with the results), and for queries.
        """
        written = (base_url or OPENAI).strip()
        if not written.isprintable() or " " in written:
            raise UsageError(
                f"base URL {written!r} holds a blank or control character: leave it out"
            )
        try:
            parts = urlsplit(written if "://" in written else f"http://{written}")
            host, _ = parts.hostname or "", parts.port
        except ValueError as error:
            raise UsageError(f"base URL {written!r} is not an address ({error})") from error
        if "@" in parts.netloc:
            raise UsageError(
                f"the base URL for {host} holds a user name or password, which would be recorded "
                "with the results: put a key into an environment variable and name that"
            )
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
            raise UsageError(
                f"base URL {written!r} must look like http://127.0.0.1:8000/v1 or https://HOST/v1"
            )
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        url = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
        return cls(url, official=host == "api.openai.com", local=_is_loopback(host))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def key_from_environment(variable: str) -> str:
    """The key in `variable`; raises `NoKey` naming the variable, and never shows the value."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise NoKey(variable)
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise NoKey(variable, "holds characters that no key has (a space or a non-ASCII letter)")
    return key
