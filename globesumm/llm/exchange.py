"""Call stores passed on: exported, merged and pruned.

The exchange form is JSON Lines of `StoredCall`: what was asked and what came back, and no key or
address with a password, since neither enters a request.  Whatever comes in is checked: an answer
counts only under the key of its own request.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore, StoredCall
from globesumm.records import read_records, write_records
from globesumm.values import Rejected

SQLITE = b"SQLite format 3\x00"


@dataclass(slots=True, kw_only=True)
class Taken:
    """What a merge did: answers `added`, `known` already, or `differing` from the one kept.

    `failures` were added beside them; `damaged` rows were left out, each with its reason.
    """

    added: int = 0
    known: int = 0
    differing: int = 0
    failures: int = 0
    damaged: list[Rejected] = field(default_factory=list)


def store_in(path: Path) -> Path:
    """The call store that `path` is, or that lies in the run folder `path`.

    Raises `UsageError` where there is none.
    """
    found = path / "calls.sqlite" if path.is_dir() else path
    if not found.is_file():
        raise UsageError(f"{path}: no call store there (a run folder keeps calls.sqlite)")
    return found


def calls_of(path: Path) -> Iterator[StoredCall | Rejected]:
    """Every call in a call store, a run folder's store, or an exported file."""
    found = store_in(path)
    with found.open("rb") as file:
        is_store = file.read(len(SQLITE)) == SQLITE
    if not is_store:
        for call in read_records(found, StoredCall):
            if isinstance(call, StoredCall) and call.request.key != call.key:
                yield Rejected(where=str(found), reason=f"{call.key[:12]} is not its request's key")
            else:
                yield call
        return
    store = CallStore(found, read_only=True)
    try:
        yield from store.readable()
    finally:
        store.close()


def export(source: Path, out: Path, *, model: str | None = None) -> tuple[int, list[Rejected]]:
    """Write the calls (of one model) to `out`; how many, and which were damaged."""
    damaged: list[Rejected] = []

    def wanted() -> Iterator[StoredCall]:
        for call in calls_of(source):
            if isinstance(call, Rejected):
                damaged.append(call)
            elif model is None or call.request.model == model:
                yield call

    return write_records(out, wanted()), damaged


def merge(into: CallStore, source: Path) -> Taken:
    """Add the calls of `source`; where both have an answer, the one in `into` stays."""
    taken = Taken()
    failed = {(one.key, one.error) for one in into.failures()}
    for call in calls_of(source):
        if isinstance(call, Rejected):
            taken.damaged.append(call)
        elif call.error is not None:
            if (call.key, call.error) not in failed:
                failed.add((call.key, call.error))
                into.put_failure(call.request, call.error, call.message or "", call.completion)
                taken.failures += 1
        elif call.completion is None:
            reason = "neither an answer nor an error"
            taken.damaged.append(Rejected(where=call.key[:12], reason=reason))
        else:
            kept = into.get(call.key)
            if kept is None:
                into.put(call.request, call.completion)
                taken.added += 1
            elif kept == call.completion:
                taken.known += 1
            else:
                taken.differing += 1
    return taken


def prune(store: CallStore, keep: Collection[str]) -> int:
    """Delete every answer whose key is not in `keep`, and give the space back; how many went."""
    every = [one.key for one in store.readable() if isinstance(one, StoredCall) and not one.error]
    gone = [key for key in every if key not in keep]
    store.delete(gone)
    store.compact()
    return len(gone)
