"""Entailment by encoder-decoder models that write a label: TRUE, MiniCheck and their like.

Only the first step of the decoder that tells the labels apart is computed; the value is the
share of the positive label among the two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from globesumm.errors import UsageError
from globesumm.finite import counted
from metrics.base import joined
from metrics.entailment.base import Entailer, Hypothesis, Pair, Verdict
from metrics.entailment.chunks import Chunks, chunks
from metrics.entailment.loading import Loaded, Weights, load

PREMISE, HYPOTHESIS, END = "{premise}", "{hypothesis}", "{end}"

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a family of models is asked.

    `template` holds ``{premise}`` and ``{hypothesis}`` once each, and ``{end}`` where the
    tokenizer's end mark stands inside the input.  `positive` and `negative` are the texts the
    model writes.  `longest` is the most input tokens it was made for, `chunk_tokens` the
    length of a piece of the premise (None: what `longest` leaves), and `room` what is kept
    free for the hypothesis.
    """

    name: str
    template: str
    positive: str
    negative: str
    longest: int = 512
    chunk_tokens: int | None = None
    room: int = 128


TRUE = Form(
    name="true-t5",
    template="premise: {premise} hypothesis: {hypothesis}",
    positive="1",
    negative="0",
)
"""Honovich et al. (2022), 5.2: the model that GlobeSumm's NIC and bias study use."""

MINICHECK = Form(
    name="minicheck-t5",
    template="predict: {premise}{end}{hypothesis}",
    positive="1",
    negative="0",
    longest=2048,
    chunk_tokens=400,
)
"""Tang et al. (2024): Flan-T5 over pieces of about 400 tokens."""

UNIEVAL = Form(
    name="unieval-consistency",
    template="question: Is this claim consistent with the document? {end} "
    "claim: {hypothesis} {end} document: {premise}",
    positive="Yes",
    negative="No",
    longest=1024,
)
"""Zhong et al. (2022), the dimension consistency."""

FORMS = {form.name: form for form in (TRUE, MINICHECK, UNIEVAL)}


