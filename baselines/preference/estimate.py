"""What a run takes, before it begins: calls, memory and time, by formulas that are stated here.

With P weights, T of them trained (all, or the adapter's), b bytes a weight, B pairs a batch, S
tokens of prompt and answer, A of them of the answer, L layers of width h:

- weights: b·P for the model; without an adapter b·P again for the reference, and the same with
  ``reference = "base"`` from the second round on; 4 bytes for each trained weight of an adapter;
- gradients and Adam: 12 bytes for each trained weight;
- activations: 2·B·S tokens are in flight (chosen and rejected); with gradient checkpointing each
  keeps h numbers a layer and one layer's own (16·h + 4·i, i the width inside), without it
  every layer keeps those; 2 bytes each under bfloat16;
- while drawing: b·P and a cache of 2·L·k·d numbers a token (k key heads of width d).

Training takes 2·P operations a token forward, as many for the reference, 4·P backward (2·P with
an adapter, which needs no gradients of the other weights) and 2·P more with gradient
checkpointing; attention's own S² share is left out (under 5 % below 8,000 tokens at h = 4,096).
Drawing reads b·P bytes a token of each batch, and takes 2·P operations a token of its prompts.
Operations run at `utilisation` of `tflops`, reading at 60 % of `bandwidth`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from baselines.preference.settings import Lora, Preference

_READ = 0.6
_GIB = 2**30
_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What the estimate starts from: sides, tokens of a prompt and an answer, pairs of a side."""

    train_sides: int
    test_sides: int
    prompt_tokens: float
    answer_tokens: float
    longest_tokens: int
    pairs_a_side: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Parts of the memory in bytes, hours by what they are spent on, and calls by who answers."""

    parameters: int
    trained: int
    memory: Mapping[str, float]
    hours: Mapping[str, float]
    calls: Mapping[str, int]
    steps_a_round: int

    @property
    def gib(self) -> float:
        """The most memory that the device needs at once, in GiB, a tenth on top for the rest."""
        return 1.1 * sum(self.memory.values()) / _GIB


def trained_parameters(facts: Mapping[str, int], lora: Lora | None) -> int:
    """How many weights are trained: all, or rank · (in + out) for each layer that is adapted."""
    if lora is None:
        return facts["parameters"]
    hidden, inside = facts["hidden"], facts["intermediate"]
    queries, keys = facts["heads"] * facts["head"], facts["key_heads"] * facts["head"]
    sizes = {
        "q_proj": hidden + queries,
        "k_proj": hidden + keys,
        "v_proj": hidden + keys,
        "o_proj": queries + hidden,
        "gate_proj": hidden + inside,
        "up_proj": hidden + inside,
        "down_proj": inside + hidden,
    }
    named = sizes if isinstance(lora.targets, str) else lora.targets
    return lora.rank * facts["layers"] * sum(sizes.get(one, hidden + inside) for one in named)


def pairs_a_side(settings: Preference) -> int:
    """The most pairs that one side makes."""
    n, k = settings.drafts.n, settings.pairs.k
    return {
        "best-worst": 1,
        "best-all": n - 1,
        "all": n * (n - 1) // 2,
        "top-bottom": min(k, n // 2) ** 2,
    }[settings.pairs.rule]


def estimate(
    settings: Preference, facts: Mapping[str, int], sizes: Sizes, *, stored: str, asked: int
) -> Estimate:
    """Of a whole run.

    `facts` are `training.parameters_of` the base model, `stored` the number type of its files,
    `asked` how many proxies ask a judge.
    """
    how, lora, machine = settings.training, settings.lora, settings.machine
    weights, trained = facts["parameters"], trained_parameters(facts, lora)
    whole = "float32" if lora is None else stored
    each = _BYTES.get(whole if how.dtype == "auto" else how.dtype, 4)
    second = lora is None or (settings.reference == "base" and settings.rounds > 1)
    tokens = 2 * how.batch * sizes.longest_tokens
    inside = 16 * facts["hidden"] + 4 * facts["intermediate"]
    kept = facts["layers"] * facts["hidden"] + inside
    if not how.gradient_checkpointing:
        kept = facts["layers"] * inside
    memory = {
        "weights": each * weights,
        "reference": (_BYTES.get(stored, 4) if lora is None else each) * weights if second else 0,
        "adapter": 0 if lora is None else 4 * trained,
        "gradients and Adam": 12 * trained,
        "activations": 2 * tokens * kept,
    }
    drafts = settings.drafts.n
    sides = settings.rounds * sizes.train_sides
    tests = sizes.test_sides * (1 + settings.rounds * settings.score_held_out)
    calls = {
        "drafts": drafts * (sides + tests),
        "ratings, at most": asked * drafts * (sides + tests),
    }
    pairs = sizes.train_sides * sizes.pairs_a_side
    length = sizes.prompt_tokens + sizes.answer_tokens
    forward = 2 * weights
    work = forward * (2 + how.gradient_checkpointing) + (2 if lora else 4) * weights
    rate = machine.tflops * 1e12 * machine.utilisation
    training = settings.rounds * how.epochs * pairs * 2 * length * work / rate
    reading = _BYTES.get(stored, 4) * weights / (machine.bandwidth * 1e9 * _READ)
    batches = math.ceil(calls["drafts"] / settings.batch)
    drawing = batches * sizes.answer_tokens * reading
    drawing += calls["drafts"] * sizes.prompt_tokens * forward / rate
    held = (settings.rounds + 1) * sizes.test_sides * sizes.pairs_a_side * 2 * length
    return Estimate(
        parameters=weights,
        trained=trained,
        memory=memory,
        hours={
            "drawing": drawing / 3600,
            "training": training / 3600,
            "held-out pairs": held * forward / rate / 3600,
        },
        calls=calls,
        steps_a_round=math.ceil(pairs / (how.batch * how.accumulate) * how.epochs),
    )
