"""GDELT's own host or a mirror of it, asked with patience.

Answers that say "later" (429, 5xx), silence and broken connections are asked again, after the
time that the host states, else after times that double.
"""

import errno
import hashlib
import http.client
import socket
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from globesumm import __version__
from globesumm.progress import say
from retrieval.gdelt.base import Due
from retrieval.gdelt.failures import NotAsListed, NotServed, Unreachable
from retrieval.retry_after import retry_after

USER_AGENT = f"globesumm/{__version__} (multilingual news summarization research)"
LARGEST_FILE = 512 << 20
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_GONE = frozenset({404, 410})
_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
_CHUNK = 64 * 1024
_SLOWEST = 1000
_WORTH_SAYING = 2.0
_DOWN_AFTER = 3
_failed_in_a_row: Counter[str] = Counter()
"""By address, in this process: files in a row that could not be had with all patience."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often to ask, and how long to wait between: doubled each time, unless told otherwise.

    An answer that asks for a longer wait than `longest_wait_seconds` is a failure for now.
    `timeout_seconds` is for each silence, and for a body that comes at less than 1,000 bytes a
    second.
    """

    tries: int = 6
    first_wait_seconds: float = 5.0
    longest_wait_seconds: float = 300.0
    timeout_seconds: float = 60.0


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects on the base's own host alone: the user trusted that one."""

    def redirect_request(  # noqa: PLR0917  # as urllib calls it
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            raise Unreachable(f"{req.full_url}: sent on to another host ({newurl[:200]})")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _LaterError(Exception):
    """Worth asking again: why, and the wait in seconds that was asked for, if any."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class WebBase:
    """Files under an http(s) address, fetched with patience."""

    url: str
    patience: Patience
    sleep: Callable[[float], None] = field(default=time.sleep, compare=False)

    @property
    def where(self) -> str:
        return self.url

    def bring(self, due: Due, target: Path) -> Path:
        url, wait = self.url + due.name, self.patience.first_wait_seconds
        # A host that is down is not waited for again and again, once for each of its files.
        down = _failed_in_a_row[self.url] >= _DOWN_AFTER
        tries = 1 if down else self.patience.tries
        differed = False
        for left in range(tries - 1, -1, -1):
            try:
                self._once(url, due, target)
                _failed_in_a_row[self.url] = 0
            except _LaterError as later:
                asked = later.seconds
                if asked is not None and asked > self.patience.longest_wait_seconds:
                    raise Unreachable(f"{url}: {later}, and asks to wait {asked:.0f} s") from later
                if not left:
                    _failed_in_a_row[self.url] += 1
                    raise Unreachable(f"{url}: {later} (tries: {tries})") from later
                seconds = wait if asked is None else asked
                if seconds >= _WORTH_SAYING:
                    say(f"{url}: {later}; asked again in {seconds:.0f} s")
                self.sleep(seconds)
                wait = min(2 * wait, self.patience.longest_wait_seconds)
            except NotAsListed:
                # Once may be the line's fault; twice it is what the host has.
                if not left or differed:
                    raise
                differed = True
            else:
                return target
        raise AssertionError("unreachable")

    def _once(self, url: str, due: Due, target: Path) -> None:
        opener = urllib.request.build_opener(_SameHost)
        request = urllib.request.Request(  # noqa: S310  # base_at lets http and https through alone
            url, headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
        )
        try:
            with opener.open(request, timeout=self.patience.timeout_seconds) as answer:
                size, md5 = self._save(answer, due, target)
        except urllib.error.HTTPError as error:
            with error:
                if error.code in _GONE:
                    _failed_in_a_row[self.url] = 0
                _explain(url, error)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
                raise
            if _no_such_host(error):
                raise Unreachable(f"{url}: there is no such host") from error
            raise _LaterError(_reason(error)) from error
        else:
            due.check(size, md5)

    def _save(self, answer: Any, due: Due, target: Path) -> tuple[int, str]:
        """Write the body to `target`; its size and md5.  A body cut short is asked for again."""
        stated = answer.headers.get("Content-Length", "")
        whole = int(stated) if stated.isdecimal() else None
        most = LARGEST_FILE if due.size is None else due.size
        size, digest, began = 0, hashlib.md5(usedforsecurity=False), time.monotonic()
        with target.open("wb") as file:
            while chunk := answer.read1(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise NotAsListed(f"{due.name}: more came than the {most} bytes that are due")
                digest.update(chunk)
                file.write(chunk)
                seconds = time.monotonic() - began
                if seconds > self.patience.timeout_seconds and size < _SLOWEST * seconds:
                    raise _LaterError(f"slower than {_SLOWEST} bytes a second")
        if whole is not None and size < whole:
            raise _LaterError(f"cut short after {size} of {whole} bytes")
        return size, digest.hexdigest()


def _explain(url: str, error: urllib.error.HTTPError) -> None:
    """Raise what the status of a refusal means."""
    if error.code in _GONE:
        raise NotServed(f"{url}: status {error.code}") from error
    if error.code in _LATER:
        raise _LaterError(f"status {error.code}", retry_after(error.headers.get("Retry-After")))
    raise Unreachable(f"{url}: status {error.code}") from error


def _no_such_host(error: BaseException) -> bool:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME


def _reason(error: BaseException) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "took too long"
    return " ".join(f"{type(cause).__name__}: {cause}".split())[:200]
