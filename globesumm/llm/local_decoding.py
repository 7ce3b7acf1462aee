"""Generating several answers at once so that each is what it would be alone."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from globesumm.llm.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One answer as it was drawn; `finish` is ``stop``, ``length``, or ``time``."""

    text: str
    tokens: int
    finish: str


def generate(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[list[int]],
    requests: Sequence[Request],
    *,
    limits: Sequence[int],
    deadline: float,
) -> list[Drawn]:
    """Answers to tokenized `prompts`, at most `limits` tokens each, until `deadline`.

    Prompts are padded on the left and the padding is masked.  Sampling adds Gumbel noise to the
    logits and takes the best (equal to drawing from the softmax), with a generator for each row,
    so that a row's draw does not depend on its neighbours.  Nothing else of the model's own
    generation settings is used but its end tokens.
    """
    import torch
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    width = max(len(prompt) for prompt in prompts)
    ends = _end_tokens(model, tokenizer)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else (ends or [0])[0]
    rows = [[pad] * (width - len(p)) + list(p) for p in prompts]
    mask = [[0] * (width - len(p)) + [1] * len(p) for p in prompts]
    stops = [request.decoding.stop for request in requests]
    rules = _EndRules(tokenizer, frozenset(ends))
    stopping = _RowsDone(rules, stops, limits, width=width, deadline=deadline)
    with torch.inference_mode():
        output = model.generate(
            input_ids=torch.tensor(rows, device=model.device),
            attention_mask=torch.tensor(mask, device=model.device),
            generation_config=GenerationConfig(  # type: ignore[no-untyped-call]
                max_new_tokens=max(limits),
                do_sample=False,
                eos_token_id=ends or None,
                pad_token_id=pad,
            ),
            logits_processor=LogitsProcessorList([_RowSampling(requests)]),
            stopping_criteria=StoppingCriteriaList([stopping]),
        )
    return [stopping.drawn(index, output[index, width:].tolist()) for index in range(len(rows))]


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    found = model.generation_config.eos_token_id
    ends = found if isinstance(found, list) else [found]
    return sorted({token for token in [*ends, tokenizer.eos_token_id] if token is not None})


class _RowSampling:
    """Makes the best logit of each row the token that its own settings and seed draw."""

    def __init__(self, requests: Sequence[Request]) -> None:
        import torch

        self._rows = []
        for request in requests:
            generator = torch.Generator("cpu")
            seed = request.seed
            _ = generator.seed() if seed is None else generator.manual_seed(seed)
            wanted = request.decoding.temperature
            self._rows.append(
                (1.0 if wanted is None else wanted, request.decoding.top_p, generator)
            )

    def __call__(self, _input_ids: Any, scores: Any) -> Any:
        import torch

        drawn = scores.float().clone()
        for index, (temperature, top_p, generator) in enumerate(self._rows):
            if temperature == 0:
                continue
            row = drawn[index] / temperature
            if top_p is not None and top_p < 1:
                ordered, places = row.sort(descending=True)
                before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
                row[places[before >= top_p]] = -torch.inf
            uniform = torch.rand(row.shape, generator=generator, dtype=torch.float64)
            noise = -torch.log(-torch.log(uniform.clamp_min(1e-300)))
            drawn[index] = row + noise.to(row.device, row.dtype)
        return drawn


@dataclass(frozen=True, slots=True)
class _EndRules:
    """When an answer has ended: at an end token, a stop string, or its limit."""

    tokenizer: Any
    ends: frozenset[int]

    def text(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def finish(self, tokens: list[int], stops: Sequence[str], limit: int) -> str:
        tokens = tokens[:limit]
        if not self.ends.isdisjoint(tokens):
            return "stop"
        if stops and any(stop in self.text(tokens) for stop in stops):
            return "stop"
        return "length" if len(tokens) >= limit else "time"


class _RowsDone:
    """Says row by row whether an answer has ended, and how."""

    def __init__(
        self,
        rules: _EndRules,
        stops: Sequence[Sequence[str]],
        limits: Sequence[int],
        *,
        width: int,
        deadline: float,
    ) -> None:
        self._rules, self._stops, self._limits = rules, stops, limits
        self._width, self._deadline = width, deadline

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        import torch

        late = time.monotonic() > self._deadline
        rows = input_ids[:, self._width :].tolist()
        done = [late or self._finish(index, row) != "time" for index, row in enumerate(rows)]
        return torch.tensor(done, dtype=torch.bool, device=input_ids.device)

    def drawn(self, index: int, tokens: list[int]) -> Drawn:
        """What row `index` says, without the padding after its end."""
        finish = self._finish(index, tokens)
        tokens = tokens[: self._limits[index]]
        end = next((n for n, token in enumerate(tokens) if token in self._rules.ends), None)
        text = self._rules.text(tokens[:end])
        cuts = [place for stop in self._stops[index] if (place := text.find(stop)) >= 0]
        if cuts:
            # A row that stopped early was padded while its neighbours went on.
            end = self._first_with_stop(index, tokens)
        used = len(tokens) if end is None else end + 1
        return Drawn(text=text[: min(cuts)] if cuts else text, tokens=used, finish=finish)

    def _first_with_stop(self, index: int, tokens: list[int]) -> int:
        """The place of the token that completed the first stop string."""
        for place in range(len(tokens)):
            text = self._rules.text(tokens[: place + 1])
            if any(stop in text for stop in self._stops[index]):
                return place
        return len(tokens) - 1

    def _finish(self, index: int, tokens: list[int]) -> str:
        return self._rules.finish(tokens, self._stops[index], self._limits[index])
