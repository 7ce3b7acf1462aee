"""The rows and columns of the paper's result tables: which cells each row is made of."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Literal

from baselines.tables.paper import PIPELINES, PROMPTINGS
from globesumm.errors import UsageError
from globesumm.records import from_plain
from globesumm.values import Recipe

ALL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: a cell's recipe, or what an average or a change is made of.

    A change is the mean of `recipes` minus the mean of `minus`.
    """

    label: str
    schema: str
    kind: Literal["cell", "average", "change"]
    recipes: tuple[Recipe, ...]
    minus: tuple[Recipe, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One table of the paper."""

    table: int
    caption: str
    measures: tuple[str, ...]
    pipelines: tuple[str, ...]
    rows: tuple[str, ...]

    def written_out(self) -> list[Row]:
        """Its rows in print order."""
        return [row for text in self.rows for row in self._row(text)]

    def recipes(self) -> list[Recipe]:
        """The recipes whose cells it prints."""
        return [row.recipes[0] for row in self.written_out() if row.kind == "cell"]

    def _row(self, text: str) -> list[Row]:
        kind, _, pattern = text.rpartition(" ")
        if not kind:
            return [
                Row(label=label(one), schema=one.schema, kind="cell", recipes=(one,))
                for one in self._recipes(pattern)
            ]
        if kind == "avg":
            schema, pipeline, prompting = pattern.split(".")
            return [
                Row(
                    label=f"{self._average_name(schema, pipeline, prompting)}.Avg",
                    schema="",
                    kind="average",
                    recipes=tuple(self._recipes(pattern)),
                )
            ]
        return [
            Row(
                label="Δ = Protocol.Avg − Direct.Avg",
                schema="",
                kind="change",
                recipes=tuple(self._recipes(f"{pattern}.*.protocol")),
                minus=tuple(self._recipes(f"{pattern}.*.direct")),
            )
        ]

    def _recipes(self, pattern: str) -> list[Recipe]:
        places: Sequence[Sequence[str]] = (("sts", "crs"), self.pipelines, tuple(PROMPTINGS))
        named = [
            known if part in (ALL, "each") else (part,)
            for part, known in zip(pattern.split("."), places, strict=True)
        ]
        return [
            Recipe(schema=schema, pipeline=pipeline, prompting=prompting)
            for schema, pipeline, prompting in product(*named)
        ]

    def _average_name(self, schema: str, pipeline: str, prompting: str) -> str:
        if pipeline != ALL:
            return PIPELINES[pipeline]
        if prompting == ALL:
            return schema.upper()
        both = {text.split(".")[0] for text in self.rows if " " not in text} >= {"sts", "crs"}
        return f"{schema.upper()} + {PROMPTINGS[prompting]}" if both else PROMPTINGS[prompting]


@cache
def layouts() -> Mapping[int, Layout]:
    """Every layout by the number of its table in the paper."""
    text = files("baselines.tables").joinpath("layouts.toml").read_text(encoding="utf-8")
    found = from_plain(list[Layout], tomllib.loads(text)["layouts"], "layouts.toml")
    return {one.table: one for one in found}


def layout(table: int) -> Layout:
    """The layout of a table of the paper; `UsageError` for one that holds no results."""
    if table not in layouts():
        known = ", ".join(map(str, layouts()))
        raise UsageError(f"table {table} of the paper holds no results: choose {known}")
    return layouts()[table]


def label(recipe: Recipe) -> str:
    """A recipe as the paper's rows name it, without its schema; others by their own names."""
    pipeline = PIPELINES.get(recipe.pipeline, recipe.pipeline)
    prompting = PROMPTINGS.get(recipe.prompting)
    drafts = f" + {recipe.drafts}" if recipe.drafts else ""
    if prompting is None:
        alone = recipe.pipeline == "none"
        return recipe.prompting if alone else f"{pipeline} + {recipe.prompting}"
    return f"{pipeline} + {prompting}{drafts}"
