"""The ticket of a page: what it was shown for, signed, so that its answer can be trusted.

It says who was shown which version of which item when, and which label counted then; its random
part is the id of the label that is made of it.  Nothing is stored until somebody answers.
"""

import base64
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from annotation.labels.store import Store
from annotation.labels.values import Prelabels, Role
from globesumm.errors import DataError
from globesumm.records import from_json, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One showing of one item; `base` is the id of the label that counted, None if there was none.

    `prelabels` says whether a model's answer was to be seen: from the first, after the answer, or
    not at all.
    """

    token: str
    annotator: str
    number: int
    version: str
    round: int
    role: Role
    prelabels: Prelabels
    started: datetime
    base: str | None = None


def new_token() -> str:
    """An id that no other label has."""
    return secrets.token_urlsafe(15)


def secret(store: Store) -> bytes:
    """The project's key, made when first asked for; tickets outlive a restart of the server."""
    if (known := store.fact("ticket-key")) is None:
        with store.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO facts VALUES ('ticket-key', ?)", (secrets.token_hex(32),)
            )
        known = store.fact("ticket-key") or ""
    return bytes.fromhex(known)


def signed(ticket: Ticket, key: bytes) -> str:
    """`ticket` as text for a page."""
    content = base64.urlsafe_b64encode(to_json(ticket).encode()).decode()
    return f"{content}.{_seal(content, key)}"


def opened(text: str, key: bytes) -> Ticket:
    """The ticket in `text`; raises `DataError` where it is not one of ours."""
    content, _, seal = text.rpartition(".")
    if not hmac.compare_digest(_seal(content, key).encode(), seal.encode("utf-8", "replace")):
        raise DataError("the page is not one of this project: open the item again")
    return from_json(Ticket, base64.urlsafe_b64decode(content), "ticket")


def _seal(content: str, key: bytes) -> str:
    return hmac.new(key, content.encode("utf-8", "replace"), sha256).hexdigest()[:40]
