"""Pairs as token sequences, as training and serving see them, and how likely a model finds them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from baselines.preference.pairs import Pair
from globesumm.llm.request import Message
from globesumm.llm.tokenizers import has_chat_template, prompt_text

LIKELIHOOD_BATCH = 8


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of a prompt and of one answer to it, the token that ends it included."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer)


def row(tokenizer: Any, messages: Sequence[Message], pair: Pair) -> dict[str, Any]:
    """The pair as a row of trl's preference data.

    Conversational where the tokenizer has a chat template, so that the template alone puts in
    the tokens around the answer; else the prompt as text, which is what serving continues.
    """
    if has_chat_template(tokenizer):
        return {
            "prompt": [{"role": one.role, "content": one.content} for one in messages],
            "chosen": [{"role": "assistant", "content": pair.chosen}],
            "rejected": [{"role": "assistant", "content": pair.rejected}],
        }
    return {
        "prompt": prompt_text(tokenizer, messages),
        "chosen": f" {pair.chosen}",
        "rejected": f" {pair.rejected}",
    }


def tokens(tokenizer: Any, held: dict[str, Any], which: str) -> Tokens:
    """The tokens of ``chosen`` or ``rejected`` of a `row`, as trl makes them of it.

    The answer begins where the prompt alone and the prompt with the answer part.
    """
    if isinstance(held["prompt"], str):
        end = tokenizer.eos_token or ""
        answer = held[which] if held[which].endswith(end) else held[which] + end
        alone = list(tokenizer(held["prompt"])["input_ids"])
        whole = list(tokenizer(held["prompt"] + answer)["input_ids"])
    else:
        alone = _templated(tokenizer, held["prompt"], prompt=True)
        whole = _templated(tokenizer, held["prompt"] + held[which], prompt=False)
    shared = 0
    for one, other in zip(alone, whole, strict=False):
        if one != other:
            break
        shared += 1
    return Tokens(prompt=tuple(whole[:shared]), answer=tuple(whole[shared:]))


def _templated(tokenizer: Any, turns: list[dict[str, str]], *, prompt: bool) -> list[int]:
    text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=prompt)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracy:
    """How often a model prefers the chosen answer of a pair over the rejected one.

    Shares of `pairs`, 0 to 1, higher is better, ties half; None where there is no pair, and then
    `reason` says so:

    - `rewarded`: the log-probability of the chosen answer rose more against the base model than
      that of the rejected one, which is the reward that DPO trains (Rafailov et al., 2023,
      section 5); 0.5 for the base model itself, for which nothing rose;
    - `likelier`: the chosen answer is likelier, log-probabilities summed over its tokens, which
      favours short answers;
    - `likelier_a_token`: the same with the mean over tokens.

    `margin` is the mean over pairs of how much more the chosen one rose, in nats.
    """

    pairs: int
    rewarded: float | None = None
    likelier: float | None = None
    likelier_a_token: float | None = None
    margin: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """Log-probabilities of one pair's answers under a model, in nats, and their lengths."""

    chosen: float
    rejected: float
    chosen_tokens: int
    rejected_tokens: int

    @property
    def apart(self) -> float:
        """By how much the chosen answer is likelier."""
        return self.chosen - self.rejected

    @property
    def apart_a_token(self) -> float:
        """The same, of means over tokens."""
        return self.chosen / self.chosen_tokens - self.rejected / self.rejected_tokens


def accuracy(found: Sequence[Likelihood], base: Sequence[Likelihood]) -> PairAccuracy:
    """Of a model that finds the pairs as `found`; `base` is how the base model finds the same."""
    if not found:
        return PairAccuracy(pairs=0, reason="there is no held-out pair")
    rose = [now.apart - then.apart for now, then in zip(found, base, strict=True)]
    return PairAccuracy(
        pairs=len(found),
        rewarded=_share(rose),
        likelier=_share([one.apart for one in found]),
        likelier_a_token=_share([one.apart_a_token for one in found]),
        margin=sum(rose) / len(rose),
    )


def _share(differences: Sequence[float]) -> float:
    points = (1.0 if one > 0 else 0.5 if one == 0 else 0.0 for one in differences)
    return sum(points) / len(differences)


def likelihoods(
    model: Any, chosen: Sequence[Tokens], rejected: Sequence[Tokens]
) -> list[Likelihood]:
    """How likely `model` finds both answers of each pair."""
    both = [one for pair in zip(chosen, rejected, strict=True) for one in pair]
    found = log_likelihoods(model, both)
    return [
        Likelihood(
            chosen=found[2 * at],
            rejected=found[2 * at + 1],
            chosen_tokens=len(chosen[at].answer),
            rejected_tokens=len(rejected[at].answer),
        )
        for at in range(len(chosen))
    ]


def log_likelihoods(model: Any, sequences: Sequence[Tokens]) -> list[float]:
    """The log-probability, in nats, of each answer after its prompt, summed over its tokens."""
    found = []
    for start in range(0, len(sequences), LIKELIHOOD_BATCH):
        found += list(_batch(model, sequences[start : start + LIKELIHOOD_BATCH]))
    return found


def _batch(model: Any, sequences: Sequence[Tokens]) -> Iterator[float]:
    import torch

    width = max(map(len, sequences))
    ids = [[*one.prompt, *one.answer, *[0] * (width - len(one))] for one in sequences]
    mask = [[1] * len(one) + [0] * (width - len(one)) for one in sequences]
    # Only the places that speak of answers are kept: a vocabulary's width of numbers for each.
    kept = width - min(len(one.prompt) for one in sequences) + 1
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor(ids, device=model.device),
            attention_mask=torch.tensor(mask, device=model.device),
            logits_to_keep=min(kept, width),
        ).logits
    first = width - logits.shape[1]
    for at, one in enumerate(sequences):
        begin = len(one.prompt) - 1 - first
        here = logits[at, begin : begin + len(one.answer)].double().log_softmax(-1)
        wanted = torch.tensor(one.answer, device=here.device)[:, None]
        yield float(here.gather(1, wanted).sum())
