"""[where] against people in the layouts of GlobeSumm's table 4, figure 3 and figure 7."""

from collections.abc import Sequence

from baselines.pairs import Judged
from baselines.studies.page import Section, plain_table
from baselines.studies.wilson import share
from globesumm.values import IssueKind
from metrics.marks import Marked
from metrics.where import Counts, summed
from metrics.where_gold import agreement


def sections(marked: Sequence[Marked], found: Sequence[Judged], rule: str) -> tuple[Section, ...]:
    """Scores, counts, agreement and strategies over the pairs that were scored."""
    return (_scores(found), _counts(marked, found), _agreement(marked, rule), _strategies(found))


def _scores(found: Sequence[Judged]) -> Section:
    results = [one.result for one in found]
    rows = [_score_row(str(kind), summed(results, kind)) for kind in IssueKind]
    rows.append(_score_row("all", summed(results)))
    lost = sum(one.lost for one in found)
    notes = [f"{lost} issues found stand on no sentences of both documents and count nowhere"]
    return Section(
        title="Scores",
        about=(
            "Micro-averaged over pairs. FPP: not in the gold, but right on inspection; what nobody "
            "inspected counts as wrong. P* = (TP+FPP)/(TP+FP), R* = (TP+FPP)/(TP+FN), which may "
            "pass 1, F1* of these two; P, R, F1 without FPP."
        ),
        table=plain_table(
            ("kind", "TP", "FP", "FN", "FPP", "inspected", "P", "R", "F1", "P*", "R*", "F1*"),
            rows,
            notes if lost else (),
        ),
    )


def _score_row(name: str, one: Counts) -> tuple[str, ...]:
    values = (one.precision, one.recall, one.f1)
    starred = (one.precision_star, one.recall_star, one.f1_star)
    return (
        name, str(one.tp), str(one.fp), str(one.fn), str(one.fpp), f"{one.inspected}/{one.fp}",
        *map(_number, values), *map(_number, starred),
    )  # fmt: skip


def _counts(marked: Sequence[Marked], found: Sequence[Judged]) -> Section:
    names = list(dict.fromkeys(one.annotator for one in marked))
    rows = []
    for kind in IssueKind:
        by_name = [
            sum(mark.kind is kind for one in marked if one.annotator == name for mark in one.issues)
            for name in names
        ]
        standard = sum(mark.kind is kind for one in found for mark in one.gold)
        reported = sum(mark.kind is kind for one in found for mark in one.found)
        rows.append((str(kind), *map(str, by_name), str(standard), str(reported)))
    return Section(
        title="Counts",
        about="How many issues each annotator marked, how many are gold, and how many were found.",
        table=plain_table(("kind", *(f"by {name}" for name in names), "gold", "found"), rows),
    )


def _agreement(marked: Sequence[Marked], rule: str) -> Section:
    several = len({one.annotator for one in marked}) > 1
    rows = [
        (str(one.kind), _number(one.agreement), _number(one.kappa))
        for one in agreement(marked, rule)
    ]
    return Section(
        title="Agreement of the annotators",
        about=(
            "Agreement: 2 x marks of both / (marks of one + marks of the other), mean over pairs "
            "of annotators. Kappa: Cohen's, over all pairs of sentences (omissions: all sentences)."
            if several
            else "There is one annotator only: whether people agree is not known."
        ),
        table=plain_table(("kind", "agreement", "kappa"), rows if several else []),
    )


def _strategies(found: Sequence[Judged]) -> Section:
    every = [each for one in found for each in one.strategies]
    said = [each.right for each in every if each.right is not None]
    return Section(
        title="Strategies",
        about="Right ones of those that a person judged, with Wilson's 95 % interval.",
        table=plain_table(
            ("strategies", "judged", "right"),
            [(str(len(every)), str(len(said)), share(said.count(True), len(said)))],
        ),
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
