"""A program that runs a slow stage: what tests kill, interrupt and start twice.

``python -m tests.shards.driver FOLDER NOTES SHARDS WORKERS|CLUSTER SECONDS_A_SHARD``
"""

import sys
from functools import partial
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.shards import run_stage
from tests.shards.stages import note_slowly, shards


def main(folder: str, notes: str, count: str, workers: str, seconds: str) -> int:
    stage = partial(note_slowly, notes=Path(notes), seconds=float(seconds))
    try:
        outcome = run_stage(
            stage,
            shards(int(count)),
            Path(folder),
            suffix=".tsv",
            workers=int(workers) if workers.isdecimal() else None,
            cluster=None if workers.isdecimal() else workers,
            progress_name="shards",
        )
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(outcome.done, outcome.reused, len(outcome.failed), dict(outcome.counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
