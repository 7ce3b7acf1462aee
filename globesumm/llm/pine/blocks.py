"""Finds the documents of a message by the fences that the project writes around outside text.

A block opens with a line of tildes and a label, and closes with a line of exactly as many tildes
(see `globesumm.prompts.fenced`).  No outside text holds that many in a row, so none can close
its own block, open another, or look like one: what is found here is what was put there.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

SHORTEST_FENCE, LONGEST_FENCE = 8, 64
"""Tildes of a fence, as `globesumm.prompts` writes them."""

SEPARATOR = "\n\n"
"""What stands between the blocks of one series."""

_OPENING = re.compile(rf"^(~{{{SHORTEST_FENCE},{LONGEST_FENCE}}}) ([^~\n]+)$", re.MULTILINE)
_MEMBER = re.compile(r"(?P<kind>\D+) (?P<place>\d{1,6}) of (?P<count>\d{1,6})(?!\d)")


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """Characters `start` to `end` of a message, fences included, and the label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Part:
    """Some text of a message; `group` numbers the series of documents that it belongs to."""

    text: str
    group: int | None = None
    label: str = ""


def fenced_blocks(text: str) -> list[FencedBlock]:
    """Every block of outside text in `text`, in order."""
    found = []
    at = 0
    while opening := _OPENING.search(text, at):
        fence = opening[1]
        closing = re.compile(rf"^{fence}$", re.MULTILINE).search(text, opening.end())
        if closing is None:
            at = opening.end()
        elif fence in text[opening.end() : closing.start()]:
            # A sentence that begins with the fence is no opening: the true one lies within.
            at = opening.end()
        else:
            found.append(FencedBlock(opening.start(), closing.end(), opening[2]))
            at = closing.end()
    return found


def parts(text: str, first_group: int = 0, *, target: str | None = None) -> list[Part]:
    """`text` cut into ordinary text and documents; the parts make up `text`, one after another.

    Documents are the blocks of a series, side by side with nothing but an empty line between,
    whose labels count them: ``report 1 of 3``, ``report 2 of 3``, ``report 3 of 3``, in whatever
    order they stand.  Other blocks, such as a question beside its text, have roles of their own
    and stay where they are.
    Every document but the last has the empty line after it as its own, and the last too where
    one follows, so that documents that change places take the same characters along.

    Where a label holds `target` (letter case aside), the series side by side with its own join
    it, series of one among them: documents of two sides (``side A, document 1 of 1``) can only
    then stand nearer than those of the other.
    """
    found: list[Part] = []
    at = 0
    for group, series in enumerate(_documents(text, target), start=first_group):
        found.append(Part(text[at : series[0].start]))
        for block in series:
            end = block.end
            if text.startswith(SEPARATOR, end):
                end += len(SEPARATOR)
            found.append(Part(text[block.start : end], group, block.label))
            at = end
    found.append(Part(text[at:]))
    return [part for part in found if part.text]


def holds(label: str, target: str | None) -> bool:
    """Whether a document with `label` is a target."""
    return target is not None and target.casefold() in label.casefold()


def _documents(text: str, target: str | None) -> Iterable[list[FencedBlock]]:
    """The blocks of each group of documents that may change places, two of them at least."""
    neighbours: list[list[list[FencedBlock]]] = []
    for series in _series(text, fenced_blocks(text)):
        if neighbours and _side_by_side(text, neighbours[-1][-1][-1], series[0]):
            neighbours[-1].append(series)
        else:
            neighbours.append([series])
    for together in neighbours:
        whole = [block for series in together for block in series]
        aimed = any(holds(block.label, target) for block in whole)
        for group in [whole] if aimed else together:
            if len(group) > 1:
                yield group


def _series(text: str, blocks: Iterable[FencedBlock]) -> list[list[FencedBlock]]:
    """Runs of n blocks, one or more, that have the places 1 to n of n among them, in any order."""
    runs: list[list[FencedBlock]] = []
    for block in blocks:
        if runs and _goes_on(text, runs[-1], block):
            runs[-1].append(block)
        else:
            runs.append([block])
    return [run for run in runs if _whole(run)]


def _goes_on(text: str, run: list[FencedBlock], block: FencedBlock) -> bool:
    first, here = _MEMBER.match(run[0].label), _MEMBER.match(block.label)
    return (
        first is not None
        and here is not None
        and (first["kind"], first["count"]) == (here["kind"], here["count"])
        and len(run) < int(first["count"])
        and _side_by_side(text, run[-1], block)
    )


def _side_by_side(text: str, left: FencedBlock, right: FencedBlock) -> bool:
    return text[left.end : right.start] == SEPARATOR


def _whole(run: list[FencedBlock]) -> bool:
    members = [found for block in run if (found := _MEMBER.match(block.label))]
    places = {int(member["place"]) for member in members}
    return (
        len(members) == len(run)
        and int(members[0]["count"]) == len(run)
        and places == set(range(1, len(run) + 1))
    )
