"""Where experiment files lie and how they are read."""

import tomllib
from dataclasses import fields
from pathlib import Path

from globesumm.config.experiment import Experiment
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.records import from_plain


def shipped() -> dict[str, Path]:
    """The experiments that come with the package, by name."""
    folder = Path(__file__).resolve().parents[2] / "configs"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(name_or_path: str) -> Experiment:
    """The experiment of that name or at that path.

    Raises `UnknownName` for a name or key that does not exist, `DataError` for a file that is
    not TOML or holds a value of the wrong type.
    """
    path = Path(name_or_path)
    if not path.suffix and not path.exists():
        known = shipped()
        if name_or_path not in known:
            raise UnknownName("config", name_or_path, known)
        path = known[name_or_path]
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: cannot be read (no regular file)")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path}: not TOML ({error})") from error
    known_keys = [field.name for field in fields(Experiment)]
    for key in content:
        if key not in known_keys:
            raise UnknownName("config key", key, known_keys, where=str(path))
        if isinstance(content[key], bool):
            raise DataError(f"{path}: {key}: true and false are no value for it")
    return from_plain(Experiment, content, str(path))
