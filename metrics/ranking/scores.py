"""Scores of methods on documents: from lines of JSON to one table with its gaps named."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import DataError
from globesumm.finite import LARGEST, is_number, numbers
from globesumm.records import from_plain, read_plain_records
from globesumm.values import Rejected, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What one method scored on one document; None where there is no score, and `note` says why.

    `metric`, `signature` and `event` are those of a line that a scoring command wrote.  A score
    that is no number (`globesumm.finite`) is a ValueError.
    """

    method: str
    document: str
    score: float | None
    metric: str | None = None
    signature: str | None = None
    note: str | None = None
    event: str | None = None

    def __post_init__(self) -> None:
        numbers(() if self.score is None else (self.score,))


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """`values` has shape (methods, documents), NaN where nothing was scored.

    `reasons` says for each method why scores are missing, and how often.
    """

    methods: tuple[str, ...]
    documents: tuple[str, ...]
    values: NDArray[np.float64]
    reasons: tuple[tuple[tuple[str, int], ...], ...]


NO_LINE = "no line for this method and document"
UNSTATED = "(not stated)"


def read_scores(path: Path) -> Iterator[Scored | Rejected]:
    """Lines ``{"method", "document", "score"}``, or those of a run's ``scores.jsonl``.

    In the latter, the recipe is the method and the event, round included, the document.  A score
    that is no number up to `LARGEST` in size, a line of another form, one that names no method or
    document, or one about a method, document and metric that an earlier line was about, is
    `Rejected`.  The last line that ``--format jsonl`` of the
    scoring commands prints (its aggregates) is passed over.
    """
    seen: set[tuple[str, str, str | None]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        if plain.keys() <= {"aggregate", "comparisons"}:
            continue
        try:
            found = _scored(plain, where)
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
            continue
        key = (found.method, found.document, found.metric)
        if key in seen:
            named = f"{found.method!r} on {found.document!r}"
            yield Rejected(where=where, reason=f"a score of {named} was on a line before")
            continue
        seen.add(key)
        yield found


def _scored(plain: dict[str, object], where: str) -> Scored:
    if "value" not in plain and "id" not in plain:
        check_number(plain.get("score"), f"{where}: score")
        found = from_plain(Scored, plain, where)
    else:
        check_number(plain.get("value"), f"{where}: value")
        one = from_plain(Score, plain, where)
        found = Scored(
            method=one.recipe or UNSTATED,
            document=one.id,
            score=one.value,
            metric=one.metric,
            signature=one.signature,
            note=one.note,
            event=one.event,
        )
    if not found.method.strip() or not found.document.strip():
        raise DataError(f"{where}: a score needs the names of its method and document")
    return found


def check_number(value: object, where: str) -> None:
    """Raise `DataError` for what is neither None nor a number up to `LARGEST` in size.

    Words and truth values that could be read as numbers are none: who wrote them meant something
    else.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{where}: a number is needed, or null")
    if not is_number(value):
        if isinstance(value, float) and not math.isfinite(value):
            raise DataError(f"{where}: {value} is no finite number")
        raise DataError(f"{where}: a number is needed, up to {LARGEST:g} in size")


def by_event(scored: Iterable[Scored]) -> list[Scored]:
    """One score a method, event and metric: the mean of those that are there.

    For texts that have several, from several people or of several rounds.  A line that names no
    event stands for itself.
    """
    groups: dict[tuple[str, str, str | None], list[Scored]] = {}
    for one in scored:
        groups.setdefault((one.method, one.event or one.document, one.metric), []).append(one)
    found = []
    for (_, event, _), held in groups.items():
        known = [one.score for one in held if one.score is not None]
        mean = math.fsum(known) / len(known) if known else None
        found.append(replace(held[0], document=event, score=mean))
    return found


def score_table(scored: Iterable[Scored]) -> ScoreTable:
    """The scores by method and document, methods in order of their names.

    The documents are all that any method has a line for; where a method has none, its score is
    missing there and counted so.
    """
    rows: Sequence[Scored] = list(scored)
    methods = sorted({row.method for row in rows})
    documents = sorted({row.document for row in rows})
    method_at = {name: place for place, name in enumerate(methods)}
    document_at = {name: place for place, name in enumerate(documents)}
    values = np.full((len(methods), len(documents)), np.nan)
    told: list[dict[str, int]] = [{} for _ in methods]
    lines = [0] * len(methods)
    for row in rows:
        place = method_at[row.method]
        lines[place] += 1
        if row.score is not None:
            values[place, document_at[row.document]] = row.score
        else:
            reason = row.note or "no reason given"
            told[place][reason] = told[place].get(reason, 0) + 1
    for place, count in enumerate(lines):
        if count < len(documents):
            told[place][NO_LINE] = len(documents) - count
    return ScoreTable(
        methods=tuple(methods),
        documents=tuple(documents),
        values=values,
        reasons=tuple(tuple(sorted(one.items(), key=lambda x: (-x[1], x[0]))) for one in told),
    )
