"""A project as Label Studio's JSON and back.

An item is a task; the texts it shows are in ``data`` beside the item itself, ``data.globesumm``.
A label is an annotation: ``completed_by`` is who, ``lead_time`` how long and ``created_at`` when
it was submitted, ``result`` the answer; ``was_cancelled`` says that it gives none or does not
count.  Models' answers are predictions.  What Label Studio has no field for (round, role, what
was shown before) stands in an annotation's own ``globesumm``: from file to file nothing changes,
while Label Studio itself drops that part of annotations that it is given.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.labels.exchange.jsonl import Brought, check_file, item_of, label_of
from annotation.labels.exchange.studio_forms import FORMS
from annotation.labels.exchange.studio_interface import most_documents
from annotation.labels.kinds import read_answer
from annotation.labels.store import Store
from annotation.labels.values import Item, Label
from globesumm.errors import DataError, GlobeSummError, UsageError, cannot_read
from globesumm.records import from_plain, to_compact_json, to_plain
from globesumm.values import Rejected

OWN = "globesumm"
_LONGEST_NAME = 320
"""Characters: the longest address of electronic mail, by which people are named there."""

_MOST_PEOPLE = 10**18


def chunks(store: Store, kind: str | None = None) -> Iterator[str]:
    """The file, piece by piece: a list of tasks (of one `kind`).

    A project of Label Studio has one interface (`studio_interface`), hence tasks of one kind.
    """
    documents = most_documents(store)
    by_item: dict[str, list[Label]] = {}
    for label in store.labels(counting=False, kind=kind):
        by_item.setdefault(label.item, []).append(label)
    versions = store.versions()
    annotations = 0
    yield "["
    for number, item in enumerate(store.items(kind), start=1):
        mine = by_item.pop(item.id, [])
        task = _task(number, (item, versions[item.id]), mine, annotations)
        if item.kind == "key-points":
            # The interface shows as many documents for every task.
            task["data"] = {f"document{n + 1}": "" for n in range(documents)} | task["data"]
        yield ("" if number == 1 else ",") + "\n" + to_compact_json(task)
        annotations += len(mine)
    yield "\n]\n"
    if by_item:
        raise DataError(f"labels on an item that is not there: {next(iter(by_item))!r}")


def _task(
    number: int, versioned: tuple[Item, str], labels: list[Label], before: int
) -> dict[str, Any]:
    item, version = versioned
    form = FORMS[item.kind]
    own = {"item": item, "version": version}
    return {
        "id": number,
        "data": {**form.shown(item), OWN: own},
        "annotations": [
            _annotation(before + place, item, label, fits=label.version == version)
            for place, label in enumerate(labels, start=1)
        ],
        "predictions": [
            {"model_version": model, "result": form.written(item, answer)}
            for model, answer in item.models.items()
        ],
    }


def _annotation(number: int, item: Item, label: Label, *, fits: bool) -> dict[str, Any]:
    """One annotation; an answer that was given to an earlier version has no results."""
    plain = to_plain(label)
    answer = label.answer if fits else None
    return {
        "id": number,
        "completed_by": {"email": label.annotator},
        "result": [] if answer is None else FORMS[item.kind].written(item, answer),
        "was_cancelled": label.answer is None or not label.counts,
        "lead_time": label.seconds,
        "created_at": plain["submitted"],
        "updated_at": plain["submitted"],
        OWN: plain,
    }


def read(path: Path, users: Mapping[int, str] | None = None) -> Brought:
    """The items and labels of a file that was exported here, or from Label Studio since.

    `users` names the people whom Label Studio knows by number.  Annotations made there get an
    id from theirs.  What cannot be read is named: a task without ``data.globesumm``, one whose
    item was changed, an annotation whose results are no answer to it or are another one than
    its own record says.  Raises `DataError` for a file that is no list of tasks.
    """
    check_file(path)
    try:
        tasks = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(cannot_read(path, error)) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error}): make the export again") from error
    if not isinstance(tasks, list):
        raise DataError(f"{path}: no list of tasks (export as JSON, not as JSON_MIN)")
    found = Brought()
    for place, task in enumerate(tasks, start=1):
        where = f"{path}: task {place}"
        try:
            _read_task(found, task, where, users or {})
        except GlobeSummError as error:
            reason = str(error).removeprefix(f"{where}: ")
            found.rejected.append(Rejected(where=where, reason=reason))
    return found


def _read_task(found: Brought, task: object, where: str, users: Mapping[int, str]) -> None:
    data = task.get("data") if isinstance(task, dict) else None
    own = data.get(OWN) if isinstance(data, dict) else None
    if not isinstance(own, dict) or not isinstance(task, dict):
        raise DataError(f"{where}: its data has no {OWN!r}, so what was judged is not known")
    item = item_of(own.get("item"), own.get("version"), where)
    found.items.append(item)
    given = task.get("annotations")
    for place, one in enumerate(given if isinstance(given, list) else [], start=1):
        at = f"{where}, annotation {place}"
        try:
            if not isinstance(one, dict):
                raise DataError(f"{at}: no object")
            found.labels.append(_label(item, one, at, users))
        except GlobeSummError as error:
            reason = str(error).removeprefix(f"{at}: ")
            found.rejected.append(Rejected(where=at, reason=reason))


def _label(item: Item, plain: Mapping[str, Any], where: str, users: Mapping[int, str]) -> Label:
    results = plain.get("result")
    results = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    if OWN in plain:
        label = label_of(plain[OWN], where)
        if results and label.version == item.version:
            told = read_answer(item, FORMS[item.kind].read(item, results))
            if label.answer is None or told != read_answer(item, label.answer):
                raise DataError(f"{where}: its results say otherwise than its {OWN!r} record")
        return label
    cancelled = bool(plain.get("was_cancelled"))
    submitted = from_plain(datetime, plain.get("created_at"), f"{where}: created_at")
    lead = plain.get("lead_time")
    seconds = from_plain(float, 0.0 if lead is None else lead, f"{where}: lead_time")
    answer = None if cancelled else read_answer(item, FORMS[item.kind].read(item, results))
    name = plain.get("unique_id") or plain.get("id")
    if name is None:
        raise DataError(f"{where}: it has no id")
    try:
        started = submitted - timedelta(seconds=seconds)
    except (OverflowError, ValueError) as error:
        raise DataError(f"{where}: lead_time: {seconds} is no length of time") from error
    made = {
        "id": f"label-studio-{name}",
        "item": item.id,
        "version": item.version,
        "kind": item.kind,
        "annotator": _who(plain.get("completed_by"), where, users),
        "answer": answer,
        "started": started,
        "submitted": submitted,
        "seconds": seconds,
        "note": "skipped in Label Studio" if cancelled else None,
    }
    return label_of(made, where)


def _who(given: object, where: str, users: Mapping[int, str]) -> str:
    if isinstance(given, dict):
        given = given.get("email") or given.get("username") or given.get("id")
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < _MOST_PEOPLE:
        return users.get(given, f"label-studio-user-{given}")
    if isinstance(given, str) and given.strip():
        if len(given) > _LONGEST_NAME or not given.isprintable():
            raise DataError(f"{where}: completed_by: {given[:40]!r} is no name")
        return given
    raise DataError(f"{where}: completed_by names nobody")
