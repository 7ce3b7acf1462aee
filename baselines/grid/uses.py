"""Which requests each summary rests on, so that what it cost can be told, and held against a plan.

``RUN/uses/<recipe>/<event>.json`` lists them (`globesumm.llm.recording.Use`) in the order of
asking, bought and stored ones alike, and for a summary that failed those that were made for it; a
request that another summary needs as well stands in the lists of both.
``GRID/judged-uses.json`` lists the requests that scores rest on.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.llm.recording import Use
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper
from globesumm.records import read_record, write_record
from globesumm.runs import Run, file_name

USES = "uses"
JUDGED_USES = "judged-uses.json"


def uses_path(run: Run, recipe: str, event: str) -> Path:
    """Where the requests of one summary of a run stand."""
    return run.folder / USES / file_name(recipe) / f"{file_name(event)}.json"


def write_uses(run: Run, recipe: str, event: str, uses: Sequence[Use]) -> None:
    """Keep `uses`; written before the summary or failure, so that none that ended lacks them."""
    write_record(uses_path(run, recipe, event), list(uses))


def read_uses(run: Run, recipe: str, event: str) -> tuple[Use, ...] | None:
    """The requests that a summary rests on, in order; None where nothing was noted of it."""
    path = uses_path(run, recipe, event)
    return _read(path) if path.exists() else None


def every_use(run: Run) -> Iterator[str]:
    """The keys that the finished summaries of a part's run rest on.

    Raises `UsageError` if nothing was noted of one of them.
    """
    for summary in sorted((run.folder / "summaries").glob("*/*.json")):
        path = run.folder / USES / summary.parent.name / summary.name
        if not path.exists():
            raise UsageError(f"{summary}: {path} does not say which calls this summary rests on")
        yield from (use.key for use in _read(path))


def _read(path: Path) -> tuple[Use, ...]:
    """What was noted; earlier versions noted keys alone."""
    noted = read_record(path, tuple[Use | str, ...])
    return tuple(Use(one) if isinstance(one, str) else one for one in noted)


class NotedModels(Mapping[str, Model]):
    """`models`, and in `answered` the keys of the requests that they answered."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models = models
        self.answered: set[str] = set()

    def __getitem__(self, name: str) -> Model:
        return _Noted(self._models[name], self.answered)

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


class _Noted(Wrapper):
    """A model whose answered requests are noted."""

    def __init__(self, inside: Model, keys: set[str]) -> None:
        super().__init__(inside)
        self._keys = keys

    def complete(self, request: Request, /) -> Completion:
        completion = self.inside.complete(request)
        self._keys.add(request.key)
        return completion


def write_judged_uses(grid: Path, keys: set[str]) -> None:
    """Add `keys` to those that the grid's scores rest on."""
    path = grid / JUDGED_USES
    held = set(read_record(path, tuple[str, ...])) if path.exists() else set[str]()
    if not path.exists() or keys - held:
        write_record(path, sorted(keys | held))


def judged_uses(grid: Path) -> frozenset[str]:
    """The keys that the grid's scores rest on.

    Raises `UsageError` where it was not noted: judges' answers were paid for too.
    """
    path = grid / JUDGED_USES
    if not path.exists():
        raise UsageError(
            f"{grid}: there is no {path.name}, which says which calls the scores rest on: repeat "
            "the command that made the grid, which asks nothing and notes them"
        )
    return frozenset(read_record(path, tuple[str, ...]))
