"""Where experiment files lie and how they are read."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from globesumm.config.checks import check
from globesumm.config.experiment import Experiment
from globesumm.config.keys import check_keys
from globesumm.config.tables import ModelRow
from globesumm.errors import DataError, UnknownName, UsageError, cannot_read
from globesumm.records import from_plain


def shipped() -> dict[str, Path]:
    """The experiments that come with the package, by name."""
    folder = Path(__file__).resolve().parents[2] / "configs"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(name_or_path: str) -> Experiment:
    """The experiment of that name or at that path.

    Raises `UnknownName` for a name or key that does not exist, `DataError` for a file that is
    not TOML, holds a value of the wrong type, or says two things that cannot both be meant.
    """
    path, content = read_toml(name_or_path, shipped())
    check_keys(Experiment, content, str(path))
    experiment = _located(from_plain(Experiment, content, str(path)), path.parent)
    check(experiment, str(path))
    return experiment


def read_toml(name_or_path: str, known: Mapping[str, Path]) -> tuple[Path, dict[str, Any]]:
    """The one of `known` with that name, or the file at that path, and what it holds.

    Whatever lies in the working folder under a known name (``demo``) is meant as ``./demo`` alone.

    Raises `UnknownName` for a name that is not known, `UsageError` for a file that cannot be
    read, `DataError` for one that is not TOML.
    """
    path = known.get(name_or_path) or Path(name_or_path)
    if not path.suffix and not path.exists():
        raise UnknownName("config", name_or_path, known)
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: cannot be read (no regular file)")
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(cannot_read(path, error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path}: not TOML ({error}): correct it there") from error


SAMPLE = "sample:"
"""How an input begins that is a sample event: ``sample:marrakesh-earthquake``."""


def _located(experiment: Experiment, folder: Path) -> Experiment:
    """`experiment` with the paths that its file names, which start from the file's `folder`."""
    return replace(
        experiment,
        inputs=tuple(
            name if name.startswith(SAMPLE) or "://" in name else str(folder / name)
            for name in experiment.inputs
        ),
        prompts=experiment.prompts and str(folder / experiment.prompts),
        models=tuple(_row(row, folder) for row in experiment.models),
        helpers=tuple(_row(row, folder) for row in experiment.helpers),
        drafts=replace(
            experiment.drafts,
            entailer_weights=experiment.drafts.entailer_weights
            and str(folder / experiment.drafts.entailer_weights),
        ),
        judges=tuple(
            replace(judge, weights=judge.weights and str(folder / judge.weights))
            for judge in experiment.judges
        ),
    )


def _row(row: ModelRow, folder: Path) -> ModelRow:
    backend, colon, file = row.served.partition(":")
    scripted = colon and backend == "scripted"
    return replace(row, model=f"scripted:{folder / file}") if scripted else row
