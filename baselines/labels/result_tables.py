"""Results of a labelling project as tables: retrieval, issues, key points, preferences."""

from collections.abc import Iterable, Sequence

from annotation.labels.results.key_points import COUNTS, COVERAGE, FAITHFULNESS, Judged, scores
from annotation.labels.results.preferences import Wins
from baselines.labels.issues import Marks, Reviewed
from baselines.labels.models import AgainstPeople
from baselines.labels.relevance import Before
from baselines.labels.tables import bounded, coefficient, number
from baselines.studies.page import Section, plain_table
from baselines.studies.wilson import share
from globesumm.values import IssueKind
from metrics.aggregate import aggregate, interval, mean
from metrics.printed import MISSING


def before_section(rows: Sequence[Before], depth: int | None) -> Section:
    """Precision and recall of retrieval by language."""
    return Section(
        title="Retrieval before verification",
        about=(
            f"Candidates up to rank {depth or 'any'}: the share of relevant ones (precision), and "
            "what is found there of all that people found relevant (recall), with Wilson's 95 % "
            "intervals."
        ),
        table=plain_table(
            ("language", "candidates", "decided", "relevant", "precision", "recall"),
            [
                (
                    one.language,
                    str(one.candidates),
                    str(one.decided),
                    str(one.relevant),
                    share(one.right, one.taken) if one.taken else MISSING,
                    share(one.right, one.relevant) if one.recall is not None else MISSING,
                )
                for one in rows
            ],
            [f"{one.language}: {one.note}" for one in rows if one.note],
        ),
    )


def counts_section(marks: Marks) -> Section:
    """Issues by kind of people, gold and models, as in GlobeSumm's figure 7."""
    counts = marks.counts()
    names = list(dict.fromkeys(name for row in counts.values() for name in row))
    return Section(
        title="Issues of people and models",
        about="How many issues each marked on the same pairs, and how many are gold (figure 7).",
        table=plain_table(
            ("kind", *names),
            [(str(kind), *(str(counts[kind].get(n, 0)) for n in names)) for kind in IssueKind],
        ),
    )


def reviewed_section(rows: Iterable[Reviewed]) -> Section:
    """FPP by kind, and right strategies."""
    return Section(
        title="Reviewed findings",
        about=(
            "Findings of a model that the gold has not, and strategies: the right ones of those "
            "that were decided, with Wilson's 95 % interval. Right issues are the FPP."
        ),
        table=plain_table(
            ("of", "kind", "findings", "right"),
            [
                (one.of, str(one.kind or MISSING), str(one.findings), share(one.right, one.judged))
                for one in rows
            ],
        ),
    )


def key_points_section(found: Sequence[Judged], seed: int = 0) -> Section:
    """Human coverage and faithfulness by system, and what is included, omitted, hallucinated."""
    rows = []
    notes = []
    for system in sorted({one.system or MISSING for one in found}):
        mine = [one for one in found if (one.system or MISSING) == system]
        cells = []
        for one in aggregate(scores(mine), seed=seed):
            value = MISSING if one.mean is None else bounded(one.mean, one.low, one.high)
            cells.append(f"{value} ({one.n}/{one.expected})")
            notes += [f"{system}: {one.metric}: {why} ({n})" for why, n in one.reasons]
        for name in COUNTS:
            values = [float(getattr(one.points, name)) for one in mine]
            average = mean(values)
            cells.append(
                MISSING if average is None else bounded(average, *interval(values, seed=seed))
            )
        rows.append((system, *cells))
    return Section(
        title="Key points told, left out and made up",
        about=(
            "Means over summaries and people with 95 % bootstrap intervals: coverage and "
            "faithfulness from 0 to 1, higher is better; counts of key points a summary."
        ),
        table=plain_table(("system", COVERAGE, FAITHFULNESS, *COUNTS), rows, notes),
    )


def wins_section(rows: Iterable[Wins]) -> Section:
    """How often each method was preferred."""
    return Section(
        title="Preferences",
        about="The share of decided comparisons that a method won; a tie is half.",
        table=plain_table(
            ("method", "wins", "comparisons", "rate"),
            [
                (one.method, f"{one.wins:g}", str(one.comparisons), number(one.rate, 3))
                for one in rows
            ],
        ),
    )


def models_section(rows: Sequence[AgainstPeople]) -> Section:
    """Models against people's decisions."""
    names = list(dict.fromkeys(held.name for one in rows for held in one.coefficients))
    return Section(
        title="Models against people's decisions",
        about=(
            "Answers of models that are the people's decision, with 95 % bootstrap intervals; "
            "decided of all that the model answered."
        ),
        table=plain_table(
            ("kind", "question", "model", "decided", *names),
            [
                (
                    one.kind,
                    one.question,
                    one.model,
                    f"{one.n}/{one.expected}",
                    *map(coefficient, one.coefficients),
                )
                for one in rows
            ],
            [
                f"{one.kind}, {one.question}, {one.model}: {held.name}: {held.note}"
                for one in rows
                for held in one.coefficients
                if held.note
            ],
        ),
    )
