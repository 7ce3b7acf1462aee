"""Every recipe as a row: schema x pipeline x prompting, and who carries it out.

``str(recipe)`` (``crs.none.extractive``) is folder name, table row and configuration key.  The
promptings of `PROMPTINGS` need no model; those of `annotation.pipelines` are carried out by one.
What a model writes may have a fourth part, a method of `baselines.drafts.methods`
(``crs.kis-clp.protocol.rerank``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

from annotation.author import Author
from annotation.merges.writing import Writing, once
from annotation.pipelines import PIPELINES, Method
from annotation.pipelines import PROMPTINGS as MODEL_PROMPTINGS
from annotation.schemas import Context, Merge, Schema, chronological, single_turn
from baselines.controls import Lead, Random
from baselines.oracle import Oracle
from globesumm.config import Drafts
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Passage, Recipe

if TYPE_CHECKING:
    from baselines.drafts.proxies import Judging

Prepare = Callable[[Sequence[Passage], Context], list[Passage]]
"""What the documents go through before the first merge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRow:
    """In which order documents are merged."""

    run: Schema
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """How passages become a summary without a model.

    `make` takes the seed and returns the merge and the name it goes by where a model's name is
    asked for.  `pipelines` are the ones it can be combined with.
    """

    make: Callable[[int], tuple[Merge, str]]
    about: str
    pipelines: tuple[str, ...] = ("none",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """What carries out one recipe; several events may share it, also at once."""

    merge: Merge
    name: str
    prepare: Prepare | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """How drafts are drawn and one is chosen, and who rates them (None: the author himself)."""

    settings: Drafts = field(default_factory=Drafts)
    judging: "Judging | None" = None
    most_at_once: int = 8


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


def _oracle(seed: int) -> tuple[Merge, str]:
    del seed
    return Oracle(), Oracle().name


SCHEMAS: Mapping[str, SchemaRow] = {
    "sts": SchemaRow(run=single_turn, about="all documents at once"),
    "crs": SchemaRow(run=chronological, about="chronological: fold in one document a round"),
}

PROMPTINGS: Mapping[str, Prompting] = {
    "extractive": Prompting(
        make=_extractive,
        about="LexRank over claims, the documents' own sentences; no model, no network",
    ),
    "lead": Prompting(make=_lead, about="control: the leading sentences of each document"),
    "random": Prompting(make=_random, about="control: sentences drawn by the seed"),
    "oracle": Prompting(
        make=_oracle,
        about="control: the sentences that raise ROUGE-1 and ROUGE-2 against the reference most",
    ),
}

DEFAULT = "crs.none.extractive"
"""The recipe where neither a recipe nor a model is named."""

MODEL_DEFAULT = "crs.kis-clp.protocol"
"""The recipe where only a model is named: the GlobeSumm method."""

MODEL_ALIASES: Mapping[str, str] = {"extractive": DEFAULT}
"""Names given as a model that stand for a whole recipe."""


def recipes() -> list[Recipe]:
    """Every recipe there is, in table order."""
    free = [
        (pipeline, prompting) for prompting, row in PROMPTINGS.items() for pipeline in row.pipelines
    ]
    return [
        Recipe(schema=schema, pipeline=pipeline, prompting=prompting)
        for schema, (pipeline, prompting) in product(
            SCHEMAS, [*free, *product(PIPELINES, MODEL_PROMPTINGS)]
        )
    ]


def table_order(recipe: Recipe) -> tuple[int, int, tuple[int, ...]]:
    """A place among all recipes: table order, then without drafts, then methods and numbers."""
    from baselines.drafts.methods import METHODS, numbers_of, word_of

    base = recipes().index(replace(recipe, drafts=None))
    if recipe.drafts is None:
        return base, -1, ()
    return base, list(METHODS).index(word_of(recipe.drafts)), numbers_of(recipe.drafts)


def needs_model(recipe: Recipe) -> bool:
    """Whether a language model carries `recipe` out."""
    return recipe.prompting in MODEL_PROMPTINGS


def maker(
    recipe: Recipe,
    seed: int = 0,
    author: Author | None = None,
    *,
    preparing: Author | None = None,
    carrying: Author | None = None,
    drafting: Drafting | None = None,
) -> Maker:
    """What carries out `recipe`: `author` where it takes a model.

    `preparing` and `carrying` take the stages before the merge and those of a round's summary
    from it (see `annotation.pipelines.Method.of`); `drafting` says how drafts are drawn and who
    rates them, for a recipe that has them.  Raises UsageError if the recipe takes a model and
    there is none.
    """
    if not needs_model(recipe):
        merge, name = PROMPTINGS[recipe.prompting].make(seed)
        return Maker(merge=merge, name=name)
    if author is None:
        raise UsageError(
            f"recipe {recipe} needs a model: name one with --model, or take "
            f"{DEFAULT}, which needs none"
        )
    writing = once if recipe.drafts is None else _drafted(recipe.drafts, author, drafting)
    method = Method.of(recipe, author, preparing, carrying, writing)
    return Maker(merge=method.merge, name=method.name, prepare=method.prepare)


def _drafted(name: str, author: Author, drafting: Drafting | None) -> Writing:
    from baselines.drafts.writing import drafted

    return drafted(name, author, drafting or Drafting())


def parse_recipe(name: str) -> Recipe:
    """The recipe called `name`, or the one that a model alias stands for.

    Raises UnknownName, which offers the nearest name, for a part or a combination nobody knows,
    and UsageError for drafts of what no model writes.
    """
    wanted = name.strip().casefold()
    wanted = MODEL_ALIASES.get(wanted, wanted)
    known = {str(recipe): recipe for recipe in recipes()}
    if wanted in known:
        return known[wanted]
    *plain, drafts = wanted.split(".")
    base = known.get(".".join(plain))
    if base is None:
        raise UnknownName("recipe", name, known)
    from baselines.drafts.methods import parse_method

    method = parse_method(drafts)
    if not needs_model(base):
        raise UsageError(f"recipe {name}: nothing is drawn in {base}, which no model writes")
    return replace(base, drafts=method)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One row of ``globesumm recipes``."""

    name: str
    about: str
    needs_model: bool = False


def describe() -> list[Description]:
    """What each recipe does, in table order."""
    return [_description(recipe) for recipe in recipes()]


def describe_drafts() -> list[Description]:
    """What may follow a recipe that a model writes, behind a full stop."""
    from baselines.drafts.methods import METHODS

    return [
        Description(name=f"RECIPE.{name}", about=row.about, needs_model=True)
        for name, row in METHODS.items()
    ]


def _description(recipe: Recipe) -> Description:
    modelled = needs_model(recipe)
    prompting = (
        MODEL_PROMPTINGS[recipe.prompting].about if modelled else PROMPTINGS[recipe.prompting].about
    )
    about = f"{SCHEMAS[recipe.schema].about}; {PIPELINES[recipe.pipeline].about}; {prompting}"
    return Description(name=str(recipe), about=about, needs_model=modelled)
