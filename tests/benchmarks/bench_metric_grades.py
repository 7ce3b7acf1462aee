"""How well each metric that runs offline agrees with people, per language.

``python tests/benchmarks/bench_metric_grades.py --data PATH [--metrics rouge,red]`` reads the
MultiLing 2011 layout (``Submissions``, ``ModelSummaries``, ``HumanEvaluation``) and prints a
Markdown table: Spearman over all summaries, Kendall within topics, Spearman over systems and
winrate, each with its 95 % bootstrap interval over topics and n of N.  ``--without ID10`` leaves
a system out: that one had seen the reference summaries.
"""

import argparse
import csv
import statistics
from collections.abc import Iterator
from pathlib import Path

from globesumm.languages import parse
from globesumm.values import Score
from metrics import Candidate, Metric, metrics
from metrics.base import Column
from metrics.meta import Agreement, Judged, agreement

SHOWN = (
    ("pooled", "spearman"),
    ("summary", "kendall"),
    ("system", "spearman"),
    ("summary", "winrate (ties half)"),
)


def grades(path: Path) -> dict[tuple[str, str], float]:
    """(topic, system) to the mean grade, 0 or 1 (worst) to 5."""
    held: dict[tuple[str, str], list[float]] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            held.setdefault((row["Topic"], row["Peer"]), []).append(float(row["Grade"]))
    return {key: statistics.fmean(values) for key, values in held.items()}


def candidates(data: Path, language: str, systems: set[tuple[str, str]]) -> Iterator[Candidate]:
    """The graded summaries that lie there, with the human summaries of their topic."""
    for topic, system in sorted(systems):
        path = data / "Submissions" / system / language / topic
        models = sorted((data / "ModelSummaries" / language).glob(f"{topic}.*"))
        if path.is_file() and models:
            yield Candidate(
                id=f"{topic}/{system}",
                text=path.read_text(encoding="utf-8", errors="replace"),
                language=parse(language),
                references=tuple(m.read_text(encoding="utf-8", errors="replace") for m in models),
                event=topic,
                recipe=system,
            )


def judged(scores: list[Score], truths: dict[tuple[str, str], float]) -> list[Judged]:
    return [
        Judged(
            document=score.event or "",
            system=score.recipe or "",
            metric=score.value,
            truth=truths[score.event or "", score.recipe or ""],
        )
        for score in scores
    ]


def row(language: str, metric: Metric, column: Column, found: list[Agreement]) -> str:
    cells = []
    # One column name may stand for several metrics: rouge1 of words, of characters, …
    title = f"{column.name} {column.better.arrow}"
    if metric.name not in (column.name, "rouge") and not column.name.startswith(metric.name):
        title = f"{metric.name}: {title}"
    by_name = {(one.level, one.name): one for one in found}
    for key in SHOWN:
        one = by_name[key]
        counted = f"{one.n}/{one.expected}"
        if one.value is None:
            cells.append(f"– ({counted})")
        elif one.low is None or one.high is None:
            cells.append(f"{one.value:.2f} ({counted})")
        else:
            cells.append(f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}] ({counted})")
    return f"| {language} | {title} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--metrics", default="rouge,rouge-lsum,red,red-tokens,red-vectors")
    parser.add_argument("--without", default="", help="systems to leave out, by comma")
    chosen = parser.parse_args()
    measures = metrics(chosen.metrics)
    left_out = set(chosen.without.split(","))
    print(f"| language | metric | {' | '.join(f'{name}, {level}' for level, name in SHOWN)} |")
    print("| --- | --- |" + " ---: |" * len(SHOWN))
    for path in sorted((chosen.data / "HumanEvaluation").glob("*Grades.csv")):
        language = path.name.removesuffix("Grades.csv").capitalize()
        truths = {key: grade for key, grade in grades(path).items() if key[1] not in left_out}
        given = list(candidates(chosen.data, language, set(truths)))
        for metric in measures:
            scores = metric.score(given)
            for column in metric.columns:
                mine = [score for score in scores if score.metric == column.name]
                found = agreement(judged(mine, truths), better=column.better)
                print(row(parse(language), metric, column, found), flush=True)
    for metric in measures:
        print(f"\n- {metric.name}: {metric.signature}", end="")
    print()


if __name__ == "__main__":
    main()
