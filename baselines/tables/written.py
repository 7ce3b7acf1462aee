"""All tables and plots of a grid as files in its run folder."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from baselines.tables.comparing import (
    EXPERIMENT,
    KINDS,
    PLOTS_FOLDER,
    TABLES_FOLDER,
    Compared,
)
from baselines.tables.drafts import sweep_plot
from baselines.tables.layouts import layouts
from baselines.tables.measures import standing
from baselines.tables.plots import causes_plot, cost_plot, prefix_plot
from baselines.tables.prefixes import prefix_columns
from globesumm.config import Experiment
from globesumm.errors import DataError, MissingPackage, UsageError
from globesumm.records import write_record, write_text
from metrics.figures import FORMATS
from metrics.printed import Table

Draw = Callable[..., None]

SUFFIXES = {".md": Table.markdown, ".tex": Table.latex, ".tsv": Table.tsv}


def write_tables(folder: Path, experiment: Experiment) -> Table:
    """Write ``tables/*.{md,tex,tsv}`` and ``plots/*.{png,svg}`` below `folder`.

    Returns the main table: every cell and metric.  A table or plot that cannot be made is named
    with its reason in ``tables/index.md``, and the others are written all the same.  Raises
    `UsageError` where the folder cannot be written or holds no run.
    """
    held = Compared(folder, experiment)
    main = KINDS["all"].make(held)
    write_all(held)
    return main


def write_all(held: Compared) -> list[str]:
    """The same for what was read already; returns the lines of the index."""
    tables, plots = (held.folder / name for name in (TABLES_FOLDER, PLOTS_FOLDER))
    try:
        tables.mkdir(parents=True, exist_ok=True)
        if held.experiment is not None:
            write_record(tables / EXPERIMENT, held.experiment)
        lines = [_written(held, name, tables) for name in KINDS if _applies(held, name)]
        lines += [_drawn(name, draw, plots) for name, draw in _plots(held)]
        index = "\n".join([f"# {held.folder.name}", "", *lines])
        write_text(tables / "index.md", f"{index}\n")
    except OSError as error:
        raise UsageError(
            f"{held.folder} cannot be written: {error.strerror}; free space, or give rights there"
        ) from error
    return lines


def _applies(held: Compared, name: str) -> bool:
    """Whether a table is written, and for those of the paper, any of its cells is asked for."""
    if name == "drafts":
        return _drafted(held)
    if not name.isdecimal():
        return KINDS[name].written
    asked = {recipe for recipe, who in held.results.asked if who.model}
    return bool(asked & set(layouts()[int(name)].recipes()))


def _written(held: Compared, name: str, folder: Path) -> str:
    """One line of the index on a table, after writing it."""
    kind = KINDS[name]
    stem = f"table-{name}" if name.isdecimal() else name
    try:
        made = kind.make(held)
        texts = {f"{stem}{suffix}": form(made) for suffix, form in SUFFIXES.items()}
        if kind.detailed is not None:
            texts[f"{stem}-intervals.md"] = kind.detailed(held).markdown()
    except (UsageError, DataError) as error:
        return f"- {stem}: {kind.about}: not made: {error}"
    for file, text in texts.items():
        shown = f"# {kind.about}\n\n{text}" if file.endswith(".md") else text
        write_text(folder / file, shown)
    files = ", ".join(f"[{file}]({file})" for file in texts)
    return f"- {kind.about}: {files}"


def _plots(held: Compared) -> list[tuple[str, Draw]]:
    """The plots of the paper's four measures against cost and by prefix, and those of drafts."""
    found: list[tuple[str, Draw]] = []
    measured = (standing(measure, held.results) for measure in layouts()[5].measures)
    by_prefix = {column.name for column in prefix_columns(held.results, held.portions)}
    for column in measured:
        if column is None:
            continue
        cost = partial(cost_plot, held.results, held.costs, column)
        found.append((f"cost-{column.name}", cost))
        if column.name in by_prefix:
            found.append((f"prefix-{column.name}", partial(prefix_plot, held.prefixes, column)))
    if _drafted(held):
        found += [
            (f"drafts-{column.name}", partial(sweep_plot, held.results, held.costs, column))
            for column in held.results.columns
        ]
    causes, _ = held.causes
    if causes is not None:
        found.append(("conflicts", partial(causes_plot, causes)))
    return found


def _drafted(held: Compared) -> bool:
    """Whether some recipe draws drafts."""
    return any(recipe.drafts for recipe in held.results.recipes)


def _drawn(name: str, draw: Draw, folder: Path) -> str:
    """One line of the index on a plot, after drawing it in every format."""
    paths = [folder / f"{name}{suffix}" for suffix in FORMATS]
    try:
        draw(*paths)
    except (UsageError, MissingPackage) as error:
        return f"- plot {name}: not drawn: {error}"
    files = (f"[{path.name}](../{PLOTS_FOLDER}/{path.name})" for path in paths)
    return f"- plot {name}: {', '.join(files)}"
