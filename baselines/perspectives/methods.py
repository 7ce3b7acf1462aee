"""The methods that can summarize a side: zero-shot and lead, and those of `baselines.drafts`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.answers import text_reader
from annotation.author import Author
from annotation.window import ask_within
from baselines.drafts.base import Choice, Draft, DraftMethod, Made, Task
from baselines.drafts.drawing import Drawing
from baselines.drafts.lead import Lead
from baselines.drafts.methods import (
    METHODS,
    asked_proxies,
    make_method,
    row_of,
    settings_of,
    word_of,
)
from baselines.drafts.proxies import Judging
from baselines.perspectives.tasks import STEP
from globesumm.config import Drafts
from globesumm.errors import UnknownName

ZERO_SHOT, LEAD = "zero-shot", "lead"

PLAIN: Mapping[str, str] = {
    ZERO_SHOT: "one answer, as the author decodes: what every other method has to beat",
    LEAD: "control: the leading sentences of each document in turn, no model",
}
"""Methods that draw no drafts."""


@dataclass(frozen=True, slots=True)
class ZeroShot:
    """The task asked once; nothing is drawn, so the author's own temperature holds."""

    @property
    def name(self) -> str:
        return ZERO_SHOT

    @property
    def signature(self) -> str:
        return "zero-shot: asked once"

    def __call__(self, task: Task, drawing: Drawing) -> Made:
        """Raises `StepError` where the model gives no usable answer."""
        read = text_reader(task.target)
        asked = ask_within(drawing.author, task.step, task.passages, lambda _: read)
        draft = Draft(number=1, text=asked.value.items[0], asked=asked)
        return Made(answer=asked, drafts=(draft,), choice=Choice(chosen=1, rule="asked once"))


def describe() -> dict[str, str]:
    """Every method with a line about it; those of drafts may bring numbers (``rerank-18``)."""
    return {**PLAIN, **{name: row.about for name, row in METHODS.items()}}


def check_methods(names: Sequence[str]) -> None:
    """Raise `UnknownName` or `UsageError` for a name that is no method."""
    for name in names:
        if name in PLAIN:
            continue
        try:
            row_of(name)
        except UnknownName as error:
            raise UnknownName("method", name, describe()) from error


def method(name: str, drafts: Drafts, judging: Judging | None) -> DraftMethod:
    """The method called `name`; raises as `check_methods`, and `UsageError` without its judge."""
    if name == ZERO_SHOT:
        return ZeroShot()
    if name == LEAD:
        return Lead()
    return make_method(name, drafts, judging)


def takes_model(names: Sequence[str]) -> bool:
    """Whether any of `names` asks a model."""
    return any(name != LEAD for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Calls for one side: `calls` to the writer, `rated` to raters of drafts; `steps` by name."""

    method: str
    calls: int
    rated: int
    steps: Mapping[str, int]
    at_most: bool = False

    @property
    def all(self) -> int:
        """Calls to anybody."""
        return self.calls + self.rated


def planned(name: str, drafts: Drafts) -> Planned:
    """The calls of one method for one side, while every answer can be used.

    Self-refine may end early, and a draft that comes twice is rated once, so theirs are the most.
    """
    one = together([name], drafts)
    held = settings_of(name, drafts) if name not in PLAIN else drafts
    refined = name not in PLAIN and word_of(name) == "self-refine"
    ends = refined and (held.stop or held.rounds > 1)
    return replace(one, method=name, at_most=bool(one.rated) or ends)


def together(names: Sequence[str], drafts: Drafts) -> Planned:
    """The calls of several methods for one side, what they share counted once.

    They draw the same drafts, as many as the one that needs most; ratings of a draft, rounds of
    self-refine, and rounds of debates with as many agents are shared likewise.
    """
    drawn = refined = 0
    rated: dict[str, int] = {}
    debated: dict[int, int] = {}
    for name in names:
        if name in PLAIN:
            continue
        held, word = settings_of(name, drafts), word_of(name)
        if word == "self-refine":
            drawn, refined = max(drawn, 1), max(refined, held.rounds)
        elif word == "debate":
            drawn = max(drawn, held.agents)
            debated[held.agents] = max(debated.get(held.agents, 0), held.rounds - 1)
        else:
            drawn = max(drawn, held.n)
            for proxy in asked_proxies(name, drafts):
                rated[proxy] = max(rated.get(proxy, 0), held.n)
    steps = {
        STEP: int(ZERO_SHOT in names) + drawn,
        "critique": refined,
        "revise": refined,
        "debate": sum(agents * rounds for agents, rounds in debated.items()),
    }
    ratings = {f"rating {proxy}": count for proxy, count in rated.items()}
    return Planned(
        method=",".join(names),
        calls=sum(steps.values()),
        rated=sum(rated.values()),
        steps={step: count for step, count in (steps | ratings).items() if count},
    )


def drawing_of(author: Author, drafts: Drafts, at_once: int) -> Drawing:
    """How drafts are drawn."""
    return Drawing(
        author=author,
        temperature=drafts.temperature,
        top_p=drafts.top_p,
        most_at_once=at_once,
    )
