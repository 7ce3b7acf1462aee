"""What every method of drawing and choosing drafts shares: tasks, drafts, proxies, choices.

A *task* is one text to be written: a zero-shot question, or the summary of one merge of a
recipe.  A *draft* is one answer to it.  A *proxy* (`Objective`) scores drafts of a task before
one is chosen; it is kept apart from the metrics that judge the result.  A *method* draws drafts
for a task and makes a *choice* (perspective paper, section 4).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from annotation.answers import Answer
from annotation.author import Asked
from annotation.window import Step
from globesumm.values import Document, Event, Issue, Passage, Round, Strategy
from metrics.base import Better, Measured

if TYPE_CHECKING:
    from baselines.drafts.drawing import Drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One drawn candidate; `number` counts from 1 in the order of drawing.

    `text` is None where none could be had, and then `reason` says why.  `by` says how it came
    about where a number does not (``"agent 2, round 3"``).  `asked` is the whole answer, `round`
    the round it ends where a merge was drawn.
    """

    number: int
    text: str | None
    reason: str | None = None
    by: str = ""
    round: Round | None = None
    asked: Asked[Answer] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One text to be written in at most `max_words` words of the language `target`.

    `step` is the question with the messages made from `passages`, which are what the writer is
    shown.  `documents` are what proxies hold a draft against: each source once, as prepared by
    the recipe's pipeline, with its language.  `originals` are the untouched documents behind
    them (the same where nothing was prepared).  `issues` and `strategies` are what the merge
    found before it wrote; `event` is the one summarized, `index` the number of the round.
    """

    id: str
    documents: tuple[Document, ...]
    step: Step
    passages: tuple[Passage, ...] = ()
    originals: tuple[Document, ...] = ()
    target: str = "en"
    max_words: int = 250
    event: Event | None = None
    issues: tuple[Issue, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    index: int = 1


@runtime_checkable
class Objective(Protocol):
    """A proxy: scores drafts of one task, so that one can be chosen."""

    @property
    def name(self) -> str:
        """What it is called in tables, records and configurations (``llm-coverage``)."""

    @property
    def better(self) -> Better:
        """Which way its values point."""

    @property
    def low(self) -> float | None:
        """The least value there is; None where it has no bound."""

    @property
    def high(self) -> float | None:
        """The greatest value there is; None where it has no bound."""

    @property
    def signature(self) -> str:
        """Everything that changes its values, as a metric's signature says it."""

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        """A value for each draft, in order; None with the reason where there is none.

        Only drafts with a text are given.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One draft beside the others: what each proxy said, and where that puts it.

    `values` and `notes` are by proxy (None: unscored, and the note says why).  `joint` is the
    one number they are joined to (None for a draft that cannot be chosen, or where the rule
    compares without a number), `rank` counts from 1 (None: not ranked).
    """

    number: int
    values: Mapping[str, float | None] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    joint: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which draft was taken, and everything that a reader needs to see why.

    `chosen` is a draft's number (None where there was none to take).  `tied` are the numbers of
    the drafts that stood first together, the chosen one included; empty where it stood alone.
    """

    chosen: int | None
    rule: str
    scored: tuple[Scored, ...] = ()
    tied: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a method made of a task: the answer taken, all drafts, and the choice."""

    answer: Asked[Answer]
    drafts: tuple[Draft, ...]
    choice: Choice


@runtime_checkable
class DraftMethod(Protocol):
    """Draws drafts for a task and takes one."""

    @property
    def name(self) -> str:
        """As in the fourth part of a recipe (``rerank``)."""

    @property
    def signature(self) -> str:
        """Everything that decides its choice: numbers, temperature, proxies and their judges."""

    def __call__(self, task: Task, drawing: "Drawing") -> Made:
        """The text taken; raises `annotation.author.StepError` where no draft could be had."""
