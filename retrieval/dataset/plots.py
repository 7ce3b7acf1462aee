"""Documents by language and events by month, as pictures."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage
from retrieval.dataset.statistics import Statistics, named

COLOUR = "#1b4f72"


def plot(statistics: Statistics, folder: Path) -> list[Path]:
    """Write ``languages.svg`` and ``months.svg``; the same counts give the same bytes.

    Raises `MissingPackage` without matplotlib.
    """
    languages = sorted(statistics.languages.items(), key=lambda one: (-one[1], one[0]))
    months = sorted(statistics.event_months.items())
    return [
        _bars(
            [named(code) for code, _ in languages],
            [count for _, count in languages],
            "documents",
            folder / "languages.svg",
        ),
        _bars(
            [month for month, _ in months],
            [count for _, count in months],
            "events",
            folder / "months.svg",
        ),
    ]


def _bars(labels: Sequence[str], counts: Sequence[int], what: str, path: Path) -> Path:
    try:
        mpl: Any = import_module("matplotlib")
        agg: Any = import_module("matplotlib.backends.backend_agg")
    except ImportError as error:
        raise MissingPackage("matplotlib", "a plot", "plots") from error
    settings = {
        "svg.hashsalt": "globesumm",
        "svg.fonttype": "path",
        "font.family": "DejaVu Sans",
        "text.parse_math": False,
    }
    with mpl.rc_context({**mpl.rcParamsDefault, **settings}):
        width = max(4.0, 0.32 * len(labels) + 1.5)
        figure = mpl.figure.Figure(figsize=(width, 3.2), dpi=150, layout="constrained")
        agg.FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.bar(range(len(labels)), counts, color=COLOUR)
        axes.set_xticks(range(len(labels)), labels, rotation=60, ha="right")
        axes.set_ylabel(what)
        axes.yaxis.get_major_locator().set_params(integer=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
    return path
