"""How well an entailer does on pairs whose answer is known, within and across languages."""

import csv
import gzip
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError
from globesumm.finite import counted
from globesumm.languages import parse
from metrics.entailment.base import Entailer, Pair, Verdict

LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A pair with what people said of it: entailment, neutral or contradiction."""

    pair: Pair
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How an entailer did on the pairs of one premise and one hypothesis language.

    Rates are the shares called entailed among the pairs of each label (None without one),
    `balanced_accuracy` is the mean of the rate on entailed pairs and of one minus that on all
    others, and `auc` the chance that an entailed pair gets the higher value of two (ties half).
    `n` of `expected` pairs were judged.
    """

    entailer: str
    premise_language: str
    hypothesis_language: str
    n: int
    expected: int
    rate_entailment: float | None
    rate_neutral: float | None
    rate_contradiction: float | None
    balanced_accuracy: float | None
    auc: float | None
    seconds: float
    reason: str | None = None


def read_xnli(folder: Path, languages: Sequence[str] = ()) -> dict[str, list[tuple[str, str, str]]]:
    """(premise, hypothesis, label) rows by language from files ``*-<language>.tsv[.gz]``.

    The same row is the same pair in every file.  Raises `DataError` for a folder without such
    files, a row of another form, or files of unequal length.
    """
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted([*folder.glob("*-*.tsv"), *folder.glob("*-*.tsv.gz")]):
        language = parse(path.name.split(".")[0].rpartition("-")[2])
        if not languages or language in languages:
            found[language] = list(_rows(path))
    missing = sorted(set(languages) - found.keys())
    if not found or missing:
        wanted = ", ".join(missing) or "any language"
        raise DataError(
            f"{folder}: no file *-<language>.tsv or .tsv.gz for {wanted}: "
            "name a folder that holds such"
        )
    if len({len(rows) for rows in found.values()}) > 1:
        told = ", ".join(
            f"{language} {counted(len(found[language]), 'row')}" for language in sorted(found)
        )
        raise DataError(
            f"{folder}: {told}: a row must be the same pair in every file; take files of one "
            "release"
        )
    return found


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            for number, row in enumerate(rows, 1):
                if len(row) != 3 or row[2] not in LABELS:
                    labels = ", ".join(LABELS)
                    raise DataError(
                        f"{path}:{number}: not premise, hypothesis and one of {labels}: give these"
                    )
                yield row[0], row[1], row[2]
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error


def across(
    rows: Mapping[str, Sequence[tuple[str, str, str]]], premise: str, hypothesis: str
) -> list[Labelled]:
    """Row by row, the premise in one language and the hypothesis in another (or the same)."""
    return [
        Labelled(
            pair=Pair(
                premise=left[0],
                hypothesis=right[1],
                premise_language=premise,
                hypothesis_language=hypothesis,
            ),
            label=left[2],
        )
        for left, right in zip(rows[premise], rows[hypothesis], strict=True)
    ]


def accuracy(entailer: Entailer, labelled: Iterable[Labelled]) -> list[Accuracy]:
    """One row for each combination of languages, in the order in which they first occur."""
    groups: dict[tuple[str, str], list[Labelled]] = {}
    for one in labelled:
        key = (one.pair.premise_language, one.pair.hypothesis_language)
        groups.setdefault(key, []).append(one)
    return [_accuracy(entailer, key, group) for key, group in groups.items()]


def _accuracy(
    entailer: Entailer, languages: tuple[str, str], group: Sequence[Labelled]
) -> Accuracy:
    begun = time.perf_counter()
    verdicts = entailer.entails([one.pair for one in group])
    seconds = time.perf_counter() - begun
    by_label: dict[str, list[Verdict]] = {label: [] for label in LABELS}
    for one, verdict in zip(group, verdicts, strict=True):
        if verdict.value is not None:
            by_label[one.label].append(verdict)
    entailed = by_label["entailment"]
    others = by_label["neutral"] + by_label["contradiction"]
    hit, wrong = _rate(entailed), _rate(others)
    reasons = (verdict.reason for verdict in verdicts if verdict.value is None)
    return Accuracy(
        entailer=entailer.name,
        premise_language=languages[0],
        hypothesis_language=languages[1],
        n=len(entailed) + len(others),
        expected=len(group),
        rate_entailment=hit,
        rate_neutral=_rate(by_label["neutral"]),
        rate_contradiction=_rate(by_label["contradiction"]),
        balanced_accuracy=None if hit is None or wrong is None else (hit + 1 - wrong) / 2,
        auc=_auc([v.value or 0.0 for v in entailed], [v.value or 0.0 for v in others]),
        seconds=seconds,
        reason=next(reasons, None),
    )


def _rate(verdicts: Sequence[Verdict]) -> float | None:
    """The share called entailed; None of nothing."""
    if not verdicts:
        return None
    return sum(bool(verdict.entailed) for verdict in verdicts) / len(verdicts)


def _auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Mann and Whitney's U over the number of pairs, from 0 to 1."""
    if not positive or not negative:
        return None
    import numpy as np

    ordered, wanted = np.sort(negative), np.asarray(positive)
    below = np.searchsorted(ordered, wanted, "left") + np.searchsorted(ordered, wanted, "right")
    return float(below.mean()) / (2 * len(negative))
