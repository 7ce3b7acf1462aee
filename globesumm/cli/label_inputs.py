"""From what other verbs write to items of each kind: what ``label new`` and ``label add`` read.

relevance     OUT of globesumm events, or events (events.jsonl, the published layout, sample:NAME)
issues        events (pairs of their documents), a run (its rounds), or OUT of annotate --against
              with to-inspect.jsonl (a review)
key-facts     OUT of globesumm facts extract, with --sources
fact-support  OUT of globesumm facts decompose (and verify), with --sources
matching      OUT of globesumm facts match
key-points    a run, or events alone
preference    runs: each two summaries of an event
any kind      items.jsonl: a line {"id", "kind", "payload", ...} for each item
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.experiment_events import read_events
from globesumm.cli.label_facts import fact_support, key_facts, matching
from globesumm.errors import DataError, UsageError
from globesumm.records import read_own_records, read_plain_records, read_records
from globesumm.values import Document, Event, Rejected, Summary

if TYPE_CHECKING:
    from annotation.labels.payloads import Text
    from annotation.labels.values import Item

Found = Iterable["Item | Rejected"]


def items_of(options: argparse.Namespace) -> tuple["list[Item]", list[Rejected]]:
    """The items of ``--kind`` in ``--from``, checked, and what could not become one.

    Raises `UsageError` where there is none, and `UnknownName` for a kind that is in no table.
    """
    from annotation.labels.kinds import check_item, kind_of
    from annotation.labels.values import Item

    kind_of(options.kind)
    found: dict[str, Item] = {}
    rejected: list[Rejected] = []
    try:
        given = list(_given(options))
    except DataError as error:
        raise UsageError(str(error)) from error
    for one in given:
        if isinstance(one, Rejected):
            rejected.append(one)
            continue
        if one.id in found:
            rejected.append(Rejected(where=f"item {one.id!r}", reason="another has this id"))
            continue
        try:
            found[one.id] = check_item(one)
        except DataError as error:
            rejected.append(Rejected(where=f"item {one.id!r}", reason=str(error)))
    if not found:
        first = f"; the first: {rejected[0].where}: {rejected[0].reason}" if rejected else ""
        raise UsageError(
            f"nothing of kind {options.kind} in {' '.join(options.inputs)}{first}: "
            "name files that hold some"
        )
    return list(found.values()), rejected


def _given(options: argparse.Namespace) -> Found:
    if all(_is_items(Path(name)) for name in options.inputs):
        return [one for name in options.inputs for one in _items(Path(name), options.kind)]
    return READERS[options.kind](options)


def _is_items(path: Path) -> bool:
    """Whether the first line of `path` is an item."""
    if not path.is_file():
        return False
    first = next(iter(read_plain_records(path)), None)
    return isinstance(first, tuple) and {"id", "kind", "payload"} <= first[1].keys()


def _items(path: Path, kind: str) -> Found:
    from annotation.labels.values import Item

    for number, one in enumerate(read_records(path, Item), start=1):
        if isinstance(one, Item) and one.kind != kind:
            where = f"{path}: entry {number}"
            yield Rejected(where=where, reason=f"it is of kind {one.kind!r} and not {kind!r}")
        else:
            yield one


def _relevance(options: argparse.Namespace) -> Found:
    from annotation.labels.making.of_events import relevance

    translations = _translations(options.translations) if options.translations else {}
    rest = [name for name in options.inputs if not _is_chain(Path(name))]
    for name in options.inputs:
        if _is_chain(Path(name)):
            yield from _candidates(Path(name), translations)
    if rest:
        events, rejected = read_events(tuple(rest))
        yield from rejected
        for event in events:
            yield from relevance(event, event.documents, translations)


def _is_chain(path: Path) -> bool:
    """Whether `path` is the OUT of ``globesumm events``."""
    return (path / "candidates.jsonl").is_file() and (path / "judgements.jsonl").is_file()


def _candidates(out: Path, translations: "Mapping[str, Text]") -> Found:
    """The candidates of a chain with their texts, and the model's verdicts where there are some."""
    from annotation.labels.making.of_events import relevance

    documents = {
        one.id: one
        for path in sorted((out / "pages").glob("**/documents.jsonl"))
        for one in read_records(path, Document)
        if isinstance(one, Document)
    }
    for row in read_plain_records(out / "judgements.jsonl"):
        if isinstance(row, Rejected):
            yield row
            continue
        where, plain = row
        document = documents.get(str(plain.get("document")))
        if document is None:
            reason = f"the text of {plain.get('document')!r} is not in {out / 'pages'}"
            yield Rejected(where=where, reason=reason)
            continue
        event = Event(
            id=str(plain.get("event")),
            description=str(plain.get("description") or ""),
            documents=(document,),
        )
        said = _model_said(plain.get("model"))
        yield from relevance(event, [document], translations, {document.id: said})


