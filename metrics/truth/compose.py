"""Summaries composed from chosen numbers of key points and of sentences that are none."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from globesumm.errors import UnknownName, UsageError
from metrics.truth.articles import Article, Points
from metrics.truth.known import Known

Unfaithful = Literal["both", "reversals", "other"]
"""Where sentences that are no point of the article come from."""

_UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """How summaries are composed.

    Of each article and language, one summary for each number of key points from 0 to all and of
    unfaithful sentences from 0 to `most_bad`, without the empty one; of more than `each` such
    pairs of numbers, `each` are drawn.  Raises `UnknownName` and `UsageError`.
    """

    unfaithful: Unfaithful = "both"
    most_bad: int = 3
    each: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        if self.unfaithful not in get_args(Unfaithful):
            raise UnknownName("kind of unfaithful point", self.unfaithful, get_args(Unfaithful))
        if self.most_bad < 0 or self.each < 1:
            raise UsageError(
                f"summaries with up to {self.most_bad} unfaithful points, {self.each} an article: "
                "give numbers from 0 and from 1 up"
            )


def compose(
    articles: Sequence[Article], composition: Composition | None = None
) -> tuple[list[Known], list[str]]:
    """The summaries of every article in each language of its points, and what was amiss.

    The same articles and settings give the same summaries, whatever other articles there are.
    A reversal is used only where its key point is left out, so no summary contradicts itself by
    it; sentences stand in a random order.
    """
    how = composition or Composition()
    found: list[Known] = []
    faithful: list[str] = []
    for article in articles:
        for language, points in sorted(article.points.items()):
            # Seeded by name, so that one article's draws do not depend on the others'.
            draw = random.Random(f"{how.seed}|{article.id}|{language}")  # noqa: S311  # no secret
            made = _of(article, language, points, how, draw)
            if not how.most_bad or not _available(points, len(points.keys), how.unfaithful):
                faithful.append(f"{article.id} in {language}")
            found += made
    said = (
        f"{', '.join(faithful)}: no unfaithful sentence to compose with: faithfulness is always 1"
    )
    return found, [said] if faithful else []


def _of(
    article: Article, language: str, points: Points, how: Composition, draw: random.Random
) -> list[Known]:
    total = len(points.keys)
    wanted = [
        (good, bad)
        for good in range(total + 1)
        for bad in range(how.most_bad + 1)
        if good + bad and bad <= _available(points, total - good, how.unfaithful)
    ]
    if len(wanted) > how.each:
        wanted = sorted(draw.sample(wanted, how.each))
    return [_one(article, language, counts, how, draw) for counts in wanted]


def _available(points: Points, left_out: int, unfaithful: Unfaithful) -> int:
    reversals = min(left_out, len(points.reversals)) if unfaithful != "other" else 0
    return reversals + (len(points.other) if unfaithful != "reversals" else 0)


def _one(
    article: Article,
    language: str,
    counts: tuple[int, int],
    how: Composition,
    draw: random.Random,
) -> Known:
    good, bad = counts
    points = article.points[language]
    places = list(range(len(points.keys)))
    draw.shuffle(places)
    chosen, left_out = places[:good], places[good:]
    reversals = [points.reversals[p] for p in left_out] if points.reversals else []
    pool = [(one, True) for one in reversals if how.unfaithful != "other"]
    pool += [(one, False) for one in points.other if how.unfaithful != "reversals"]
    wrong = draw.sample(pool, bad)
    sentences = [points.keys[place] for place in chosen] + [one for one, _ in wrong]
    draw.shuffle(sentences)
    return Known(
        id=f"{article.id}.{language}.{good}+{bad}",
        article=article.id,
        source=article.text,
        source_language=article.language,
        text=("" if language in _UNSPACED else " ").join(sentences),
        language=language,
        coverage=good / len(points.keys),
        faithfulness=good / (good + bad),
        good=good,
        bad=bad,
        points=len(points.keys),
        reversed=sum(flag for _, flag in wrong),
    )
