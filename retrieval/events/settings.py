"""The config file of the whole chain: where events and reports come from, and what is kept."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Literal

from globesumm.config.files import read_toml
from globesumm.config.keys import check_keys
from globesumm.config.tables import Limits, ModelRow
from globesumm.errors import DataError, UsageError
from globesumm.languages import GLOBESUMM, UNKNOWN, parse
from globesumm.records import from_plain
from retrieval.index.bm25 import Bm25

SAMPLE = "sample:"
ALL = "globesumm"
"""Stands for the data set's 26 languages."""


def _at_least(table: object, least: float, *names: str) -> None:
    for name in names:
        value = getattr(table, name)
        if value is not None and not least <= value < math.inf:
            raise ValueError(f"{name} is {value}: give a number from {least:g} up")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalTable:
    """Where the events come from, and which are wanted.

    The days of the window are had from the API (`api`, `contact`), from `saved` pages, or not at
    all where `events` names a file or folder of portal events.  `categories` and `ids` narrow
    them, `most` keeps the first so many.
    """

    api: str | None = None
    contact: str | None = None
    saved: str | None = None
    events: str | None = None
    categories: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    most: int | None = None
    wait_seconds: float = 2.0
    tries: int = 8

    def __post_init__(self) -> None:
        _at_least(self, 1, "most", "tries")
        _at_least(self, 0, "wait_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class GdeltTable:
    """Which of GDELT's documents are looked through: the window's days and so many around it."""

    base: str | None = None
    gal_base: str | None = None
    streams: tuple[Literal["english", "translated", "gal"], ...] = ("english", "translated")
    drop_zips: bool = False
    wait_seconds: float = 5.0
    tries: int = 6

    def __post_init__(self) -> None:
        _at_least(self, 1, "tries")
        _at_least(self, 0, "wait_seconds")
        if not self.streams:
            raise ValueError("streams is empty: name english, translated or gal")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTable:
    """How pages are asked for; with `cited` the reports that the portal cites are, too.

    With `by_title` only so many pages an event and language are asked for, those whose titles,
    as GDELT has them, fit its query best; unset asks for every page of the window.
    """

    contact: str | None = None
    cited: bool = True
    by_title: int | None = None
    retry: bool = False
    delay_seconds: float = 1.0
    concurrency: int = 64
    per_host: int = 1
    timeout_seconds: float = 30.0
    connect_to: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least(self, 1, "concurrency", "per_host", "by_title")
        _at_least(self, 0, "delay_seconds")
        _at_least(self, 0.001, "timeout_seconds")


MOST_DAYS = 3660
"""Days around an event's: ten years, which is longer than GDELT 2.0 has been there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTable:
    """BM25's settings, and which days a report may be of.

    The `k` best a language are candidates: 1, since the data set has at most 21 articles an event
    and 312 in a language of 370 events (inferred; the paper does not say).  The window is from
    `days_before` to `days_after` the portal's day (unstated in the paper), with `undated` reports
    where they are wanted.
    """

    k: int = 1
    k1: float = 0.9
    b: float = 0.4
    days_before: int = 2
    days_after: int = 7
    undated: bool = False

    def __post_init__(self) -> None:
        _at_least(self, 0, "days_before", "days_after")
        if max(self.days_before, self.days_after) > MOST_DAYS:
            raise ValueError(f"days_before and days_after are at most {MOST_DAYS}")
        try:
            Bm25(k=self.k, k1=self.k1, b=self.b)
        except UsageError as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyTable:
    """Who says whether a candidate belongs to its event.

    `judgements` are files by people, whose word counts before a model's.  What nobody judged is
    left out, or kept and noted as such (`unjudged`).  A model reads the first `most_characters`.
    """

    judgements: tuple[str, ...] = ()
    unjudged: Literal["leave-out", "keep"] = "leave-out"
    most_characters: int = 6000

    def __post_init__(self) -> None:
        _at_least(self, 100, "most_characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepTable:
    """Caps on an event's documents, and how many it must have (10, GlobeSumm, 2.2 and table 2).

    `per_story` counts near-duplicates in a language (translated copies cannot be told from other
    reports of the event), `per_publisher` reports of one outlet.  0 is no cap.  Unless `shared`, a
    report stands in one event only, so that no split of a data set leaks into another.
    """

    documents: int = 10
    languages: int = 10
    per_publisher: int = 2
    per_story: int = 1
    shared: bool = False

    def __post_init__(self) -> None:
        _at_least(self, 1, "documents", "languages")
        _at_least(self, 0, "per_publisher", "per_story")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsConfig:
    """What `globesumm events` builds.

    `first` to `last` are the portal's days.  With `documents` (what ``globesumm read`` takes,
    or ``sample:NAME``) GDELT and fetching are left out.  `model` translates the descriptions
    (unless `translate` is false) and judges (unless `judge` is false), within `limits`.
    """

    first: date | None = None
    last: date | None = None
    languages: tuple[str, ...] = (ALL,)
    documents: tuple[str, ...] = ()
    prompts: str | None = None
    model: ModelRow | None = None
    translate: bool = True
    judge: bool = True
    limits: Limits = field(default_factory=Limits)
    portal: PortalTable = field(default_factory=PortalTable)
    gdelt: GdeltTable = field(default_factory=GdeltTable)
    fetch: FetchTable = field(default_factory=FetchTable)
    candidates: CandidateTable = field(default_factory=CandidateTable)
    verify: VerifyTable = field(default_factory=VerifyTable)
    keep: KeepTable = field(default_factory=KeepTable)

    @property
    def translates(self) -> bool:
        return self.model is not None and self.translate

    @property
    def judges(self) -> bool:
        return self.model is not None and self.judge


def load(name_or_path: str) -> EventsConfig:
    """The config at that path, or that comes with the package under that name.

    Raises `UsageError` where it cannot be read, `UnknownName` for keys and languages nobody
    knows, `DataError` for values of the wrong type and for what cannot be meant.
    """
    path, content = read_toml(name_or_path, shipped())
    check_keys(EventsConfig, content, str(path))
    found = from_plain(EventsConfig, content, str(path))
    _check(found, str(path))
    return _located(replace(found, languages=_languages(found.languages, str(path))), path.parent)


def shipped() -> dict[str, Path]:
    """The configs of events that come with the package, by name."""
    folder = Path(__file__).resolve().parents[2] / "configs" / "events"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _languages(names: tuple[str, ...], where: str) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        code = parse(name) if name != ALL else None
        if code == UNKNOWN:
            raise DataError(f"{where}: languages: {name!r} is no language to search in")
        found += GLOBESUMM if code is None else [code]
    if not found:
        raise DataError(f"{where}: languages is empty: name at least one, or {ALL!r}")
    return tuple(dict.fromkeys(found))


def _check(config: EventsConfig, where: str) -> None:
    dated = config.first is not None and config.last is not None
    if (config.first is None) != (config.last is None):
        raise DataError(f"{where}: first and last go together: the window's first and last day")
    if not dated and not config.portal.events:
        raise DataError(
            f"{where}: no days: give first and last, or portal.events, a file of portal events"
        )
    if not dated and not config.documents:
        raise DataError(f"{where}: GDELT needs first and last; or name documents that you have")
    if config.first and config.last and config.last < config.first:
        raise DataError(
            f"{where}: the window ends ({config.last}) before it begins: give the earlier day first"
        )
    if config.portal.events and config.portal.saved:
        raise DataError(f"{where}: portal.events and portal.saved: name one of them")
    if config.keep.languages > config.keep.documents:
        raise DataError(
            f"{where}: keep.languages ({config.keep.languages}) is more than keep.documents "
            f"({config.keep.documents}): no event could have that"
        )


def _located(config: EventsConfig, folder: Path) -> EventsConfig:
    """`config` with its paths, which start from the file's `folder`."""

    def at(name: str) -> str:
        return name if name.startswith(SAMPLE) or "://" in name else str(folder / name)

    def at_if(name: str | None) -> str | None:
        return None if name is None else at(name)

    model = config.model
    if model is not None:
        backend, colon, file = model.served.partition(":")
        if colon and backend == "scripted":
            model = replace(model, model=f"scripted:{folder / file}")
    return replace(
        config,
        documents=tuple(map(at, config.documents)),
        prompts=at_if(config.prompts),
        model=model,
        portal=replace(
            config.portal, saved=at_if(config.portal.saved), events=at_if(config.portal.events)
        ),
        gdelt=replace(
            config.gdelt, base=at_if(config.gdelt.base), gal_base=at_if(config.gdelt.gal_base)
        ),
        verify=replace(config.verify, judgements=tuple(map(at, config.verify.judgements))),
    )
