"""Train, valid and test by event, as the paper's 222, 74 and 74 of 370 (table 2).

The rule: related events form a group, and a group goes into one split.  Groups are gone through
from the largest to the smallest, groups of one size in the order of a digest of seed and ids;
each goes where the share of events that is still missing is largest.  What has a split keeps it
for good; a new event joins its relatives' split.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from retrieval.dataset.checks import Finding
from retrieval.dataset.links import Link

SPLITS: Mapping[str, float] = {"train": 0.6, "valid": 0.2, "test": 0.2}
"""The share of events in each split."""

RULE = "60-20-20-by-group-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The split of an event, and its group (the least id in it)."""

    event: str
    split: str
    group: str


def assign(
    groups: Sequence[tuple[str, ...]], known: Mapping[str, str], seed: int
) -> tuple[dict[str, str], list[Finding]]:
    """Event → split for the events in `groups`; `known` splits stay.

    A new event whose relatives already stand in two splits cannot be placed without a leak: it
    is left out, with a finding that says so.
    """
    chosen = dict(known)
    findings: list[Finding] = []
    counts = Counter(known[event] for group in groups for event in group if event in known)
    loose: list[tuple[str, ...]] = []
    for group in groups:
        new = tuple(event for event in group if event not in known)
        there = {known[event] for event in group if event in known}
        if new and len(there) == 1:
            (split,) = there
            chosen |= dict.fromkeys(new, split)
            counts[split] += len(new)
        elif new and there:
            said = " and ".join(sorted(there))
            findings += [
                Finding(event=event, kind="between splits", detail=f"{said}", left_out=True)
                for event in new
            ]
        elif new:
            loose.append(group)
    for group in sorted(loose, key=lambda one: (-len(one), _draw(seed, one))):
        total = sum(counts.values()) + len(group)
        split = max(SPLITS, key=lambda name: SPLITS[name] * total - counts[name])
        chosen |= dict.fromkeys(group, split)
        counts[split] += len(group)
    return chosen, findings


def leaks(found: Sequence[Link], splits: Mapping[str, str]) -> list[Link]:
    """The links between events of two splits: none, unless old splits were made without them."""
    return [
        link
        for link in found
        if link.left in splits and link.right in splits and splits[link.left] != splits[link.right]
    ]


def _draw(seed: int, group: tuple[str, ...]) -> str:
    text = "\x00".join((str(seed), *group))
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
