"""Every metric by the name it has on the command line: one literal table.

To add a metric, write its module and add its row here.
"""

from collections.abc import Callable, Mapping

from globesumm.errors import UnknownName, UsageError
from metrics.abstractiveness import Abstractiveness, Length
from metrics.base import Column, Metric
from metrics.judged.alignment import Alignment
from metrics.needs_model import NEEDS_JUDGE, NEEDS_MODEL
from metrics.nic import Nic
from metrics.red import Red
from metrics.red_tokens import RedTokens
from metrics.red_vectors import RedVectors
from metrics.rouge import Rouge

METRICS: Mapping[str, Callable[[], Metric]] = {
    "rouge": Rouge,
    "rouge-lsum": lambda: Rouge(types=("rougeLsum",)),
    "rouge-characters": lambda: Rouge(tokenizer="characters"),
    "rouge-rouge-score": lambda: Rouge(tokenizer="rouge-score", stem=True),
    "red": Red.minilm,
    "red-deberta": Red.paper,
    "red-tokens": RedTokens.minilm,
    "red-vectors": RedVectors.e5,
    "nic-lexical": Nic.lexical,
    "nic-vectors": Nic.vector,
    "alignment-lexical": Alignment.lexical,
    "alignment-vectors": Alignment.vector,
    "abstractiveness": Abstractiveness,
    "abstractiveness-exact": Abstractiveness.exact,
    "length": Length,
}
"""Name to maker.  Making a metric loads nothing; its first score does."""


def metrics(names: str, given: Mapping[str, Metric] | None = None) -> list[Metric]:
    """The metrics of a comma-separated list, each once, in its order.

    `given` are metrics that are made from more than a name, such as NIC with its entailer.
    Raises `UnknownName` with the nearest name there is, and for a metric that is listed but
    needs a model `UsageError` with what it needs.
    """
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    if not wanted:
        raise UsageError(f"no metric named in {names!r}: choose from {', '.join(METRICS)}")
    made = given or {}
    for name in wanted:
        for row in (*NEEDS_MODEL, *NEEDS_JUDGE):
            if row.name == name and name not in made:
                raise UsageError(f"metric {name!r} is not computed here: it needs {row.needs}")
        if name not in METRICS and name not in made:
            needing = (row.name for row in (*NEEDS_MODEL, *NEEDS_JUDGE))
            raise UnknownName("metric", name, [*METRICS, *needing])
    return [made[name] if name in made else METRICS[name]() for name in wanted]


def known_columns() -> Mapping[str, Column]:
    """Every column that a metric of the registry, or one that needs a model, can give."""
    from metrics.entailment.presets import open_entailer

    modelled = Nic(open_entailer("true"))  # loads nothing; every model gives these columns
    measures = [*(make() for make in METRICS.values()), Rouge(report="prf"), modelled]
    found = {column.name: column for metric in measures for column in metric.columns}
    return found | {
        column.name: column for row in (*NEEDS_MODEL, *NEEDS_JUDGE) for column in row.columns
    }
