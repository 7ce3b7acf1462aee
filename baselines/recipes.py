"""Every recipe as a row: schema x pipeline x prompting, and who may be left out.

``str(recipe)`` (``crs.none.extractive``) is folder name, table row and configuration key.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from annotation.schemas import Context, Merge, Schema, chronological, single_turn
from baselines.controls import Lead, Random
from globesumm.errors import UnknownName
from globesumm.values import Passage, Recipe

Stage = Callable[[Passage, Context], Passage]
"""What one document goes through before the merge, or a summary before the next round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRow:
    """In which order documents are merged."""

    run: Schema
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What each document goes through first (`prepare`), and each carried summary (`carry`)."""

    about: str
    prepare: tuple[Stage, ...] = ()
    carry: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """How passages become a summary.

    `make` takes the seed and returns the merge and the name it goes by where a model's name is
    asked for.  `pipelines` are the ones it can be combined with.
    """

    make: Callable[[int], tuple[Merge, str]]
    about: str
    pipelines: tuple[str, ...]


def _extractive(seed: int) -> tuple[Merge, str]:
    # Nothing is drawn, so there is nothing to seed.
    del seed
    from baselines.extractive import ExtractiveMerge

    merge = ExtractiveMerge()
    return merge, merge.name


def _lead(seed: int) -> tuple[Merge, str]:
    del seed
    return Lead(), Lead().name


def _random(seed: int) -> tuple[Merge, str]:
    return Random(seed), Random(seed).name


SCHEMAS: Mapping[str, SchemaRow] = {
    "sts": SchemaRow(run=single_turn, about="all documents at once"),
    "crs": SchemaRow(run=chronological, about="chronological: fold in one document a round"),
}

PIPELINES: Mapping[str, Pipeline] = {
    "none": Pipeline(about="documents as they are"),
}

PROMPTINGS: Mapping[str, Prompting] = {
    "extractive": Prompting(
        make=_extractive,
        about="LexRank over claims, the documents' own sentences; no model, no network",
        pipelines=("none",),
    ),
    "lead": Prompting(
        make=_lead, about="control: the leading sentences of each document", pipelines=("none",)
    ),
    "random": Prompting(
        make=_random, about="control: sentences drawn by the seed", pipelines=("none",)
    ),
}

DEFAULT = "crs.none.extractive"
"""The recipe where neither a recipe nor a model is named."""

MODEL_ALIASES: Mapping[str, str] = {"extractive": DEFAULT}
"""Names given as a model that stand for a whole recipe."""


def recipes() -> list[Recipe]:
    """Every recipe there is, in table order."""
    return [
        Recipe(schema=schema, pipeline=pipeline, prompting=prompting)
        for schema, pipeline, prompting in product(SCHEMAS, PIPELINES, PROMPTINGS)
        if pipeline in PROMPTINGS[prompting].pipelines
    ]


def parse_recipe(name: str) -> Recipe:
    """The recipe called `name`, or the one that a model alias stands for.

    Raises UnknownName, which offers the nearest name, for a part or a combination nobody knows.
    """
    wanted = name.strip().casefold()
    wanted = MODEL_ALIASES.get(wanted, wanted)
    known = {str(recipe): recipe for recipe in recipes()}
    if wanted not in known:
        raise UnknownName("recipe", name, known)
    return known[wanted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One row of ``globesumm recipes``."""

    name: str
    about: str
    needs_model: bool = False


def describe() -> list[Description]:
    """What each recipe does, in table order."""
    return [
        Description(
            name=str(recipe),
            about=f"{SCHEMAS[recipe.schema].about}; {PIPELINES[recipe.pipeline].about}; "
            f"{PROMPTINGS[recipe.prompting].about}",
        )
        for recipe in recipes()
    ]
