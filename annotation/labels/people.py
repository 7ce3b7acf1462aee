"""Who may come in by which link, what they agreed to, and how far they are."""

import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from annotation.labels.project import Project
from annotation.labels.store import Store
from annotation.labels.values import Annotator
from globesumm.records import from_json, to_json


def make_links(project: Project) -> dict[str, str]:
    """Annotator to token, made for those who have none yet; 32 characters nobody can guess."""
    query = "SELECT name, token FROM people"
    found = dict(project.store.connection.execute(query))
    # Whoever only asks for the links writes nothing, and a project may be read-only.
    if missing := [name for name in project.annotators if name not in found]:
        with project.store.writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO people (name, token) VALUES (?, ?)",
                [(name, secrets.token_urlsafe(24)) for name in missing],
            )
            found = dict(connection.execute(query))
    return {name: found[name] for name in project.annotators}


def renew_link(project: Project, name: str) -> str:
    """A new token for `name`; the old link leads nowhere from now on."""
    token = secrets.token_urlsafe(24)
    with project.store.writing() as connection:
        connection.execute("UPDATE people SET token = ? WHERE name = ?", (token, name))
    return token


def who_has(project: Project, token: str) -> Annotator | None:
    """The annotator whose link has `token`.

    All tokens are compared, each in constant time, so that how long it takes tells nothing.
    """
    given = token.encode("utf-8", "replace")
    found = None
    for name, known in project.store.connection.execute("SELECT name, token FROM people"):
        if hmac.compare_digest(given, str(known).encode()):
            found = project.annotators.get(name)
    return found


def digest_of(text: str) -> str:
    """What names a text that people agreed to."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def has_agreed(store: Store, name: str, consent: str) -> bool:
    """Whether `name` agreed to this very text."""
    query = "SELECT consent FROM people WHERE name = ?"
    row = store.connection.execute(query, (name,)).fetchone()
    return row is not None and row[0] == digest_of(consent)


def agree(store: Store, name: str, consent: str) -> None:
    """Note that `name` agrees to the text `consent`, and when."""
    with store.writing() as connection:
        connection.execute(
            "UPDATE people SET consented = ?, consent = ? WHERE name = ?",
            (datetime.now(UTC).isoformat(), digest_of(consent), name),
        )


def introduced(store: Store, name: str) -> frozenset[str]:
    """The kinds of tasks whose definitions and worked example `name` has read."""
    query = "SELECT introduced FROM people WHERE name = ?"
    row = store.connection.execute(query, (name,)).fetchone()
    return frozenset(from_json(list[str], row[0])) if row and row[0] else frozenset()


def introduce(store: Store, name: str, kind: str) -> None:
    """Note that `name` has read the definitions and the example of `kind`."""
    with store.writing() as connection:
        known = sorted(introduced(store, name) | {kind})
        connection.execute(
            "UPDATE people SET introduced = ? WHERE name = ?", (to_json(known), name)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far one person is: `done` of `total` items, `seconds` at work over all their labels.

    `put_off` items come again at the end, `checked` of the labels are on items with a known
    answer, of which `right` were right.  `labels` counts what is paid: labels that count.
    """

    name: str
    done: int
    total: int
    put_off: int
    labels: int
    seconds: float
    checked: int
    right: int

    def pay(self, per_label: float | None, per_hour: float | None) -> float:
        """What they earned by both rates together."""
        return (per_label or 0.0) * self.labels + (per_hour or 0.0) * self.seconds / 3600


def progress(store: Store, name: str) -> tuple[int, int]:
    """How many of their items `name` has done, and how many there are."""
    done, total = store.connection.execute(
        "SELECT coalesce(sum(done), 0), count(*) FROM assignments WHERE annotator = ?", (name,)
    ).fetchone()
    return int(done), int(total)


def standing(store: Store, name: str) -> Standing:
    """How far `name` is."""
    done, total, put_off = store.connection.execute(
        "SELECT coalesce(sum(done), 0), count(*), coalesce(sum(put_off > 0 AND NOT done), 0) "
        "FROM assignments WHERE annotator = ?",
        (name,),
    ).fetchone()
    labels, seconds = store.connection.execute(
        "SELECT coalesce(sum(state = 'counts'), 0), coalesce(sum(seconds), 0.0) "
        "FROM labels WHERE annotator = ?",
        (name,),
    ).fetchone()
    gold = store.connection.execute(
        "SELECT labels.answer, items.gold FROM labels JOIN items ON items.id = labels.item "
        "WHERE labels.annotator = ? AND labels.state = 'counts' AND items.gold IS NOT NULL",
        (name,),
    ).fetchall()
    return Standing(
        name=name,
        done=done,
        total=total,
        put_off=put_off,
        labels=labels,
        seconds=seconds,
        checked=len(gold),
        right=sum(_says_the_same(*row) for row in gold),
    )


def _says_the_same(answer: str | None, gold: str) -> bool:
    """Whether an answer is the known one, whichever summary was shown first."""
    if answer is None:
        return False
    said, known = json.loads(answer), json.loads(gold)
    return {**said, "first": None} == {**known, "first": None}
