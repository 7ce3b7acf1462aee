"""Which requests each finished summary rests on, so that what it cost can be told.

``PART/uses/<recipe>/<event>.json`` lists their keys (`globesumm.llm.request.Request.key`) in the
order of asking, bought and stored ones alike; a request that another summary needs as well stands
in the lists of both.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.records import read_record, write_record
from globesumm.runs import Run, file_name

USES = "uses"


def uses_path(run: Run, recipe: str, event: str) -> Path:
    """Where the keys of one summary of a part's run stand."""
    return run.folder / USES / file_name(recipe) / f"{file_name(event)}.json"


def write_uses(run: Run, recipe: str, event: str, keys: Sequence[str]) -> None:
    """Keep `keys`; written before the summary, so that no finished summary lacks them."""
    write_record(uses_path(run, recipe, event), list(keys))


def read_uses(run: Run, recipe: str, event: str) -> tuple[str, ...] | None:
    """The keys that a summary rests on, in order; None where nothing was noted of it."""
    path = uses_path(run, recipe, event)
    return read_record(path, tuple[str, ...]) if path.exists() else None


def every_use(run: Run) -> Iterator[str]:
    """The keys that the finished summaries of a part's run rest on.

    Raises `UsageError` if nothing was noted of one of them.
    """
    for summary in sorted((run.folder / "summaries").glob("*/*.json")):
        path = run.folder / USES / summary.parent.name / summary.name
        if not path.exists():
            raise UsageError(f"{summary}: {path} does not say which calls this summary rests on")
        yield from read_record(path, tuple[str, ...])
