"""The pages: what is read.  Nothing here changes a label."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from annotation.labels.guide import example, guide
from annotation.labels.kinds import KINDS, kind_of
from annotation.labels.people import has_agreed, introduced, progress, standing
from annotation.labels.queue import (
    consulted,
    disputes,
    last_word,
    next_dispute,
    next_place,
    round_of,
    status_of,
)
from annotation.labels.server.tickets import Ticket, new_token, signed
from annotation.labels.server.view import first_shown, render, shown, told, verdicts
from annotation.labels.server.visit import Visit, model_shown, seen_by
from annotation.labels.values import Item, Label, Prelabels, Role
from annotation.labels.wording import in_words

VERDICTS_NEEDED = 3
"""Whoever asks for models' verdicts sees those of at least so many (OmniCSEval, F)."""

PAGE = 100
"""Items on one page of the list."""


@dataclass(frozen=True, slots=True)
class Page:
    """HTML with its status."""

    html: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The address to go to."""

    address: str


Answer = Page | Elsewhere


def home(visit: Visit) -> Answer:
    """Progress, time and pay, and where to go on."""
    settings = visit.project.settings
    values = {
        "standing": standing(visit.store, visit.who.name),
        "batch": settings.batch,
        "paid": settings.pay_per_label is not None or settings.pay_per_hour is not None,
        "settings": settings,
        "disputes": disputes(visit.store) if visit.who.adjudicator else None,
        "team": _team(visit) if visit.who.adjudicator else [],
    }
    return Page(_page(visit, "home.html.j2", values))


def _team(visit: Visit) -> list[Any]:
    people = (one for one in visit.project.settings.annotators if not one.adjudicator)
    return [standing(visit.store, one.name) for one in people]


def go_on(visit: Visit) -> Answer:
    """To consent, definitions, the next item, a dispute, or the end: whatever is next."""
    place = next_place(visit.store, visit.who.name)
    if place is not None:
        return Elsewhere(visit.to(f"item/{place.number}"))
    if visit.who.adjudicator and (dispute := next_dispute(visit.store)) is not None:
        return Elsewhere(visit.to(f"dispute/{dispute}"))
    return Elsewhere(visit.to(""))


def after_batch(visit: Visit) -> str:
    """The pause where a batch is full, else the next item."""
    done, total = progress(visit.store, visit.who.name)
    if done < total and done % visit.project.settings.batch == 0:
        return visit.to("pause")
    there = go_on(visit)
    return there.address if isinstance(there, Elsewhere) else visit.to("")


def consent(visit: Visit) -> Answer:
    """What people agree to before the first item."""
    agreed = has_agreed(visit.store, visit.who.name, visit.consent)
    return Page(_page(visit, "consent.html.j2", {"consent": visit.consent, "agreed": agreed}))


def start(visit: Visit) -> Answer:
    """The definitions of a kind and its worked example."""
    if visit.kind not in KINDS:
        return nowhere(visit)
    kind = kind_of(visit.kind)
    one = example(kind.name)
    values = shown(one, visit.who.name, 0) | {
        "worked": in_words(one, one.gold),
        "guide": guide(kind.name),
        "read": kind.name in introduced(visit.store, visit.who.name),
    }
    if kind.name == "preference":
        values["first"] = (one.gold or {})["first"]
    return Page(_page(visit, "start.html.j2", values))


def before(visit: Visit, item: Item) -> Answer | None:
    """Where somebody must go before they may see `item`."""
    if not has_agreed(visit.store, visit.who.name, visit.consent):
        return Elsewhere(visit.to("consent"))
    if item.kind not in introduced(visit.store, visit.who.name):
        return Elsewhere(visit.to(f"start/{item.kind}"))
    return None


def item_page(visit: Visit) -> Answer:
    """One item with the form for its answer."""
    item = visit.item()
    round_ = round_of(visit.store, visit.who.name, visit.number)
    if item is None or round_ is None:
        return refused(visit, "This item is not one of yours.", 403)
    if (first := before(visit, item)) is not None:
        return first
    return Page(form(visit, item, round_, Role.ANNOTATOR))


def form(visit: Visit, item: Item, round_: int, role: Role) -> str:
    """The page of an item, with what this person answered before or a model did filled in."""
    store, who, seed = visit.store, visit.who.name, visit.project.settings.seed
    answer: dict[str, Any] | None = None
    note = ""
    counting = store.counting(item.id, who, round_, role)
    mine = list(store.labels(counting=False, item=item.id, annotator=who))
    # The last word of this person, of an earlier round or taken back, is what they begin with.
    earlier = next((one for one in reversed(mine) if one.role is role), None)
    seen = seen_by(visit, item, role, earlier)
    model = model_shown(visit, item) if seen is Prelabels.FIRST else None
    kept = counting or earlier
    if kept is not None and kept.version == item.version:
        answer, note = (dict(kept.answer) if kept.answer else None), kept.note or ""
    elif model is not None:
        answer = dict(item.models[model])
    if answer is None and role is Role.ADJUDICATOR and item.kind == "issues":
        answer = {"issues": agreed_marks(list(store.labels(item=item.id))), "reviewed": []}
    if answer is not None and item.kind == "preference":
        answer |= {"first": first_shown(item, who, seed)}
    allowed = visit.project.settings.verdicts and len(item.models) >= VERDICTS_NEEDED
    used = consulted(store, who, item.id, item.version)
    values = shown(item, who, seed) | {
        "ticket": signed(
            Ticket(
                token=new_token(),
                annotator=who,
                number=visit.number,
                version=item.version,
                round=round_,
                role=role,
                prelabels=seen,
                started=datetime.now(UTC),
                base=counting.id if counting else None,
            ),
            visit.key,
        ),
        "answer": answer,
        "note": note,
        "counting": counting,
        "undo": last_word(store, who, role),
        "round": round_,
        "adjudicating": role is Role.ADJUDICATOR,
        "others": others(visit, item, round_) if _shows_others(role, round_) else [],
        "model": (model, told(item, item.models[model], who, seed)) if model else None,
        "verdicts_allowed": allowed,
        "verdicts": verdicts(item, who, seed) if used and allowed else [],
        "progress": progress(store, who),
        "number": visit.number,
        "batch": visit.project.settings.batch,
    }
    return _page(visit, "item.html.j2", values)


def _shows_others(role: Role, round_: int) -> bool:
    """An adjudicator sees all answers; so does who is asked a second time, to review them."""
    return role is Role.ADJUDICATOR or round_ > 1


def others(visit: Visit, item: Item, round_: int) -> list[tuple[str, list[str]]]:
    """What was answered, by "annotator 1", "annotator 2" and so on; names would sway.

    The order is drawn for each item, so that the numbers do not tell who it was.
    """
    last: dict[str, Label] = {}
    for one in visit.store.labels(item=item.id):
        known = visit.who.adjudicator or one.round < round_
        if one.role is Role.ANNOTATOR and one.version == item.version and known:
            last[one.annotator] = one
    drawn = sorted(last.values(), key=lambda one: one.id)
    return [
        (
            f"annotator {place}{' (you)' if one.annotator == visit.who.name else ''}",
            told(item, one.answer, visit.who.name, visit.project.settings.seed, one.note),
        )
        for place, one in enumerate(drawn, start=1)
    ]


def agreed_marks(labels: list[Label]) -> list[dict[str, Any]]:
    """The issues that more than half of the annotators marked, for an adjudicator to begin with."""
    given = [one for one in labels if one.role is Role.ANNOTATOR and one.answer is not None]
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in given:
        for mark in (one.answer or {}).get("issues", ()):
            key = (mark["kind"], tuple(mark["first"]), tuple(mark["second"]))
            found.setdefault(key, []).append(mark)
    return [marks[0] for marks in found.values() if 2 * len(marks) > len(given)]


def after(visit: Visit) -> Answer:
    """A model's answer beside one's own, once that is kept."""
    item = visit.item()
    round_ = round_of(visit.store, visit.who.name, visit.number)
    if item is None or round_ is None:
        return refused(visit, "This item is not one of yours.", 403)
    label = visit.store.counting(item.id, visit.who.name, round_, Role.ANNOTATOR)
    model = model_shown(visit, item)
    if label is None or model is None or visit.project.settings.prelabels is not Prelabels.AFTER:
        return go_on(visit)
    who, seed = visit.who.name, visit.project.settings.seed
    mine_ = told(item, label.answer, who, seed)
    theirs = told(item, item.models[model], who, seed)
    values = {
        "kind": kind_of(item.kind),
        "number": visit.number,
        "mine": mine_,
        "model": model,
        "theirs": theirs,
        "same": mine_ == theirs,
        "onward": after_batch(visit),
    }
    return Page(_page(visit, "after.html.j2", values))


def pause(visit: Visit) -> Answer:
    """The end of a batch."""
    values = {
        "progress": progress(visit.store, visit.who.name),
        "batch": visit.project.settings.batch,
    }
    return Page(_page(visit, "pause.html.j2", values))


def mine(visit: Visit) -> Answer:
    """A page of the items that are this person's, done and open."""
    page = max(1, visit.page)
    rows = visit.store.connection.execute(
        "SELECT items.number, items.id, items.kind, one.done, one.put_off, one.round "
        "FROM assignments AS one JOIN items ON items.number = one.item "
        "WHERE annotator = ? ORDER BY one.place, one.round LIMIT ? OFFSET ?",
        (visit.who.name, PAGE, (page - 1) * PAGE),
    ).fetchall()
    _, total = progress(visit.store, visit.who.name)
    pages = max(1, -(-total // PAGE))
    values = {"rows": rows, "page": page, "pages": pages, "first": (page - 1) * PAGE + 1}
    return Page(_page(visit, "mine.html.j2", values))


def dispute(visit: Visit) -> Answer:
    """An item on which its people differ, for an adjudicator."""
    item = visit.item()
    if item is None or not visit.who.adjudicator:
        return refused(visit, "This page is for adjudicators.", 403)
    if status_of(visit.store, visit.number) is None:
        return refused(visit, "Not everybody has answered this item yet.", 409)
    if (first := before(visit, item)) is not None:
        return first
    return Page(form(visit, item, 1, Role.ADJUDICATOR))


def nowhere(visit: Visit) -> Answer:
    """An address below a good link that is no page."""
    return refused(visit, "There is no such page.", 404)


def refused(visit: Visit, reason: str, status: int) -> Page:
    """A page that says why not, with a way on."""
    return Page(_page(visit, "refused.html.j2", {"reason": reason}), status)


def _page(visit: Visit, template: str, values: dict[str, Any]) -> str:
    return render(
        template, {"to": visit.to, "who": visit.who, "title": visit.project.settings.title} | values
    )
