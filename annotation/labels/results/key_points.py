"""Human coverage and faithfulness: which key points a summary tells, leaves out and makes up.

After Ri et al. (2025), equations 1 and 2 and table 5.  People highlight key points in documents
and in the summary and link those that say the same::

    coverage     = linked key points of the documents / all of the documents
    faithfulness = linked key points of the summary / all of the summary

so computed, the means of the released annotations are those of their figure 3b.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean

from annotation.labels.agreement.units import Answer
from annotation.labels.results.held import Held, source
from annotation.labels.values import Item, Label
from globesumm.values import Score

COVERAGE, FAITHFULNESS = "human_coverage", "human_faithfulness"
COUNTS = ("included", "omitted", "hallucinated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Key points of one summary by one person.

    Of the documents' key points `included` are linked to the summary and `omitted` are not; of
    the summary's, `told` are linked to a document and `hallucinated` are not.
    """

    included: int
    omitted: int
    told: int
    hallucinated: int

    @property
    def coverage(self) -> float | None:
        """0 to 1, higher is better; None where the documents have no key point."""
        return _share(self.included, self.omitted)

    @property
    def faithfulness(self) -> float | None:
        """0 to 1, higher is better; None where the summary has no key point."""
        return _share(self.told, self.hallucinated)


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def points_of(answer: Answer) -> Points:
    """What one answer of the kind ``key-points`` counts."""
    links = [tuple(link) for link in answer["links"]]
    included, told = len({point for point, _ in links}), len({tells for _, tells in links})
    return Points(
        included=included,
        omitted=len(answer["points"]) - included,
        told=told,
        hallucinated=len(answer["told"]) - told,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One person's key points of one summary, by the system that wrote it (None: not stated)."""

    item: str
    annotator: str
    system: str | None
    event: str | None
    points: Points


def judged(held: Held) -> list[Judged]:
    """Every answer on a summary's key points, an adjudicator's in place of all others'."""
    mine = held.of_kind("key-points")
    settled = mine.settled()
    said: Iterable[tuple[Item, Label]] = [
        *((item, label) for item, label in mine.said() if item.id not in settled),
        *((mine.items[name], label) for name, label in settled.items()),
    ]
    return [
        Judged(
            item=item.id,
            annotator=label.annotator,
            system=source(item, "system"),
            event=item.event,
            points=points_of(label.answer),
        )
        for item, label in said
        if label.answer is not None and item.payload.get("summary") is not None
    ]


def scores(found: Iterable[Judged]) -> list[Score]:
    """Two scores for each person and summary, each None with the reason where undefined."""
    rows = []
    for one in found:
        for metric, value, without in (
            (COVERAGE, one.points.coverage, "no key point in the documents"),
            (FAITHFULNESS, one.points.faithfulness, "no key point in the summary"),
        ):
            rows.append(
                Score(
                    id=f"{one.item} by {one.annotator}",
                    metric=metric,
                    value=value,
                    signature=f"{metric}|judge:people|v:1",
                    note=without if value is None else None,
                    event=one.event,
                    recipe=one.system,
                )
            )
    return rows


def by_summary(found: Iterable[Judged]) -> list[Score]:
    """One score a summary: the mean over the people for whom it is defined.

    Its id is the event, so that the summaries of several systems stand side by side; a second
    summary of one event by one system keeps the id of its item.
    """
    by_item: dict[str, list[Judged]] = {}
    for one in found:
        by_item.setdefault(one.item, []).append(one)
    rows = []
    taken: set[tuple[str | None, str]] = set()
    for item, people in by_item.items():
        name = people[0].event or item
        name = item if (people[0].system, name) in taken else name
        taken.add((people[0].system, name))
        for metric in (COVERAGE, FAITHFULNESS):
            mine = [one for one in scores(people) if one.metric == metric]
            known = [one.value for one in mine if one.value is not None]
            rows.append(
                replace(
                    mine[0],
                    id=name,
                    value=fmean(known) if known else None,
                    note=f"mean of {len(known)} of {len(mine)} people" if known else mine[0].note,
                )
            )
    return rows
