"""What ``globesumm bias`` does with translated reports: calibration and the controlled test."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.cli.judging import told
from globesumm.errors import DataError, UsageError
from globesumm.finite import counted
from globesumm.progress import say, track
from globesumm.values import Document, Rejected

if TYPE_CHECKING:
    from metrics.bias.calibration import Calibration
    from metrics.bias.controlled import Preferences, Story
    from metrics.bias.items import Items
    from metrics.entailment import Entailer

DEFAULT_TOLD = "sts.none.extractive"
"""The recipe of the controlled test where no run or option names one."""

MOST_SENTENCES = 10
"""Of one report, in the calibration."""


def calibration(
    options: argparse.Namespace, entailer: "Entailer", pivot: str
) -> tuple[dict[str, "Calibration"], str]:
    """What the entailer finds in each language, and how that was measured.

    Reports are taken in turn from each event, so that the one after is on another subject.
    """
    from metrics.bias.calibration import calibrate, from_own_sentences, from_translations

    stories = translated(options.calibrate, options.first)
    ranked = [
        (rank, story.event.id, versions)
        for story in stories
        for rank, (_, versions) in enumerate(sorted(story.reports.items()))
        if pivot in versions
    ]
    ranked.sort(key=lambda one: one[:2])
    reports = [versions for _, _, versions in ranked[: options.calibrate_reports]]
    if len(reports) < 2:
        raise UsageError(
            f"{options.calibrate}: fewer than two reports with a version in {pivot}: name a folder "
            "with more of them"
        )
    pairs = from_translations(reports, pivot, most_sentences=MOST_SENTENCES)
    own = from_own_sentences([one[pivot] for one in reports], most_sentences=MOST_SENTENCES)
    known: dict[str, Calibration] = {}
    for language in track(sorted({one.pair.premise_language for one in pairs + own}), "calibrated"):
        some = [one for one in pairs + own if one.pair.premise_language == language]
        known |= calibrate(entailer, some)
    rates = ", ".join(
        f"{one.language} {_percent(one.hit)} / {_percent(one.false)}" for one in known.values()
    )
    return known, (
        f"calibrated on {counted(len(reports), 'translated report')} of "
        f"{counted(len(stories), 'event')}, up to "
        f"{counted(MOST_SENTENCES, 'sentence')} each (found of what is entailed / of what is "
        f"not): {rates}; "
        f"in {pivot} on a report's own sentences, which are found most easily"
    )


def controlled(
    options: argparse.Namespace, entailer: "Entailer", systems: dict[str, "Items"]
) -> dict[str, "Preferences"]:
    from baselines.recipes import maker, parse_recipe
    from baselines.summarize import summarize
    from globesumm.text.sentences import split
    from globesumm.values import Event, Summary
    from metrics.bias.controlled import facts_kept, preferences, run, sentences_drawn
    from metrics.bias.items import usual_target

    stories = translated(options.controlled, options.first)
    target = usual_target(systems)
    total = options.draws * sum(len(story.reports) for story in stories)
    facts = {
        (story.event.id, report): split(versions[target].text, target)
        for story in stories
        for report, versions in story.reports.items()
        if target in versions
    }
    measure = facts_kept(entailer, facts, target) if options.kept == "facts" else sentences_drawn
    found = {}
    for name in told_again(options, systems):
        recipe = parse_recipe(name)
        by = maker(recipe, options.seed)

        def one(event: Event) -> Summary:
            return summarize(
                event,
                recipe,  # noqa: B023  (called within this turn of the loop)
                target=target,
                max_words=options.max_words,
                by=by,  # noqa: B023
            )

        kept = run(stories, one, measure, count=options.draws, seed=options.seed)
        held = list(track(kept, f"{name}: reports told", total))
        found[name] = preferences(held, permutations=options.permutations, seed=options.seed)
    return found


def told_how(options: argparse.Namespace, entailer: "Entailer") -> str:
    """What was drawn and measured in the controlled test, so that it can be done again."""
    kept = {
        "drawn": "sentences of the summary that rest on a report",
        "facts": f"sentences of a report that the summary entails, by {told(entailer)}",
    }
    length = (
        "whole reports" if options.first is None else f"first {counted(options.first, 'sentence')}"
    )
    return (
        f"share kept: {kept[options.kept]}; {counted(options.draws, 'telling')} an event, "
        f"{length}, "
        f"summaries of at most {counted(options.max_words, 'word')}, seed {options.seed}, "
        f"{counted(options.permutations, 'permutation')}"
    )


def told_again(options: argparse.Namespace, systems: dict[str, "Items"]) -> list[str]:
    """The recipes told again: those named, else those of the runs that need no model."""
    from baselines.recipes import needs_model, parse_recipe

    if options.recipe:
        return list(dict.fromkeys(str(parse_recipe(name)) for name in options.recipe))
    if options.candidates or not systems:
        return [DEFAULT_TOLD]
    held = dict.fromkeys(summary.recipe for items in systems.values() for _, summary in items)
    free = [name for name in held if not needs_model(parse_recipe(name))]
    for name in held:
        if name not in free:
            say(f"controlled test: {name} needs a model; metrics.bias.controlled runs any function")
    return free


def translated(folder: Path, first: int | None) -> list["Story"]:
    """Translated reports by event, each cut to its `first` sentences."""
    from metrics.bias.controlled import stories
    from retrieval.read import read

    inner = folder / "SourceTexts"
    documents, rejected = [], []
    for one in read(inner if inner.is_dir() else folder):
        if isinstance(one, Rejected):
            rejected.append(one)
        else:
            # A file's name states its language more surely than a detector does.
            language = one.language_declared or one.language
            documents.append(_cut(replace(one, language=language), first))
    name_rejected(rejected)
    try:
        found = stories(documents)
    except DataError as error:
        raise DataError(f"{folder}: {error}") from error
    if not any(len(versions) > 1 for story in found for versions in story.reports.values()):
        raise UsageError(
            f"{folder} holds no report in two languages: call files REPORT.language, such as "
            "M0012.greek and M0012.english"
        )
    return found


def _cut(document: Document, first: int | None) -> Document:
    from globesumm.text.sentences import split

    if first is None:
        return document
    return replace(document, text="\n".join(split(document.text, document.language)[:first]))


def _percent(rate: float | None) -> str:
    return "unknown" if rate is None else f"{rate:.0%}"
