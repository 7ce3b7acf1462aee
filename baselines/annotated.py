"""A run of crs.kis-clp.protocol as an annotated data set, checked and linked.

::

    RUN/annotation.jsonl   every event in the published layout
    RUN/issues.jsonl       every issue with its cause and strategy, and where the texts say so
    RUN/quality.jsonl      what a person should look at: flags, and checks that could not be made
    RUN/left-out.jsonl     events that have no place in annotation.jsonl, each with the reason
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.author import Author, StepError
from annotation.passages import passages
from annotation.published import to_published, write_published
from annotation.published.links import Extracted, extracted
from annotation.quality import Checked, Detector, Total, check_summary, totals
from annotation.schemas import Context
from annotation.stages import WritingStage
from baselines.grid.folder import GridFolder
from globesumm.errors import DataError
from globesumm.records import read_record, write_records
from globesumm.runs import Failure, Run
from globesumm.values import Event, Passage, Rejected, Summary

ANNOTATION = "annotation.jsonl"
ISSUES = "issues.jsonl"
QUALITY = "quality.jsonl"
LEFT_OUT = "left-out.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """What was written, in numbers: `events` of `of`, with their rounds.

    `counts` has ``issues``, ``issues linked``, ``strategies`` and ``strategies linked`` to the
    text that tells of them; `left_out` are the events without a place in the layout.
    """

    of: int
    events: int
    rounds: int
    counts: Mapping[str, int]
    quality: tuple[Total, ...]
    left_out: tuple[Rejected, ...]


class Annotation:
    """The finished summaries of one recipe in one part of a grid, one event in memory at a time.

    `reader` answers from the call store alone: it gives the documents' lists in their own
    languages again, which no summary keeps.
    """

    def __init__(self, folder: GridFolder, run: Run, recipe: str, reader: Author) -> None:
        self._folder, self._run, self._recipe, self._reader = folder, run, recipe, reader
        self._rounds = 0
        self._counts: Counter[str] = Counter()
        self._left_out: list[Rejected] = []

    def write(self, detect: Detector) -> Annotated:
        """Write the four files afresh; the same summaries give the same bytes."""
        path = self._folder.path
        self._rounds, self._left_out = 0, []
        self._counts.clear()
        events = write_published(path / ANNOTATION, self._records())
        write_records(path / LEFT_OUT, self._left_out)
        write_records(path / ISSUES, self._issues())
        sums: Counter[tuple[str, bool | None]] = Counter()
        write_records(path / QUALITY, self._notable(detect, sums))
        return Annotated(
            of=len(self._folder.events()),
            events=events,
            rounds=self._rounds,
            counts=dict(self._counts),
            quality=totals(sums),
            left_out=tuple(self._left_out),
        )

    def _summaries(self) -> Iterator[tuple[Event, Summary]]:
        """The events that are done, in order."""
        for name in self._folder.events():
            path = self._run.summary_path(self._recipe, name)
            if path.exists():
                yield self._folder.events()[name], read_record(path, Summary)

    def _records(self) -> Iterator[dict[str, Any]]:
        for name in self._folder.events():
            path = self._run.summary_path(self._recipe, name)
            if not path.exists():
                self._leave_out(name, self._why(name))
                continue
            event, summary = self._folder.events()[name], read_record(path, Summary)
            try:
                record = to_published(event, summary, self._lists(event, summary.target))
            except DataError as error:
                self._leave_out(name, str(error))
                continue
            self._rounds += len(summary.rounds)
            yield record

    def _why(self, event: str) -> str:
        path = self._run.failure_path(self._recipe, event)
        return read_record(path, Failure).reason if path.exists() else "not summarized yet"

    def _leave_out(self, event: str, reason: str) -> None:
        self._left_out.append(Rejected(where=f"event {event!r}", reason=reason))

    def _issues(self) -> Iterator[Extracted]:
        for _, summary in self._summaries():
            for one in extracted(summary):
                self._counts["issues"] += 1
                self._counts["issues linked"] += one.span is not None
                self._counts["strategies"] += one.strategy is not None
                self._counts["strategies linked"] += one.strategy_span is not None
                yield one

    def _notable(
        self, detect: Detector, sums: Counter[tuple[str, bool | None]]
    ) -> Iterator[Checked]:
        for event, summary in self._summaries():
            for one in check_summary(summary, detect, self._lists(event, summary.target)):
                sums[one.check, one.passed] += 1
                if not one.passed:
                    yield one

    def _lists(self, event: Event, target: str) -> dict[str, Passage]:
        """Each document's key information in its own language, as far as the store has it."""
        stage, context = WritingStage("kis", self._reader), Context(event=event, target=target)
        found: dict[str, Passage] = {}
        for passage in passages(event):
            try:
                found[passage.documents[0]] = stage(passage, context)
            except StepError:
                # Documents that were trimmed: what their lists rest on may still tell.
                continue
        return found
