"""Whether a disk has room for what a round writes, asked before anything is trained."""

import shutil
from pathlib import Path

from globesumm.errors import UsageError

CHECKPOINTS = 2
"""Kept at once: the newest, and the one before it while the newest is being written."""

_FLOAT = 4
_ADAM = 2
_SPARE = 1.05


def bytes_of_round(parameters: int, trained: int, *, adapter: bool) -> int:
    """Bytes that one round has on disk at most: its checkpoints, and the model it ends with.

    A checkpoint holds what is trained, and Adam's two moments of it; the model is the adapter
    alone, or all `parameters`.  All are in float32.
    """
    checkpoint = _FLOAT * (1 + _ADAM) * trained
    model = _FLOAT * (trained if adapter else parameters)
    return int(_SPARE * (CHECKPOINTS * checkpoint + model))


def check_room(folder: Path, needed: int, what: str) -> None:
    """Raise `UsageError` where the disk of `folder` has fewer than `needed` bytes left."""
    place = folder
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < needed:
        raise UsageError(
            f"{what} needs {sized(needed)} on the disk of {folder}, which has {sized(free)} left: "
            "make room, choose another --out, or train an adapter ([lora])"
        )


def sized(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
