"""One folder with all that its tables are made of, and the literal list of these tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from baselines.tables.causes import Causes, causes_table
from baselines.tables.costs import Costs, costs
from baselines.tables.costs_table import costs_table
from baselines.tables.delta import Setting, delta_table
from baselines.tables.drafts import drafts_table
from baselines.tables.findings import findings, size_of
from baselines.tables.findings_table import findings_table
from baselines.tables.layouts import layouts
from baselines.tables.overview import overview
from baselines.tables.pairs import pairs_table
from baselines.tables.portions import Portion, events_of_all, portions
from baselines.tables.prefixes import prefix_rows, prefix_table
from baselines.tables.published_layouts import layout_table
from baselines.tables.reading import results_of
from baselines.tables.results import Results
from baselines.tables.slices import Sliced, contamination_table, languages_table
from baselines.tables.verdicts import conflict_causes
from globesumm.config import Experiment
from globesumm.errors import UsageError
from globesumm.records import read_record
from globesumm.runs import Run
from globesumm.values import Event
from metrics.printed import Table

EXPERIMENT = "experiment.json"
"""In the folder of the tables: the experiment that they were made for."""

TABLES_FOLDER, PLOTS_FOLDER = "tables", "plots"


class Compared:
    """A grid's or a run's folder; what the tables need is read when it is first wanted.

    Without an `experiment` the one is taken that tables were last written for, if there is one;
    without any, prices, sizes and cutoffs are unknown.
    """

    def __init__(self, folder: Path, experiment: Experiment | None = None) -> None:
        kept = folder / TABLES_FOLDER / EXPERIMENT
        if experiment is None and kept.is_file():
            experiment = read_record(kept, Experiment)
        self.folder, self.experiment = folder, experiment

    @cached_property
    def portions(self) -> list[Portion]:
        return portions(self.folder, self.experiment)

    @cached_property
    def events(self) -> list[Event]:
        return events_of_all(self.portions, self.folder)

    @cached_property
    def results(self) -> Results:
        return results_of(self.portions, [one.id for one in self.events], self.folder.name)

    @cached_property
    def costs(self) -> Costs:
        ids = [event.id for event in self.events]
        return costs(self.folder, self.portions, ids, self.experiment)

    @cached_property
    def causes(self) -> tuple[Causes | None, str]:
        return conflict_causes(self.folder, self.portions, self.events, self.experiment)

    @cached_property
    def prefixes(self) -> list[Sliced]:
        return prefix_rows(self.results, self.portions, self.events)

    @property
    def cutoffs(self) -> Mapping[str, date | None]:
        """The last day of each model's training data, as the experiment states it."""
        rows = self.experiment.rows if self.experiment else {}
        return {name: row.cutoff for name, row in rows.items()}

    @property
    def sizes(self) -> Mapping[str, float]:
        """Billions of parameters of each model of which the experiment states them."""
        rows = self.experiment.rows if self.experiment else {}
        stated = {name: size_of(str(row.size), {}) for name, row in rows.items() if row.size}
        return {name: size for name, size in stated.items() if size is not None}

    @property
    def setting(self) -> Setting:
        """What the paper-delta report holds against the paper's settings."""
        documents = [one for event in self.events for one in event.documents]
        asked = self.experiment
        decoding = (
            f"temperature {asked.decoding.temperature}" if asked else self._recorded_decoding()
        )
        return Setting(
            events=len(self.events),
            documents=len(documents),
            languages=frozenset(one.language for one in documents),
            decoding=decoding,
            max_words=asked.max_words if asked else None,
        )

    def _recorded_decoding(self) -> str:
        for portion in self.portions:
            if portion.run is not None:
                return str(portion.run.record().settings.get("decoding") or "not recorded")
        return str(Run(self.folder).record().settings.get("decoding") or "not recorded")


Make = Callable[[Compared], Table]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One table: how it is made, how with intervals where it has none else, what it shows.

    Those that are not `written` with the others are made when they are asked for.
    """

    make: Make
    about: str
    detailed: Make | None = None
    written: bool = True


def _layout(number: int, *, intervals: bool = False) -> Make:
    def made(held: Compared) -> Table:
        if not held.results.models():
            raise UsageError(
                f"table {number} is of models, and no recipe here takes one: choose another"
            )
        return layout_table(number, held.results, intervals=intervals)

    return made


def _findings(held: Compared) -> Table:
    causes, note = held.causes
    every = dict.fromkeys((5, 6, 9), held.results)
    return findings_table(findings(every, causes, sizes=held.sizes), (note,) if causes else ())


def _conflicts(held: Compared) -> Table:
    causes, note = held.causes
    if causes is None:
        raise UsageError(note)
    return causes_table(causes, (note,))


KINDS: Mapping[str, Kind] = {
    "all": Kind(
        make=lambda held: overview(held.results),
        about="every cell and metric",
        detailed=lambda held: overview(held.results, intervals=True),
    ),
    **{
        str(number): Kind(
            make=_layout(number),
            about=f"Table {number}: {layout.caption}",
            detailed=_layout(number, intervals=True),
        )
        for number, layout in layouts().items()
    },
    "findings": Kind(make=_findings, about="which of the paper's findings hold here"),
    "paper-delta": Kind(
        make=lambda held: delta_table(held.results, held.setting),
        about="this run beside the paper's Tables 5 and 6, and what differs",
    ),
    "pairs": Kind(
        make=lambda held: pairs_table(held.results),
        about="cells tested against one another on the same events",
    ),
    "every-pair": Kind(
        make=lambda held: pairs_table(held.results, every=True),
        about="every cell tested against every other, whatever they differ in",
        written=False,
    ),
    "conflicts": Kind(make=_conflicts, about="conflicts handled wrongly, by cause (figure 4)"),
    "cost": Kind(
        make=lambda held: costs_table(held.costs), about="calls, tokens, money, time by cell"
    ),
    "drafts": Kind(
        make=lambda held: drafts_table(held.portions, held.costs),
        about="what became of drafts: calls, failures, ties",
    ),
    "contamination": Kind(
        make=lambda held: contamination_table(held.results, held.events, held.cutoffs),
        about="events before and after each model's training cutoff",
    ),
    "languages": Kind(
        make=lambda held: languages_table(held.results, held.events),
        about="scores by the number of languages of the event",
    ),
    "prefix": Kind(
        make=lambda held: prefix_table(held.results, held.portions, held.events),
        about="scores by the number of documents covered",
    ),
}
"""Every table by its name on the command line."""
