"""Reading the published layout: everything that is there, and a word on all that is broken."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from annotation.author import Unusable
from annotation.findings import read_issues, read_strategies, with_causes
from annotation.lists import parse
from annotation.published.elements import elements
from annotation.published.layout import (
    EVENT_KEYS,
    MODEL,
    NEWS_KEYS,
    RECIPE,
    ROUND_KEYS,
    STEPS,
    TARGET,
    Published,
)
from annotation.published.passages import of_document, of_summary
from annotation.schemas import without_repeated_carries
from globesumm import languages
from globesumm.errors import DataError, UnknownName
from globesumm.values import (
    Document,
    Event,
    Issue,
    Passage,
    Rejected,
    Round,
    Strategy,
    Summary,
)

_OPTIONAL = {"label_relevant", "KIS", "KIS+CLP", MODEL}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_published(path: Path) -> Iterator[Published | Rejected]:
    """Each event of a file; what is no event at all is `Rejected`, the rest goes on.

    Raises `DataError` where the file cannot be read.
    """
    seen: dict[str, str] = {}
    for found in elements(path):
        if isinstance(found, Rejected):
            yield found
            continue
        where, record = found
        try:
            yield from_published(record, seen)
        except DataError as error:
            yield Rejected(where=where, reason=str(error))


def from_published(record: Mapping[str, Any], seen: dict[str, str] | None = None) -> Published:
    """One event from its JSON object.

    `seen` remembers the articles of earlier events, so that one in two events is reported.
    Raises `DataError` where there is no list of news.
    """
    return _Reader(record, {} if seen is None else seen).read()


class _Reader:
    def __init__(self, record: Mapping[str, Any], seen: dict[str, str]) -> None:
        if not isinstance(record.get("news"), list):
            raise DataError("no list 'news': this is no event of the published layout")
        self._record, self._seen = record, seen
        self._broken: list[str] = []
        self._kis: dict[str, Passage] = {}
        self._clp: dict[str, Passage] = {}
        self._relevant: dict[str, bool] = {}

    def read(self) -> Published:
        record = self._record
        self._check_keys(record, EVENT_KEYS, "event")
        documents = []
        for place, item in enumerate(record["news"], start=1):
            if isinstance(item, dict):
                documents.append(self._document(item, place))
            else:
                self._broken.append(f"news {place}: no object but {type(item).__name__}")
        dates = [document.published for document in documents if document.published]
        if dates != sorted(dates):
            self._broken.append("news: dates out of order")
        description = self._text(record, "description", "event")
        content = [description, *(document.text for document in documents)]
        event = Event(
            id=_digest(*content),
            description=description,
            documents=tuple(documents),
            date=self._date(record, "event"),
            category=self._text(record, "category", "event") or None,
        )
        for document in documents:
            owner = self._seen.setdefault(_digest(document.text), event.id)
            if owner != event.id:
                self._broken.append(f"news {document.id[:2]}: also an article of event {owner}")
        rounds = self._rounds(event)
        summary = None
        if rounds:
            summary = Summary(
                event=event.id,
                recipe=RECIPE,
                model=MODEL,
                target=TARGET,
                text=rounds[-1].summary,
                rounds=without_repeated_carries(rounds),
            )
        return Published(
            event=event,
            summary=summary,
            kis=self._kis,
            clp=self._clp,
            relevant=self._relevant,
            broken=tuple(self._broken),
        )

    def _document(self, item: Mapping[str, Any], place: int) -> Document:
        where = f"news {place}"
        self._check_keys(item, NEWS_KEYS, where)
        texts = {key: self._text(item, key, where) for key in ("title", "article")}
        language = self._language(item, where)
        document = Document(
            id=f"{place:02d}-{_digest(language, *texts.values())}",
            text=texts["article"],
            language=language,
            title=texts["title"] or None,
            published=self._date(item, where),
        )
        if not texts["article"].strip():
            self._broken.append(f"{where}: no article")
        if item.get("label_relevant") in (0, 1, "0", "1"):
            self._relevant[document.id] = str(item["label_relevant"]) == "1"
        if "KIS" in item:
            items = parse(self._text(item, "KIS", where)).items
            self._kis[document.id] = of_document(document.id, language, items, ("kis",))
        if "KIS+CLP" in item:
            items = parse(self._text(item, "KIS+CLP", where)).items
            steps = ("kis",) if language == TARGET else ("kis", "clp")
            source = self._kis.get(document.id)
            self._clp[document.id] = of_document(document.id, TARGET, items, steps, source)
        return document

    def _rounds(self, event: Event) -> list[Round]:
        records = self._record.get(MODEL)
        if records is None:
            return []
        if not isinstance(records, list):
            self._broken.append(f"{MODEL}: no list but {type(records).__name__}")
            return []
        if len(records) != len(event.documents) - 1:
            counts = f"{len(records)} rounds for {len(event.documents)} articles"
            self._broken.append(f"{MODEL}: {counts}, not one less")
        rounds: list[Round] = []
        for index, record in enumerate(records, start=1):
            if not isinstance(record, dict):
                self._broken.append(f"round {index}: no object but {type(record).__name__}")
                break
            rounds.append(self._round(record, index, event, rounds[-1:]))
        return rounds

    def _round(
        self, record: Mapping[str, Any], index: int, event: Event, before: Sequence[Round]
    ) -> Round:
        where = f"round {index}"
        self._check_keys(record, ROUND_KEYS, where)
        text = {key: self._text(record, key, where) for key in ROUND_KEYS}
        names = tuple(document.id for document in event.documents)
        first, second = names[:index], names[index : index + 1]
        if before:
            one = of_summary(first, parse(text["news1"]).items)
            if before[-1].carry != one:
                self._broken.append(f"{where}: news1 is not summary_KIS of round {index - 1}")
        else:
            one = self._given(first, text["news1"], f"{where}: news1")
        other = self._given(second, text["news2"], f"{where}: news2")
        issues, strategies, notes = _found(text["where"], text["strategy"], (one, other))
        documents = names[: index + 1]
        return Round(
            index=index,
            documents=documents,
            added=second if before else documents,
            summary=text["summary"],
            issues=issues,
            strategies=strategies,
            inputs=(one, other),
            carry=of_summary(documents, parse(text["summary_KIS"]).items),
            answers={step: text[key] for key, step in STEPS.items()},
            notes=notes,
        )

    def _given(self, documents: tuple[str, ...], text: str, where: str) -> Passage:
        """The list of one document as a round was given it; its own, if they are the same."""
        items = parse(text).items
        if len(documents) != 1:
            return of_summary(documents, items)
        own = self._clp.get(documents[0])
        if own and tuple(sentence.text for sentence in own.sentences) == items:
            return own
        if own:
            self._broken.append(f"{where} is not KIS+CLP of news {documents[0][:2]}")
        return of_document(documents[0], TARGET, items, ("kis", "clp"))

    def _check_keys(self, record: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
        known = set(keys)
        missing = sorted(known - record.keys() - _OPTIONAL)
        surplus = sorted(record.keys() - known - _OPTIONAL)
        self._broken += [f"{where}: no {key!r}" for key in missing]
        self._broken += [f"{where}: unknown key {str(key)[:40]!r}" for key in surplus]

    def _text(self, record: Mapping[str, Any], key: str, where: str) -> str:
        value = record.get(key)
        if value is None:
            return ""
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = "\n".join(f"{number}. {part}" for number, part in enumerate(value, start=1))
        if not isinstance(value, str):
            self._broken.append(f"{where}: {key} is no text but {type(value).__name__}")
            return ""
        if _CONTROL.search(value):
            self._broken.append(f"{where}: control characters in {key}")
        if _SURROGATE.search(value):
            self._broken.append(f"{where}: halves of characters (lone surrogates) in {key}")
        return value

    def _language(self, item: Mapping[str, Any], where: str) -> str:
        for key in ("lang_abbr", "lang_full"):
            try:
                return languages.parse(self._text(item, key, where))
            except UnknownName:
                continue
        self._broken.append(f"{where}: unknown language {str(item.get('lang_abbr'))[:20]!r}")
        return languages.UNKNOWN

    def _date(self, record: Mapping[str, Any], where: str) -> datetime | None:
        written = record.get("date")
        try:
            return datetime.strptime(str(written), "%Y%m%d").replace(tzinfo=UTC)
        except ValueError:
            if written is not None:
                self._broken.append(f"{where}: {str(written)[:20]!r} is no date like 20230501")
            return None


def _found(
    where: str, strategy: str, reports: tuple[Passage, Passage]
) -> tuple[tuple[Issue, ...], tuple[Strategy, ...], tuple[str, ...]]:
    """Issues and strategies as far as the published prose can be read."""
    try:
        found = read_issues(where, reports)
    except Unusable as unread:
        return (), (), (f"where: {unread}",)
    try:
        settled = read_strategies(strategy, found.issues)
    except Unusable as unread:
        return found.issues, (), (*found.notes, f"strategies: {unread}")
    issues = with_causes(found.issues, settled.strategies)
    return issues, settled.strategies, (*found.notes, *settled.notes)


def _digest(*parts: str) -> str:
    content = "\x00".join(parts).encode("utf-8", "backslashreplace")
    return sha256(content).hexdigest()[:12]
