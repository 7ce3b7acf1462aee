"""What a run put out as a data set of the Hugging Face hub: summaries, scores, and a card.

::

    OUT/README.md                   the card: what the run was, means with n of N, columns
    OUT/data/summaries.parquet      one row a prefix of an event by a cell, also where none was made
    OUT/data/scores.parquet         one row a score, also the unscored with their reasons (if any)

``datasets.load_dataset("OUT", "summaries", split="results")`` reads it.  Texts of documents are
not in it; ``globesumm dataset`` makes a data set of events.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.exports.outputs import Cell, Output
from baselines.exports.sources import sound
from globesumm import __version__
from globesumm.errors import UsageError
from globesumm.languages import LANGUAGES
from globesumm.records import write_text
from globesumm.runs import Run
from globesumm.values import Event
from metrics.base import Column
from metrics.registry import known_columns
from retrieval.dataset.schema import described, write_parquet
from retrieval.dataset.tables import Table, escaped

SPLIT = "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One prefix of one event by one cell; `text` is null where `reason` says why."""

    id: str
    event: str
    category: str | None
    recipe: str
    model: str | None
    target: str
    repeat: int
    round: int | None
    last: bool
    documents: tuple[str, ...]
    added: tuple[str, ...]
    languages: tuple[str, ...]
    text: str | None
    reason: str | None
    references: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One score; `value` is null where `note` says why, and `better` where nobody knows."""

    id: str
    event: str
    recipe: str
    model: str | None
    target: str
    repeat: int
    round: int | None
    metric: str
    value: float | None
    better: str | None
    signature: str
    note: str | None


def write_data_set(
    cells: Sequence[Cell],
    events: Sequence[Event],
    out: Path,
    *,
    prefixes: bool = True,
    licence: str = "other",
) -> tuple[int, int]:
    """Write the data set into `out`; returns how many summaries (made) and scores it holds.

    Raises `MissingPackage` without pyarrow, and `UsageError` for a folder whose README is not
    that of such a data set and for a licence that no card may name.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*", licence):
        raise UsageError(f"--licence {licence[:80]!r}: give a name as the hub has it, as cc-by-4.0")
    summaries_path, scores_path = (out / "data" / f"{kind}.parquet" for kind in KINDS)
    card = out / "README.md"
    if (card.exists() or card.is_symlink()) and not summaries_path.is_file():
        raise UsageError(f"{card} is there and is of something else: name another folder")
    outputs = [(cell, one) for cell in cells for one in cell.outputs(events, prefixes=prefixes)]
    by_id = {event.id: event for event in events}
    summaries = [_summary(cell, one, by_id[one.event]) for cell, one in outputs]
    known = known_columns()
    scores = [row for cell, one in outputs for row in _scores(cell, one, known)]
    write_parquet(summaries_path, summaries, SummaryRow)
    if scores:
        write_parquet(scores_path, scores, ScoreRow)
    else:
        # `datasets` reads no table without a row.
        scores_path.unlink(missing_ok=True)
    write_text(card, _card(cells, summaries, scores, licence))
    return sum(row.text is not None for row in summaries), len(scores)


def _summary(cell: Cell, one: Output, event: Event) -> SummaryRow:
    covered = set(one.documents)
    part = cell.portion.part
    return SummaryRow(
        id=sound(one.id),
        event=sound(one.event),
        category=sound(event.category),
        recipe=str(cell.recipe),
        model=sound(part.model),
        target=part.target,
        repeat=part.repeat,
        round=one.round,
        last=one.last,
        documents=sound(one.documents),
        added=sound(one.added),
        languages=tuple(sorted({doc.language for doc in event.documents if doc.id in covered})),
        text=sound(one.text),
        reason=sound(one.reason),
        references=sound(event.references) if one.last else (),
        notes=sound(one.notes),
    )


