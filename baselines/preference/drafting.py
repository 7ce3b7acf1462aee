"""Drafts of every side, drawn from one model and scored by proxies; every call is kept."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from annotation.author import Author
from baselines.drafts.base import Task
from baselines.drafts.drawing import Drawing
from baselines.drafts.rerank import Rerank
from baselines.preference.pairs import Rated
from globesumm.llm.request import Decoding, Model
from globesumm.prompts import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class SideDrafts:
    """All drafts of one side with what proxies say of them; `rule` joined the proxies."""

    task: str
    rule: str
    drafts: tuple[Rated, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What drafts are worth by each proxy: its mean over `scored` of `drafts`, in its own unit.

    `best` is the mean over sides of the value of the draft that was ranked first: what choosing
    among the drafts gives.  A proxy that scored none has None.
    """

    drafts: int
    without_text: int
    scored: dict[str, int] = field(default_factory=dict)
    mean: dict[str, float | None] = field(default_factory=dict)
    best: dict[str, float | None] = field(default_factory=dict)


def draw(
    model: Model,
    tasks: Sequence[Task],
    rerank: Rerank,
    *,
    prompts: Library,
    max_tokens: int,
    temperature: float,
    top_p: float | None,
    seed: int,
    at_once: int,
    done: Callable[[], None] | None = None,
) -> list[SideDrafts]:
    """The drafts of each task, in order.

    `at_once` calls wait for `model` together, over all tasks.  `done` is called after each.
    Raises `annotation.author.StepError` for a failure that may be over when the command is
    repeated, and what concerns all calls.
    """
    author = Author(
        model=model,
        prompts=prompts,
        decoding=Decoding(temperature=0.0, max_tokens=max_tokens, seed=seed),
        structured=False,
    )
    drawing = Drawing(
        author=author, temperature=temperature, top_p=top_p, most_at_once=min(at_once, rerank.n)
    )

    def one(task: Task) -> SideDrafts:
        drafts = drawing.draw(task, rerank.n)
        choice = rerank.choice(task, drafts)
        scored = {held.number: held for held in choice.scored}
        if done:
            done()
        return SideDrafts(
            task=task.id,
            rule=choice.rule,
            drafts=tuple(
                Rated(
                    number=draft.number,
                    text=draft.text,
                    reason=draft.reason,
                    scored=scored.get(draft.number),
                )
                for draft in drafts
            ),
            notes=choice.notes,
        )

    with ThreadPoolExecutor(max(1, -(-at_once // rerank.n)), thread_name_prefix="side") as pool:
        waiting = [pool.submit(one, task) for task in tasks]
        try:
            return [future.result() for future in waiting]
        finally:
            # An error that concerns all, or Ctrl-C: what has not begun is not begun.
            for future in waiting:
                future.cancel()


def means(sides: Sequence[SideDrafts]) -> Means:
    """The means of what proxies said of the drafts of `sides`; see `Means`."""
    drafts = [one for side in sides for one in side.drafts]
    names = dict.fromkeys(name for one in drafts if one.scored for name in one.scored.values)
    values = {name: _values(drafts, name) for name in names}
    firsts = [
        min(ranked, key=lambda one: (_rank(one), one.number))
        for side in sides
        if (ranked := [one for one in side.drafts if _rank(one)])
    ]
    return Means(
        drafts=len(drafts),
        without_text=sum(one.text is None for one in drafts),
        scored={name: len(held) for name, held in values.items()},
        mean={name: _mean(held) for name, held in values.items()},
        best={name: _mean(_values(firsts, name)) for name in names},
    )


def _rank(one: Rated) -> int:
    return (one.scored.rank or 0) if one.scored else 0


def _values(drafts: Sequence[Rated], name: str) -> list[float]:
    said = [one.scored.values.get(name) for one in drafts if one.scored]
    return [value for value in said if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
