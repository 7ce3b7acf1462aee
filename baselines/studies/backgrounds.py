"""Prefixes of long-running events against what people wrote at that point.

The documents are an annotator's dated updates, in English; the summary of updates 1 to m is
held against the background of row m + 1.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from annotation.schemas import Merge
from baselines.recipes import PROMPTINGS
from baselines.studies.backgrounds_data import Timeline, load
from baselines.studies.event_means import event_means, over_events, paired, table_of
from baselines.studies.page import Page, Section, plain_table
from baselines.summarize import summarize
from globesumm.progress import say, track
from globesumm.text.sentences import SPLITTER
from globesumm.text.words import count_words
from globesumm.values import Event, Score
from metrics.aggregate import aggregate
from metrics.base import Candidate
from metrics.rouge import Rouge

PREFIXES = 8
"""Prefixes of each timeline that are summarized, evenly spaced and the longest among them."""

PEOPLE = "people, each against the others"


def run(data: Path | None, seed: int, size: int = PREFIXES) -> Page:
    """Summarize, score and compare, `size` prefixes a timeline.

    Raises UsageError if the data set is not in `data`.
    """
    timelines, rejected = load(data)
    names = ("extractive", "lead", "random")
    merges = {name: PROMPTINGS[name].make(seed) for name in names}
    jobs = [(one, prefix) for one in timelines for prefix in chosen_prefixes(one, size)]
    candidates: dict[str, list[Candidate]] = {f"crs.none.{name}": [] for name in names}
    for timeline, prefix in track(jobs, "prefixes", len(jobs)):
        for name in names:
            found = summarized(timeline, prefix, name, merges[name])
            candidates[f"crs.none.{name}"].append(found)
    candidates[PEOPLE] = list(_people(jobs, timelines))
    say("scores ...")
    metric = Rouge()
    scores = {name: metric.score(found) for name, found in candidates.items()}
    held = {name: event_means(found) for name, found in scores.items()}
    ours = [name for name in scores if name != PEOPLE]
    possible = sum(len(list(_scorable(one))) for one in timelines)
    return Page(
        title="background-summaries: prefixes of 14 real events",
        settings=(
            (
                "data",
                (
                    f"{len(timelines)} timelines (an event by an annotator), "
                    f"{len({one.event for one in timelines})} events, {len(rejected)} rows refused"
                ),
            ),
            (
                "prefixes",
                (
                    f"{len(jobs)} of {possible} that have a background, at most {size} "
                    f"a timeline, evenly spaced; {len(timelines)} whole timelines have none"
                ),
            ),
            ("length", "max_words is the timeline's mean background length, for every recipe"),
            ("seed", str(seed)),
            ("model", merges["extractive"][1]),
            ("sentences", SPLITTER),
        ),
        sections=(
            _overall(metric, held, seed),
            Section(
                title="Differences over the same events",
                about="Left minus right, x 100, over event means; p is the two-sided sign-flip "
                "permutation test, exact, not corrected for the number of rows.",
                table=paired(
                    held,
                    [(ours[0], other) for other in ours[1:]],
                    tuple(column.name for column in metric.columns),
                    seed,
                ),
            ),
            _by("event", scores, candidates, _event),
            _by("annotator", scores, candidates, _annotator),
        ),
    )


def chosen_prefixes(timeline: Timeline, most: int = PREFIXES) -> list[int]:
    """At most `most` of the prefix lengths that have a background, evenly spaced.

    The longest is among them; every one is where there are no more than `most`.
    """
    scorable = list(_scorable(timeline))
    count = min(most, len(scorable))
    return [scorable[(place + 1) * len(scorable) // count - 1] for place in range(count)]


def _scorable(timeline: Timeline) -> Iterator[int]:
    return (m for m in range(1, len(timeline.updates)) if timeline.reference(m) is not None)


def length(timeline: Timeline) -> int:
    """The mean number of words of the timeline's backgrounds."""
    words = [count_words(text, "en") for text in timeline.backgrounds if text]
    return max(1, round(sum(words) / len(words))) if words else 1


