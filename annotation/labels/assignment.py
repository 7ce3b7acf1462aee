"""Who answers what, in which order: overlap, groups, checks with a known answer, seeds.

The plan is topped up, never redone: who was to answer an item stays so when items or people come
in later.  The same project, seed and people give the same plan.
"""

import heapq
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotation.labels.project import Project, Settings
from annotation.labels.values import Annotator, Item
from globesumm.records import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """`items` and `assignments` in all; `short` counts items with fewer people than `overlap`."""

    items: int
    assignments: int
    short: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    number: int
    item: Item
    is_gold: bool


def assign(project: Project) -> Planned:
    """Give every item its people; what is assigned already stays.

    An item with a known answer goes to everybody who can do it, at most `gold_per_batch` a batch;
    where that is 0 it is an item as any other.  People who are not in the settings any more keep
    what they have done, and the rest of theirs goes to others.
    """
    basis = _basis(project.settings)
    # The fact is gone as soon as items come in.
    if project.store.fact("assigned") != basis:
        _assign(project, basis)
    return _planned(project)


def _assign(project: Project, basis: str) -> None:
    settings = project.settings
    people = [one for one in settings.annotators if not one.adjudicator]
    with project.store.writing() as connection:
        rows = [
            _Row(
                number=number,
                item=Item(
                    id=name, kind=kind, payload={}, languages=tuple(json.loads(spoken)), event=event
                ),
                is_gold=bool(gold) and settings.gold_per_batch > 0,
            )
            for number, name, kind, spoken, event, gold in connection.execute(
                "SELECT number, id, kind, languages, event, gold IS NOT NULL FROM items "
                "ORDER BY number"
            )
        ]
        connection.execute(
            "DELETE FROM assignments WHERE NOT done "
            "AND annotator NOT IN (SELECT value FROM json_each(?))",
            (to_json([one.name for one in people]),),
        )
        held: dict[int, list[str]] = defaultdict(list)
        for number, name in connection.execute(
            "SELECT item, annotator FROM assignments WHERE round = 1"
        ):
            held[number].append(name)
        chosen = choose(rows, people, held, settings)
        connection.executemany(
            "INSERT INTO assignments (item, annotator, round, place) VALUES (?, ?, 1, ?)",
            _placed(rows, people, held, chosen, settings),
        )
        connection.execute(
            "DELETE FROM decisions WHERE item IN (SELECT item FROM assignments WHERE NOT done)"
        )
        connection.execute("INSERT OR REPLACE INTO facts VALUES ('assigned', ?)", (basis,))


def _planned(project: Project) -> Planned:
    settings = project.settings
    groups = {one.group for one in settings.annotators if not one.adjudicator}
    wanted = settings.overlap * (max(len(groups), 1) if settings.groups == "each" else 1)
    items, enough = project.store.connection.execute(
        "SELECT count(*), coalesce(sum(people >= ? OR (gold IS NOT NULL AND ?)), 0) FROM "
        "(SELECT gold, (SELECT count(*) FROM assignments WHERE item = number AND round = 1) "
        "AS people FROM items)",
        (wanted, settings.gold_per_batch > 0),
    ).fetchone()
    [assignments] = project.store.connection.execute(
        "SELECT count(*) FROM assignments WHERE round = 1"
    ).fetchone()
    return Planned(items=items, assignments=assignments, short=items - enough)


def choose(
    rows: Sequence[_Row],
    people: Sequence[Annotator],
    held: Mapping[int, Sequence[str]],
    settings: Settings,
) -> dict[int, list[str]]:
    """Item number to the names it is newly given to, the least loaded ones first."""
    group_of = {one.name: one.group for one in people}
    load = Counter(name for names in held.values() for name in names)
    chosen: dict[int, list[str]] = {}
    for row in rows:
        able = [one.name for one in people if one.can_do(row.item)]
        has = list(held.get(row.number, ()))
        if row.is_gold:
            chosen[row.number] = [name for name in able if name not in has]
            continue
        new: list[str] = []
        for pool, names in _pools(able, has, group_of, load, settings):
            wanted = settings.overlap - len(names)
            if wanted < 1:
                continue
            free = [name for name in pool if name not in has]
            picked = heapq.nsmallest(
                wanted,
                free,
                key=lambda name, row=row: (load[name], _draw(settings.seed, row.item.id, name)),  # type: ignore[misc]  # a default binds the row
            )
            load.update(picked)
            new += picked
        chosen[row.number] = new
    return chosen


