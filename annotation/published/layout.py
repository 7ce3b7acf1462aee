"""The keys of the published layout, and an event as it is read from it."""

from collections.abc import Mapping
from dataclasses import dataclass

from globesumm.values import Event, Passage, Summary

RECIPE = "crs.kis-clp.protocol"
"""How the published summaries were made; the layout has no place for another recipe's."""

MODEL, TARGET = "GPT4", "en"
STEPS = {"where": "where", "strategy": "strategies", "summary": "summary", "summary_KIS": "kis"}
"""The layout's keys for what ``Round.answers`` calls otherwise."""

EVENT_KEYS = ("date", "description", "category", "news", MODEL)
NEWS_KEYS = ("lang_abbr", "lang_full", "date", "title", "article", "KIS", "KIS+CLP")
ROUND_KEYS = ("news1", "news2", *STEPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One event of the layout.

    `summary` is None where the event has no rounds.  `kis` and `clp` hold each document's list
    in its own and in the target language, `relevant` the label of people where there is one.
    `broken` names every invariant of the layout that does not hold.
    """

    event: Event
    summary: Summary | None = None
    kis: Mapping[str, Passage]
    clp: Mapping[str, Passage]
    relevant: Mapping[str, bool]
    broken: tuple[str, ...] = ()
