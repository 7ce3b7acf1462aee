"""What the mirror answers, and the accidents that may befall an answer on its way.

`FAULTS` is the table of accidents by name; tests that must stand each of them go through it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Sending = Literal["whole", "cut", "reset", "trickle", "endless"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: `delay` seconds pass before it, and `sending` says how it goes out.

    "cut" states the whole length and closes half way, "reset" breaks the connection unanswered,
    "trickle" sends one byte in 0.1 s, "endless" never stops sending the body.
    """

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    sending: Sending = "whole"


def status(number: int, text: str = "", **headers: str) -> Reply:
    """An answer of the given status; ``Retry_After="1"`` becomes the header ``Retry-After``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=number, body=text.encode(), kind="text/plain", headers=named)


NOT_FOUND = Reply(
    status=404,
    kind="application/xml; charset=UTF-8",
    body=b"<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code>"
    b"<Message>The specified key does not exist.</Message></Error>",
)
"""As the storage behind GDELT's host answers for a file that is not there."""

Fault = Callable[[Reply], Reply]


def _flipped(reply: Reply) -> Reply:
    """One byte in the middle is another: the size stays right."""
    middle = len(reply.body) // 2
    changed = bytes([reply.body[middle] ^ 0xFF]) if reply.body else b""
    return replace(reply, body=reply.body[:middle] + changed + reply.body[middle + 1 :])


FAULTS: Mapping[str, Fault] = {
    "404": lambda _: NOT_FOUND,
    "403": lambda _: status(403, "Forbidden"),
    "429": lambda _: status(429, "Please limit requests to one every 5 seconds"),
    "429 with Retry-After": lambda _: status(429, "Too Many Requests", Retry_After="1"),
    "500": lambda _: status(500, "Internal Server Error"),
    "503 with Retry-After": lambda _: status(503, "Service Unavailable", Retry_After="1"),
    "wrong bytes": _flipped,
    "longer": lambda reply: replace(reply, body=reply.body + b"\0" * 7),
    "truncated": lambda reply: replace(reply, body=reply.body[: len(reply.body) // 2]),
    "empty": lambda reply: replace(reply, body=b""),
    "page instead": lambda _: Reply(body=b"<html><body><h1>Sign in to Wi-Fi</h1></body></html>"),
    "cut": lambda reply: replace(reply, sending="cut"),
    "reset": lambda reply: replace(reply, sending="reset"),
    "slow": lambda reply: replace(reply, delay=1.5),
    "trickle": lambda reply: replace(reply, sending="trickle"),
    "endless": lambda reply: replace(reply, sending="endless"),
}
"""Name → what becomes of the answer.

For a zip of a stated size and md5: "wrong bytes" has another md5, "longer" and "truncated"
another size, "empty" none; "cut" breaks off against its own Content-Length.
"""
