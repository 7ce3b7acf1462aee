"""Every method by its name, as it stands in the fourth part of a recipe.

``rerank``, ``rerank-rouge``, ``self-refine`` and ``debate`` take their numbers from ``[drafts]``;
``rerank-18``, ``self-refine-12`` and ``debate-9x4`` (agents x rounds) bring their own, so that one
file holds a sweep whose calls are shared.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from baselines.drafts.base import DraftMethod
from baselines.drafts.debate import Debate
from baselines.drafts.joint import Joined, Rule
from baselines.drafts.pareto import Weighted
from baselines.drafts.proxies import Judging, asking, check_proxies, objectives
from baselines.drafts.refine import SelfRefine
from baselines.drafts.rerank import Rerank
from globesumm.config import Drafts
from globesumm.errors import UnknownName, UsageError
from metrics.judged import RATINGS

_PARTS = re.compile(
    r"(?P<name>[a-z]+(?:-[a-z]+)*)(?:-(?P<first>\d{1,9})(?:x(?P<second>\d{1,9}))?)?\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """One method: what makes it, which settings its own numbers are, and what it is."""

    make: Callable[[Drafts, Judging | None], DraftMethod]
    numbers: tuple[str, ...]
    about: str
    asks: bool = False


def _rerank(settings: Drafts, judging: Judging | None) -> DraftMethod:
    made = objectives(settings, judging)
    names = dict(zip(settings.proxies, (one.name for one in made), strict=True))
    return Rerank(objectives=made, n=settings.n, rule=rule_of(settings, names))


def _rerank_rouge(settings: Drafts, judging: Judging | None) -> DraftMethod:
    del judging
    plain = Drafts(proxies=("rouge",))
    return Rerank(objectives=objectives(plain), n=settings.n, label="rerank-rouge")


def _refine(settings: Drafts, judging: Judging | None) -> DraftMethod:
    del judging
    return SelfRefine(rounds=settings.rounds, stop=settings.stop)


def _debate(settings: Drafts, judging: Judging | None) -> DraftMethod:
    del judging
    return Debate(agents=settings.agents, rounds=settings.rounds, settle=settings.settle)


METHODS: Mapping[str, MethodRow] = {
    "rerank": MethodRow(
        make=_rerank,
        numbers=("n",),
        about="several drafts are drawn, and the one that proxies rate best is taken",
        asks=True,
    ),
    "rerank-rouge": MethodRow(
        make=_rerank_rouge,
        numbers=("n",),
        about="control: as rerank, by ROUGE against the sources",
    ),
    "self-refine": MethodRow(
        make=_refine,
        numbers=("rounds",),
        about="a draft is criticised by its own model and written anew, several times",
    ),
    "debate": MethodRow(
        make=_debate,
        numbers=("agents", "rounds"),
        about="several write, read each other and write anew",
    ),
}
"""In the order in which lists show them."""


PROMPTS = (
    "drafts.critique",
    "drafts.revise",
    "drafts.debate",
    *(f"judged.{attribute}" for attribute in RATINGS.values()),
)
"""Every prompt that some method uses."""


def rule_of(settings: Drafts, names: Mapping[str, str]) -> Rule:
    """How proxies are joined; `names` are the objectives' by the proxies' own."""
    given = settings.weights
    if settings.joint == "weighted":
        weights = given or dict.fromkeys(settings.proxies, 1.0)
        return Weighted(
            weights={names[one]: weight for one, weight in weights.items()},
            guards={names[one]: slack for one, slack in settings.guards.items()},
            scale=settings.scale,
        )
    return Joined(how=settings.joint, weights={names[one]: weight for one, weight in given.items()})


def parse_method(name: str) -> str:
    """`name` in its one spelling, if it is a method with or without numbers of its own.

    Raises `UnknownName`, and `UsageError` for numbers that it does not take.
    """
    _parted(name, Drafts())
    numbers = "x".join(map(str, numbers_of(name)))
    return f"{word_of(name)}-{numbers}" if numbers else name


def word_of(name: str) -> str:
    """The method's name without its numbers; raises `UnknownName`."""
    found = _PARTS.match(name)
    if found is None or found["name"] not in METHODS:
        raise UnknownName("method of drafts", name, METHODS)
    return found["name"]


def numbers_of(name: str) -> tuple[int, ...]:
    """The numbers that `name` brings, in order."""
    found = _PARTS.match(name)
    given = (found["first"], found["second"]) if found else ()
    return tuple(int(number) for number in given if number is not None)


def settings_of(name: str, settings: Drafts) -> Drafts:
    """`settings` with the numbers that `name` brings."""
    return _parted(name, settings)[1]


def row_of(name: str) -> MethodRow:
    """The row of METHODS that `name` stands for."""
    return _parted(name, Drafts())[0]


def asked_proxies(name: str, settings: Drafts) -> tuple[str, ...]:
    """The proxies by which the method `name` asks a judge."""
    held = settings_of(name, settings)
    if not row_of(name).asks or held.n < 2:
        return ()
    check_proxies(held.proxies)
    return asking(held.proxies)


def make_method(name: str, settings: Drafts, judging: Judging | None = None) -> DraftMethod:
    """The method called `name`; `judging` is who rates drafts, for those that have them rated.

    Raises `UnknownName`, and `UsageError` where a judge is needed and there is none.
    """
    row, held = _parted(name, settings)
    return row.make(held, judging)


def _parted(name: str, settings: Drafts) -> tuple[MethodRow, Drafts]:
    word, given = word_of(name), numbers_of(name)
    row = METHODS[word]
    if not given:
        return row, settings
    if len(given) != len(row.numbers):
        form = "x".join(part.upper() for part in row.numbers)
        raise UsageError(f"{name}: {word} takes {form} behind its name, or nothing")
    changes: dict[str, Any] = dict(zip(row.numbers, given, strict=True))
    try:
        return row, replace(settings, **changes)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