def _pools(
    able: Sequence[str],
    has: Sequence[str],
    group_of: Mapping[str, str],
    load: Counter[str],
    settings: Settings,
) -> Iterable[tuple[list[str], list[str]]]:
    """(people to choose from, people of them who have the item) by the groups rule."""
    if settings.groups == "any":
        return [(list(able), list(has))]
    groups: dict[str, list[str]] = defaultdict(list)
    for name in able:
        groups[group_of[name]].append(name)
    mine = {group: [n for n in has if group_of.get(n) == group] for group in groups}
    if settings.groups == "each":
        return [(members, mine[group]) for group, members in groups.items()]
    if not groups:
        return []

    def burden(group: str) -> tuple[int, bool, float, str]:
        members = groups[group]
        # An item stays with the group that has it; a group too small for it comes last.
        return (
            -len(mine[group]),
            len(members) < settings.overlap,
            sum(load[name] for name in members) / len(members),
            group,
        )

    best = min(groups, key=burden)
    return [(groups[best], mine[best])]


def _placed(
    rows: Sequence[_Row],
    people: Sequence[Annotator],
    held: Mapping[int, Sequence[str]],
    chosen: Mapping[int, Sequence[str]],
    settings: Settings,
) -> Iterable[tuple[int, str, int]]:
    """(item, annotator, place): each person's new items behind those they have."""
    before = Counter(name for names in held.values() for name in names)
    theirs: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        for name in chosen[row.number]:
            theirs[name].append(row)
    for one in people:
        mine = theirs[one.name]
        ordinary = _ordered([row for row in mine if not row.is_gold], one.name, settings)
        gold = [row for row in mine if row.is_gold]
        dice = random.Random(f"{settings.seed}/gold/{one.name}")  # noqa: S311  # an order, no secret
        dice.shuffle(gold)
        for place, row in enumerate(_interspersed(ordinary, gold, settings, dice)):
            yield row.number, one.name, before[one.name] + place


def _ordered(rows: list[_Row], name: str, settings: Settings) -> list[_Row]:
    if settings.order == "given":
        return rows
    if settings.order == "shuffled":
        return sorted(rows, key=lambda row: _draw(settings.seed, row.item.id, name))
    return sorted(
        rows,
        key=lambda row: (_draw(settings.seed, row.item.event or row.item.id, name), row.number),
    )


def _interspersed(
    ordinary: Sequence[_Row], gold: list[_Row], settings: Settings, dice: random.Random
) -> list[_Row]:
    """Batches of the ordinary items with `gold_per_batch` checks at places drawn in each.

    Checks beyond that are left out, except where there is nothing but checks.
    """
    if not ordinary:
        return gold
    size = settings.batch - settings.gold_per_batch
    found: list[_Row] = []
    for start in range(0, len(ordinary), size):
        part = list(ordinary[start : start + size])
        full = len(part) == size
        for _ in range(settings.gold_per_batch if full or start == 0 else 0):
            if gold:
                part.insert(dice.randrange(len(part) + 1), gold.pop())
        found += part
    return found


def _draw(seed: int, item: str, name: str) -> bytes:
    """A number that depends on these three and on nothing else, as bytes to sort by."""
    content = f"{seed}\0{item}\0{name}".encode("utf-8", "backslashreplace")
    return sha256(content).digest()[:8]


def _basis(settings: Settings) -> str:
    """What the plan depends on beside the items."""
    told = [
        [settings.overlap, settings.groups, settings.batch, settings.gold_per_batch],
        [settings.order, settings.seed],
        list(settings.annotators),
    ]
    return sha256(to_json(told).encode("utf-8", "backslashreplace")).hexdigest()[:16]
