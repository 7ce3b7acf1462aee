"""The one way in which files of a model are opened: none of their code is run, nothing is unpickled
that could act, and which commit of a hub's model is meant can be stated.

A hub name may bear a revision, ``organisation/model@revision``: a commit, a tag or a branch.  A
commit alone never changes.  What a folder holds is what it holds: it has no revision.
"""

from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.errors import excerpt

HUB_SECONDS = 10.0
SAFE = "*.safetensors"


def named(name: str) -> tuple[str, str | None]:
    """(name, revision) of ``NAME`` or ``NAME@REVISION``; a folder that is there has no revision.

    Raises `UsageError` for a revision without text.
    """
    if "@" not in name or Path(name).expanduser().exists():
        return name, None
    model, _, revision = name.rpartition("@")
    if not model or not revision.strip() or model.startswith((".", "/", "~")):
        raise UsageError(
            f"{name!r} is no folder, and no model with a revision (organisation/model@revision)"
        )
    return model, revision


def opened(kind: Any, place: str | Path, *, revision: str | None = None, **options: Any) -> Any:
    """What ``kind.from_pretrained`` makes of the files at `place`, a folder or a hub name.

    The network is asked only with ``local_files_only=False``.  Raises `UsageError` where the files
    want code of their own to be run, and otherwise whatever `kind` raises.
    """
    asked = {"local_files_only": True} | options
    try:
        return kind.from_pretrained(
            str(place), revision=revision or "main", trust_remote_code=False, **asked
        )
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise UsageError(
            f"{place} can only be loaded with code that it brings, and such code is never run"
        ) from error


def opened_weights(
    kind: Any, place: str | Path, *, revision: str | None = None, **options: Any
) -> Any:
    """As `opened`, for a model: safetensors where there are any.

    Pickled weights (``pytorch_model.bin``) are read as numbers alone: what else such a file names
    makes it unreadable, and is not run.
    """
    safe = any(Path(place).glob(SAFE)) if Path(place).is_dir() else None
    return opened(
        kind, place, revision=revision, use_safetensors=safe or None, weights_only=True, **options
    )


def why(error: Exception, most: int = 200) -> str:
    """What kept a model from loading, in one line of at most `most` characters."""
    said = str(error)
    if "weights_only" in said or "Weights only load failed" in said:
        return "its pickled weights hold more than numbers, and are not read: take safetensors"
    return excerpt(said, most) or type(error).__name__


def cached_commit(name: str, revision: str | None = None) -> str | None:
    """The commit of a hub's model that the local cache gives; None where it has none."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    try:
        found = try_to_load_from_cache(name, "config.json", revision=revision or "main")
    except ValueError:  # no name that a hub could have
        return None
    return Path(found).parent.name if isinstance(found, str) else None


def commit_of(name: str, revision: str | None = None, *, download: bool = False) -> str | None:
    """The commit of a hub's model: the local cache's, else with `download` the hub's.

    None where neither is to be had without the network.  Raises `UsageError` in one line where the
    hub does not give it.
    """
    found = cached_commit(name, revision)
    if found or not download:
        return found
    ask_hub(name, revision)
    from huggingface_hub import hf_hub_download

    try:
        # This notes in the cache which commit the revision stands for; the weights follow there.
        hf_hub_download(name, "config.json", revision=revision)
    except Exception as error:
        raise UsageError(f"the hub does not give the model {name!r} ({why(error)})") from error
    return cached_commit(name, revision)


def ask_hub(name: str, revision: str | None = None) -> Any:
    """What the hub says of a model; asked once and briefly.

    Without this one question a download without a network retries for most of a minute.  Raises
    `UsageError` in one line where the hub does not answer or has no such model or revision.
    """
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise MissingPackage("huggingface_hub", "models of a hub", "models") from error
    try:
        return HfApi().model_info(name, revision=revision, timeout=HUB_SECONDS)
    except Exception as error:
        raise UsageError(
            f"the model {name!r} is not in the local cache, and the hub does not give it "
            f"({type(error).__name__}: {why(error, 120)})"
        ) from error
