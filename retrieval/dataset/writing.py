"""The files of a data set, each whole or not at all; the same contents give the same bytes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from globesumm.errors import MissingPackage
from globesumm.records import write_records, write_text
from globesumm.values import Event
from retrieval.dataset import addresses
from retrieval.dataset.addresses import Address
from retrieval.dataset.card import Facts, card, sites
from retrieval.dataset.checks import Finding
from retrieval.dataset.counting import NOT_COUNTED, token_counter
from retrieval.dataset.folder import Folder
from retrieval.dataset.links import Link
from retrieval.dataset.plots import plot
from retrieval.dataset.schema import described, write_parquet
from retrieval.dataset.splits import SPLITS, Assigned
from retrieval.dataset.statistics import Statistics, statistics
from retrieval.dataset.takedown import Removed


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that goes into the files."""

    events: Sequence[Event]
    splits: Mapping[str, str]
    groups: Sequence[tuple[str, ...]]
    rows: Sequence[Address]
    findings: Sequence[Finding]
    leaks: Sequence[Link]
    removed: set[Removed]
    links: str
    seed: int
    name: str
    licence: str
    texts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The counts that were written, and why there are no plots, if there are none."""

    statistics: Statistics
    unplotted: str | None


def write(folder: Folder, contents: Contents) -> Written:
    """Write everything; the splits come first, so that a build which was stopped finds them."""
    write_records(folder.splits, _assigned(contents))
    removed: list[Removed] = sorted(contents.removed, key=_order)
    write_records(folder.removed, removed)
    for split in SPLITS:
        if contents.texts:
            events = [one for one in contents.events if contents.splits[one.id] == split]
            write_records(folder.data(split, ".jsonl"), events)
            write_parquet(folder.data(split, ".parquet"), events)
        else:
            rows = [row for row in contents.rows if row.split == split]
            write_records(folder.data(split, ".jsonl"), rows)
            addresses.write_addresses(folder.data(split, ".parquet"), rows)
    write_records(folder.checks, contents.findings)
    write_records(folder.leaks, contents.leaks)
    counter = token_counter() if contents.texts else NOT_COUNTED
    counted = statistics(contents.events, contents.splits, counter)
    for table in (*counted.tables(), sites(contents.events)):
        table.write(folder.statistics)
    plots, unplotted = _plots(folder, counted)
    facts = Facts(
        name=contents.name,
        licence=contents.licence,
        seed=contents.seed,
        links=contents.links,
        leaks=len(contents.leaks),
        columns=described() if contents.texts else addresses.COLUMNS,
        findings=Counter(
            f"{one.kind}{' (left out)' if one.left_out else ''}" for one in contents.findings
        ),
        taken=len(contents.removed),
        plots=plots,
        has_text=contents.texts,
    )
    write_text(folder.card, card(facts, contents.events, counted))
    return Written(statistics=counted, unplotted=unplotted)


def _plots(folder: Folder, counted: Statistics) -> tuple[list[str], str | None]:
    try:
        return [path.name for path in plot(counted, folder.statistics)], None
    except MissingPackage as error:
        return [], str(error)


def _assigned(contents: Contents) -> list[Assigned]:
    group = {event: members[0] for members in contents.groups for event in members}
    return [
        Assigned(event=event, split=split, group=group.get(event, event))
        for event, split in sorted(contents.splits.items())
    ]


def _order(one: Removed) -> tuple[str, str]:
    return one.text, one.url or ""
