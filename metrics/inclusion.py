"""Key points that summaries include, omit and make up (perspective paper, table 5)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.facts.verdicts import Verdicts
from metrics.printed import Table
from metrics.style import Spread
from metrics.tables import bare
from metrics.truth.known import Known

UNSTATED = "(not stated)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inclusion:
    """Of one summary, how many key points it includes and omits, and how many of its statements
    are no key point or not supported; None where that was not judged.
    """

    method: str
    included: int | None
    omitted: int | None
    hallucinated: int | None


def of_verdicts(verdicts: Iterable[Verdicts]) -> list[Inclusion]:
    """From a judge's verdicts: key facts matched and not matched, facts that nothing supports.

    Where a fact was not judged, how many are hallucinated is not known.
    """
    found = []
    for one in verdicts:
        matched = None if one.key_facts is None else sum(bool(held) for held in one.key_facts)
        supported = one.supported
        judged = supported is not None and None not in supported
        found.append(
            Inclusion(
                method=one.system or UNSTATED,
                included=matched,
                omitted=None
                if one.key_facts is None or matched is None
                else len(one.key_facts) - matched,
                hallucinated=sum(flag is False for flag in supported or ()) if judged else None,
            )
        )
    return found


def of_known(known: Iterable[Known]) -> list[Inclusion]:
    """From summaries composed for a check, where the numbers are the truth."""
    return [
        Inclusion(
            method="composed",
            included=one.good,
            omitted=None if one.points is None or one.good is None else one.points - one.good,
            hallucinated=one.bad,
        )
        for one in known
    ]


def inclusion_table(rows: Sequence[Inclusion], about: Sequence[str] = ()) -> Table:
    """A row a method: mean ± standard deviation over its summaries, and n of N."""
    parts = ("included", "omitted", "hallucinated")
    methods = list(dict.fromkeys(row.method for row in rows))
    spreads = {
        method: [
            Spread.of([getattr(row, part) for row in rows if row.method == method])
            for part in parts
        ]
        for method in methods
    }
    return Table(
        header=("method", "included ↑", "omitted ↓", "hallucinated ↓"),
        rows=tuple((method, *map(str, held)) for method, held in spreads.items()),
        notes=(*about, "key points a summary: mean ± standard deviation (n/N summaries judged)"),
        number_header=(
            "method",
            *(f"{part}{end}" for part in parts for end in ("", "_sd", "_n", "_expected")),
        ),
        numbers=tuple(
            (
                method,
                *(
                    text
                    for one in held
                    for text in (bare(one.mean), bare(one.deviation), str(one.n), str(one.expected))
                ),
            )
            for method, held in spreads.items()
        ),
    )
