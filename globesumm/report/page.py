"""Run folder in, ``report.html`` out; beside it one file an event where there are many."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from globesumm.errors import DataError
from globesumm.languages import LANGUAGES
from globesumm.progress import track
from globesumm.records import write_text
from globesumm.report.accounts import Told, told
from globesumm.report.assets import asset, policy
from globesumm.report.bias import biases
from globesumm.report.events import Page, page
from globesumm.report.ledgers import ledger_view, ledgers_of
from globesumm.report.missing import missing
from globesumm.report.overview import Counting, Finished, by_kind, language_bars, measured
from globesumm.report.reading import (
    Part,
    citations_of,
    events_of,
    failures_of,
    parts_of,
    rejected_of,
    scores_of,
)
from globesumm.report.sections import Sections
from globesumm.report.tables import tables
from globesumm.report.texts import Text, as_text, when
from globesumm.runs import Run
from globesumm.values import Event, Score, Summary

FAILURES_SHOWN = 200
"""Failures and rejections listed on the main page; the others are counted."""

STORE = "calls.sqlite"

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One event in the list of all."""

    number: int
    description: Text
    date: str
    documents: int
    languages: int
    done: int
    expected: int
    conflicts: str


def write_report(run: Run, out: Path | None = None) -> Path:
    """Write the report of `run` (to ``RUN/report.html`` unless `out` says otherwise).

    Many events, or large ones, become files of their own in a folder named as the report is
    (``RUN/report/event-0001.html``), which the report links to.  No file asks anything of the
    network: style and script are inside, and a content security policy names them by their
    digests and forbids everything else, whatever a document might smuggle in.  The same folder
    gives the same bytes.
    """
    path = out or run.folder / "report.html"
    parts = parts_of(run.folder)
    maker = _Maker(run, parts, environment())
    sections = Sections(path, maker.event_file)
    for number, event in enumerate(track(events_of(run), "events reported"), 1):
        sections.add(maker.section(number, event))
    sections.close()
    write_text(path, maker.report(sections))
    sections.sweep()
    return path


