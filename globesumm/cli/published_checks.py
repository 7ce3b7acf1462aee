"""What is broken in files of the published layout, by event and field."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from annotation.published import read_published
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import visible
from globesumm.values import Rejected


def check_files(names: Sequence[str]) -> int:
    """Print every broken invariant and the counts; exit status 1 where there is one."""
    status = DONE
    for name in names:
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"{name}: there is no such file to check")
        status = max(status, _check(path))
    return status


def _check(path: Path) -> int:
    counts: Counter[str] = Counter()
    for place, found in enumerate(read_published(path), start=1):
        if isinstance(found, Rejected):
            counts["refused"] += 1
            print(visible(f"{found.where}: {found.reason}"))
            continue
        counts["events"] += 1
        counts["articles"] += len(found.event.documents)
        counts["rounds"] += len(found.summary.rounds) if found.summary else 0
        counts["broken"] += bool(found.broken)
        for told in found.broken:
            print(visible(f"event {place} ({found.event.id}): {told}"))
    print(
        f"{path}: {counted(counts['events'], 'event')}, "
        f"{counted(counts['articles'], 'article')}, "
        f"{counted(counts['rounds'], 'round')}; {counted(counts['broken'], 'event')} with "
        "something broken, "
        f"{counts['refused']} refused"
    )
    return DONE_WITH_FAILURES if counts["broken"] or counts["refused"] else DONE
