"""One experiment: data, recipes, models, metrics and limits, as its file says."""

from dataclasses import dataclass, field
from datetime import date

from globesumm.config.drafts import Drafts
from globesumm.config.tables import Decoded, Judge, Limits, ModelRow, PreSteps, Slice

METRICS = ("rouge", "red")
"""What is scored where no metric is named: what runs offline as the paper defines it."""

MOST_WORDS = 100_000
"""Of a summary: beyond any model's answer."""

SEEDS = 2**63
"""Servers read a seed as a whole number of 64 bits with a sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What to run on which events.

    `recipes` are names such as ``crs.none.extractive``, or ``all``; `metrics` names from
    ``globesumm metrics``; `max_words` bounds the summary of every round; `seed` decides every
    random draw.  `inputs` are what ``globesumm read`` takes, one event each; files of whole
    events (the published GlobeSumm layout, or a run's ``events.jsonl``); or ``sample:NAME``.
    `targets` are the languages to write (`target` alone where empty).  `seeds` repeats the
    models' cells, once a seed (`seed` alone where empty).  `helpers` are models that only
    prepare or judge and have no cells of their own.  `prices_dated` is the day of the price list.
    With `prefixes` the summaries of all rounds are scored, though not by judges.

    Paths in a file (`inputs`, `prompts`, ``scripted:FILE``, a judge's `weights`) start from its
    folder.
    """

    inputs: tuple[str, ...] = ()
    recipes: tuple[str, ...] = ("crs.none.extractive",)
    target: str = "en"
    targets: tuple[str, ...] = ()
    max_words: int = 250
    seed: int = 0
    seeds: tuple[int, ...] = ()
    metrics: tuple[str, ...] = METRICS
    prefixes: bool = False
    prompts: str | None = None
    currency: str = "USD"
    prices_dated: date | None = None
    slice: Slice = field(default_factory=Slice)
    decoding: Decoded = field(default_factory=Decoded)
    models: tuple[ModelRow, ...] = ()
    helpers: tuple[ModelRow, ...] = ()
    presteps: PreSteps = field(default_factory=PreSteps)
    drafts: Drafts = field(default_factory=Drafts)
    judges: tuple[Judge, ...] = ()
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 1 <= self.max_words <= MOST_WORDS:
            raise ValueError(
                f"max_words is {self.max_words}, and a summary has at least 1 "
                f"and at most {MOST_WORDS}"
            )
        for seed in (self.seed, *self.seeds):
            if not -SEEDS <= seed < SEEDS:
                raise ValueError(f"seed {seed} is too large: a seed has at most 64 bits")
        if not self.recipes:
            raise ValueError("recipes is empty: name at least one")
        for name, values in (("seeds", self.seeds), ("targets", self.targets)):
            twice = next((one for one in values if values.count(one) > 1), None)
            if twice is not None:
                raise ValueError(f"{name} holds {twice!r} twice")

    @property
    def rows(self) -> dict[str, ModelRow]:
        """Models and helpers by name."""
        return {row.name: row for row in (*self.models, *self.helpers)}
