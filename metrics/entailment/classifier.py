"""Entailment by classifiers of sentence pairs, with two, three or more labels."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from globesumm.errors import UsageError
from metrics.base import joined
from metrics.entailment.base import Entailer, Hypothesis, Verdict
from metrics.entailment.chunks import Unit, chunks
from metrics.entailment.loading import Loaded, Weights, load

_NAMES = (
    ("entailment", re.compile(r"entail|support|consistent|align|^yes$", re.IGNORECASE)),
    ("contradiction", re.compile(r"contradict|refut", re.IGNORECASE)),
)
_NEGATED = re.compile(r"\bnot\b|not[_ -]|non[_ -]|un(support|align)|in(consist)", re.IGNORECASE)

Value = Literal["entailment", "entailment-contradiction"]


class ThreeWay(Entailer):
    """A sequence classifier over (premise, hypothesis).

    The labels' meaning is read from the model's configuration; `labels` gives it where that
    names none (``{"entailment": 0, "contradiction": 2}``).  `value` ``"entailment"`` is that
    label's probability, ``"entailment-contradiction"`` the difference (SummaC's zero-shot
    score), moved from -1..1 to 0..1.  The highest over the premise's pieces counts; `unit`
    says what a piece is: sentences packed to `chunk_tokens`, single sentences or paragraphs.
    """

    def __init__(
        self,
        weights: Weights,
        *,
        languages: frozenset[str] | None = None,
        threshold: float = 0.5,
        labels: Mapping[str, int] | None = None,
        value: Value = "entailment",
        unit: Unit = "packed",
        chunk_tokens: int | None = None,
        longest: int | None = None,
        room: int = 128,
        batch_tokens: int = 16384,
        kind: str = "three-way",
    ) -> None:
        self.weights, self.languages, self.threshold = weights, languages, threshold
        self.lowest = 0.0 if value == "entailment" else -1.0
        self._given, self._value, self._unit = labels, value, unit
        self._chunk_tokens, self._longest, self._room = chunk_tokens, longest, room
        self._batch_tokens, self._kind = batch_tokens, kind

    @property
    def identity(self) -> str:
        pieces = f"chunk{self._chunk_tokens or 'max'}" if self._unit == "packed" else self._unit
        value = "" if self._value == "entailment" else "/e-c"
        return f"{self._kind}/{self.weights.label}/{pieces}{value}"

    @property
    def requires(self) -> tuple[str, ...]:
        return ("torch", "transformers", f"model {self.weights.model}")

    @property
    def longest(self) -> int:
        """Tokens of the longest input."""
        if self._longest:
            return self._longest
        stated = getattr(self._loaded.model.config, "max_position_embeddings", None) or 512
        # RoBERTa's positions begin at 2, so that 514 stated positions hold 512 tokens.
        stated -= 2 if self._loaded.model.config.model_type in {"roberta", "xlm-roberta"} else 0
        return int(min(stated, self._loaded.tokenizer.model_max_length, 8192))

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """Probabilities (or differences of two) of each hypothesis."""
        special = int(self._loaded.tokenizer.num_special_tokens_to_add(pair=True))
        budget = self.longest - special - self._room
        if budget < 1:
            raise UsageError(
                f"{self.weights.model} reads {self.longest} tokens, which leaves no room for a "
                f"premise beside {self._room} for the hypothesis: "
                "take a model that reads more"
            )
        budget = min(budget, self._chunk_tokens or budget)
        pieces = chunks(premise, language, budget, lambda t: len(self._encoded(t)), self._unit)
        premises = [self._encoded(text) for text in pieces.texts]
        most = self.longest - special - max(map(len, premises))
        verdicts = []
        for hypothesis in hypotheses:
            asked = self._encoded(hypothesis.text)
            if len(asked) > most:
                reason = f"the hypothesis has {len(asked)} tokens, and there is room for {most}"
                verdicts.append(Verdict.unjudged(reason))
                continue
            values = self._values([self._paired(one, asked) for one in premises])
            verdicts.append(
                Verdict(value=max(values), chunks=len(values), note=joined(pieces.note))
            )
        return verdicts

    @cached_property
    def _loaded(self) -> Loaded:
        return load(self.weights, "AutoModelForSequenceClassification")

    @cached_property
    def _labels(self) -> tuple[int, int | None]:
        """Places of entailment and (None where there is none) contradiction."""
        names: dict[int, str] = {
            int(place): str(name) for place, name in self._loaded.model.config.id2label.items()
        }
        if len(names) < 2:
            raise UsageError(
                f"{self.weights.model} gives one number, not labels: it is a regression and "
                "says nothing of entailment"
            )
        found = dict(self._given or {})
        for meaning, pattern in _NAMES:
            fitting = [p for p, n in names.items() if pattern.search(n) and not _NEGATED.search(n)]
            if meaning not in found and len(fitting) == 1:
                found[meaning] = fitting[0]
        if "entailment" not in found or any(place not in names for place in found.values()):
            raise UsageError(
                f"the labels of {self.weights.model} are {', '.join(names.values())}: say which "
                "of 0, 1, … means what, as in labels = {entailment = 0, contradiction = 2}"
            )
        if self._value != "entailment" and "contradiction" not in found:
            raise UsageError(
                f"{self.weights.model} has no label for contradiction: take a model that has three"
            )
        return found["entailment"], found.get("contradiction")

    def _encoded(self, text: str) -> Any:
        return self._loaded.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)

    def _paired(self, premise: Any, hypothesis: Any) -> Any:
        """Both sides with the model's own marks; each was tokenized once."""
        return self._loaded.tokenizer.backend_tokenizer.post_process(premise, hypothesis)

    def _values(self, inputs: Sequence[Any]) -> list[float]:
        if self._loaded.device == "cpu":
            return [value for one in inputs for value in self._pass([one])]
        values: list[float] = []
        rows = max(1, self._batch_tokens // max(len(one) for one in inputs))
        for first in range(0, len(inputs), rows):
            values += self._pass(inputs[first : first + rows])
        return values

    def _pass(self, batch: Sequence[Any]) -> list[float]:
        import torch

        width = max(len(one) for one in batch)
        padding = self._loaded.tokenizer.pad_token_id or 0
        ids = torch.full((len(batch), width), padding, dtype=torch.long)
        mask = torch.zeros_like(ids)
        types = torch.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one)] = torch.tensor(one.ids)
            mask[row, : len(one)] = 1
            types[row, : len(one)] = torch.tensor(one.type_ids)
        given = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._loaded.tokenizer.model_input_names:
            given["token_type_ids"] = types
        with torch.inference_mode():
            held = {name: tensor.to(self._loaded.device) for name, tensor in given.items()}
            shares = torch.softmax(self._loaded.model(**held).logits.float(), dim=-1)
        entailment, contradiction = self._labels
        values = shares[:, entailment]
        if self._value == "entailment-contradiction":
            values = (values - shares[:, contradiction] + 1) / 2
        return [float(value) for value in values]