def summarized(timeline: Timeline, prefix: int, name: str, merge: tuple[Merge, str]) -> Candidate:
    """The summary of updates 1 to `prefix` with the background of the next row as reference.

    The merges of these recipes read all documents of a prefix and not just the carry, so the
    round of ``crs`` that ends the prefix has the summary of ``sts`` over the prefix, which
    costs one merge instead of `prefix` - 1.
    """
    event = Event(
        id=f"{timeline.event}/{timeline.annotator}#{prefix}",
        description=timeline.event,
        documents=timeline.updates[:prefix],
    )
    made = summarize(
        event, f"sts.none.{name}", target="en", max_words=length(timeline), merge=merge
    )
    return replace(
        _candidate(timeline, prefix, made.text, timeline.reference(prefix)),
        recipe=f"crs.none.{name}",
    )


def _candidate(timeline: Timeline, prefix: int, text: str, *references: str | None) -> Candidate:
    return Candidate(
        id=f"{timeline.event}/{timeline.annotator}#{prefix}",
        text=text,
        language="en",
        references=tuple(reference for reference in references if reference),
        event=timeline.event,
        round=prefix,
    )


def _people(
    jobs: Sequence[tuple[Timeline, int]], timelines: Sequence[Timeline]
) -> Iterator[Candidate]:
    """Each background against those that others wrote at the same point."""
    by_event: dict[str, list[Timeline]] = defaultdict(list)
    for timeline in timelines:
        by_event[timeline.event].append(timeline)
    for timeline, prefix in jobs:
        others = [
            other.reference(prefix)
            for other in by_event[timeline.event]
            if other.annotator != timeline.annotator
            and [u.published for u in other.updates] == [u.published for u in timeline.updates]
        ]
        yield _candidate(timeline, prefix, timeline.reference(prefix) or "", *others)


def _overall(metric: Rouge, held: Mapping[str, Sequence[Score]], seed: int) -> Section:
    return Section(
        title="ROUGE F1 x 100, mean over events",
        about="An event's value is the mean over its annotators and prefixes.  A recipe is held "
        "against the one background of its annotator, a person against the best of the two "
        "other annotators', which favours people.",
        table=table_of(over_events(held, seed), metric.columns),
    )


def _event(item: str) -> str:
    return item.partition("/")[0]


def _annotator(item: str) -> str:
    return item.partition("/")[2].partition("#")[0]


def _by(
    what: str,
    scores: Mapping[str, Sequence[Score]],
    candidates: Mapping[str, Sequence[Candidate]],
    key: Callable[[str], str],
) -> Section:
    """One row an event or annotator: how many prefixes, and ROUGE-1 and 2 of every recipe."""
    names = sorted({key(one.id) for one in next(iter(candidates.values()))})
    metrics = ("rouge1", "rouge2")
    rows = []
    for name in names:
        cells = [
            _mean([s for s in found if s.metric == metric and key(s.id) == name])
            for found in scores.values()
            for metric in metrics
        ]
        sizes = [
            count_words(one.references[0], "en")
            for one in next(iter(candidates.values()))
            if key(one.id) == name and one.references
        ]
        rows.append((name, f"{sum(sizes) / len(sizes):.0f}" if sizes else "–", *cells))
    header = [f"{name} {metric}" for name in scores for metric in metrics]
    return Section(
        title=f"By {what}",
        about="Mean over prefixes x 100, scored/all; beside them the mean words of the "
        "backgrounds held against.",
        table=plain_table((what, "words", *header), rows),
    )


def _mean(scores: Sequence[Score]) -> str:
    found = aggregate(scores)[0]
    counted = f"({found.n}/{found.expected})"
    return f"– {counted}" if found.mean is None else f"{100 * found.mean:.2f} {counted}"
