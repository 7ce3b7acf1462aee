"""Agreement in a labelling project as one page of tables."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from annotation.labels.agreement.coefficients import Coefficient
from annotation.labels.agreement.overlap import Overlaps
from annotation.labels.agreement.report import Agreement, Report
from baselines.labels.issues import Marks
from baselines.studies.page import Page, Section, plain_table
from baselines.studies.wilson import share
from globesumm.finite import shown
from metrics.printed import MISSING, one_line
from metrics.where_gold import agreement as marks_agreement

WINDOWS_SHOWN = 8

T = TypeVar("T")


def agreement_page(found: Report, marks: Marks, rule: str, title: str) -> Page:
    """How far people agree, with each other, with checks and over time."""
    sections = [
        *_agreement(found.agreement),
        *([issue_agreement(marks, rule)] if marks.people else []),
        *([_highlights(found)] if found.highlighted else []),
        *([_checks(found)] if found.checked else []),
        *([_drift(found)] if found.drift else []),
    ]
    return Page(
        title=f"Agreement: {one_line(title)}",
        settings=(
            ("intervals", f"95 %, bootstrap over items, {found.resamples} resamples"),
            ("seed", str(found.seed)),
        ),
        sections=tuple(sections),
    )


def _agreement(rows: Sequence[Agreement]) -> list[Section]:
    sections = []
    for kind in dict.fromkeys(one.kind for one in rows):
        mine = [one for one in rows if one.kind == kind]
        names = list(dict.fromkeys(c.name for one in mine for c in one.coefficients))
        cells = []
        notes: dict[str, dict[str, None]] = {}
        for one in mine:
            by_name = {held.name: held for held in one.coefficients}
            first = one.coefficients[0]
            cells.append(
                (
                    one.question,
                    one.language,
                    str(one.items),
                    f"{first.n}/{first.expected}",
                    *(coefficient(by_name.get(name)) for name in names),
                )
            )
            for held in one.coefficients:
                if held.note:
                    notes.setdefault(held.note, {})[f"{one.question} ({one.language})"] = None
        header = ("question", "language", "items", "units", *names)
        sections.append(
            Section(
                title=f"Agreement: {kind}",
                about=(
                    "Units that two people or more answered, of all; a map of sentences has a "
                    "unit for each cell."
                ),
                table=replace(
                    plain_table(
                        header,
                        cells,
                        [f"{note}: {', '.join(where)}" for note, where in notes.items()],
                    ),
                    named=2,
                ),
            )
        )
    return sections


def coefficient(one: Coefficient | None) -> str:
    """A coefficient with its interval; a dash where there is no value."""
    if one is None or one.value is None:
        return MISSING
    return bounded(one.value, one.low, one.high)


def bounded(value: float, low: float | None, high: float | None) -> str:
    """A value with its interval, where it has one."""
    bounds = "" if low is None or high is None else f" [{number(low, 3)}, {number(high, 3)}]"
    return f"{number(value, 3)}{bounds}"


def issue_agreement(marks: Marks, rule: str) -> Section:
    """Issues by annotator with kappa and agreement, as GlobeSumm's table 4 is laid out."""
    found = marks_agreement(marks.people, rule)
    names = list(dict.fromkeys(one.annotator for one in marks.people))
    return Section(
        title="Issues by annotator",
        about=(
            "As GlobeSumm's table 4. Agreement: 2 x marks of both / (marks of one + marks of the "
            "other); kappa: Cohen's over all pairs of sentences (omissions: all sentences); both "
            f"the mean over pairs of annotators. Marks match by {rule}."
        ),
        table=plain_table(
            ("Issue", *names, "Kappa", "Agreement"),
            [
                (
                    str(one.kind).capitalize(),
                    *(str(one.counts.get(name, 0)) for name in names),
                    number(one.kappa, 2),
                    number(one.agreement, 2),
                )
                for one in found
            ],
            [
                f"{one.kind}: nothing to compare"
                for one in found
                if one.kappa is None and one.agreement is None
            ],
        ),
    )


def _highlights(found: Report) -> Section:
    return Section(
        title="Highlights: the overlap R",
        about=(
            "R(A|B) is the share of A's excerpts that B highlighted too; the mean of both ways "
            "over texts and pairs of people, ± the deviation of the single shares. By chance: "
            "highlights drawn at random, as many and as long as people's."
        ),
        table=plain_table(
            ("in", "language", "R", "pairs", "R by chance"),
            [
                (
                    one.where,
                    one.language,
                    _overlap(one.overlap),
                    f"{one.overlap.n}/{one.overlap.expected}",
                    _overlap(one.chance),
                )
                for one in found.highlighted
            ],
            [
                f"{one.where}, {one.language}: {one.overlap.note}"
                for one in found.highlighted
                if one.overlap.note
            ],
        ),
    )


def _overlap(one: Overlaps) -> str:
    if one.mean is None or one.deviation is None:
        return MISSING
    return f"{one.mean:.3f} ± {one.deviation:.3f}"


def _checks(found: Report) -> Section:
    return Section(
        title="Checks",
        about="Items with a known answer that were answered so, with Wilson's 95 % interval.",
        table=plain_table(
            ("annotator", "right"),
            [(one.annotator, share(one.right, one.total)) for one in found.checked],
        ),
    )


def _drift(found: Report) -> Section:
    rows = []
    notes = []
    for one in found.drift:
        rows += [
            (
                one.annotator,
                f"{held.first} to {held.last}",
                f"{held.begun:%Y-%m-%d %H:%M}",
                number(held.others, 3),
                str(held.n_others),
                number(held.checks, 3),
                str(held.n_checks),
            )
            for held in evenly(one.windows, WINDOWS_SHOWN)
        ]
        if len(one.windows) > WINDOWS_SHOWN:
            notes.append(
                f"{one.annotator}: {WINDOWS_SHOWN} of {len(one.windows)} windows; --format json "
                "has all"
            )
        if one.change is not None:
            notes.append(f"{one.annotator}: {one.change:+.3f} from the first window to the last")
    return Section(
        title="Drift",
        about=(
            "Likeness (0 to 1) of each person's answers with the others' on the same items, and "
            "with known answers, over their labels in order of time."
        ),
        table=plain_table(
            ("annotator", "labels", "from", "like others", "n", "like checks", "n"), rows, notes
        ),
    )


def evenly(given: Sequence[T], most: int) -> list[T]:
    """At most `most` (2 or more) of `given`, evenly spaced, the first and the last among them."""
    if len(given) <= most:
        return list(given)
    return [given[place * (len(given) - 1) // (most - 1)] for place in range(most)]


def number(value: float | None, digits: int) -> str:
    """`value` with so many digits; a dash for none."""
    return MISSING if value is None else shown(value, digits)
