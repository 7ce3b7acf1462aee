"""What people send: answers, undo, putting off, consent.  Acknowledged means on the disk."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import floor
from typing import Any

from annotation.labels.deciding import settle_one
from annotation.labels.kinds import kind_of
from annotation.labels.people import agree, introduce
from annotation.labels.queue import consult, consulted, next_dispute, put_off, round_of, status_of
from annotation.labels.server.pages import VERDICTS_NEEDED, Elsewhere, after_batch, go_on
from annotation.labels.server.tickets import Ticket, opened
from annotation.labels.server.view import first_shown, verdicts
from annotation.labels.server.visit import Visit
from annotation.labels.values import Item, Label, Prelabels, Role
from annotation.labels.writing import NotKept, NotTheirs, put_label, undo
from globesumm.errors import DataError

LONGEST_NOTE = 5000

LONGEST_UNTIMED = 3600.0
"""Seconds taken on the word of a page where the clock cannot tell."""


@dataclass(frozen=True, slots=True)
class Reply:
    """JSON for the page's script."""

    content: dict[str, Any] = field(hash=False)
    status: int = 200


def submit(visit: Visit) -> Reply:
    """Keep an answer.  200 says that it is on the disk; 409 that the page was stale."""
    try:
        ticket = opened(_text(visit.sent, "ticket"), visit.key)
        label = put_label(visit.store, _label(visit, _theirs(visit, ticket), ticket), ticket.base)
    except NotTheirs as error:
        return Reply({"error": str(error)}, 403)
    except NotKept as error:
        return Reply({"error": str(error), "reload": True}, 409)
    except DataError as error:
        return Reply({"error": str(error)}, 422)
    settle_one(visit.project, visit.number)
    return Reply({"kept": label.id, "next": _next(visit, label)})


def _theirs(visit: Visit, ticket: Ticket) -> Item:
    """The item that `ticket` was made for; raises `NotTheirs` where that is somebody else's."""
    item = visit.item()
    if (ticket.annotator, ticket.number) != (visit.who.name, visit.number) or item is None:
        raise NotTheirs("this page was shown to somebody else, or for another item")
    settling = ticket.role is Role.ADJUDICATOR
    # Somebody may have been an adjudicator when the page was shown.
    if settling and not (visit.who.adjudicator and status_of(visit.store, visit.number)):
        raise NotTheirs("this item does not wait for you as an adjudicator")
    return item


def _label(visit: Visit, item: Item, ticket: Ticket) -> Label:
    answer = visit.sent.get("answer")
    if answer is not None and not isinstance(answer, dict):
        raise DataError("the answer is no object")
    if answer is not None and item.kind == "preference":
        # Which one was shown first is known here, whatever a page says.
        seed = visit.project.settings.seed
        answer = {**answer, "first": first_shown(item, visit.who.name, seed)}
    now = datetime.now(UTC)
    elapsed = (now - ticket.started).total_seconds()
    if elapsed < 0:  # somebody has set the clock back: the page's own count is all there is
        elapsed = LONGEST_UNTIMED
    active = visit.sent.get("seconds")
    if isinstance(active, bool) or not isinstance(active, int | float) or not active >= 0:
        active = elapsed if now >= ticket.started else 0.0
    used = consulted(visit.store, visit.who.name, item.id, ticket.version)
    note = _text(visit.sent, "note", needed=False).strip()
    return Label(
        id=ticket.token,
        item=item.id,
        version=ticket.version,
        kind=item.kind,
        annotator=visit.who.name,
        answer=answer,
        started=min(ticket.started, now),
        submitted=now,
        # A page cannot have been looked at for longer than it was open.
        seconds=floor(min(active, elapsed) * 1000) / 1000,
        round=ticket.round,
        role=ticket.role,
        prelabels=ticket.prelabels,
        consulted=used,
        note=note or None,
    )


def _next(visit: Visit, label: Label) -> str:
    """Where to go on after `label`."""
    if label.role is Role.ADJUDICATOR:
        later = next_dispute(visit.store, visit.number) or next_dispute(visit.store)
        return visit.to(f"dispute/{later}") if later else visit.to("")
    if label.prelabels is Prelabels.AFTER:
        return visit.to(f"after/{visit.number}")
    return after_batch(visit)


def take_back(visit: Visit) -> Reply:
    """Take back the label that the page named, and go to its item."""
    token = _text(visit.sent, "label")
    undo(visit.store, visit.who.name, token)
    label = visit.store.label(token)
    if label is None or label.annotator != visit.who.name:
        return Reply({"error": "there is no answer of yours to take back"}, 409)
    number = visit.store.number(label.item)
    if number is None:
        return Reply({"error": "its item is not there any more"}, 409)
    settle_one(visit.project, number)
    path = "dispute" if label.role is Role.ADJUDICATOR else "item"
    return Reply({"next": visit.to(f"{path}/{number}")})


def later(visit: Visit) -> Reply:
    """Put the item off."""
    if round_of(visit.store, visit.who.name, visit.number) is None:
        return Reply({"error": "this item is not one of yours"}, 403)
    put_off(visit.store, visit.who.name, visit.number)
    there = go_on(visit)
    return Reply({"next": there.address if isinstance(there, Elsewhere) else visit.to("")})


def nowhere(_: Visit) -> Reply:
    """An address below a good link that takes nothing."""
    return Reply({"error": "nothing can be sent to this address"}, 404)


def show_verdicts(visit: Visit) -> Reply:
    """At least three models' verdicts on the item, once it is logged that they were asked for."""
    item = visit.item()
    theirs = round_of(visit.store, visit.who.name, visit.number) is not None
    if item is None or not (theirs or visit.who.adjudicator):
        return Reply({"error": "this item is not one of yours"}, 403)
    if not visit.project.settings.verdicts or len(item.models) < VERDICTS_NEEDED:
        reason = f"models' verdicts are shown where the project allows it and {VERDICTS_NEEDED} are"
        return Reply({"error": f"{reason} there"}, 403)
    consult(visit.store, visit.who.name, item.id, item.version, tuple(item.models))
    return Reply({"verdicts": verdicts(item, visit.who.name, visit.project.settings.seed)})


def agreed(visit: Visit) -> Elsewhere:
    """Note that this person agrees to the text on the page, if it is still the project's."""
    agree(visit.store, visit.who.name, visit.consent)
    return Elsewhere(visit.to("next"))


def read(visit: Visit) -> Elsewhere:
    """Note that this person has read the definitions of a kind."""
    introduce(visit.store, visit.who.name, kind_of(visit.kind).name)
    return Elsewhere(visit.to("next"))


def _text(sent: Any, name: str, *, needed: bool = True) -> str:
    value = sent.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise DataError(f"{name} is missing")
    if len(value) > LONGEST_NOTE:
        raise DataError(f"{name} is longer than {LONGEST_NOTE} characters")
    # Half a character, which no database takes, shows as a question mark.
    return value.encode("utf-8", "replace").decode().replace("\0", "")
