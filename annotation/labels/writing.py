"""The rules by which labels are kept: one for each person and item, the right one, none lost."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from annotation.labels.kinds import read_answer
from annotation.labels.rows import SUPERSEDED, UNDONE, insert_label
from annotation.labels.store import Store
from annotation.labels.values import Item, Label, Role
from globesumm.errors import DataError, GlobeSummError


class NotKept(GlobeSummError):
    """A label that was not kept; the message says why, in words for whoever gave it."""


class NotTheirs(NotKept):
    """The item is not assigned to this person."""


class Stale(NotKept):
    """The item has changed since the page was shown."""


class Answered(NotKept):
    """Another page has answered since this one was shown; `label` is what counts."""

    def __init__(self, label: Label) -> None:
        self.label = label
        super().__init__("this was answered on another page since you opened it")


def put_label(store: Store, label: Label, base: str | None = None) -> Label:
    """Keep `label`, on the disk when this returns, and return the label that is there.

    `base` is the id of the label that counted when the page was shown.  The same page sent twice
    is one label; another page that says the same is none either.  Raises `NotTheirs`, `Stale`,
    `Answered` (the page did not know the label that counts) and `DataError` (no such answer).
    """
    with store.writing() as connection:
        item = store.item(label.item)
        known = store.label(label.id)
        if known is not None:
            if _same(known, label) or (item and _same(known, _kept(item, label))):
                return known
            now = store.counting(label.item, label.annotator, label.round, label.role)
            raise Answered(now or known)
        if item is None or not _assigned(store, label):
            raise NotTheirs(f"the item {label.item!r} is not one of yours")
        if item.version != label.version:
            raise Stale("the item has changed since you opened it: read it again")
        kept = _kept(item, label)
        now = store.counting(label.item, label.annotator, label.round, label.role)
        if now is not None and now.id != base:
            if _same(now, kept):
                return now
            raise Answered(now)
        if now is not None:
            connection.execute("UPDATE labels SET state = ? WHERE id = ?", (SUPERSEDED, now.id))
        insert_label(connection, kept)
        _set_done(store, kept, done=True)
    return kept


def undo(store: Store, annotator: str, token: str) -> Label | None:
    """Take back the label `token` of `annotator`; None where it did not count any more."""
    with store.writing() as connection:
        label = store.label(token)
        if label is None or label.annotator != annotator or not label.counts:
            return None
        connection.execute("UPDATE labels SET state = ? WHERE id = ?", (UNDONE, token))
        _set_done(store, label, done=False)
    return replace(label, undone=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of labels from elsewhere: new ones, and those that were here already.

    `refused` says of each that was not taken why (an unknown item, an answer that does not fit).
    """

    added: int
    same: int
    refused: tuple[str, ...] = ()


def add_labels(store: Store, labels: Iterable[Label]) -> Taken:
    """Take in labels from another project or tool, once each, by their ids.

    Of two that count for one person, item and round, the later submitted one counts.  A label of
    another version of the item is kept and counts no more.
    """
    added = same = 0
    refused: list[str] = []
    with store.writing() as connection:
        for label in labels:
            if (known := store.label(label.id)) is not None:
                if _same(known, label):
                    same += 1
                else:
                    refused.append(f"label {label.id!r}: another label has this id here")
                continue
            item = store.item(label.item)
            if item is None:
                refused.append(f"label {label.id!r}: no item {label.item!r} here")
                continue
            kept = label
            if item.version == label.version:
                try:
                    kept = _kept(item, label)
                except DataError as error:
                    refused.append(f"label {label.id!r}: {error}")
                    continue
            elif label.counts:
                kept = replace(label, superseded=True)
            now = store.counting(kept.item, kept.annotator, kept.round, kept.role)
            if kept.counts and now is not None:
                if now.submitted < kept.submitted:
                    connection.execute(
                        "UPDATE labels SET state = ? WHERE id = ?", (SUPERSEDED, now.id)
                    )
                else:
                    kept = replace(kept, superseded=True)
            insert_label(connection, kept)
            if kept.counts:
                _set_done(store, kept, done=True)
            added += 1
    return Taken(added=added, same=same, refused=tuple(refused))


def _kept(item: Item, label: Label) -> Label:
    """The label as it is kept, with its answer in the canonical form; raises `DataError`."""
    if label.answer is None:
        if not (label.note or "").strip():
            raise DataError("say in the note why it cannot be judged")
        return replace(label, kind=item.kind)
    return replace(label, answer=read_answer(item, label.answer), kind=item.kind)


def _same(known: Label, label: Label) -> bool:
    """Whether two labels are the same word of the same person; times do not matter."""
    return (
        (known.item, known.version, known.annotator, known.round, known.role)
        == (label.item, label.version, label.annotator, label.round, label.role)
    ) and (known.answer == label.answer and known.note == label.note)


def _assigned(store: Store, label: Label) -> bool:
    """Adjudicators take what is open; the server checks that they are adjudicators."""
    if label.role is Role.ADJUDICATOR:
        return True
    found = store.connection.execute(
        "SELECT 1 FROM assignments JOIN items ON items.number = assignments.item "
        "WHERE annotator = ? AND items.id = ? AND round = ?",
        (label.annotator, label.item, label.round),
    )
    return found.fetchone() is not None


def _set_done(store: Store, label: Label, *, done: bool) -> None:
    if label.role is Role.ANNOTATOR:
        store.connection.execute(
            "UPDATE assignments SET done = ? WHERE annotator = ? AND round = ? "
            "AND item = (SELECT number FROM items WHERE id = ?)",
            (int(done), label.annotator, label.round, label.item),
        )
