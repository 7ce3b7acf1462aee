"""Language-bias reports as CSV, Markdown and LaTeX, one system or several side by side."""

import csv
import io
from collections.abc import Iterable, Sequence

from globesumm.finite import counted, shown
from globesumm.text.cells import sheet_cell
from metrics.base import Measured
from metrics.bias.controlled import Preferences
from metrics.bias.effects import Effect
from metrics.bias.report import BiasReport, LanguageRow
from metrics.tables import MISSING, Table

_Bounds = tuple[float, float] | None


def report_table(report: BiasReport) -> Table:
    """One report: a row a language, shares times 100."""
    header = (
        *("language", "tier", "documents", "events", "score", "norm", "corrected"),
        *("difference", "p", "controlled", "p (controlled)", "finding"),
    )
    numbers = (
        *("language", "tier", "documents", "expected", "events"),
        *("score", "score_low", "score_high", "norm", "norm_low", "norm_high", "corrected"),
        *(f"plain_{part}" for part in _PARTS),
        *(f"controlled_{part}" for part in _PARTS),
        "finding",
    )
    return Table(
        header=header,
        rows=tuple(_row(row) for row in report.rows),
        notes=(
            f"{report.system}: {report.signature}",
            f"{report.judged} of {counted(report.expected, 'document')} judged",
            _EXPLAINED,
            f"all languages together: p {_p(report.p_plain)}, controlled {_p(report.p_controlled)}",
            *(f"not judged: {reason} ({count})" for reason, count in report.reasons),
            *report.notes,
        ),
        number_header=numbers,
        numbers=tuple(_numbers(row) for row in report.rows),
    )


def side_by_side(reports: Sequence[BiasReport]) -> Table:
    """Normalized scores of several systems: a row a language, a column a system."""
    languages = sorted({row.language for report in reports for row in report.rows})
    norms = {(report.system, row.language): row for report in reports for row in report.rows}
    cells = [[norms.get((report.system, language)) for report in reports] for language in languages]
    return Table(
        header=("language", *(report.system for report in reports)),
        rows=tuple(
            (
                language,
                *(_with_bounds(row.norm, row.norm_interval) if row else MISSING for row in some),
            )
            for language, some in zip(languages, cells, strict=True)
        ),
        notes=tuple(f"{report.system}: {report.signature}" for report in reports),
        number_header=("language", *(report.system for report in reports)),
        numbers=tuple(
            (language, *(_bare(row.norm.value if row else None) for row in some))
            for language, some in zip(languages, cells, strict=True)
        ),
    )


def preferences_table(found: Preferences) -> Table:
    """The controlled test: a row a language."""
    header = ("language", "tellings", "reports", "share kept", "difference", "p (adjusted)")
    rows = [(one, found.shares[one.language]) for one in found.effects.languages]
    return Table(
        header=header,
        rows=tuple(
            (
                one.language,
                str(one.n),
                str(one.blocks),
                shown(100 * share, 1),
                _effect(one),
                _p(one.p_adjusted),
            )
            for one, share in rows
        ),
        notes=(
            f"{found.n} of {found.expected} measured",
            f"all languages together: p {_p(found.effects.p_any)}",
            *(f"not measured: {reason}" for reason in found.reasons),
        ),
        number_header=("language", "tellings", "reports", "share", *_PARTS),
        numbers=tuple(
            (one.language, str(one.n), str(one.blocks), _bare(share), *_effect_numbers(one))
            for one, share in rows
        ),
    )


def to_csv(table: Table) -> str:
    """The bare numbers of a table as RFC 4180 CSV, without its notes; empty where unscored.

    Cells that a spreadsheet would take for a formula are quoted with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows(
        [[sheet_cell(cell) for cell in row] for row in (table.number_header, *table.numbers)]
    )
    return out.getvalue()


_EXPLAINED = (
    "difference and controlled: points more of a summary entailed by a document in this language "
    "than by others of its event, the latter with position, length and facts held equal; p "
    "allows for all languages"
)
_PARTS = ("difference", "low", "high", "p", "p_adjusted")


def _row(row: LanguageRow) -> tuple[str, ...]:
    return (
        row.language,
        MISSING if row.tier is None else str(row.tier),
        f"{row.documents}/{row.expected}",
        str(row.events),
        _with_bounds(row.score, row.score_interval),
        _with_bounds(row.norm, row.norm_interval),
        _times100(row.corrected.value),
        _effect(row.plain),
        _p(row.plain.p_adjusted),
        _effect(row.controlled),
        _p(row.controlled.p_adjusted),
        row.finding,
    )


def _numbers(row: LanguageRow) -> tuple[str, ...]:
    return (
        row.language,
        "" if row.tier is None else str(row.tier),
        str(row.documents),
        str(row.expected),
        str(row.events),
        _bare(row.score.value),
        *_bounds(row.score_interval),
        _bare(row.norm.value),
        *_bounds(row.norm_interval),
        _bare(row.corrected.value),
        *_effect_numbers(row.plain),
        *_effect_numbers(row.controlled),
        row.finding,
    )


def _effect_numbers(effect: Effect) -> Iterable[str]:
    values = (effect.difference, effect.low, effect.high, effect.p, effect.p_adjusted)
    return tuple(map(_bare, values))


def _effect(effect: Effect) -> str:
    if effect.difference is None:
        return MISSING
    bounds = ""
    if effect.low is not None and effect.high is not None:
        bounds = f" [{_signed(100 * effect.low)}, {_signed(100 * effect.high)}]"
    return f"{_signed(100 * effect.difference)}{bounds}"


def _signed(value: float) -> str:
    text = shown(value, 1)
    return text if text.startswith("-") else f"+{text}"


def _with_bounds(value: Measured, bounds: _Bounds) -> str:
    if value.value is None:
        return MISSING
    within = f" [{shown(100 * bounds[0], 1)}, {shown(100 * bounds[1], 1)}]" if bounds else ""
    return f"{shown(100 * value.value, 1)}{within}"


def _times100(value: float | None) -> str:
    return MISSING if value is None else shown(100 * value, 1)


def _p(value: float | None) -> str:
    return MISSING if value is None else shown(value, 4)


def _bare(value: float | None) -> str:
    return "" if value is None else shown(value, 6)


def _bounds(bounds: _Bounds) -> tuple[str, str]:
    return ("", "") if bounds is None else (_bare(bounds[0]), _bare(bounds[1]))
