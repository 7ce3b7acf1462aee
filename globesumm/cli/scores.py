"""Scores as people and programs read them; shared by the verbs that score."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from globesumm.finite import counted
from globesumm.records import to_json
from globesumm.values import Rejected, Score

if TYPE_CHECKING:
    from metrics.comparison import Comparison
    from metrics.tables import Table

MARKS = {"latex": "% ", "tsv": "# "}
"""Where a table is not text: how a line below it begins."""

FORMS = ("table", "markdown", "latex", "tsv", "jsonl")


@dataclass(frozen=True, slots=True)
class Slicing:
    """By what scores are sliced, and the slice of one score (None: not known)."""

    name: str
    key: Callable[[Score], str | None]


def print_table(
    scores: Sequence[Score],
    seed: int = 0,
    form: str = "table",
    slicing: Slicing | None = None,
) -> None:
    """One row a recipe (and slice): mean x 100, interval and n of N; then signatures, reasons.

    Metrics of which nothing was scored anywhere stand below the table in one line each, with
    what they need.
    """
    from metrics.aggregate import Aggregate, aggregate, slices
    from metrics.needs_model import NEEDS_MODEL
    from metrics.registry import known_columns
    from metrics.tables import Name, table

    waiting = {(row.name, str(row.signature)) for row in NEEDS_MODEL}
    shown = [score for score in scores if (score.metric, score.signature) not in waiting]
    rows: dict[Name, list[Aggregate]] = {}
    for recipe, held in by_recipe(shown).items():
        if slicing is None:
            rows[recipe] = aggregate(held, seed=seed)
        else:
            for name, found in slices(held, slicing.key, seed=seed).items():
                rows[recipe, name] = found
    known = known_columns()
    present = dict.fromkeys(score.metric for score in shown)
    first = "recipe" if slicing is None else ("recipe", slicing.name)
    print_form(table(rows, [known[name] for name in present if name in known], first=first), form)
    mark = MARKS.get(form, "- ")
    for name in present:
        if name not in known:
            print(f"{mark}{name}: not shown, since no metric of this version gives that column")
    for row in NEEDS_MODEL:
        total = sum((s.metric, s.signature) == (row.name, str(row.signature)) for s in scores)
        if total:
            print(f"{mark}{row.name} {row.better.arrow}: 0/{total} scored, needs {row.needs}")


def print_comparisons(found: Sequence["Comparison"], form: str) -> None:
    """Which recipe scores higher, by how much, and whether that may be luck."""
    from metrics.registry import known_columns
    from metrics.tables import comparisons_table

    print_form(comparisons_table(found, known_columns().values()), form)


def print_form(made: "Table", form: str, *, narrow: bool = False) -> None:
    """The table in one of `FORMS` but ``jsonl``; as text, with `narrow`, in lines of a terminal."""
    from metrics.narrowed import text_within

    forms = {"markdown": made.markdown, "latex": made.latex, "tsv": made.tsv}
    text = partial(text_within, made) if narrow else made.text
    print(forms.get(form, text)().rstrip("\n"))


def unread(rejected: Sequence[Rejected]) -> tuple[str, ...]:
    """What a table says below it of lines that were refused; nothing where none was."""
    return (f"{counted(len(rejected), 'line')} could not be read",) if rejected else ()


def print_lines(
    scores: Sequence[Score],
    seed: int = 0,
    slicing: Slicing | None = None,
    comparisons: Sequence["Comparison"] | None = None,
) -> None:
    """One JSON object a score, and a last one with the aggregates (and comparisons)."""
    from metrics.scoring import records

    for record in records(scores, slicing.key if slicing else None, seed=seed):
        if "aggregate" in record and comparisons is not None:
            record["comparisons"] = [asdict(one) for one in comparisons]
        print(to_json(record))


def by_recipe(scores: Sequence[Score]) -> dict[str, list[Score]]:
    """The scores of each recipe, in the order in which recipes first occur."""
    stated = any(score.recipe for score in scores)
    groups: dict[str, list[Score]] = {}
    for score in scores:
        name = score.recipe or ("(not stated)" if stated else "candidates")
        groups.setdefault(name, []).append(score)
    return groups
