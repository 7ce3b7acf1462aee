"""What a grid will ask, cost and take, before anything is asked.

Calls are distinct requests, found by carrying every cell out in symbols (`annotation.symbolic`):
what cells share counts once.  They are exact as long as every answer can be used and no document
has to be trimmed.  Tokens are estimates, and so are money and time, which follow from them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import Any, TypeVar

from annotation.ledger import Ledger, Text
from annotation.plan import counter
from annotation.symbolic import Symbolic, Told
from baselines.grid.authors import library, prices
from baselines.grid.cells import Cell, cells, parts
from baselines.grid.judged_plan import JudgedSummaries
from baselines.grid.plan_roles import roles_of, writing_of
from baselines.recipes import needs_model
from globesumm.config import Experiment
from globesumm.llm.request import Usage
from globesumm.values import Event

K = TypeVar("K")

METHOD = (
    "calls are distinct requests, exact while every answer can be used and nothing is trimmed; "
    "tokens are estimated from the length and script of texts, and for answers from the shares "
    "measured for GlobeSumm; reasoning is not among them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRow:
    """One step by one model: distinct calls, estimated tokens, and their price.

    `cost` is None where the model's price is not known.  `at_most`: judges see summaries that
    may turn out alike, and then fewer calls are made.  `early`: a model may end its work before.
    """

    model: str
    step: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None
    at_most: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPlan:
    """The whole grid before it is run.

    `requests` is how many calls there would be if cells shared none.  `chain` is the length of
    the longest chain of calls that wait for each other, `chain_seconds` its estimated time, and
    `seconds` that of everything at best.  `tight` calls may not fit their model's window.
    """

    cells: tuple[Cell, ...]
    events: int
    documents: int
    rows: tuple[PlannedRow, ...]
    requests: int
    chain: int
    chain_seconds: float
    seconds: float
    tight: int
    currency: str
    prices_dated: date | None

    @property
    def calls(self) -> int:
        """Calls for summaries, exact while every answer can be used."""
        return sum(row.calls for row in self.rows if not row.at_most)

    def by_step(self) -> dict[str, int]:
        """Calls for summaries by step, all models together."""
        found: dict[str, int] = defaultdict(int)
        for row in self.rows:
            if not row.at_most:
                found[row.step] += row.calls
        return dict(found)

    @property
    def early(self) -> int:
        """Calls of steps that a model may end before all of them are made."""
        return sum(row.calls for row in self.rows if row.early)

    @property
    def judging(self) -> int:
        """Calls of judges, at most."""
        return sum(row.calls for row in self.rows if row.at_most)

    @property
    def cost(self) -> float:
        """What the calls with a known price cost."""
        return sum(row.cost for row in self.rows if row.cost is not None)

    @property
    def unpriced(self) -> int:
        """Calls whose price is not known; they are not in `cost`."""
        return sum(row.calls for row in self.rows if row.cost is None)


def plan_grid(
    experiment: Experiment,
    events: Mapping[str, Event] | Sequence[Event],
    chosen: Sequence[Cell] | None = None,
    wanted: Callable[[Cell, str], bool] | None = None,
) -> GridPlan:
    """The plan of `experiment` on `events`, or of its `chosen` cells alone.

    `wanted` says for which events (by id) a cell is planned; for all without it.  Of a mapping
    that reads its events when they are wanted, few are held at a time.

    Raises what `baselines.grid.cells.cells` raises.
    """
    held = list(cells(experiment)) if chosen is None else list(chosen)
    totals = _Totals(experiment)
    count = counter()
    roles = {part: roles_of(experiment, part) for part in parts(held) if part.model is not None}
    symbolic = {
        part.target: Symbolic(
            part.target, experiment.max_words, library(experiment.prompts), count, Ledger()
        )
        for part in parts(held)
    }
    named: Mapping[Any, Event] = events if isinstance(events, Mapping) else dict(enumerate(events))
    documents = 0
    for keys in _related(named):
        group = [named[key] for key in keys]
        documents += sum(len(event.documents) for event in group)
        ledger, judged = Ledger(), JudgedSummaries(experiment, group, count)
        told = [Told(event, count) for event in group]
        for one in symbolic.values():
            one.ledger = ledger
        for part, recipes in parts(held).items():
            for recipe in recipes:
                for event, texts in zip(group, told, strict=True):
                    if wanted and not wanted(Cell(recipe=recipe, part=part), event.id):
                        continue
                    summary: Text | None = None
                    if needs_model(recipe):
                        writing = writing_of(experiment, part, recipe, count)
                        summary = symbolic[part.target].carry_out(
                            texts, recipe, roles[part], writing
                        )
                    judged.add(event, recipe, part, summary)
        totals.add(ledger, judged)
    return GridPlan(
        cells=tuple(held),
        events=len(events),
        documents=documents,
        rows=totals.rows(),
        requests=totals.requests,
        chain=totals.chain,
        chain_seconds=totals.chain_seconds,
        seconds=totals.best_seconds(),
        tight=totals.tight,
        currency=experiment.currency,
        prices_dated=experiment.prices_dated,
    )


def _related(events: Mapping[K, Event]) -> list[list[K]]:
    """The keys of `events` in groups that share no text, and so no request.

    Each group is planned by itself.
    """
    groups: list[list[K]] = []
    texts_of: list[set[bytes]] = []
    place_of: dict[bytes, int] = {}
    for key, event in events.items():
        texts = {_named(document.text) for document in event.documents if _bare(document.text)}
        places = sorted({place_of[text] for text in texts if text in place_of})
        place = places[0] if places else len(groups)
        if not places:
            groups.append([])
            texts_of.append(set())
        for other in places[1:]:
            groups[place] += groups[other]
            texts_of[place] |= texts_of[other]
            groups[other], texts_of[other] = [], set()
        groups[place].append(key)
        texts_of[place] |= texts
        place_of |= dict.fromkeys(texts_of[place] if places[1:] else texts, place)
    return [group for group in groups if group]


def _named(text: str) -> bytes:
    """What stands for a text, so that not all texts are held."""
    return sha256(_bare(text).encode("utf-8", errors="surrogatepass")).digest()[:16]


def _bare(text: str) -> str:
    """`text` without blanks, in which texts may differ whose sentences are the same."""
    return "".join(text.split())


class _Totals:
    """Sums over groups of events."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._made: dict[tuple[str, str], _Sum] = defaultdict(_Sum)
        self._judged: dict[tuple[str, str], _Sum] = defaultdict(_Sum)
        self._seconds: dict[str, float] = defaultdict(float)
        self.requests = self.chain = self.tight = 0
        self.chain_seconds = 0.0

    def add(self, ledger: Ledger, judged: JudgedSummaries) -> None:
        for call in ledger.calls.values():
            total = self._made[call.asked, call.step]
            total.add(1, call.prompt_tokens, call.answer_tokens)
            total.early |= call.early
            self._seconds[call.asked] += call.seconds
            self.chain = max(self.chain, call.depth)
            self.chain_seconds = max(self.chain_seconds, call.ends)
            self.tight += call.tight
        self.requests += ledger.asked
        for model, metric, calls, usage in judged.totals():
            tokens = usage.prompt_tokens or 0, usage.completion_tokens or 0
            self._judged[model, f"judging {metric}"].add(calls, *tokens)

    def rows(self) -> tuple[PlannedRow, ...]:
        order = {name: place for place, name in enumerate(self._experiment.rows)}
        made = sorted(self._made.items(), key=lambda item: order[item[0][0]])
        rows = [_row(self._experiment, *key, total) for key, total in made]
        judged = [_row(self._experiment, *key, total) for key, total in self._judged.items()]
        return (*rows, *(replace(row, at_most=True) for row in judged))

    def best_seconds(self) -> float:
        """The longest chain, or the time of all calls with as many in flight as may be."""
        most = self._experiment.limits.at_once
        bounds = [
            total / min(most, self._experiment.rows[name].at_once or most)
            for name, total in self._seconds.items()
        ]
        return max([self.chain_seconds, sum(self._seconds.values()) / most, *bounds])


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    early: bool = False

    def add(self, calls: int, prompt: int, answer: int) -> None:
        self.calls += calls
        self.prompt_tokens += prompt
        self.answer_tokens += answer


def _row(experiment: Experiment, model: str, step: str, total: _Sum) -> PlannedRow:
    price = prices(experiment).get(experiment.rows[model].asked_as)
    usage = Usage(prompt_tokens=total.prompt_tokens, completion_tokens=total.answer_tokens)
    return PlannedRow(
        model=model,
        step=step,
        calls=total.calls,
        prompt_tokens=total.prompt_tokens,
        answer_tokens=total.answer_tokens,
        cost=price.of(usage) if price else None,
        early=total.early,
    )
