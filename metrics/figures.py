"""The frame that every plot is drawn in: PNG or SVG with matplotlib, the same bytes each time."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.records import write_bytes

FORMATS = (".png", ".svg")


@contextmanager
def figure(*paths: Path, width: float, height: float) -> Iterator[Any]:
    """Axes that are saved to `paths` afterwards, without date, version or random ids.

    `width` and `height` are in inches.  Raises `MissingPackage` without matplotlib, `UsageError`
    for another suffix.
    """
    try:
        mpl: Any = import_module("matplotlib")
        agg: Any = import_module("matplotlib.backends.backend_agg")
    except ImportError as error:
        raise MissingPackage("matplotlib", "a plot", "plots") from error
    for path in paths:
        if path.suffix.lower() not in FORMATS:
            raise UsageError(
                f"{path}: a plot is written as {' or '.join(FORMATS)}: give the file such an ending"
            )
    settings = {
        "svg.hashsalt": "globesumm",
        "svg.fonttype": "path",
        "font.family": "DejaVu Sans",
        "text.parse_math": False,
    }
    with mpl.rc_context({**mpl.rcParamsDefault, **settings}):
        drawn = mpl.figure.Figure(figsize=(width, height), dpi=150, layout="constrained")
        agg.FigureCanvasAgg(drawn)
        yield drawn.add_subplot()
        for path in paths:
            form = path.suffix.lower()
            plain = {"Date": None} if form == ".svg" else {"Software": None}
            content = io.BytesIO()
            with warnings.catch_warnings():
                # Labels are data: what the font lacks is drawn as a box, and nobody can help it.
                warnings.simplefilter("ignore", UserWarning)
                drawn.savefig(content, format=form[1:], metadata=plain)
            write_bytes(path, content.getvalue())
