"""What a preference run does, as a TOML file says it."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from globesumm.config import Drafts
from globesumm.config.files import read_toml
from globesumm.config.keys import check_keys
from globesumm.records import from_plain

PairRule = Literal["best-worst", "best-all", "all", "top-bottom"]
Divergence = Literal["reverse_kl", "forward_kl", "js_divergence", "alpha_divergence"]
DrawFrom = Literal["tuned", "base"]
Reference = Literal["previous", "base"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What is asked of the writer; see `baselines.perspectives.tasks.Setting`."""

    shown: Literal["both", "own"] = "both"
    length: Literal["sentence", "paragraph"] = "sentence"
    target: str = "en"
    max_words: int | None = None
    max_tokens: int = 256

    def __post_init__(self) -> None:
        _at_least("max_tokens", self.max_tokens, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSettings:
    """Which drafts of one side make pairs (`baselines.preference.pairs.RULES`).

    `k` is for ``top-bottom``.  Two drafts make a pair only where their joint values differ by
    more than `margin` (0 to 1; proxies are joined to values from 0 to 1).
    """

    rule: PairRule = "best-worst"
    k: int = 3
    margin: float = 0.0

    def __post_init__(self) -> None:
        _at_least("k", self.k, 1)
        if not 0 <= self.margin < 1:
            raise ValueError(f"margin is {self.margin}: give a number from 0 to below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """How one round trains; the defaults are the paper's (appendix A).

    `beta` weighs staying near the reference, `divergence` is what from it is measured by, `batch`
    is in pairs.  Sequences of more than `max_tokens` (None: the model's window) make no pair.  A
    checkpoint is written every `checkpoint_steps` optimizer steps.  `gradient_checkpointing`
    computes activations twice instead of keeping them.
    """

    beta: float = 0.1
    learning_rate: float = 5e-5
    divergence: Divergence = "reverse_kl"
    batch: int = 4
    accumulate: int = 1
    epochs: float = 1.0
    schedule: Literal["linear", "constant", "cosine"] = "linear"
    warmup: float = 0.0
    max_tokens: int | None = None
    checkpoint_steps: int = 100
    gradient_checkpointing: bool = True
    dtype: Dtype = "auto"

    def __post_init__(self) -> None:
        for name in ("beta", "learning_rate", "epochs"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}: give a number above 0")
        for name in ("batch", "accumulate", "checkpoint_steps"):
            _at_least(name, getattr(self, name), 1)
        if self.max_tokens is not None:
            _at_least("max_tokens", self.max_tokens, 2)
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup is {self.warmup}: give a share of the steps below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lora:
    """An adapter in the place of all weights (LoRA, Hu et al., 2022).

    `targets` are names of linear layers, or ``all-linear``.
    """

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: str | tuple[str, ...] = "all-linear"

    def __post_init__(self) -> None:
        _at_least("rank", self.rank, 1)
        _at_least("alpha", self.alpha, 1)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is {self.dropout}: give a share below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeModel:
    """Who rates drafts where a proxy asks a model; as a row of ``[[models]]``."""

    model: str
    base_url: str | None = None
    key_variable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the run is estimated for: one device.

    `memory_gib` it has, `tflops` of dense arithmetic a second, `bandwidth` in GB/s, and the share
    of the arithmetic that training reaches (`utilisation`).
    """

    name: str = "NVIDIA H100 80GB"
    memory_gib: float = 80.0
    tflops: float = 989.0
    bandwidth: float = 3350.0
    utilisation: float = 0.35
    devices: int = 1

    def __post_init__(self) -> None:
        for name in ("memory_gib", "tflops", "bandwidth", "utilisation"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}: give a number above 0")
        if self.utilisation > 1:
            raise ValueError(f"utilisation is {self.utilisation}: give a share up to 1")
        _at_least("devices", self.devices, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A whole preference run.

    `train` and `test` are sources of topics, as ``globesumm perspective`` takes them (`layout`,
    `by` and `least` are its options).  Without `test`, `held_out` topics of `train` are set apart
    by `seed`; topics that share a report stay together.  `model` is a folder or a hub name with
    its `revision`; the hub is asked only with `download`.

    Each of `rounds` draws from what the round before made (`draw_from`), holds what it trains
    near that (`reference`), and takes `drafts` as ``[drafts]`` says; `judge` rates them where a
    proxy asks a model.  `batch` answers are drawn together.  `score_held_out` draws and scores
    drafts of the test sides after each round too.  `final` are the methods by which the last
    model summarizes the test sides.
    """

    train: tuple[str, ...]
    model: str
    test: tuple[str, ...] = ()
    held_out: int | None = None
    layout: str | None = None
    by: str | None = None
    least: int = 2
    revision: str | None = None
    download: bool = False
    rounds: int = 10
    draw_from: DrawFrom = "tuned"
    reference: Reference = "previous"
    seed: int = 0
    device: str | None = None
    batch: int = 1
    prompts: str | None = None
    score_held_out: bool = True
    final: tuple[str, ...] = ("zero-shot", "rerank")
    near: float = 0.8
    writing: Writing = field(default_factory=Writing)
    drafts: Drafts = field(default_factory=Drafts)
    judge: JudgeModel | None = None
    pairs: PairSettings = field(default_factory=PairSettings)
    training: Training = field(default_factory=Training)
    lora: Lora | None = None
    machine: Machine = field(default_factory=Machine)

    def __post_init__(self) -> None:
        if not self.train:
            raise ValueError("train is empty: name files of topics, or samples")
        if not self.model.strip():
            raise ValueError("model is empty: name a folder, or a hub name")
        if bool(self.test) == (self.held_out is not None):
            raise ValueError(
                "say what is held out: either test, with sources of its own, or held_out, the "
                "number of topics of train that are set apart"
            )
        if self.held_out is not None:
            _at_least("held_out", self.held_out, 1)
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"rounds is {self.rounds}: give a number from 1 to {MOST_ROUNDS}")
        _at_least("batch", self.batch, 1)
        _at_least("least", self.least, 1)
        if not 0.5 <= self.near <= 1:
            raise ValueError(f"near is {self.near}: give a share from 0.5 to 1")
        if self.drafts.n < 2:
            raise ValueError("drafts.n is 1: one draft makes no pair; give 2 or more")
        if self.drafts.temperature == 0:
            raise ValueError("drafts.temperature is 0: every draft would be the same")
        if self.drafts.judge:
            raise ValueError("drafts.judge names a row of an experiment: use [judge] here")
        if self.pairs.margin and self.drafts.joint == "lexicographic":
            raise ValueError(
                'pairs.margin needs one number a draft, and joint = "lexicographic" makes none'
            )


def shipped() -> dict[str, Path]:
    """The runs that come with the package, by name."""
    folder = Path(__file__).resolve().parents[2] / "configs" / "preference"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(name_or_path: str) -> tuple[Preference, Path]:
    """The run of a file, or of a config that comes with the package, and the file's folder.

    Raises as `globesumm.config.files.load` does.
    """
    path, content = read_toml(name_or_path, shipped())
    check_keys(Preference, content, str(path))
    return from_plain(Preference, content, str(path)), path.parent


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} is {value}: give a whole number from {least} up")
