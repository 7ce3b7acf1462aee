"""From scores of single summaries to one value an event, and to tables over events.

Summaries of one event (by several draws, annotators or prefixes) are not independent of one
another; events are.  So intervals and tests count events.
"""

from collections.abc import Mapping, Sequence

from baselines.studies.page import plain_table
from globesumm.values import Score
from metrics.aggregate import Aggregate, aggregate, mean, one_signature
from metrics.base import Column
from metrics.comparison import Comparison, compare
from metrics.tables import MISSING, Table, table

RESAMPLES = 10_000


def event_means(scores: Sequence[Score]) -> list[Score]:
    """For each event and column the mean of its scores, unscored where none has a value.

    What was left unscored in part is said in the note.
    """
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.event or score.id, score.metric), []).append(score)
    found = []
    for (event, metric), group in groups.items():
        values = [score.value for score in group if score.value is not None]
        reasons = {score.note for score in group if score.value is None and score.note}
        note = "; ".join(sorted(reasons)) or None
        if note and values:
            note = f"{len(values)} of {len(group)} summaries scored: {note}"
        found.append(
            Score(
                id=event,
                event=event,
                metric=metric,
                value=mean(values),
                signature=one_signature(metric, (score.signature for score in group)),
                note=note,
            )
        )
    return found


def over_events(systems: Mapping[str, Sequence[Score]], seed: int) -> dict[str, list[Aggregate]]:
    """Means over events with bootstrap intervals, for each system."""
    return {
        name: aggregate(scores, resamples=RESAMPLES, seed=seed) for name, scores in systems.items()
    }


def table_of(rows: Mapping[str, Sequence[Aggregate]], columns: Sequence[Column]) -> Table:
    """`rows` as a table whose notes name the bootstrap."""
    made = table(rows, columns, first="system")
    note = f"intervals: 95 %, percentile bootstrap over events, {RESAMPLES} resamples"
    return Table(made.header, made.rows, (*made.notes, note), made.number_header, made.numbers)


def paired(
    systems: Mapping[str, Sequence[Score]],
    rivals: Sequence[tuple[str, str]],
    metrics: Sequence[str],
    seed: int,
) -> Table:
    """One row for each pair of systems: difference, interval and p of each metric."""
    rows = []
    for left, right in rivals:
        cells = [
            _cell(compare({left: systems[left], right: systems[right]}, metric,
                          resamples=RESAMPLES, seed=seed)[0])
            for metric in metrics
        ]  # fmt: skip
        rows.append((f"{left} − {right}", *cells))
    return plain_table(("difference", *metrics), rows)


def _cell(found: Comparison) -> str:
    counted = f"{found.n}/{found.expected}"
    if found.difference is None or found.p_permutation is None:
        return f"{MISSING} ({counted})"
    bounds = ""
    if found.low is not None and found.high is not None:
        bounds = f" [{100 * found.low:+.2f}, {100 * found.high:+.2f}]"
    return f"{100 * found.difference:+.2f}{bounds}, p {found.p_permutation:.4f} ({counted})"
