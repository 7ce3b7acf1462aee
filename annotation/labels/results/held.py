"""A project's items and labels as results and agreement take them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from annotation.labels.project import Project
from annotation.labels.results.decide import Decision, decisions
from annotation.labels.values import Item, Label, Role
from globesumm.values import Rejected

ADJUDICATED = "adjudicated by "


@dataclass(frozen=True, kw_only=True)
class Held:
    """What people said so far.

    `items` have no known answer, `checks` have one (where the project asks for such checks:
    they tell how good people are, and are no results).  `labels` are those that count.
    """

    items: Mapping[str, Item]
    checks: Mapping[str, Item]
    labels: tuple[Label, ...]
    groups: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def decisions(self) -> list[Decision]:
        """What the rules make of the labels on `items`."""
        return decisions(
            self.items.values(), self.labels, rules=self.rules, groups=self.groups, asked=self.asked
        )

    def of_kind(self, kind: str) -> "Held":
        """The items of one kind, with what was said of them."""
        items = {name: one for name, one in self.items.items() if one.kind == kind}
        checks = {name: one for name, one in self.checks.items() if one.kind == kind}
        labels = tuple(one for one in self.labels if one.item in items or one.item in checks)
        return Held(
            items=items,
            checks=checks,
            labels=labels,
            groups=self.groups,
            asked=self.asked,
            rules=self.rules,
        )

    def said(self) -> Iterator[tuple[Item, Label]]:
        """Each annotator's last word on each item as it is now; none that cannot be judged."""
        for item, label in _last(self.items, self.labels, Role.ANNOTATOR):
            if label.answer is not None:
                yield item, label

    def settled(self) -> dict[str, Label]:
        """The last adjudicator's word by item, for kinds whose answers no vote settles."""
        found = _last(self.items, self.labels, Role.ADJUDICATOR)
        by_time = sorted(found, key=lambda pair: pair[1].submitted)
        return {item.id: label for item, label in by_time if label.answer is not None}


def _last(
    items: Mapping[str, Item], labels: tuple[Label, ...], role: Role
) -> list[tuple[Item, Label]]:
    versions = {name: item.version for name, item in items.items()}
    kept: dict[tuple[str, str], Label] = {}
    for one in labels:
        if one.role is not role or versions.get(one.item) != one.version:
            continue
        before = kept.get((one.item, one.annotator))
        if before is None or one.round >= before.round:
            kept[one.item, one.annotator] = one
    return [(items[one.item], one) for one in kept.values()]


def held_by(project: Project, rules: Mapping[str, str] | None = None) -> Held:
    """Everything in `project`; `rules` by kind go before those of its settings."""
    store, settings = project.store, project.settings
    items = {one.id: one for one in store.items()}
    checks = {
        name: one
        for name, one in items.items()
        if one.gold is not None and settings.gold_per_batch > 0
    }
    counted = store.connection.execute(
        "SELECT items.id, count(*) FROM assignments JOIN items ON items.number = assignments.item "
        "WHERE round = 1 GROUP BY items.id"
    )
    return Held(
        items={name: one for name, one in items.items() if name not in checks},
        checks=checks,
        labels=tuple(store.labels()),
        groups={one.name: one.group for one in settings.annotators},
        asked=dict(counted),
        rules={**settings.rules, **(rules or {})},
    )


def source(item: Item, name: str) -> str | None:
    """The text or number that `item.source` has under `name`; None where it has none."""
    value = item.source.get(name)
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if plain and value != "" else None


def lacking(item: Item, *names: str) -> Rejected:
    """That `item` is in no result, since its source does not say what it must."""
    told = " and ".join(map(repr, names))
    return Rejected(where=f"item {item.id!r}", reason=f"its source does not name {told}")
