"""MediaWiki's API, asked as Wikimedia wants to be asked.

One request at a time, gzip, a User-Agent that says whom to write to, ``maxlag`` so that a
struggling database is left alone, and answers that say "later" waited for as long as they ask
(https://www.mediawiki.org/wiki/API:Etiquette).
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from globesumm import __version__
from globesumm.errors import DataError, MissingPackage, UsageError
from retrieval.retry_after import retry_after

WIKIPEDIA = "https://en.wikipedia.org/w/api.php"

LARGEST_ANSWER = 64 * 1024 * 1024
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_LATER_CODES = re.compile(
    r"maxlag|ratelimited|readonly|internal_api_error.*|.*too-busy|.*timeout.*"
)
_MOST_PARTS = 10_000
_SLOWEST = 1000
_DOWN_AFTER = 3
_CONTACT = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+|https?://[^\s/]+\.\S+|User:\S+")


class ApiError(DataError):
    """The API did not give what was asked for; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How to ask.

    `maxlag` is the lag of the database, in seconds, from which on one would rather wait.
    `tries` are made for each request; between them is waited, `first_wait_seconds` at first and
    twice as long each time, or as long as the server asks; where it asks for more than
    `longest_wait_seconds` the request has failed for now.  `timeout_seconds` is for each silence.
    """

    maxlag: int = 5
    tries: int = 8
    first_wait_seconds: float = 2.0
    longest_wait_seconds: float = 300.0
    timeout_seconds: float = 60.0


def user_agent(contact: str | None) -> str:
    """The User-Agent with its contact; raises UsageError where that is missing or is none."""
    if not contact:
        raise UsageError(
            "Wikimedia refuses clients that do not say whom to write to: state a mail or web "
            "address with --contact, or in GLOBESUMM_CONTACT"
        )
    if not (contact.isascii() and contact.isprintable() and _CONTACT.search(contact)):
        raise UsageError(
            f"--contact {contact!r} is no way to reach anyone: state a mail or web address"
        )
    return f"globesumm/{__version__} ({contact}) multilingual news summarization research"


def api_at(address: str) -> str:
    """The API's address: as it is, or below the address of a wiki; UsageError if it is none."""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise UsageError(f"--api {address}: not the address of a wiki, like {WIKIPEDIA}")
    if parts.query or parts.fragment:
        raise UsageError(f"--api {address}: leave out what follows '?' or '#'")
    bare = address.rstrip("/")
    return bare if bare.endswith(".php") else f"{bare}/w/api.php"


