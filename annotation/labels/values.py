"""What a labelling project holds: items, the people who judge them, and their labels.

An item is named by its id; its version is a digest of what is shown, so that a label always says
what exactly was judged.  A label is never deleted: one that was taken back or replaced is marked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from globesumm.languages import UNKNOWN
from globesumm.records import to_json
from globesumm.values import in_utc


class Prelabels(StrEnum):
    """When an annotator sees what a model answered."""

    HIDDEN = "hidden"
    AFTER = "after"
    FIRST = "first"


class Role(StrEnum):
    """As what somebody answered: as one of several annotators, or as who settles their dispute."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question to people.

    `kind` is a key of `annotation.labels.kinds.KINDS`, which says what `payload` (what is shown)
    and an answer look like; both are plain JSON.  `languages` are those one must read to answer.
    `models` are models' answers by model, `gold` the known answer of a check.  `source` says
    where the item comes from (ids, never shown), for the results.
    """

    id: str
    kind: str
    payload: Mapping[str, Any] = field(hash=False)
    languages: tuple[str, ...] = ()
    event: str | None = None
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    gold: Mapping[str, Any] | None = field(default=None, hash=False)
    source: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def version(self) -> str:
        """12 hexadecimal digits of a digest of kind and payload."""
        content = to_json([self.kind, self.payload]).encode("utf-8", "backslashreplace")
        return sha256(content).hexdigest()[:12]

    @property
    def language(self) -> str:
        """The first of the languages, ``"und"`` where none is stated; tables are by it."""
        return self.languages[0] if self.languages else UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """A person who judges.

    `languages` are the codes they read (none: all), `kinds` the kinds they do (none: all),
    `group` the decision group they belong to.  An `adjudicator` settles what others left open.
    """

    name: str
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    group: str = "1"
    adjudicator: bool = False

    def can_do(self, item: Item) -> bool:
        """Whether they read all the item's languages and do its kind."""
        reads = not self.languages or all(
            language in self.languages or language == UNKNOWN for language in item.languages
        )
        return reads and (not self.kinds or item.kind in self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One answer of one person to one version of an item.

    `id` is the token of the page it was given on: the same page sent twice is one label.
    `answer` is None where they say it cannot be judged, and then `note` says why.  `started` is
    when the page was shown and `submitted` when its answer was kept (aware, UTC); `seconds` is
    how long they were at it, without pauses.  `prelabels` says when a model's answer was shown
    with this label, `consulted` names the models whose verdicts were asked for before it.
    `undone` labels were taken back, `superseded` ones were replaced by a later one or judged an
    earlier version; only labels that are neither count.
    """

    id: str
    item: str
    version: str
    kind: str
    annotator: str
    answer: Mapping[str, Any] | None = field(hash=False)
    started: datetime
    submitted: datetime
    seconds: float
    round: int = 1
    role: Role = Role.ANNOTATOR
    prelabels: Prelabels = Prelabels.HIDDEN
    consulted: tuple[str, ...] = ()
    note: str | None = None
    undone: bool = False
    superseded: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "started", in_utc(self.started))
        object.__setattr__(self, "submitted", in_utc(self.submitted))

    @property
    def counts(self) -> bool:
        """Whether it is the person's word on the item as it is now."""
        return not (self.undone or self.superseded)
