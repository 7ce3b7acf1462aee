"""One try at one shard, in whatever process it happens."""

import errno
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath

from globesumm.errors import GlobeSummError, UsageError
from globesumm.shards.folder import ShardFolder
from globesumm.shards.stage import Shard, ShardFailure, Stage

LONGEST_MESSAGE = 1000
"""Characters kept of an error's message; pages end up in messages."""

_FOLDER_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


@dataclass(frozen=True, slots=True)
class Made:
    """A shard whose result is in place now."""

    shard: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """No shard can succeed (a package is missing, the disk is full): the run ends."""

    shard: str
    message: str


Result = Made | ShardFailure | Refused


def attempt(stage: Stage, kept: ShardFolder, shard: Shard) -> Result:
    """Run `stage` on `shard` and take its result in; errors come back as values.

    Nothing but names, numbers and messages comes back, so that it passes between processes
    whatever the stage raised.
    """
    part = None
    try:
        # A cluster may run a task again whose worker died after it was done.
        made = kept.counts(shard.name)
        if made is not None:
            return Made(shard.name, made)
        part = kept.new_partial(shard.name)
        return Made(shard.name, kept.take_in(shard.name, part, stage(shard, part)))
    except UsageError as error:
        return Refused(shard.name, _message(error))
    except Exception as error:  # noqa: BLE001  # one bad shard must not cost the others
        if isinstance(error, OSError) and error.errno in _FOLDER_ERRORS:
            return Refused(shard.name, f"{kept.folder}: {error.strerror}")
        kind = type(error).__name__
        return ShardFailure(shard=shard.name, kind=kind, message=_message(error))
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)


Attempt = partial[Result]
"""`attempt` with stage and folder filled in: called with a shard."""


def _message(error: BaseException) -> str:
    """The error's own words; where it is not one of ours, also where it was raised."""
    text = str(error) or type(error).__name__
    if not isinstance(error, GlobeSummError) and error.__traceback__:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{text[:LONGEST_MESSAGE]} (in {PurePath(last.filename).name}:{last.lineno})"
    return text[: LONGEST_MESSAGE + 100].encode(errors="backslashreplace").decode()
