"""One round of Direct Preference Optimization by `trl`, with checkpoints that it goes on from."""

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.preference.libraries import quiet, release
from baselines.preference.settings import Lora, Preference, Training
from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.adapters import is_adapter
from globesumm.llm.errors import excerpt
from globesumm.llm.model_files import load_model

CHECKPOINTS = "checkpoints"
MODEL = "model"
LOG = "training.json"
_EXTRA = "tuning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a round trains: the model in `folder` (an adapter is trained on), and its base.

    `reference` is the folder that training stays near; it is `folder` or the base.
    """

    folder: Path
    base: Path
    base_name: str
    base_revision: str | None
    reference: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What training said of itself: optimizer steps, and the mean loss over the last of them.

    `resumed_from` is the step of the checkpoint that it went on from, None where it began anew.
    `train_accuracy` is the share of training pairs whose implicit reward was right, in the last
    line of the log: no measure of anything but the fit.
    """

    steps: int
    loss: float
    train_accuracy: float | None
    resumed_from: int | None = None


def require() -> None:
    """Raise `MissingPackage` where a package of the extra `tuning` is missing."""
    from importlib.util import find_spec

    for package in ("torch", "transformers", "trl", "peft", "accelerate", "datasets"):
        if find_spec(package) is None:
            raise MissingPackage(package, "preference tuning", _EXTRA)


def device_of(settings: Preference) -> str:
    """The device to train on: as set, else the first GPU, else the processor."""
    import torch

    return settings.device or ("cuda" if torch.cuda.is_available() else "cpu")