class TextToText(Entailer):
    """A model of `form` that writes one of two labels.

    The value is a probability: softmax over the two labels' first differing tokens (MiniCheck's
    rule, for T5 the ids 3 and 209), highest over the pieces of the premise.  Where the model
    would write neither label for any piece, there is no value, since it does not do the task.
    A premise's pieces are tokenized once for all its hypotheses.  `batch_tokens` bounds one
    pass through the model on a GPU; a CPU takes pairs one by one, which is faster there.
    """

    def __init__(
        self,
        form: Form,
        weights: Weights,
        *,
        languages: frozenset[str] | None = None,
        threshold: float = 0.5,
        batch_tokens: int = 16384,
    ) -> None:
        self.form, self.weights = form, weights
        self.languages, self.threshold = languages, threshold
        self._batch_tokens = batch_tokens

    @property
    def identity(self) -> str:
        budget = self.form.chunk_tokens or f"max{self.form.longest}"
        return f"{self.form.name}/{self.weights.label}/chunk{budget}"

    @property
    def requires(self) -> tuple[str, ...]:
        return ("torch", "transformers", f"model {self.weights.model}")

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """Probabilities of the positive label."""
        pieces, fixed = self._pieces(premise, language)
        premises = [self._ids(text) for text in pieces.texts]
        asked = [self._ids(hypothesis.text) for hypothesis in hypotheses]
        most = self.form.longest - fixed - max(map(len, premises))
        verdicts: list[Verdict | None] = [
            None
            if len(ids) <= most
            else Verdict.unjudged(
                f"the hypothesis has {len(ids)} tokens, and {self.form.name} has room for {most}"
            )
            for ids in asked
        ]
        fitting = [place for place, verdict in enumerate(verdicts) if verdict is None]
        rows = [(place, premise_ids) for place in fitting for premise_ids in premises]
        inputs = [self._input(ids, asked[place]) for place, ids in rows]
        steps = list(self._steps(inputs))
        for place in fitting:
            mine = [step for (owner, _), step in zip(rows, steps, strict=True) if owner == place]
            verdicts[place] = self._verdict(mine, pieces.note)
        return [verdict for verdict in verdicts if verdict]

    def written(self, pairs: Sequence[Pair], most_tokens: int = 8) -> list[str]:
        """What the model writes for each pair when it decodes freely, to check the first step.

        TRUE's rule is that a hypothesis is entailed if this text is ``"1"``.  The premise must
        fit into one piece.
        """
        import torch

        texts = []
        for pair in pairs:
            ids = self._input(self._ids(pair.premise), self._ids(pair.hypothesis))
            with torch.inference_mode():
                out = self._loaded.model.generate(
                    torch.tensor([ids], device=self._loaded.device),
                    max_new_tokens=most_tokens,
                    do_sample=False,
                    num_beams=1,
                )
            texts.append(str(self._loaded.tokenizer.decode(out[0], skip_special_tokens=True)))
        return [text.strip() for text in texts]

    def _verdict(self, steps: Sequence[tuple[float, bool]], note: str | None) -> Verdict:
        """The highest probability over the pieces in which the model wrote a label."""
        labelled = [value for value, is_label in steps if is_label]
        if not labelled:
            return Verdict(
                value=None,
                chunks=len(steps),
                reason=f"the model writes neither {self.form.positive!r} nor "
                f"{self.form.negative!r}: it does not do this task",
            )
        other = len(steps) - len(labelled)
        said = f"no label for {other} of {counted(len(steps), 'piece')}" if other else None
        return Verdict(value=max(labelled), chunks=len(steps), note=joined(note, said))

    @cached_property
    def _loaded(self) -> Loaded:
        return load(self.weights, "AutoModelForSeq2SeqLM")

    @cached_property
    def _labels(self) -> tuple[Ids, int, int]:
        """Tokens that both labels begin with, then the token of each that differs."""
        end = self._loaded.tokenizer.eos_token_id
        yes, no = ((*self._ids(t), end) for t in (self.form.positive, self.form.negative))
        shared = 0
        while shared < min(len(yes), len(no)) and yes[shared] == no[shared]:
            shared += 1
        if shared == min(len(yes), len(no)):
            raise UsageError(
                f"the tokenizer of {self.weights.model} does not tell {self.form.positive!r} "
                f"from {self.form.negative!r}: it is not a model of the kind {self.form.name}"
            )
        return yes[:shared], yes[shared], no[shared]

    @cached_property
    def _parts(self) -> tuple[str | Ids, ...]:
        """The template with its fixed stretches as tokens and its two slots by name."""
        parts: list[str | Ids] = []
        rest = self.form.template
        while rest:
            slots = [(rest.find(slot), slot) for slot in (PREMISE, HYPOTHESIS, END)]
            place, slot = min((found for found in slots if found[0] >= 0), default=(len(rest), ""))
            if literal := rest[:place].strip():
                parts.append(self._ids(literal))
            if slot:
                parts.append((self._loaded.tokenizer.eos_token_id,) if slot == END else slot)
            rest = rest[place + len(slot) :]
        return tuple(parts)

    def _pieces(self, premise: str, language: str) -> tuple[Chunks, int]:
        """The premise in pieces, and the number of tokens that the template takes itself."""
        fixed = 1 + sum(len(part) for part in self._parts if not isinstance(part, str))
        budget = self.form.longest - fixed - self.form.room
        if self.form.chunk_tokens:
            budget = min(budget, self.form.chunk_tokens)
        return chunks(premise, language, budget, lambda text: len(self._ids(text))), fixed

    def _ids(self, text: str) -> Ids:
        backend: Any = self._loaded.tokenizer
        return tuple(backend(text, add_special_tokens=False, verbose=False).input_ids)

    def _input(self, premise: Ids, hypothesis: Ids) -> Ids:
        """The whole input; words never join over a blank, so its parts can be put together."""
        slots = {PREMISE: premise, HYPOTHESIS: hypothesis}
        body = [
            token
            for part in self._parts
            for token in (slots[part] if isinstance(part, str) else part)
        ]
        return (*body, self._loaded.tokenizer.eos_token_id)

    def _steps(self, inputs: Sequence[Ids]) -> Iterator[tuple[float, bool]]:
        """(probability of the positive label, whether a label is the likeliest token) of each."""
        for batch in self._batches(inputs):
            yield from self._step(batch)

    def _batches(self, inputs: Sequence[Ids]) -> Iterator[Sequence[Ids]]:
        if self._loaded.device == "cpu":
            yield from ([ids] for ids in inputs)
            return
        batch: list[Ids] = []
        for ids in inputs:
            widest = max((len(ids), *(len(other) for other in batch)))
            if batch and widest * (len(batch) + 1) > self._batch_tokens:
                yield batch
                batch = []
            batch.append(ids)
        if batch:
            yield batch

    def _step(self, batch: Sequence[Ids]) -> list[tuple[float, bool]]:
        import torch

        loaded, (shared, yes, no) = self._loaded, self._labels
        width = max(map(len, batch))
        ids = torch.zeros((len(batch), width), dtype=torch.long)
        mask = torch.zeros((len(batch), width), dtype=torch.long)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        start = loaded.model.config.decoder_start_token_id or 0
        begun = torch.tensor([[start, *shared]] * len(batch), device=loaded.device)
        with torch.inference_mode():
            logits = (
                loaded.model(
                    input_ids=ids.to(loaded.device),
                    attention_mask=mask.to(loaded.device),
                    decoder_input_ids=begun,
                )
                .logits[:, -1]
                .float()
            )
        values = torch.softmax(logits[:, [yes, no]], dim=-1)[:, 0].tolist()
        likeliest = logits.argmax(dim=-1).tolist()
        return [(value, top in (yes, no)) for value, top in zip(values, likeliest, strict=True)]


def true_t5(weights: Weights, **settings: Any) -> TextToText:
    """A model asked as TRUE is; English unless `languages` says otherwise."""
    return TextToText(TRUE, weights, **{"languages": frozenset({"en"}), **settings})


def minicheck_t5(weights: Weights, **settings: Any) -> TextToText:
    """A model asked as MiniCheck is; English unless `languages` says otherwise."""
    return TextToText(MINICHECK, weights, **{"languages": frozenset({"en"}), **settings})
