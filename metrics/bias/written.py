"""Language-bias reports as files: tables as CSV, Markdown and LaTeX, plots as PNG and SVG."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from globesumm.errors import MissingPackage, UsageError
from globesumm.records import write_text
from globesumm.runs import file_name
from metrics.bias.controlled import Preferences
from metrics.bias.plots import bar_plot, heat_map, preference_plot
from metrics.bias.report import BiasReport
from metrics.bias.tables import preferences_table, report_table, side_by_side, to_csv
from metrics.figures import FORMATS
from metrics.tables import Table

Draw = Callable[[Path], None]


def tables(
    reports: Sequence[BiasReport], found: Mapping[str, Preferences]
) -> list[tuple[str, str, Table]]:
    """(file name, heading, table): each system's report, systems side by side, and each
    controlled test by its system's name.
    """
    held = [(f"report-{file_name(one.system)}", one.system, report_table(one)) for one in reports]
    if len(reports) > 1:
        held.append(("systems", "normalized scores side by side", side_by_side(reports)))
    for system, one in found.items():
        heading = f"{system}, controlled test"
        held.append((f"controlled-{file_name(system)}", heading, preferences_table(one)))
    return held


def write_tables(folder: Path, held: Sequence[tuple[str, str, Table]]) -> list[Path]:
    """Each table three times; the files written."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, heading, table in held:
            texts = {
                ".csv": to_csv(table),
                ".md": f"### {heading}\n\n{table.markdown()}",
                ".tex": table.latex(),
            }
            for suffix, text in texts.items():
                path = folder / f"{name}{suffix}"
                write_text(path, text)
                written.append(path)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror}; choose another --out"
        ) from error
    return written


def write_plots(
    folder: Path, reports: Sequence[BiasReport], found: Mapping[str, Preferences]
) -> tuple[list[Path], list[str]]:
    """The files drawn, and why others were not (nothing scored, no package to draw with)."""
    wanted: list[tuple[str, Draw]] = [
        (f"bars-{file_name(one.system)}", partial(bar_plot, one)) for one in reports
    ]
    if reports:
        wanted.append(("heat-map", partial(heat_map, reports)))
    wanted += [
        (f"controlled-{file_name(system)}", partial(preference_plot, system, one))
        for system, one in found.items()
    ]
    drawn, refused = [], []
    for name, draw in wanted:
        for suffix in FORMATS:
            path = folder / f"{name}{suffix}"
            try:
                draw(path)
            except (UsageError, MissingPackage) as error:
                refused.append(str(error))
            else:
                drawn.append(path)
    return drawn, list(dict.fromkeys(refused))
