"""A model's files: a folder, the local cache, or the hub where its name was given."""

import os
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.adapters import adapted, adapter_base, is_adapter
from globesumm.llm.pretrained import HUB_SECONDS, SAFE, named, opened_weights, why

_KEPT_SMALL = ("*.json", "*.model", "*.txt", "*.jinja", "*.tiktoken")


def model_folder(name: str, revision: str | None = None, *, download: bool = True) -> Path:
    """The folder with the files of `name`, a path or a hub name (``organisation/model``).

    A hub name may bear the `revision` (``organisation/model@revision``): a commit, tag or branch.
    A folder may hold a whole model or an adapter (``adapter_config.json``).  A hub name is looked
    up in the local cache first, and only then, with `download`, on the hub, which is asked once
    and briefly before anything is downloaded.  No code from a model's files is ever run.
    Raises `UsageError` where the files cannot be had, with one line that says why.
    """
    name, stated = named(name)
    if stated and revision and stated != revision:
        raise UsageError(f"model {name!r}: two revisions, {stated!r} and {revision!r}: name one")
    revision = stated or revision
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file() and not is_adapter(path):
            raise UsageError(
                f"the folder {name} holds no model: it has no config.json: "
                "name the folder that does"
            )
        return path
    if name.startswith((".", "/", "~")) or name.count("/") != 1 or "\\" in name:
        raise UsageError(
            f"there is no folder {name!r}, and it is no hub name (organisation/model) either"
        )
    if found := _cached(name, revision):
        return found
    if not download:
        raise UsageError(
            f"model {name!r} is neither a folder nor in the local cache, and the hub was not asked "
            "for it: give the path of a folder that holds it"
        )
    return _downloaded(name, revision)


def weights_folder(folder: Path) -> Path:
    """Where the configuration and the weights lie: `folder`, or that of the model it adapts.

    Raises `UsageError` for an adapter whose model is neither a folder nor in the local cache, and
    for one that is refused (`globesumm.llm.adapters`).
    """
    if not is_adapter(folder):
        return folder
    name, revision = adapter_base(folder)
    try:
        base = model_folder(name, revision, download=False)
    except UsageError as error:
        raise UsageError(f"the adapter in {folder} cannot be used: {error}") from error
    if is_adapter(base):
        raise UsageError(f"the adapter in {folder} is for another adapter, {base}: merge that one")
    return base


def _cached(name: str, revision: str | None) -> Path | None:
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
    except Exception:  # noqa: BLE001  (absent, half there, or a name the hub would refuse)
        return None
    weights = any(folder.glob(SAFE)) or any(folder.glob("*.bin"))
    return folder if weights and (folder / "config.json").is_file() else None


def _downloaded(name: str, revision: str | None) -> Path:
    from huggingface_hub import HfApi, constants, snapshot_download

    missing = f"model {name!r} is neither a folder nor in the local cache, and the hub"
    advice = "; give the path of a folder that holds it"
    if constants.HF_HUB_OFFLINE or os.environ.get("TRANSFORMERS_OFFLINE", "0") not in ("", "0"):
        raise UsageError(f"{missing} is switched off (HF_HUB_OFFLINE){advice}")
    try:
        # Without this one question, a download without a network retries for most of a minute.
        info = HfApi().model_info(name, revision=revision, timeout=HUB_SECONDS)
        names = [sibling.rfilename for sibling in info.siblings or []]
        weights = SAFE if any(n.endswith(SAFE.removeprefix("*")) for n in names) else "*.bin"
        # By its name, not by the commit: the cache then knows offline what the name stands for.
        return Path(
            snapshot_download(name, revision=revision, allow_patterns=[*_KEPT_SMALL, weights])
        )
    except Exception as error:
        raise UsageError(f"{missing} did not give it ({why(error, 150)}){advice}") from error


def load_model(folder: Path, device: str | None, dtype: str) -> Any:
    """The causal language model in `folder`, ready to generate on `device`.

    An adapter is merged into the model that it is for, which then is as any other.  The device
    is the first GPU if there is one, else the processor.  `dtype` is a torch name (``float32``,
    ``bfloat16``) or ``auto`` for the one the files have.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging
    except ImportError as error:
        raise MissingPackage("transformers", "a model in process", "models") from error
    weights = weights_folder(folder)
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    showing = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model: Any = opened_weights(AutoModelForCausalLM, weights, dtype=dtype)
        if weights != folder:
            model = adapted(model, folder)
        return model.to(chosen).eval()
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"the model in {folder} cannot be loaded ({why(error)})") from error
    finally:
        if showing:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
