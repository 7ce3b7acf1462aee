"""Models for entailment from a folder or the local cache, in a stated precision.

The hub is asked only where the caller says ``download=True``.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.pretrained import opened, opened_weights, why

Precision = Literal["fp32", "bf16", "fp16", "int8"]
PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "fp16", "int8")
"""``int8``: linear layers quantized dynamically, CPU only; ``fp16``: GPU only."""

_SAMPLE = 1 << 20
"""Bytes read from both ends of a weights file for the digest of a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Where a model lies and how it is run.

    `model` is its name in signatures and, without `path`, a folder or a name on the Hugging
    Face hub, there with its `revision`; `path` is a folder with a copy.  `device` None takes a GPU
    where there is one.
    """

    model: str
    path: str | None = None
    precision: Precision = "fp32"
    device: str | None = None
    download: bool = False
    revision: str | None = None

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise UsageError(f"precision {self.precision!r}: choose one of {', '.join(PRECISIONS)}")

    @property
    def place(self) -> str:
        return self.path or self.model

    @property
    def label(self) -> str:
        """Model, digest (of a folder) or revision, and precision, as signatures show them."""
        folder = Path(self.place)
        if not folder.is_dir():
            stated = f"@{self.revision}" if self.revision else ""
            return f"{self.model}{stated}@{self.precision}"
        name = self.model if self.path else folder.resolve().name
        return f"{name}#{_digest(str(folder.resolve()))}@{self.precision}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to run, its tokenizer, and where it runs."""

    model: Any
    tokenizer: Any
    device: str


@lru_cache(maxsize=2)
def load(weights: Weights, kind: str) -> Loaded:
    """The model that `weights` names, through the class ``transformers.<kind>``.

    Raises `MissingPackage`, and `UsageError` in one line for whatever else keeps it from
    loading.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingPackage(
            error.name or "transformers", "an entailment model", "models"
        ) from error
    if weights.path and not Path(weights.path).is_dir():
        raise UsageError(
            f"no folder {weights.path} with the model {weights.model!r}: correct the path"
        )
    device = weights.device or ("cuda" if torch.cuda.is_available() else "cpu")
    _check_precision(weights.precision, device)
    try:
        with _quiet(transformers):
            local = not weights.download or Path(weights.place).is_dir()
            asked: dict[str, Any] = {"revision": weights.revision, "local_files_only": local}
            tokenizer = opened(transformers.AutoTokenizer, weights.place, **asked)
            model = opened_weights(getattr(transformers, kind), weights.place, **asked)
    except Exception as error:
        # Broken and hostile files raise anything.
        raise UsageError(
            f"the entailment model {weights.model!r} cannot be loaded from {weights.place}: "
            f"{why(error, 160)}; give a folder that holds it, or allow the download"
        ) from error
    return Loaded(_in_precision(model.eval(), weights.precision, device), tokenizer, device)


def _check_precision(precision: Precision, device: str) -> None:
    on_cpu = device.startswith("cpu")
    if (precision == "int8" and not on_cpu) or (precision == "fp16" and on_cpu):
        better = "fp32, bf16 or int8" if on_cpu else "fp32, bf16 or fp16"
        raise UsageError(f"precision {precision} does not run on {device}: choose {better}")


def _in_precision(model: Any, precision: Precision, device: str) -> Any:
    import torch

    if precision == "int8":
        with warnings.catch_warnings():
            # torch announces the removal of this function; the pinned range still has it.
            warnings.simplefilter("ignore")
            quantize: Any = torch.ao.quantization.quantize_dynamic
            return quantize(model.float(), {torch.nn.Linear}, dtype=torch.qint8)
    kinds = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    return model.to(device=device, dtype=kinds[precision])


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without transformers' progress bar, which would write into our progress lines."""
    logging = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@lru_cache(maxsize=32)
def _digest(folder: str) -> str:
    """Eight digits that change with the model: every file's name and size, and its ends."""
    found = sha256()
    for path in sorted(Path(folder).iterdir()):
        if not path.is_file():
            continue
        size = path.stat().st_size
        found.update(f"{path.name}\0{size}\0".encode(errors="surrogateescape"))
        with path.open("rb") as file:
            found.update(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            found.update(file.read(_SAMPLE))
    return found.hexdigest()[:8]
