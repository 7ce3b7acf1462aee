"""The lines of the MultiLing tables: recipes, controls, and what each is given to read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from annotation.schemas import Merge
from baselines.controls import Lead, Random
from baselines.recipes import PROMPTINGS

OURS = "crs.none.extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the tables: a recipe, the merge that replaces its own, and what it reads."""

    recipe: str
    merge: Callable[[int], tuple[Merge, str]]
    mixed: bool = True


def lines() -> Mapping[str, Row]:
    """Every line by its name; the extractive ones share a merge, and so its vectors."""
    shared = PROMPTINGS["extractive"].make(0)

    def extractive(_draw: int) -> tuple[Merge, str]:
        return shared

    def lead(_draw: int, *, readable: bool = False) -> tuple[Merge, str]:
        merge = Lead(readable=readable)
        return merge, merge.name

    def random(draw: int, *, readable: bool = False) -> tuple[Merge, str]:
        merge = Random(draw, readable=readable)
        return merge, merge.name

    readable_lead, readable_random = partial(lead, readable=True), partial(random, readable=True)
    return {
        OURS: Row(recipe=OURS, merge=extractive),
        "sts.none.extractive": Row(recipe="sts.none.extractive", merge=extractive),
        "crs.none.lead": Row(recipe="crs.none.lead", merge=lead),
        "crs.none.random": Row(recipe="crs.none.random", merge=random),
        "crs.none.lead (its English sentences only)": Row(
            recipe="crs.none.lead", merge=readable_lead
        ),
        "crs.none.random (its English sentences only)": Row(
            recipe="crs.none.random", merge=readable_random
        ),
        f"{OURS}, all texts English": Row(recipe=OURS, merge=extractive, mixed=False),
        "crs.none.lead, all texts English": Row(recipe="crs.none.lead", merge=lead, mixed=False),
        "crs.none.random, all texts English": Row(
            recipe="crs.none.random", merge=random, mixed=False
        ),
    }