@dataclass(slots=True, kw_only=True)
class Client:
    """An API with the manners to use; `requests` counts what was sent, `received` the bytes."""

    api: str
    agent: str
    manners: Manners = field(default_factory=Manners)
    sleep: Callable[[float], None] = time.sleep
    requests: int = 0
    received: int = 0
    _pool: Any = None
    _failed_in_a_row: int = 0

    def query(self, parameters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Each part of the answer to ``action=query``, continued until it is whole.

        Raises `ApiError` where a part cannot be had, `UsageError` where none ever will be.
        """
        fixed = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "maxlag": str(self.manners.maxlag),
            **parameters,
        }
        going_on: dict[str, str] = {}
        seen: set[str] = set()
        for _ in range(_MOST_PARTS):
            answer = self._patiently({**fixed, **going_on})
            yield answer
            following = answer.get("continue")
            if following is None:
                return
            if not isinstance(following, dict) or not following:
                raise ApiError(f"{self.api}: says how to go on in a way nobody knows")
            going_on = {str(key): str(value) for key, value in following.items()}
            mark = json.dumps(going_on, sort_keys=True)
            if mark in seen:
                raise ApiError(f"{self.api}: goes on in a circle ({mark[:100]})")
            seen.add(mark)
        raise ApiError(f"{self.api}: an answer of more than {_MOST_PARTS} parts")

    def _patiently(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        wait = self.manners.first_wait_seconds
        # An API that is down is not waited for again and again, once for each batch.
        tries = 1 if self._failed_in_a_row >= _DOWN_AFTER else self.manners.tries
        for left in range(tries - 1, -1, -1):
            try:
                answer = self._once(parameters)
            except _LaterError as later:
                asked = later.seconds
                if asked is not None and asked > self.manners.longest_wait_seconds:
                    self._failed_in_a_row += 1
                    raise ApiError(
                        f"{self.api}: {later}, and asks to wait {asked:.0f} s"
                    ) from later
                if not left:
                    self._failed_in_a_row += 1
                    raise ApiError(f"{self.api}: {later} (tries: {tries})") from later
                self.sleep(wait if asked is None else asked)
                wait = min(2 * wait, self.manners.longest_wait_seconds)
            else:
                self._failed_in_a_row = 0
                return answer
        raise AssertionError("unreachable")

    def _once(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        import urllib3

        address = f"{self.api}?{urlencode(parameters)}"
        self.requests += 1
        try:
            answer = self._open(address)
            try:
                body = self._body(answer)
            except BaseException:
                # What was not read to its end must not be read by the next request.
                answer.close()
                raise
            answer.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _LaterError(_reason(error)) from error
        if answer.status != 200:
            self._refused(answer, body)
        try:
            parsed = json.loads(body)
        except (ValueError, RecursionError):
            kind = answer.headers.get("Content-Type", "nothing stated")
            raise _LaterError(f"answers with something else than JSON ({kind[:60]})") from None
        if not isinstance(parsed, dict):
            raise _LaterError("answers with JSON that is no answer")
        if "error" in parsed:
            self._error(parsed["error"], answer.headers.get("Retry-After"))
        return parsed

    def _open(self, address: str) -> Any:
        try:
            import urllib3
        except ImportError as error:
            raise MissingPackage("urllib3", "asking Wikipedia", "retrieval") from error
        if self._pool is None:
            self._pool = urllib3.PoolManager(
                num_pools=1,
                headers={"User-Agent": self.agent, "Accept-Encoding": "gzip"},
                timeout=urllib3.Timeout(total=self.manners.timeout_seconds),
                retries=False,
            )
        return self._pool.request("GET", address, preload_content=False, redirect=False)

    def _body(self, answer: Any) -> bytes:
        parts: list[bytes] = []
        size, began = 0, time.monotonic()
        while part := answer.read1(64 * 1024, decode_content=True):
            parts.append(part)
            size += len(part)
            seconds = time.monotonic() - began
            if size > LARGEST_ANSWER:
                raise _LaterError(f"an answer of more than {LARGEST_ANSWER} bytes")
            if seconds > self.manners.timeout_seconds and size < _SLOWEST * seconds:
                raise _LaterError(f"slower than {_SLOWEST} bytes a second")
        self.received += size
        return b"".join(parts)

    def _refused(self, answer: Any, body: bytes) -> None:
        status = answer.status
        if status in _LATER:
            raise _LaterError(f"status {status}", retry_after(answer.headers.get("Retry-After")))
        said = " ".join(body[:300].decode(errors="replace").split())[:200]
        if status == 403:
            raise UsageError(f"{self.api} refuses this client (403: {said}): see --contact")
        if 300 <= status < 400:
            there = answer.headers.get("Location", "nowhere")[:200]
            raise UsageError(f"{self.api} has moved to {there}: state the new address with --api")
        if status in {404, 405, 410}:
            raise UsageError(
                f"{self.api}: there is no MediaWiki API there (status {status}): "
                "correct the address"
            )
        raise ApiError(f"{self.api}: status {status} ({said})")

    def _error(self, error: object, wanted: str | None) -> None:
        code = error.get("code", "?") if isinstance(error, dict) else "?"
        info = error.get("info", "") if isinstance(error, dict) else str(error)
        told = f"{code}: {' '.join(str(info).split())[:200]}"
        if _LATER_CODES.fullmatch(str(code)):
            raise _LaterError(told, retry_after(wanted))
        raise ApiError(f"{self.api}: {told}")


class _LaterError(Exception):
    """Worth asking again: why, and the wait in seconds that was asked for, if any."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


def _reason(error: BaseException) -> str:
    cause = getattr(error, "reason", None) or error
    return " ".join(f"{type(error).__name__}: {cause}".split())[:200]
