"""What a person is asked next: their open items, what waits for an adjudicator, pauses."""

from dataclasses import dataclass
from datetime import UTC, datetime

from annotation.labels.deciding import DIFFERS, OPEN
from annotation.labels.store import Store
from annotation.labels.values import Role
from globesumm.records import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An item by its number, and the round it is asked about in."""

    number: int
    round: int


def next_place(store: Store, name: str) -> Place | None:
    """The first open item of `name`; those put off come last.  None: all are done."""
    row = store.connection.execute(
        "SELECT item, round FROM assignments WHERE annotator = ? AND done = 0 "
        "ORDER BY put_off, place LIMIT 1",
        (name,),
    ).fetchone()
    return None if row is None else Place(number=row[0], round=row[1])


def round_of(store: Store, name: str, number: int) -> int | None:
    """The round in which `name` is asked about the item; None: it is not theirs.

    The first that is open, or the latest where all are done.
    """
    row = store.connection.execute(
        "SELECT coalesce(min(CASE WHEN NOT done THEN round END), max(round)) FROM assignments "
        "WHERE annotator = ? AND item = ?",
        (name, number),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def put_off(store: Store, name: str, number: int) -> None:
    """Put an item off: it comes again after those that were put off less often."""
    with store.writing() as connection:
        connection.execute(
            "UPDATE assignments SET put_off = 1 + "
            "(SELECT max(put_off) FROM assignments WHERE annotator = ? AND done = 0) "
            "WHERE annotator = ? AND item = ? AND done = 0",
            (name, name, number),
        )


def next_dispute(store: Store, after: int = 0) -> int | None:
    """The first item after number `after` that waits for an adjudicator, open ones first."""
    for status in (OPEN, DIFFERS):
        row = store.connection.execute(
            "SELECT item FROM decisions WHERE status = ? AND item > ? ORDER BY item LIMIT 1",
            (status, after),
        ).fetchone()
        if row is not None:
            return int(row[0])
    return None


def status_of(store: Store, number: int) -> str | None:
    """What became of an item; None as long as answers are missing."""
    row = store.connection.execute(
        "SELECT status FROM decisions WHERE item = ?", (number,)
    ).fetchone()
    return None if row is None else str(row[0])


def disputes(store: Store) -> dict[str, int]:
    """How many items have each status (see `annotation.labels.deciding`)."""
    return dict(store.connection.execute("SELECT status, count(*) FROM decisions GROUP BY status"))


def consulted(store: Store, name: str, item: str, version: str) -> tuple[str, ...]:
    """The models whose verdicts on the item `name` has looked at."""
    found: dict[str, None] = {}
    for (models,) in store.connection.execute(
        "SELECT value FROM consultations, json_each(consultations.models) "
        "WHERE item = ? AND annotator = ? AND version = ? ORDER BY at",
        (item, name, version),
    ):
        found[models] = None
    return tuple(found)


def consult(store: Store, name: str, item: str, version: str, models: tuple[str, ...]) -> None:
    """Log that the verdicts of `models` were shown to `name`."""
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO consultations VALUES (?, ?, ?, ?, ?)",
            (item, name, version, datetime.now(UTC).isoformat(), to_json(models)),
        )


def last_word(store: Store, name: str, role: Role) -> str | None:
    """The id of the latest label of `name` in `role` that counts: what undo takes back."""
    row = store.connection.execute(
        "SELECT id FROM labels WHERE annotator = ? AND role = ? AND state = 'counts' "
        "ORDER BY number DESC LIMIT 1",
        (name, role),
    ).fetchone()
    return None if row is None else str(row[0])