def environment() -> Environment:
    """Where templates come from; whatever they print is escaped."""
    made = Environment(
        loader=PackageLoader("globesumm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"asset": asset, "policy": policy, "name_of": _name_of}
    return made


def _name_of(code: str) -> str:
    return LANGUAGES[code].name if code in LANGUAGES else code


def _targets(settings: Mapping[str, object]) -> list[str]:
    """The target languages: a run has one, a grid may have several."""
    named = str(settings.get("target") or settings.get("targets") or "")
    return named.replace(",", " ").split()


class _Maker:
    """Makes the sections event by event and counts what the main page tells of all of them."""

    def __init__(self, run: Run, parts: Sequence[Part], templates: Environment) -> None:
        self._run, self._parts, self._templates = run, parts, templates
        self._record = run.record()
        self._counting = Counting()
        self._rows: list[EventRow] = []
        self._done: dict[str, int] = {}
        self._broken: list[tuple[str, str]] = []
        self._scores = {part.name: self._kept(scores_of, part) for part in parts}
        self._failures = {part.name: self._kept(failures_of, part) for part in parts}
        self._rejected = self._kept(rejected_of, Part("", run)).get("", [])
        self._citations = {part.name: self._kept(citations_of, part) for part in parts}
        self._ledgers = {part.name: self._kept(ledgers_of, part) for part in parts}

    def _kept(self, read: Callable[[Run], Mapping[K, list[T]]], part: Part) -> Mapping[K, list[T]]:
        """What another command left, by event or more; nothing where it cannot be read."""
        try:
            return read(part.run)
        except DataError as error:
            # A file of another version must not hide the summaries.
            reason = str(error).replace(f"{part.run.folder}/", "")
            self._broken.append((part.name or "the run folder", reason))
            return {}

    def section(self, number: int, event: Event) -> str:
        """The HTML of one event."""
        self._counting.add(event)
        accounts, summaries, failures = self._accounts(event)
        view = page(
            event,
            number,
            accounts,
            summaries,
            scores=list(self._scored(event.id)),
            failures=failures,
        )
        self._rows.append(self._row(view, event))
        return self._templates.get_template("event.html.j2").render(event=view)

    def _accounts(self, event: Event) -> tuple[list[Told], list[Summary], list[tuple[str, str]]]:
        accounts: list[Told] = []
        summaries: list[Summary] = []
        failures: list[tuple[str, str]] = []
        for part in self._parts:
            known = self._failures[part.name].get(event.id, ())
            failures += [(part.label(each.recipe), each.reason) for each in known]
            for one in part.summaries(event.id):
                key = (one.event, one.recipe)
                entries = self._ledgers[part.name].get(key)
                accounts.append(
                    told(
                        event,
                        one,
                        part.name,
                        self._citations[part.name].get(key, ()),
                        ledger_view(entries, one, event) if entries is not None else None,
                    )
                )
                summaries.append(one)
                label = part.label(one.recipe)
                self._done[label] = self._done.get(label, 0) + 1
        return accounts, summaries, failures

    def _scored(self, event: str) -> Iterator[tuple[str, Score]]:
        for part in self._parts:
            for one in self._scores[part.name].get(event, ()):
                name = part.label(one.recipe or "candidates")
                yield (name if one.round is None else f"{name}, round {one.round}"), one

    def _row(self, view: Page, event: Event) -> EventRow:
        first = view.accounts[0] if view.accounts else None
        times = [one.published for one in event.documents if one.published]
        return EventRow(
            number=view.number,
            description=as_text(event.description or event.id, ""),
            date=when(event.date or min(times, default=None))[:10],
            documents=len(event.documents),
            languages=len(view.languages),
            done=len(view.accounts),
            expected=sum(len(part.recipes) for part in self._parts),
            conflicts=str(len(first.issues["conflicts"])) if first else "–",
        )

    def event_file(self, number: int, section: str, report: str) -> str:
        """A section as a file of its own, with the way back to `report`."""
        return self._templates.get_template("event_page.html.j2").render(
            section=Markup(section),  # noqa: S704  # our own template made and escaped it
            number=number,
            title=self._rows[number - 1].description.text,
            report=report,
        )

    def report(self, sections: Sections) -> str:
        """The main page, after all sections."""
        every = [one for part in self._scores.values() for held in part.values() for one in held]
        failed = [
            (part, one)
            for part in self._parts
            for held in self._failures[part.name].values()
            for one in held
        ]
        listed = [
            *((one.where, one.reason) for one in self._rejected),
            *((part.label(one.recipe) + f" on {one.event}", one.reason) for part, one in failed),
            *self._broken,
        ]
        statistics = self._counting.done()
        shown = tables(self._run.folder) if statistics.events else {}
        calls = (self._run.folder / STORE).is_file()
        if not calls:
            shown.pop("cost", None)
        settings, facts = self._record.settings, self._record.facts
        return self._templates.get_template(
            "report.html.j2"
        ).render(
            settings=settings,
            facts=facts,
            targets=[_name_of(code) for code in _targets(settings)],
            statistics=statistics,
            languages=language_bars(statistics) if statistics.documents else None,
            rows=self._rows,
            links=sections.links,
            sections=[Markup(one) for one in sections.held],  # noqa: S704  # as above
            split=sections.split,
            finished=self._finished(statistics.events),
            measured=measured(every),
            tables=shown,
            biases=biases(self._run.folder),
            kinds=by_kind([one for _, one in failed]),
            listed=listed[:FAILURES_SHOWN],
            unlisted=max(0, len(listed) - FAILURES_SHOWN),
            missing=missing(self._run.folder, self._parts, scored=bool(every), calls=calls),
        )

    def _finished(self, events: int) -> list[Finished]:
        return [
            Finished(
                name=part.label(recipe),
                done=self._done.get(part.label(recipe), 0),
                expected=events,
                failed=sum(
                    one.recipe == recipe
                    for held in self._failures[part.name].values()
                    for one in held
                ),
            )
            for part in self._parts
            for recipe in part.recipes
        ]