def _scores(cell: Cell, one: Output, known: Mapping[str, Column]) -> Iterator[ScoreRow]:
    part = cell.portion.part
    for name, score in one.scores.items():
        yield ScoreRow(
            id=sound(one.id),
            event=sound(one.event),
            recipe=str(cell.recipe),
            model=sound(part.model),
            target=part.target,
            repeat=part.repeat,
            round=one.round,
            metric=name,
            value=score.value,
            better=known[name].better.value if name in known else None,
            signature=sound(score.signature),
            note=sound(score.note),
        )


def _card(
    cells: Sequence[Cell],
    summaries: Sequence[SummaryRow],
    scores: Sequence[ScoreRow],
    licence: str,
) -> str:
    folder, codes = cells[0].folder, sorted({row.target for row in summaries})
    made = sum(row.text is not None for row in summaries)
    kinds = {name: row for name, row in KINDS.items() if scores or name == "summaries"}
    tables = [_means(cells), _settings(folder), *(_columns(*kind) for kind in kinds.items())]
    about = (
        f"What GlobeSumm {__version__} made: {made} summaries of {len(summaries)} prefixes of news "
        f"events, in {', '.join(LANGUAGES[code].name for code in codes)}, with {len(scores)} "
        "scores. The documents are not in it. What was not made or not scored is a null with its "
        "reason, and counts."
    )
    loading = (
        f'`datasets.load_dataset("PATH OF THIS FOLDER", "summaries", split="{SPLIT}")` reads the '
        "summaries" + (', `"scores"` the scores.' if scores else ".")
    )
    care = (
        "The summaries were made by machines from news reports, which may be wrong and contradict "
        "one another; they name real people. Check what you pass on."
    )
    title = f"# Summaries and scores of {escaped(folder.name)}"
    parts = [_front_matter(folder.name, licence, codes, kinds), title, about, loading]
    return "\n\n".join([*parts, *(table.markdown() for table in tables), care]) + "\n"


def _front_matter(name: str, licence: str, codes: Sequence[str], kinds: Iterable[str]) -> str:
    lines = [
        "---",
        f"pretty_name: {json.dumps(f'Summaries and scores of {name}')}",
        f"license: {json.dumps(licence)}",
        "language:",
        *(f"- {json.dumps(code)}" for code in codes),
        "task_categories:",
        "- summarization",
        "tags:",
        *(f"- {tag}" for tag in ("news", "multi-document", "cross-lingual", "evaluation")),
        "configs:",
    ]
    for kind in kinds:
        lines += [f"- config_name: {kind}", "  data_files:", f"  - split: {SPLIT}"]
        lines.append(f"    path: data/{kind}.parquet")
    return "\n".join([*lines, "---"])


KINDS = {"summaries": SummaryRow, "scores": ScoreRow}


def _means(cells: Sequence[Cell]) -> Table:
    columns = known_columns()
    rows = []
    for cell in cells:
        for one in cell.results:
            value = "–" if one.mean is None else f"{100 * one.mean:.2f}"
            arrow = columns[one.metric].better.arrow if one.metric in columns else ""
            n = f"{one.n} of {one.expected}"
            who = (cell.portion.part.model or "(no model)", cell.portion.part.target)
            rows.append((str(cell.recipe), *who, f"{one.metric} {arrow}", value, n, one.signature))
    return Table(
        name="means",
        title="Means over the last prefix of each event, times 100",
        header=("Recipe", "Model", "Language", "Metric", "Mean", "Scored", "Signature"),
        rows=tuple(rows),
        notes=() if rows else ("Nothing was scored yet: globesumm score.",),
    )


def _settings(folder: Path) -> Table:
    held = sorted(Run(folder).record().settings.items())
    return Table(
        name="settings",
        title="Settings",
        header=("Setting", "Value"),
        rows=tuple((name, "–" if value is None else str(value)[:300]) for name, value in held),
    )


def _columns(name: str, kind: type) -> Table:
    return Table(
        name=name,
        title=f"One row of {name}",
        header=("Column", "Type"),
        rows=tuple(described(kind)),
    )
