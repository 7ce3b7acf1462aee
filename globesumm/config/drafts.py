"""The ``[drafts]`` table: how drafts are drawn, refined or debated, and how one is chosen."""

import math
from dataclasses import dataclass, field
from typing import Literal

Joint = Literal["mean", "product", "min", "rank-mean", "lexicographic", "weighted"]
Settle = Literal["central", "first"]
SameJudge = Literal["flag", "refuse"]
Scale = Literal["ranks", "range"]

MOST_DRAFTS = 100
MOST_ROUNDS = 50
MOST_AGENTS = 50

PROXIES = ("llm-coverage", "llm-faithfulness")
"""What the paper chooses by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """What recipes with a fourth part do (``crs.kis-clp.protocol.rerank``).

    `n` drafts are drawn at `temperature` (nine in the perspective paper, which states no
    temperature).  `proxies` score them, their values are joined by `joint` (`weights` by proxy;
    `guards` and `scale` are for ``weighted``), and the best is taken.  Proxies that ask a model
    ask `judge`, a row of ``[[models]]`` or ``[[helpers]]``, or the writing model itself where
    none is named; `weighted` joins the digits they might have said by their probabilities.
    Proxies that hold texts against each other do so with `entailer` (and `entailer_weights`).

    `rounds` are those of self-refine and debate, the first answers of a debate being its first
    round; `stop` lets self-refine end when the critic finds nothing to change; `agents` debate,
    and `settle` says whose last answer is taken: the one most like the others, or the first's.
    `same_judge` says what happens where a judge of the results chose the drafts as well.
    """

    n: int = 9
    temperature: float = 0.7
    top_p: float | None = None
    proxies: tuple[str, ...] = PROXIES
    joint: Joint = "mean"
    weights: dict[str, float] = field(default_factory=dict, hash=False)
    guards: dict[str, float] = field(default_factory=dict, hash=False)
    scale: Scale = "ranks"
    judge: str | None = None
    weighted: bool = False
    entailer: str = "lexical"
    entailer_weights: str | None = None
    rounds: int = 3
    agents: int = 3
    stop: bool = True
    settle: Settle = "central"
    same_judge: SameJudge = "flag"

    def __post_init__(self) -> None:
        bounds = {"n": (1, MOST_DRAFTS), "rounds": (1, MOST_ROUNDS), "agents": (2, MOST_AGENTS)}
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(
                    f"{name} is {getattr(self, name)}: give a number from {least} to {most}"
                )
        if not 0 <= self.temperature <= 100:
            raise ValueError(f"temperature is {self.temperature}: give a number from 0 up")
        if not self.proxies:
            raise ValueError("proxies is empty: name what drafts are chosen by")
        twice = next((one for one in self.proxies if self.proxies.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"proxies holds {twice!r} twice")
        self._check_weights()

    def _check_weights(self) -> None:
        for what, held in (("weights", self.weights), ("guards", self.guards)):
            for name, value in held.items():
                if name not in self.proxies:
                    raise ValueError(f"{what} names {name!r}, which is none of the proxies")
                if not 0 <= value < math.inf:
                    raise ValueError(f"{what}.{name} is {value}: give a number from 0 up")
        if self.guards and self.joint != "weighted":
            raise ValueError('guards go with joint = "weighted"')
        if self.weights and self.joint in ("min", "lexicographic"):
            raise ValueError(f'weights have no meaning for joint = "{self.joint}"')
        if self.weights and not any(self.weights.values()):
            raise ValueError("every weight is 0: give one proxy a weight above 0")
