"""What a run folder keeps of its growth, and what it no longer keeps because of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from baselines.citations.written import CITATIONS
from baselines.experiment import PREFIX_SCORES
from baselines.grid.uses import uses_path
from baselines.growing.changes import Change
from baselines.ledger.written import LEDGER
from globesumm.records import read_made, write_record, write_records
from globesumm.runs import Run, digest
from globesumm.values import Event, Rejected

GROWTH = "growth.jsonl"
"""In a run folder: a `Growth` a line, in the order in which they happened."""

OUTDATED = ("scores.jsonl", PREFIX_SCORES, CITATIONS, LEDGER)
"""Files of a run whose lines about a summary say nothing of its grown form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What `added` documents did to one summary: rounds kept and made, and its sentences."""

    event: str
    recipe: str
    added: tuple[str, ...]
    kept: int
    made: int
    changes: tuple[Change, ...]


def keep(run: Run, growth: Growth) -> list[str]:
    """Record `growth`, and drop what was known of the earlier text; returns those files' names.

    A score of a text that is no longer there would stand beside those of texts that are.  It
    goes before the grown summary is written: whenever a process dies, the same command finds
    the summary not grown yet, and a growth that is told again is one.
    """
    dropped = [name for name in OUTDATED if _drop(run, name, growth)]
    # They are the calls of the summary as it was; without them nothing is claimed of the grown one.
    uses_path(run, growth.recipe, growth.event).unlink(missing_ok=True)
    earlier = read_growth(run)
    if growth not in earlier:
        write_records(run.folder / GROWTH, [*earlier, growth])
    return dropped


def read_growth(run: Run) -> list[Growth]:
    """Every growth of the run, the first one first."""
    return read_made(run.folder / GROWTH, Growth)


def write_grown(run: Run, event: Event) -> None:
    """Put the grown `event` in its place among the run's, and the new digest into its settings.

    The settings go first: where a process dies in between, the articles are still new to the
    run, and the same command does both again.
    """
    events = [event if one.id == event.id else one for one in run.events()]
    record = run.record()
    settings = {**record.settings, "data": digest(events)}
    write_record(run.folder / "run.json", replace(record, settings=settings))
    run.write_events(events, run.rejected())


def keep_rejected(run: Run, rejected: Iterable[Rejected]) -> None:
    """Add what could not be read of new articles to what the run could not read, each once."""
    held = run.rejected()
    every = list(dict.fromkeys((*held, *rejected)))
    if len(every) > len(held):
        write_records(run.folder / "rejected.jsonl", every)


def _drop(run: Run, name: str, growth: Growth) -> bool:
    path = run.folder / name
    if not path.exists():
        return False
    rows = read_made(path, dict[str, object])
    kept = [
        row
        for row in rows
        if (row.get("event") or row.get("id"), row.get("recipe")) != (growth.event, growth.recipe)
    ]
    if len(kept) == len(rows):
        return False
    write_records(path, kept)
    return True
