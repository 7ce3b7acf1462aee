"""A window of the portal: which days are had, fetching the others, events, names, accounting.

::

    OUT/events/2023-05-15.jsonl   the events of a day; that it is there means the day is done
    OUT/days.jsonl                every day of the window: had, known missing or failed, and why
    OUT/rejected.jsonl            what could not be read, each with its reason
    CACHE/pages                   day pages by revision (see `retrieval.portal.store`)
    CACHE/names.sqlite            language links (see `retrieval.portal.names`)
    CACHE/links/2023-05-15.txt    the articles that a day links to

A day whose page is another than last time (another revision, an edited file) is made anew.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.records import read_own_records, read_plain_records, write_records
from globesumm.runs import Setting
from globesumm.shards import Outcome, Shard, check_place, only_here, run_stage
from globesumm.shards.folder import ShardFolder
from globesumm.values import Rejected
from retrieval.portal.client import Client
from retrieval.portal.names import Fetched, NameStore, fetch_names
from retrieval.portal.output import suffix_of
from retrieval.portal.pages import Wanted, at_hand, fetch
from retrieval.portal.saved import saved_pages
from retrieval.portal.stage import RULES, events_of_day, links_of_day, read_day, shard_of
from retrieval.portal.store import DayPage, PageStore, State

Connect = Callable[[], Client]
"""Opens the API when first it is needed: with everything at hand there is no one to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to have: the days, where from, names in which languages, and where to put it."""

    days: tuple[date, ...]
    out: Path
    cache: Path
    api: str
    saved: Path | None = None
    languages: tuple[str, ...] = ()
    form: str = "jsonl"
    pins: Mapping[date, int] = field(default_factory=dict)
    refresh: bool = False
    workers: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        check_place(self.workers, self.cluster)

    @property
    def wanted(self) -> Wanted:
        return Wanted(days=self.days, api=self.api, pins=self.pins, refresh=self.refresh)

    @property
    def events(self) -> ShardFolder:
        return ShardFolder(self.out / "events", suffix_of(self.form))

    @property
    def settings(self) -> dict[str, Setting]:
        """What decides the events of a day besides its page."""
        return {"rules": RULES, "form": self.form, "languages": " ".join(self.languages)}

    @property
    def names(self) -> NameStore:
        return NameStore(self.cache / "names.sqlite")


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRecord:
    """What became of one day: its page and revision, what was counted in it and what there is to
    say about the page (`notes`): bullets outside the frame, letters that were repaired.
    """

    date: date
    state: State
    cause: str | None = None
    page: str | None = None
    revision: int | None = None
    revision_time: str | None = None
    sha256: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Account:
    """What became of the window: its days, the names, what was made now and what was refused."""

    days: list[DayRecord] = field(default_factory=list)
    names: Fetched = field(default_factory=Fetched)
    made: int = 0
    reused: int = 0
    rejected: list[Rejected] = field(default_factory=list)

    def number(self, state: State) -> int:
        """How many days are in `state`."""
        return sum(day.state is state for day in self.days)


def present(request: Request) -> tuple[dict[date, DayPage], list[date], list[Rejected]]:
    """The days that need no request, those that do, and files that could not be read."""
    if request.saved is not None:
        found, rejected = saved_pages(request.saved)
        here = {day: found.get(day) or _not_saved(day, request.saved) for day in request.days}
        return here, [], rejected
    had = at_hand(request.wanted, PageStore(request.cache / "pages"))
    return had, [day for day in request.days if day not in had], []


def _not_saved(day: date, folder: Path) -> DayPage:
    # That nobody saved it does not say that there is none.
    return DayPage(date=day, state=State.FAILED, cause=f"{folder} holds no page of this day")


def carry_out(request: Request, connect: Connect) -> Account:
    """Have the window; the same call goes on where it was stopped and fetches nothing twice.

    Raises `UsageError` if another command works in `request.out`, `RunMismatch` if the events
    there were made with other settings; both before anything there is touched.
    """
    with only_here(request.out):
        request.events.agree(request.settings)
        return _carried_out(request, connect)


def _carried_out(request: Request, connect: Connect) -> Account:
    account = Account()
    pages, lacking, account.rejected = present(request)
    if lacking:
        pages |= fetch(request.wanted, lacking, PageStore(request.cache / "pages"), connect())
    _forget_others(request, pages)
    had = [shard_of(pages[day]) for day in request.days if pages[day].state is State.HAD]
    # Written before the events, so that a page that changes while nobody looks is noticed.
    _write(request, [_record(pages[day], {}) for day in request.days])
    if request.languages:
        account.names = _have_names(request, had, connect)
    outcome = _events(request, had)
    account.made, account.reused = outcome.done, outcome.reused
    failed = {failure.shard: f"{failure.kind}: {failure.message}" for failure in outcome.failed}
    kept = request.events
    for day in request.days:
        page = pages[day]
        if cause := failed.get(str(day)):
            page = replace(page, state=State.FAILED, cause=cause)
        counts = kept.counts(str(day)) if page.state is State.HAD else {}
        record = _record(page, counts or {})
        if counts and (counts.get("rejected") or counts.get("notes")):
            with suppress(DataError):
                parsed = read_day(page)
                account.rejected += parsed.rejected
                record = replace(record, notes=parsed.notes)
        account.days.append(record)
    _write(request, account.days)
    _write_rejected(request, account.rejected)
    return account


def _events(request: Request, had: Sequence[Shard]) -> Outcome:
    stage = partial(
        events_of_day,
        form=request.form,
        languages=request.languages,
        names=str(request.names.path.resolve()),
    )
    return run_stage(
        stage,
        had,
        request.out / "events",
        suffix=suffix_of(request.form),
        workers=request.workers,
        cluster=request.cluster,
        progress_name="portal days",
        settings=request.settings,
    )


def _have_names(request: Request, had: Sequence[Shard], connect: Connect) -> Fetched:
    """Find out which articles the days speak of, and have what they are called elsewhere."""
    lacking = request.names.lacking(_titles(request, had))
    if not lacking:
        return Fetched()
    return fetch_names(lacking, request.names, connect())


def _titles(request: Request, had: Sequence[Shard]) -> list[str]:
    folder = request.cache / "links"
    # A page that was replaced has other links: its name says which page they are of.
    shards = [Shard(f"{shard.name}.{_short(shard)}", shard.source) for shard in had]
    run_stage(
        links_of_day,
        shards,
        folder,
        suffix=".txt",
        workers=request.workers,
        cluster=request.cluster,
        progress_name="links of days",
        settings={"rules": RULES},
    )
    titles: dict[str, None] = {}
    for shard in shards:
        with suppress(FileNotFoundError):
            lines = (folder / f"{shard.name}.txt").read_text(encoding="utf-8").splitlines()
            titles |= dict.fromkeys(lines)
    return list(titles)


def _short(shard: Shard) -> str:
    from hashlib import sha256

    return sha256(shard.source.encode()).hexdigest()[:12]


def _forget_others(request: Request, pages: Mapping[date, DayPage]) -> None:
    """Remove the events of days that were made from another page."""
    kept = request.events
    for before in _earlier(request):
        page = pages.get(before.date)
        if page is not None and before.sha256 and page.sha256 != before.sha256:
            kept.result(str(before.date)).unlink(missing_ok=True)


def _earlier(request: Request) -> Iterator[DayRecord]:
    path = request.out / "days.jsonl"
    if path.exists():
        try:
            yield from read_own_records(path, DayRecord, "choose another --out, or remove the file")
        except DataError as error:
            raise UsageError(str(error)) from error


def _record(page: DayPage, counts: Mapping[str, int]) -> DayRecord:
    return DayRecord(
        date=page.date,
        state=page.state,
        cause=page.cause,
        page=page.page,
        revision=page.revision,
        revision_time=page.revision_time,
        sha256=page.sha256,
        counts=dict(counts),
    )


def _write(request: Request, days: Sequence[DayRecord]) -> None:
    """Write the days of this window, and keep what is known of days outside it."""
    inside = {day.date for day in days}
    every = [*days, *(day for day in _earlier(request) if day.date not in inside)]
    every.sort(key=lambda day: day.date)
    write_records(request.out / "days.jsonl", every)


def _write_rejected(request: Request, rejected: Sequence[Rejected]) -> None:
    path = request.out / "rejected.jsonl"
    if rejected:
        write_records(path, rejected)
    else:
        path.unlink(missing_ok=True)


def pins_from(path: Path) -> dict[date, int]:
    """The revisions that an earlier ``days.jsonl`` states, by day.

    Raises `UsageError` where it cannot be read or states none.
    """
    pins: dict[date, int] = {}
    try:
        for found in read_plain_records(path):
            if isinstance(found, Rejected):
                raise UsageError(f"--pins: {found.where}: {found.reason}")
            where, record = found
            day, revision = record.get("date"), record.get("revision")
            if revision is None:
                continue
            if not isinstance(day, str) or not isinstance(revision, int) or revision < 1:
                raise UsageError(f"--pins: {where}: no day with its revision")
            pins[date.fromisoformat(day)] = revision
    except (DataError, ValueError) as error:
        raise UsageError(f"--pins: {error}") from error
    if not pins:
        raise UsageError(f"--pins {path}: states no revision of any day")
    return pins