def _model_said(told: object) -> dict[str, dict[str, Any]]:
    """The model's answer in a row of judgements, ``NAME: yes, same event, another perspective``.

    People's own verdicts are not in there, and a model that gave none says "no answer".
    """
    from annotation.labels.answers import CRITERIA as NAMES
    from retrieval.events.judging import CRITERIA

    judge, _, said = told.rpartition(": ") if isinstance(told, str) else ("", "", "")
    answer, *met = said.split(", ")
    names = [name for name, words in zip(NAMES, CRITERIA, strict=True) if words in met]
    if not judge or answer not in {"yes", "no"} or (answer == "yes") is not bool(names):
        return {}
    return {judge: {"relevant": bool(names), "criteria": names}}


def _translations(path: Path) -> "dict[str, Text]":
    """Lines {"document", "text", "language", "title"?} by document."""
    from annotation.labels.payloads import Text
    from globesumm.languages import parse

    found = {}
    for row in read_plain_records(path):
        if isinstance(row, Rejected):
            raise UsageError(f"{row.where}: {row.reason}")
        where, plain = row
        name, text = plain.get("document"), plain.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise UsageError(
                f"{where}: a translation has a document and a text: write them as "
                '{"document": …, "text": …}'
            )
        title = plain.get("title")
        found[name] = Text(
            text=text,
            language=parse(str(plain.get("language", "en"))),
            title=title if isinstance(title, str) else None,
        )
    return found


def _issues(options: argparse.Namespace) -> Found:
    from annotation.labels.making.of_events import document_pairs, rounds

    reviewed = [name for name in options.inputs if (Path(name) / "to-inspect.jsonl").is_file()]
    for name in reviewed:
        yield from _reviews(Path(name))
    runs = [name for name in options.inputs if name not in reviewed and _is_run(Path(name))]
    for summary in _summaries(runs)[1]:
        yield from rounds(summary)
    rest = tuple(name for name in options.inputs if name not in (*reviewed, *runs))
    if rest:
        events, rejected = read_events(rest)
        yield from rejected
        yield from document_pairs(events, options.sample, options.seed)


def _reviews(out: Path) -> Found:
    """What is to be inspected, beside the sentences of its pair."""
    from annotation.labels.making.of_events import document_pairs
    from annotation.labels.making.of_findings import reviews
    from annotation.labels.payloads import Issues
    from globesumm.records import from_plain

    lists = {}
    for event in read_own_records(out / "events.jsonl", Event):
        for item in document_pairs([event], None, 0):
            shown = from_plain(Issues, item.payload, item.id)
            order = [one.id for one in event.documents]
            turned = item.source["documents"] != order
            pair = (shown.second, shown.first) if turned else (shown.first, shown.second)
            lists[event.id] = pair
    rows: list[tuple[str, dict[str, Any]]] = []
    for row in read_plain_records(out / "to-inspect.jsonl"):
        if isinstance(row, Rejected):
            yield row
        else:
            rows.append(row)
    yield from reviews(rows, lists)


def _key_points(options: argparse.Namespace) -> Found:
    from annotation.labels.making.of_events import key_points

    runs = [name for name in options.inputs if _is_run(Path(name))]
    events, summaries = _summaries(runs)
    for event in events.values():
        yield from key_points(event, [one for one in summaries if one.event == event.id])
    rest = tuple(name for name in options.inputs if name not in runs)
    if rest:
        found, rejected = read_events(rest)
        yield from rejected
        for event in found:
            yield from key_points(event, [])


def _preference(options: argparse.Namespace) -> Found:
    from annotation.labels.making.of_events import preferences

    for name in options.inputs:
        if not _is_run(Path(name)):
            raise UsageError(f"{name} is no run: preferences are between summaries of runs")
    events, summaries = _summaries(options.inputs)
    yield from preferences(events, summaries, options.sample, options.seed)


def _is_run(path: Path) -> bool:
    return (path / "run.json").is_file()


def _summaries(runs: Iterable[str]) -> tuple[dict[str, Event], list[Summary]]:
    """Events by id and all summaries of run folders and of the parts of grids."""
    from globesumm.runs import PARTS, Run

    events: dict[str, Event] = {}
    summaries: list[Summary] = []
    for name in runs:
        folder = Path(name)
        parts = sorted((folder / PARTS).iterdir()) if (folder / PARTS).is_dir() else []
        for one in [folder, *parts]:
            if not _is_run(one):
                continue
            run = Run.open(one)
            events |= {event.id: event for event in run.events()}
            summaries += run.summaries()
    return events, summaries


READERS: Mapping[str, Callable[[argparse.Namespace], Iterator["Item | Rejected"] | Found]] = {
    "relevance": _relevance,
    "issues": _issues,
    "key-facts": key_facts,
    "fact-support": fact_support,
    "matching": matching,
    "key-points": _key_points,
    "preference": _preference,
}
"""Kind to what reads its items."""
