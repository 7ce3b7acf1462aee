"""LoRA adapters: folders that hold what training changed of a model, and not the model itself."""

import warnings
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.errors import excerpt
from globesumm.records import read_record

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"


def is_adapter(folder: Path) -> bool:
    """Whether `folder` holds an adapter and no whole model."""
    return (folder / CONFIG).is_file() and not (folder / "config.json").is_file()


def adapter_base(folder: Path) -> tuple[str, str | None]:
    """The name (or path) and the revision of the model that the adapter in `folder` is for.

    A relative path is tried from the adapter's folder too, so that both can be moved together.
    Raises `UsageError` for an adapter of another kind than LoRA, one without safe weights, and one
    whose configuration names a package that would be imported.
    """
    config = read_record(folder / CONFIG, dict[str, Any])
    name, revision = config.get("base_model_name_or_path"), config.get("revision")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(
            f"{folder / CONFIG} lacks base_model_name_or_path: add it, or name another adapter"
        )
    if config.get("peft_type") != "LORA":
        raise UsageError(
            f"the adapter in {folder} is of the kind {config.get('peft_type')!r}: "
            "name one of the kind LORA"
        )
    if config.get("megatron_config") or config.get("auto_mapping"):
        # peft imports the package that either of them names.
        raise UsageError(f"the adapter in {folder} names code of its own, which is never run")
    if not (folder / WEIGHTS).is_file():
        raise UsageError(f"the adapter in {folder} has no {WEIGHTS}: name a whole one")
    beside = folder / name
    if not Path(name).is_absolute() and beside.is_dir():
        name = str(beside)
    return name, revision if isinstance(revision, str) else None


def adapted(model: Any, folder: Path) -> Any:
    """`model` with the adapter in `folder` merged into its weights.

    Raises `MissingPackage` without peft, `UsageError` where the adapter does not fit the model.
    """
    try:
        from peft import PeftModel
    except ImportError as error:
        raise MissingPackage("peft", "a model with an adapter", "tuning") from error
    try:
        with warnings.catch_warnings():
            # peft asks transformers by names that it is about to change; nobody here can act on it.
            warnings.simplefilter("ignore", FutureWarning)
            joined: Any = PeftModel.from_pretrained(model, str(folder), local_files_only=True)
            return joined.merge_and_unload()
    except Exception as error:
        reason = excerpt(str(error), 200)
        raise UsageError(
            f"the adapter in {folder} cannot be loaded ({reason}): name another"
        ) from error
