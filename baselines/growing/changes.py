"""What one summary has that another did not, sentence by sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from rapidfuzz import fuzz, process

from annotation import passages
from globesumm.values import Round

ALIKE = 60
"""How alike two sentences are (0 to 100, by letters in common) from which on one counts as
another's new wording."""


class Kind(StrEnum):
    """What happened to a sentence."""

    KEPT = "kept"
    ADDED = "added"
    REMOVED = "removed"
    REWORDED = "reworded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One sentence before and after; None where it was not there.  A kept one has both, equal."""

    kind: Kind
    before: str | None
    after: str | None


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """The changes that turn the sentences `before` into those `after`, in reading order."""
    found: list[Change] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for what, first, last, new_first, new_last in matcher.get_opcodes():
        old, new = before[first:last], after[new_first:new_last]
        if what == "equal":
            found += [Change(kind=Kind.KEPT, before=one, after=one) for one in old]
        else:
            found += _changed(list(old), new)
    return found


def sentences_of(round_: Round, target: str) -> list[str]:
    """The texts of the sentences of a round's summary."""
    return [one.text for one in passages.sentences_of(round_, target)]


def _changed(old: list[str], new: Sequence[str]) -> list[Change]:
    """Sentences that took others' places; each is paired with the one it is most like."""
    found: list[Change] = []
    for one in new:
        best = process.extractOne(one, old, scorer=fuzz.ratio, score_cutoff=ALIKE)
        if best is None:
            found.append(Change(kind=Kind.ADDED, before=None, after=one))
        else:
            found.append(Change(kind=Kind.REWORDED, before=old.pop(best[2]), after=one))
    return [*(Change(kind=Kind.REMOVED, before=one, after=None) for one in old), *found]
