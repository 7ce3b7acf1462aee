"""What was planted in the sample events, and what the extractive recipe finds of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from baselines.detection import Detection, compare
from baselines.recipes import DEFAULT, PROMPTINGS, parse_recipe
from baselines.studies.page import Page, Section, plain_table
from baselines.studies.wilson import share
from baselines.summarize import summarize
from globesumm import samples
from globesumm.progress import track
from globesumm.text.sentences import SPLITTER
from globesumm.values import Document, Issue, IssueKind, Rejected
from retrieval.event import event_of
from retrieval.read import read

MOST_WORDS = 60
"""Words of a sentence that are shown in a list."""


def run(data: Path | None, seed: int) -> Page:
    """Read the pages, summarize, and hold the last round's issues against the planted ones.

    `data` is not needed; the samples are part of the package.
    """
    del data
    merge = PROMPTINGS[parse_recipe(DEFAULT).prompting].make(seed)
    found: dict[str, list[Detection]] = {}
    refused: list[Rejected] = []
    for name in track(samples.names(), "sample events"):
        sample = samples.load(name)
        read_ones = list(read(sample.pages))
        refused += [one for one in read_ones if isinstance(one, Rejected)]
        event = event_of([one for one in read_ones if isinstance(one, Document)], id=name)
        made = summarize(event, DEFAULT, target=sample.target, merge=merge)
        issues = made.rounds[-1].issues
        found[name] = [compare(issues, sample.issues, kind) for kind in IssueKind]
    return Page(
        title="Sample events: planted and found",
        settings=(
            ("recipe", f"{DEFAULT}, last round, max_words 250, seed {seed}"),
            ("model", merge[1]),
            ("sentences", SPLITTER),
            ("pages refused", str(len(refused))),
        ),
        sections=(_counts(found), _causes(found), _missed(found), _wrong(found)),
    )


def _counts(found: dict[str, list[Detection]]) -> Section:
    rows = [
        (
            name,
            str(one.kind),
            share(len(one.found), len(one.found) + len(one.missed)),
            share(one.right, one.reported),
        )
        for name, detections in found.items()
        for one in detections
    ]
    return Section(
        title="Precision and recall",
        about="Recall: planted issues found.  Precision: reported clusters that are among the "
        "planted ones; a true issue that nobody planted or marked counts as wrong, which "
        "matters most for redundancies and omissions, of which pages are full.  95 % Wilson "
        "intervals.  The second event was written without looking at the detector.",
        table=plain_table(("event", "kind", "recall", "precision"), rows),
    )


def _causes(found: dict[str, list[Detection]]) -> Section:
    rows = [
        (name, cause, f"{hits}/{planted}")
        for name, detections in found.items()
        for one in detections
        if one.kind is IssueKind.CONFLICT
        for cause, (hits, planted) in one.by_cause().items()
    ]
    return Section(
        title="Planted conflicts found, by cause",
        about="The causes are those of the GlobeSumm paper's figure 6.",
        table=plain_table(("event", "cause", "found"), rows),
    )


def _missed(found: dict[str, list[Detection]]) -> Section:
    rows = [
        (name, str(one.kind), issue.note or "", issue.differs or "")
        for name, detections in found.items()
        for one in detections
        for issue in one.missed
    ]
    return Section(
        title="Missed",
        about="Planted issues that no reported cluster puts together.",
        table=plain_table(("event", "kind", "what was planted", "differs"), rows),
    )


def _wrong(found: dict[str, list[Detection]]) -> Section:
    rows = [
        (name, issue.differs or "", " / ".join(_told(issue)))
        for name, detections in found.items()
        for one in detections
        if one.kind is IssueKind.CONFLICT
        for issue in one.wrong
    ]
    return Section(
        title="Conflicts reported that nobody planted",
        about="The first two sentences of each.",
        table=plain_table(("event", "differs", "sentences"), rows),
    )


def _told(issue: Issue, most: int = 2) -> Iterator[str]:
    for statement in issue.statements[:most]:
        words: Sequence[str] = statement.text.split()
        text = " ".join(words[:MOST_WORDS])
        yield f"[{statement.language}] {text}{' …' if len(words) > MOST_WORDS else ''}"
