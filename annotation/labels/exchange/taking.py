"""Items and labels from elsewhere into a project, so that nothing is lost and each clash is named.

- An item of a known id that shows something else comes in under ``ID~VERSION``, with its labels.
- A label that is here already is not taken twice; one that was taken back elsewhere is taken back.
- Another label under a known id comes in under ``ID~DIGEST``.
- Of two answers of one person to one item the later counts, and the other stays in the record.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from annotation.labels.kinds import read_answer
from annotation.labels.store import Store
from annotation.labels.values import Item, Label
from annotation.labels.writing import add_labels, undo
from globesumm.errors import DataError
from globesumm.records import to_json

Word = tuple[str, str, str, int, str]
"""Item, version, annotator, round and role: what a person was asked."""


@dataclass(slots=True, kw_only=True)
class Taking:
    """What became of what was given: counts, and a line for each clash.

    `renamed` says which items came in under another id, `conflicts` which people answered an
    item twice, `undone` which labels were taken back, `refused` which could not be taken, and
    `notes` whatever else differed.
    """

    items_added: int = 0
    items_same: int = 0
    labels_added: int = 0
    labels_same: int = 0
    renamed: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)

    @property
    def named(self) -> list[str]:
        """Every line, the gravest first."""
        return [*self.refused, *self.conflicts, *self.renamed, *self.undone, *self.notes]


def take(
    store: Store,
    items: Iterable[Item],
    labels: Iterable[Label],
    people: Mapping[str, str] | None = None,
) -> tuple[Taking, dict[str, str]]:
    """Take everything in; returns what became of it, and new ids of items by their old ones.

    `people` renames annotators: two projects may each have an ``ann`` who are not the same.
    Doing it twice changes nothing more.
    """
    report = Taking()
    names = _take_items(store, items, report)
    here, called = store.versions(), people or {}
    given = [
        _placed(replace(one, annotator=called.get(one.annotator, one.annotator)), names, here)
        for one in labels
    ]
    _take_labels(store, _revived(given, here), report)
    moved = {old: new for (old, _), new in names.items() if new != old}
    return report, moved


def _take_items(store: Store, items: Iterable[Item], report: Taking) -> dict[tuple[str, str], str]:
    here = store.versions()
    names: dict[tuple[str, str], str] = {}
    new: list[Item] = []
    for item in items:
        version = item.version
        known = here.get(item.id)
        name = item.id if known in (None, version) else f"{item.id}~{version}"
        names[item.id, version] = name
        if name != item.id:
            report.renamed.append(
                f"item {item.id!r} shows something else here: it came in as {name!r}"
            )
        if name in here:
            report.items_same += 1
            if known == version and (more := _more(store, item, report)) is not None:
                new.append(more)
            continue
        report.items_added += 1
        report.touched.add(name)
        here[name] = version
        new.append(replace(item, id=name))
    store.add_items(new)
    return names


def _more(store: Store, item: Item, report: Taking) -> Item | None:
    """Our item with models' answers that only the other has; what differs otherwise is named."""
    mine = store.item(item.id)
    if mine is None or mine == item:
        return None
    changed: dict[str, Any] = {}
    absent = {name: answer for name, answer in item.models.items() if name not in mine.models}
    if absent:
        changed["models"] = {**mine.models, **absent}
    differing = [
        name for name, answer in item.models.items() if mine.models.get(name, answer) != answer
    ]
    if mine.gold is None and item.gold is not None:
        changed["gold"] = item.gold
    differing += ["gold"] if item.gold is not None and mine.gold not in (None, item.gold) else []
    for name in ("source", "event", "languages"):
        ours, theirs = getattr(mine, name), getattr(item, name)
        if theirs and not ours:
            changed[name] = theirs
        elif theirs and ours != theirs:
            differing.append(name)
    if differing:
        report.notes.append(
            f"item {item.id!r} differs in {', '.join(differing)}: what was here stays"
        )
    return replace(mine, **changed) if changed else None


def _placed(label: Label, names: Mapping[tuple[str, str], str], here: Mapping[str, str]) -> Label:
    """The label at the item that shows what it was given on."""
    if here.get(label.item) == label.version:
        return label
    name = names.get((label.item, label.version))
    return label if name is None else replace(label, item=name)


def _word(label: Label) -> Word:
    return (label.item, label.version, label.annotator, label.round, label.role.value)


def _revived(labels: Sequence[Label], here: Mapping[str, str]) -> list[Label]:
    """A label that elsewhere counts no more only because its item changed there counts here.

    It is the last word of its person on that version, and that version is the one that is here.
    """
    last: dict[Word, Label] = {}
    for one in labels:
        before = last.get(_word(one))
        if not one.undone and (before is None or before.submitted <= one.submitted):
            last[_word(one)] = one
    return [
        replace(one, superseded=False)
        if one.superseded and last.get(_word(one)) is one and here.get(one.item) == one.version
        else one
        for one in labels
    ]


def _take_labels(store: Store, labels: Sequence[Label], report: Taking) -> None:
    new: list[Label] = []
    counting: dict[tuple[str, str, int, str], Label] = {}
    for label in labels:
        known = store.label(label.id)
        if known is not None and _same(store, known, label):
            report.labels_same += 1
            _note_undone(store, known, label, report)
            continue
        if known is not None:
            name = f"{label.id}~{_digest(label)}"
            report.notes.append(f"label {label.id!r} is another one here: it came in as {name!r}")
            label = replace(label, id=name)  # noqa: PLW2901  # the same label by another name
            if store.label(name) is not None:
                report.labels_same += 1
                continue
        if label.counts:
            key = (label.item, label.annotator, label.round, label.role.value)
            held = counting.get(key) or store.counting(
                label.item, label.annotator, label.round, label.role
            )
            if held is not None and held.answer != label.answer:
                report.conflicts.append(_told(held, label))
            if held is None or held.submitted < label.submitted:
                counting[key] = label
        new.append(label)
    taken = add_labels(store, new)
    report.labels_added += taken.added
    report.labels_same += taken.same
    report.refused += taken.refused
    report.touched |= {label.item for label in new}


def _note_undone(store: Store, known: Label, label: Label, report: Taking) -> None:
    if label.undone and known.counts:
        undo(store, known.annotator, known.id)
        report.undone.append(f"label {known.id!r} was taken back there: it is taken back here too")
        report.touched.add(known.item)
    elif known.undone and label.counts:
        report.undone.append(
            f"label {known.id!r} was taken back here, and counts there: it stays so"
        )


def _told(one: Label, other: Label) -> str:
    first, second = sorted((one, other), key=lambda label: label.submitted)
    return (
        f"{one.annotator!r} answered item {one.item!r} twice: {to_json(first.answer)} at "
        f"{first.submitted:%Y-%m-%d %H:%M} and {to_json(second.answer)} at "
        f"{second.submitted:%Y-%m-%d %H:%M}; the later counts"
    )


def _same(store: Store, known: Label, label: Label) -> bool:
    """Whether they say the same, to the same question, at the same time; not whether they count."""
    bare = replace(label, undone=known.undone, superseded=known.superseded)
    if bare == known or bare.answer is None:
        return bare == known
    item = store.item(known.item)
    if item is None or item.version != label.version:
        return False
    # What is kept is the canonical form of what was given.
    with suppress(DataError):
        bare = replace(bare, answer=read_answer(item, bare.answer), kind=item.kind)
    return bare == known


def _digest(label: Label) -> str:
    content = to_json(replace(label, undone=False, superseded=False))
    return sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:8]
