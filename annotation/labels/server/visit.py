"""One request of one person, once their link was found to be good."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.labels.project import Project
from annotation.labels.store import Store
from annotation.labels.values import Annotator, Item, Label, Prelabels, Role

CONSENT = (
    "Your answers are kept with your name in this project, with the times at which you gave them "
    "and how long they took. They may be used and published for research, without your name. "
    "You may stop at any time."
)
"""What people agree to where ``project.toml`` names nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Who asks, within which project, and what they sent; `number` is the item in the address."""

    project: Project
    key: bytes = field(repr=False)
    token: str = field(repr=False)
    who: Annotator
    number: int = 0
    kind: str = ""
    page: int = 1
    sent: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def store(self) -> Store:
        return self.project.store

    @property
    def consent(self) -> str:
        return self.project.settings.consent or CONSENT

    def to(self, path: str) -> str:
        """The address of one of this person's pages."""
        return f"/a/{self.token}/{path}"

    def item(self) -> Item | None:
        return self.store.numbered(self.number)


def model_shown(visit: Visit, item: Item) -> str | None:
    """The model whose answer may be shown beside this item."""
    named = visit.project.settings.prelabel_model
    if named is not None:
        return named if named in item.models else None
    return next(iter(item.models), None)


def seen_by(visit: Visit, item: Item, role: Role, earlier: Label | None) -> Prelabels:
    """When whoever answers this page sees the model's answer.

    Once it was shown after an answer, another answer to the same item was given knowing it.
    Adjudicators see it first or not at all.
    """
    mode = visit.project.settings.prelabels
    if mode is Prelabels.HIDDEN or model_shown(visit, item) is None:
        return Prelabels.HIDDEN
    if mode is Prelabels.AFTER and role is Role.ADJUDICATOR:
        return Prelabels.HIDDEN
    if mode is Prelabels.AFTER and earlier is not None and earlier.version == item.version:
        return Prelabels.FIRST
    return mode
