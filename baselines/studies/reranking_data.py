"""Made-up events with known points, and a writer that puts some of them into each draft.

Everything that the study measures is known here: which points an event has, which documents and
languages tell them, which of them a draft tells rightly, tells wrongly, or tells twice.
"""

import random
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from globesumm.values import Document

TARGET = "en"
FOREIGN = ("de", "fr", "es", "it", "pl")
DOCUMENTS = (4, 3, 1, 1)
"""Documents a language in each event: two languages have many, two have one."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point of one event: `row` is its place in the file, `number` the figure it gives."""

    row: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One event: its points, who tells them (`told` by document), and the documents' texts."""

    id: str
    place: str
    river: str
    points: tuple[Point, ...]
    told: tuple[tuple[int, ...], ...]
    documents: tuple[Document, ...]

    def languages_of(self, point: int) -> frozenset[str]:
        """The languages of the documents that tell the point at this place."""
        return frozenset(
            document.language
            for document, told in zip(self.documents, self.told, strict=True)
            if point in told
        )

    def say(self, point: int, form: str, number: int | None = None) -> str:
        """The sentence of a point in a language, or ``again`` or ``reversed`` in English."""
        held = self.points[point]
        shown = held.number if number is None else number
        text: str = _table()["point"][held.row][form]
        return text.format(n=shown, place=self.place, river=self.river)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One draft: the places of points told rightly, told wrongly, and told twice, and the text."""

    text: str
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    twice: tuple[int, ...]


def world(seed: int, number: int) -> World:
    """The event of this number: 14 points, 9 documents in English and three other languages.

    Each point is at home in one language, those with more documents having more, and one point
    in four is told in a second one too; each document tells about two thirds of what is at home
    in its language, and every point is told by at least one document.
    """
    draw = random.Random(f"{seed}/{number}/world")  # noqa: S311  # no secret is drawn
    table = _table()
    languages = [TARGET, *draw.sample(FOREIGN, 3)]
    draw.shuffle(languages)
    counts = dict(zip(languages, DOCUMENTS, strict=True))
    rows = list(range(len(table["point"])))
    draw.shuffle(rows)
    used: set[int] = set()
    points = []
    for row in rows:
        low, high = table["point"][row]["numbers"]
        figure = draw.choice([n for n in range(low, high + 1) if n not in used])
        used.add(figure)
        points.append(Point(row, figure))
    homes = _homes(draw, counts, len(points))
    names = [name for name, count in counts.items() for _ in range(count)]
    told = [[p for p in range(len(points)) if name in homes[p] and draw.random() < 2 / 3]
            for name in names]  # fmt: skip
    for point in range(len(points)):
        if not any(point in some for some in told):
            told[draw.choice([at for at, name in enumerate(names) if name in homes[point]])].append(
                point
            )
    made = World(
        id=f"flood-{number}",
        place=draw.choice(table["places"]),
        river=draw.choice(table["rivers"]),
        points=tuple(points),
        told=tuple(tuple(some) for some in told),
        documents=(),
    )
    documents = tuple(
        Document(
            id=f"{name}-{at}",
            language=name,
            text=" ".join(made.say(point, name) for point in some) or made.say(0, name),
        )
        for at, (name, some) in enumerate(zip(names, made.told, strict=True), 1)
    )
    held = tuple(some or (0,) for some in made.told)
    return World(
        id=made.id,
        place=made.place,
        river=made.river,
        points=made.points,
        told=held,
        documents=documents,
    )


def _homes(draw: random.Random, counts: dict[str, int], points: int) -> list[set[str]]:
    """The languages each point is told in: as many points as documents, but three at least."""
    names = list(counts)
    home = [name for name in names for _ in range(2)]
    home += draw.choices(names, weights=[counts[name] for name in names], k=points - len(home))
    homes = [{name} for name in home]
    for held in homes:
        if draw.random() < 1 / 4:
            held.add(draw.choice(names))
    draw.shuffle(homes)
    return homes


def write(made: World, seed: int, number: int) -> Written:
    """Draft `number` of a writer that includes points at random.

    How much it includes (0.25 to 0.75 of the points) and which languages' points it leans to are
    drawn for each draft; languages with many documents are favoured on average, as models do.
    One included point in ten is told wrongly, half of those with another figure and half turned
    into their opposite; one in four is told twice in other words.
    """
    draw = random.Random(f"{seed}/{made.id}/draft {number}")  # noqa: S311  # no secret is drawn
    share = draw.uniform(0.25, 0.75)
    names = sorted({document.language for document in made.documents})
    counts = {name: sum(d.language == name for d in made.documents) for name in names}
    leaning = {name: draw.uniform(0.4, 1.6) * counts[name] ** 0.5 for name in names}
    weights = [max(leaning[name] for name in made.languages_of(p)) for p in range(len(made.points))]
    mean = sum(weights) / len(weights)
    taken = [p for p, weight in enumerate(weights) if draw.random() < share * weight / mean]
    taken = taken or [draw.randrange(len(made.points))]
    draw.shuffle(taken)
    repeated = draw.uniform(0.0, 0.5)
    right, wrong, twice, sentences, later = [], [], [], [], []
    for point in taken:
        if draw.random() < 1 / 10:
            wrong.append(point)
            other = made.points[point].number + draw.choice((1, 2, 3))
            altered = made.say(point, TARGET, other)
            sentences.append(altered if draw.random() < 1 / 2 else made.say(point, "reversed"))
            continue
        right.append(point)
        sentences.append(made.say(point, TARGET))
        if draw.random() < repeated:
            twice.append(point)
            later.append(made.say(point, "again"))
    draw.shuffle(later)
    return Written(
        text=" ".join([*sentences, *later]),
        right=tuple(right),
        wrong=tuple(wrong),
        twice=tuple(twice),
    )


def true_coverage(made: World, draft: Written) -> float:
    """Points told rightly over all points: k_g / |K| (perspective paper, equation 1)."""
    return len(draft.right) / len(made.points)


def true_faithfulness(draft: Written) -> float:
    """Points told rightly over points told: k_g / (k_g + k_b) (equation 2)."""
    return len(draft.right) / (len(draft.right) + len(draft.wrong))


def true_repetition(draft: Written) -> float:
    """Points told a second time over points told."""
    return len(draft.twice) / (len(draft.right) + len(draft.wrong))


def languages(made: World) -> Sequence[str]:
    """The languages of the documents, in alphabetical order."""
    return sorted({document.language for document in made.documents})


@cache
def _table() -> Any:
    source = files("baselines.studies").joinpath("reranking.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
