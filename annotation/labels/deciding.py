"""What becomes of an item once all its people have answered.

::

    decided        the rule gives an answer, or an adjudicator gave one
    second-round   three disagree completely on a matching: the same people are asked again
    open           the rule gives none: it waits for an adjudicator
    differs        free marks (issues, key points) that are not the same: an adjudicator may
                   settle them after the open ones
"""

from collections.abc import Iterable
from sqlite3 import Connection

from annotation.labels.project import Project
from annotation.labels.store import Store
from annotation.labels.values import Item, Label, Role
from globesumm.records import to_json

DECIDED, SECOND_ROUND, OPEN, DIFFERS = "decided", "second-round", "open", "differs"

MAIN = {"relevance": ("relevant",)}
"""Questions that must have an answer; of other kinds all of them."""


def settle(project: Project, numbers: Iterable[int] | None = None) -> int:
    """Note what becomes of the items `numbers`; returns of how many all have answered.

    Without `numbers`, of every item that is not settled yet; of all, where the rules are others
    than they were.
    """
    store, settings = project.store, project.settings
    groups = [(one.name, one.group) for one in settings.annotators]
    basis = to_json([settings.rules, settings.second_round, groups])
    with store.writing() as connection:
        if store.fact("settled") != basis:
            connection.execute("DELETE FROM decisions")
            connection.execute("INSERT OR REPLACE INTO facts VALUES ('settled', ?)", (basis,))
        if numbers is None:
            found = connection.execute(
                "SELECT number FROM items WHERE EXISTS "
                "(SELECT 1 FROM assignments WHERE item = number) AND NOT EXISTS "
                "(SELECT 1 FROM assignments WHERE item = number AND NOT done) AND NOT EXISTS "
                "(SELECT 1 FROM decisions WHERE item = number AND status != ?)",
                (SECOND_ROUND,),
            )
            numbers = [number for (number,) in found]
        return sum(_settle(project, connection, number) for number in list(numbers))


def settle_one(project: Project, number: int) -> bool:
    """Note what becomes of one item; False as long as answers are missing."""
    store = project.store
    known = store.connection.execute("SELECT 1 FROM decisions WHERE item = ?", (number,)).fetchone()
    if known is None and not _complete(store, number):
        return False
    with store.writing() as connection:
        return _settle(project, connection, number)


def _settle(project: Project, connection: Connection, number: int) -> bool:
    store = project.store
    connection.execute("DELETE FROM decisions WHERE item = ?", (number,))
    rounds = _complete(store, number)
    item = store.numbered(number)
    if not rounds:
        # An answer of an earlier round was taken back: what came after it is asked when it is due.
        connection.execute(
            "DELETE FROM assignments WHERE item = :item AND NOT done AND round > "
            "(SELECT min(round) FROM assignments WHERE item = :item AND NOT done)",
            {"item": number},
        )
    is_check = item is not None and item.gold is not None and project.settings.gold_per_batch > 0
    if item is None or is_check or not rounds:
        return False
    labels = list(store.labels(item=item.id))
    (_, asked), (last, _) = rounds[0], rounds[-1]
    status, answer = _status(project, item, labels, asked=asked, last=last)
    if status == SECOND_ROUND:
        connection.execute(
            "INSERT OR IGNORE INTO assignments (item, annotator, round, place) "
            "SELECT item, annotator, ?, (SELECT coalesce(max(place), 0) + 1 FROM assignments "
            "AS mine WHERE mine.annotator = one.annotator) FROM assignments AS one "
            "WHERE item = ? AND round = 1",
            (last + 1, number),
        )
    connection.execute(
        "INSERT INTO decisions VALUES (?, ?, ?, ?)", (number, item.version, status, answer)
    )
    return True


def _complete(store: Store, number: int) -> list[tuple[int, int]]:
    """(round, people asked in it) of an item that all have answered; empty otherwise."""
    rounds = store.connection.execute(
        "SELECT round, count(*), sum(done) FROM assignments WHERE item = ? "
        "GROUP BY round ORDER BY round",
        (number,),
    ).fetchall()
    if any(done < asked for _, asked, done in rounds):
        return []
    return [(round_, asked) for round_, asked, _ in rounds]


MOST_ROUNDS = 3
"""After so many rounds without a majority an adjudicator is asked."""


def _status(
    project: Project, item: Item, labels: list[Label], *, asked: int, last: int
) -> tuple[str, str | None]:
    from annotation.labels.results.decide import decisions, second_round

    settled = [one for one in labels if one.role is Role.ADJUDICATOR]
    if settled and settled[-1].answer is not None:
        return DECIDED, to_json(settled[-1].answer)
    groups = {name: one.group for name, one in project.annotators.items()}
    found = decisions(
        [item], labels, rules=project.settings.rules, groups=groups, asked={item.id: asked}
    )
    if not found:
        last_words = {one.annotator: to_json(one.answer) for one in labels}
        same = len(set(last_words.values())) == 1
        return (DECIDED, next(iter(last_words.values()))) if same else (DIFFERS, None)
    if project.settings.second_round and last < MOST_ROUNDS and second_round(found):
        return SECOND_ROUND, None
    main = MAIN.get(item.kind)
    needed = [one for one in found if main is None or one.question in main]
    if any(one.answer is None for one in needed):
        return OPEN, None
    return DECIDED, to_json({one.question: one.answer for one in found})
