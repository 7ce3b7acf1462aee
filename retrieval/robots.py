"""What a site asks of programs: robots.txt, and pages that only point elsewhere."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import urljoin

from retrieval.fetching import Cause


@dataclass(frozen=True, slots=True)
class Rules:
    """A site's robots.txt, or what stands for it; `refusal` is why a page is not asked for."""

    parsed: Any = None
    refusal: str = "disallowed by robots.txt"
    cause: Cause = Cause.DISALLOWED

    def allow(self, url: str, user_agent: str) -> bool:
        """Whether `user_agent` may ask for `url`."""
        if self.parsed is None:
            return self.refusal == ""
        return bool(self.parsed.can_fetch(url, product(user_agent)))

    def delay(self, user_agent: str) -> float:
        """Seconds that the site wants between two requests; 0 where it says nothing."""
        asked = self.parsed.crawl_delay(product(user_agent)) if self.parsed is not None else None
        return float(asked or 0.0)


def product(user_agent: str) -> str:
    """The name by which robots.txt speaks to a program (RFC 9309, 2.2.1): ``globesumm/1 (…)`` →
    ``globesumm``; what else a User-Agent says is not meant by a group for "news", say.
    """
    name = _PRODUCT.match(user_agent)
    return name[0] if name else user_agent


def rules_of(status: int, kind: str, body: bytes) -> Rules:
    """The rules in an answer to ``/robots.txt`` (RFC 9309).

    Status 4xx means that there are none; 5xx that nobody knows, so nothing is asked for; a web
    page in its place counts as absent.
    """
    from protego import Protego

    if status >= 500:
        reason = f"robots.txt could not be read (status {status})"
        return Rules(None, reason, Cause.ROBOTS_UNKNOWN)
    if status >= 300 or "html" in kind or body.lstrip()[:1] == b"<":
        return Rules(None, "")
    return Rules(Protego.parse(body.decode("utf-8-sig", errors="replace")))


_PRODUCT = re.compile(r"[A-Za-z_-]+")
_REFRESH = re.compile(
    rb"<meta[^>]{0,100}http-equiv\s*=\s*[\"']?refresh[\"']?[^>]{0,100}content\s*=\s*"
    rb"[\"']?\s*(\d{1,4})\s*[;,]\s*url\s*=\s*[\"']?([^\"'>\s]{1,2000})",
    re.IGNORECASE,
)
_SMALL = 4096
_TAG = re.compile(rb"<(script|style|title)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_FEWEST_BYTES = 200


def refresh_target(content: bytes) -> str | None:
    """Where a page that is nothing but a prompt meta refresh points, else None.

    A page of any size is an article that reloads itself, and so is one that waits.
    """
    if len(content) > _SMALL:
        return None
    match = _REFRESH.search(content)
    if match is None or int(match[1]) > 5:
        return None
    return unescape(match[2].decode("utf-8", errors="replace"))


def is_reloaded(content: bytes, url: str, target: str) -> bool:
    """Whether a page refreshes to itself and says something, as short notices do."""
    try:
        if urljoin(url, target) != url:
            return False
    except ValueError:
        return False
    return len(b" ".join(_TAG.sub(b" ", content).split())) >= _FEWEST_BYTES
