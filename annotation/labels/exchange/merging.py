"""One project's database into another's: items, labels, who was to do what, links and consents."""

import sqlite3
from collections.abc import Iterable, Mapping

from annotation.labels.deciding import settle
from annotation.labels.exchange.taking import Taking, take
from annotation.labels.exchange.whole import as_it_is_now, changed_at_once
from annotation.labels.project import Project
from annotation.labels.store import Store
from annotation.labels.values import Item, Label
from globesumm.errors import DataError, UsageError


def merge(into: Project, other: Project, people: Mapping[str, str] | None = None) -> Taking:
    """Take everything of `other` into `into`; `other` stays as it is.

    `people` renames annotators of `other`.  The settings of `into` stay; annotators that they do
    not name are noted.  It is done wholly or not at all, and doing it twice changes nothing more.
    Raises `UsageError` for a project and itself, `DataError` where `other` is damaged.
    """
    if into.folder.resolve() == other.folder.resolve():
        raise UsageError(f"{into.folder}: a project cannot be merged with itself: name another")
    _check_sound(other.store)
    with as_it_is_now(other.store), changed_at_once(into) as whole:
        return _merge(whole, other, dict(people or {}))


def _merge(into: Project, other: Project, called: Mapping[str, str]) -> Taking:
    known = {name for (name,) in other.store.connection.execute("SELECT name FROM people")}
    known |= set(other.annotators) | _labelled(other.store)
    if strange := sorted(set(called) - known):
        raise UsageError(f"{other.folder}: there is no annotator {strange[0]!r} to rename")
    report, moved = take(
        into.store, other.store.items(), other.store.labels(counting=False), called
    )
    _take_people(into.store, other.store, called)
    _take_assignments(into.store, other.store, moved, called)
    _take_consultations(into.store, other.store, moved, called)
    both = sorted(
        name for name in _labelled(into.store) & _labelled(other.store) if name not in called
    )
    if both:
        report.notes.append(
            f"both have labels of {', '.join(map(repr, both))}: where these are two people, "
            "rename one (--rename OLD=NEW)"
        )
    for name in sorted({called.get(name, name) for name in known} - set(into.annotators)):
        report.notes.append(f"{name!r} is no annotator in the settings of {into.folder}: add them")
    settle_touched(into, report)
    return report


def take_in(project: Project, items: Iterable[Item], labels: Iterable[Label]) -> Taking:
    """Take what a file brought into `project`, wholly or not at all."""
    with changed_at_once(project) as whole:
        report, _ = take(whole.store, items, labels)
        settle_touched(whole, report)
    return report


def settle_touched(project: Project, report: Taking) -> None:
    """Note anew what becomes of items whose labels are not those that they were."""
    numbers = project.store.numbers()
    touched = [(numbers[name],) for name in sorted(report.touched) if name in numbers]
    with project.store.writing() as connection:
        connection.executemany("DELETE FROM decisions WHERE item = ?", touched)
    settle(project)


TABLES = ("items", "labels", "people", "assignments", "consultations")
"""What is read of the other project."""


def _check_sound(store: Store) -> None:
    """Raise `DataError` that names a database which is damaged, before anything is taken of it."""
    try:
        for table in TABLES:
            store.connection.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608  # constant parts
        said = str(store.connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        said = str(error)
    if said != "ok":
        raise DataError(f"{store.path}: the database is damaged ({said}): take a copy or an export")


def _labelled(store: Store) -> set[str]:
    """Whose labels there are."""
    return {name for (name,) in store.connection.execute("SELECT DISTINCT annotator FROM labels")}


def _take_people(into: Store, other: Store, called: Mapping[str, str]) -> None:
    """Links and consents of people who are not here; those who are keep theirs."""
    query = "SELECT name, token, consented, consent, introduced FROM people"
    rows = [(called.get(row[0], row[0]), *row[1:]) for row in other.connection.execute(query)]
    with into.writing() as connection:
        connection.executemany(
            "INSERT OR IGNORE INTO people (name, token, consented, consent, introduced) "
            "VALUES (?, ?, ?, ?, ?)",
            rows,
        )


def _take_assignments(
    into: Store, other: Store, moved: Mapping[str, str], called: Mapping[str, str]
) -> None:
    """Who was to answer what, behind what they have here; done where a label of theirs counts."""
    numbers = into.numbers()
    query = (
        "SELECT items.id, annotator, round, place FROM assignments "
        "JOIN items ON items.number = assignments.item ORDER BY annotator, place"
    )
    rows = list(other.connection.execute(query))
    with into.writing() as connection:
        last = dict(
            connection.execute(
                "SELECT annotator, max(place) + 1 FROM assignments GROUP BY annotator"
            )
        )
        connection.executemany(
            "INSERT OR IGNORE INTO assignments (item, annotator, round, place) VALUES (?, ?, ?, ?)",
            [
                (numbers[moved.get(item, item)], name, number, place + last.get(name, 0))
                for item, who, number, place in rows
                for name in [called.get(who, who)]
            ],
        )
        connection.execute(
            "UPDATE assignments SET done = EXISTS (SELECT 1 FROM labels JOIN items "
            "ON items.id = labels.item WHERE items.number = assignments.item "
            "AND labels.annotator = assignments.annotator AND labels.round = assignments.round "
            "AND labels.role = 'annotator' AND labels.state = 'counts')"
        )


def _take_consultations(
    into: Store, other: Store, moved: Mapping[str, str], called: Mapping[str, str]
) -> None:
    """The log of models' verdicts that were asked for, each entry once."""
    query = "SELECT item, annotator, version, at, models FROM consultations"
    rows = [
        (moved.get(item, item), called.get(who, who), *rest)
        for item, who, *rest in other.connection.execute(query)
    ]
    with into.writing() as connection:
        connection.executemany(
            "INSERT INTO consultations SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM "
            "consultations WHERE item = ?1 AND annotator = ?2 AND version = ?3 AND at = ?4)",
            rows,
        )