def train(
    start: Start, rows: Sequence[dict[str, Any]], folder: Path, settings: Preference, number: int
) -> Trained:
    """Train on `rows` of pairs and leave the model in ``folder/model``; goes on if it was stopped.

    Raises `UsageError` where the device's memory is too small or the loss is no number.
    """
    import torch

    final = folder / MODEL
    if final.exists():
        shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
        return Trained(**json.loads((final / LOG).read_text(encoding="utf-8")))
    checkpoints = folder / CHECKPOINTS
    checkpoint = newest_checkpoint(checkpoints)
    with quiet():
        trainer, tokenizer = _trainer(start, rows, checkpoints, settings, number)
        try:
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        except torch.OutOfMemoryError as error:
            raise UsageError(
                f"the memory of {device_of(settings)} is too small for training "
                f"({excerpt(str(error), 120)}): lower training.batch, set "
                "training.gradient_checkpointing, or train an adapter ([lora])"
            ) from error
        except (OSError, RuntimeError) as error:
            if "No space left" not in str(error):
                raise
            raise UsageError(
                f"the disk of {folder} is full: make room, and the same command goes on from the "
                "last checkpoint"
            ) from error
        told = _told(trainer, checkpoint)
        _save(trainer, tokenizer, start, folder, told)
        del trainer
        release()
    shutil.rmtree(checkpoints, ignore_errors=True)
    return told


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest whole checkpoint; others, which a kill cut short, are deleted.

    The trainer's state is the last file written, so one that can be read means a whole one.
    """
    found: list[tuple[int, Path]] = []
    for path in folder.glob("checkpoint-*"):
        try:
            state = json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
            found.append((int(state["global_step"]), path))
        except (OSError, ValueError, KeyError, TypeError):
            shutil.rmtree(path, ignore_errors=True)
    return max(found)[1] if found else None


def _trainer(
    start: Start,
    rows: Sequence[dict[str, Any]],
    checkpoints: Path,
    settings: Preference,
    number: int,
) -> tuple[Any, Any]:
    from datasets import Dataset
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.dpo_trainer import DPOTrainer

    from globesumm.llm.tokenizers import load_tokenizer

    how, device = settings.training, device_of(settings)
    tokenizer = load_tokenizer(str(start.base))
    steps = math.ceil(len(rows) / (how.batch * how.accumulate)) * how.epochs
    arguments = DPOConfig(
        output_dir=str(checkpoints),
        beta=how.beta,
        f_divergence_type=how.divergence,
        learning_rate=how.learning_rate,
        lr_scheduler_type=how.schedule,
        warmup_steps=int(how.warmup * steps),
        per_device_train_batch_size=how.batch,
        gradient_accumulation_steps=how.accumulate,
        num_train_epochs=how.epochs,
        # Pairs that are too long were left out and counted; nothing is cut silently.
        max_length=None,
        gradient_checkpointing=how.gradient_checkpointing,
        save_strategy="steps",
        save_steps=how.checkpoint_steps,
        save_total_limit=1,
        logging_steps=10 if steps >= 50 else 1,
        logging_nan_inf_filter=False,
        bf16=_mixed(device, how),
        use_cpu=device == "cpu",
        dataloader_pin_memory=device != "cpu",
        seed=settings.seed * 1000 + number,
        report_to=[],
        push_to_hub=False,
        disable_tqdm=True,
    )
    model, extra = _models(start, how, settings.lora, device)
    try:
        trainer = DPOTrainer(
            model=model,
            args=arguments,
            train_dataset=Dataset.from_list(list(rows)),
            processing_class=tokenizer,
            **extra,
        )
    except (ValueError, TypeError, NotImplementedError) as error:
        raise UsageError(f"this cannot be trained ({excerpt(str(error), 200)})") from error
    _speak(trainer)
    return trainer, tokenizer


def _models(start: Start, how: Training, lora: Lora | None, device: str) -> tuple[Any, Any]:
    """The model to train, and what else the trainer is given: reference, or a new adapter."""
    if lora is None:
        dtype = "float32" if how.dtype == "auto" else how.dtype
        model = load_model(start.folder, device, dtype)
        return model, {"ref_model": load_model(start.reference, device, "auto")}
    from peft import LoraConfig, PeftModel

    model = load_model(start.base, device, how.dtype)
    if not is_adapter(start.folder):
        targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
        config = LoraConfig(
            r=lora.rank,
            lora_alpha=lora.alpha,
            lora_dropout=lora.dropout,
            target_modules=targets,
            task_type="CAUSAL_LM",
        )
        # Without its adapter the model is the reference.
        return model, {"peft_config": config}
    model = PeftModel.from_pretrained(model, str(start.folder), is_trainable=True)
    if start.reference == start.folder:
        # trl keeps a frozen copy of the adapter as the reference.
        return model, {}
    return model, {"ref_model": load_model(start.reference, device, how.dtype)}


def _mixed(device: str, how: Training) -> bool:
    import torch

    if device == "cpu" or how.dtype == "float16":
        return False
    return bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported())


def _speak(trainer: Any) -> None:
    """Training says its step and loss on stderr now and then, and stops at a loss of no number."""
    from transformers import PrinterCallback, TrainerCallback

    from globesumm.progress import say

    class Speaking(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, **said: Any) -> None:
            del args, control
            loss = (said.get("logs") or {}).get("loss")
            if loss is None:
                return
            if not math.isfinite(loss):
                raise UsageError(
                    f"the loss is {loss} at step {state.global_step}: lower training.learning_rate"
                )
            if state.global_step == 1 or state.global_step % 50 == 0:
                say(f"step {state.global_step} of {state.max_steps}: loss {loss:.4f}")

    trainer.remove_callback(PrinterCallback)  # results alone go to stdout
    trainer.add_callback(Speaking())


def _told(trainer: Any, checkpoint: Path | None) -> Trained:
    lines = [one for one in trainer.state.log_history if "loss" in one]
    last = lines[-10:]
    return Trained(
        steps=int(trainer.state.global_step),
        loss=sum(one["loss"] for one in last) / len(last),
        train_accuracy=lines[-1].get("rewards/accuracies"),
        resumed_from=int(checkpoint.name.rpartition("-")[2]) if checkpoint else None,
    )


def _save(trainer: Any, tokenizer: Any, start: Start, folder: Path, told: Trained) -> None:
    """The model appears under its name whole or not at all."""
    from dataclasses import asdict

    model, making = trainer.model, folder / f"{MODEL}.making"
    shutil.rmtree(making, ignore_errors=True)
    if hasattr(model, "peft_config"):
        config = model.peft_config["default"]
        config.base_model_name_or_path, config.revision = start.base_name, start.base_revision
        # The frozen copy that trl made for the reference is not part of the result.
        model.save_pretrained(
            str(making), selected_adapters=["default"], save_embedding_layers=False
        )
    else:
        model.save_pretrained(str(making))
    tokenizer.save_pretrained(str(making))
    (making / LOG).write_text(json.dumps(asdict(told)), encoding="utf-8")
    (making / "README.md").unlink(missing_ok=True)
    making.rename(folder / MODEL)
