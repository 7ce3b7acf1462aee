"""What a run does not hold, and which command makes it."""

from collections.abc import Sequence
from pathlib import Path

from globesumm.finite import counted
from globesumm.report.bias import FOLDER
from globesumm.report.reading import Part
from globesumm.runs import Run

Missing = tuple[str, str]
"""(what is missing, the command that makes it or nothing)"""


def missing(folder: Path, parts: Sequence[Part], *, scored: bool, calls: bool) -> list[Missing]:
    """Every part of the report that the run folder has nothing for."""
    held = any(path for part in parts for path in (part.run.folder / "summaries").glob("*/*.json"))
    of_part = "RUN/parts/PART" if any(part.name for part in parts) else "RUN"
    found: list[Missing] = []
    if not held:
        found.append(("summaries", "globesumm summarize"))
    elif not Run(folder).events_path.is_file():
        found.append(("the events: events.jsonl is not there, so no summary can be shown", ""))
    if not scored:
        found.append(("scores", "globesumm score RUN"))
    for name, what, verb in (
        ("citations.jsonl", "citations: which sentences of which documents say so", "cite"),
        ("ledger.jsonl", "the conflict ledger over all rounds", "ledger"),
    ):
        without = [part for part in parts if not (part.run.folder / name).is_file()]
        if without and held:
            some = f" of {len(without)} of {counted(len(parts), 'part')}" if len(parts) > 1 else ""
            found.append((f"{what}{some}", f"globesumm {verb} {of_part}"))
    if not any((folder / FOLDER).glob("*.csv")):
        found.append(("the language-bias report", "globesumm bias RUN"))
    if not calls:
        found.append(("costs: no calls to a model are kept here", ""))
    return found
