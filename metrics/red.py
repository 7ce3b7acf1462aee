"""Red: how much the sentences of one text repeat each other (GlobeSumm, appendix C.2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from globesumm.errors import UnknownName
from globesumm.finite import counted
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
)
from metrics.baseline import DEBERTA_XLARGE_MNLI_40, Baseline
from metrics.encoders import MINILM, Encoded, TokenEncoder, Tokenized, load
from metrics.matching import nearest
from metrics.sentences import SPLITTERS, sentences, splitter_name

DEBERTA = "microsoft/deberta-xlarge-mnli"
"""The paper's backbone, English, 750 million parameters; on the hub or in a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderSettings:
    """Which token vectors a metric compares.

    `model` names the encoder in signatures: the shipped `MINILM`, a name on the Hugging Face
    hub, or a folder; `path` says where its weights lie if not there.  `layer` counts from 1.
    `languages` are those the encoder knows (None: any).  `held_tokens` bounds the token vectors
    held at once (a longer text is unscored), `batch_tokens` those in one pass of the model with
    padding (None: 256 on a CPU, where small batches of like length are fastest, else 16384).
    """

    model: str = MINILM
    layer: int = 6
    path: str | None = None
    languages: tuple[str, ...] | None = ("en",)
    device: str | None = None
    held_tokens: int = 32768
    batch_tokens: int | None = None

    def load(self) -> TokenEncoder:
        """The encoder; loaded once for equal settings."""
        return load(self.model, self.path, self.layer, self.device)

    @property
    def requires(self) -> tuple[str, ...]:
        where = "package" if self.model == MINILM and not self.path else "encoder"
        tongues = ", ".join(self.languages or ("any language",))
        return (
            "bert-score",
            "torch",
            "transformers",
            f"{where} {self.model}",
            f"text in {tongues}",
        )


SHIPPED = EncoderSettings()
"""The encoder that installs as a package."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A candidate's sentences as token numbers, or why it is unscored."""

    sentences: tuple[Tokenized, ...]
    refusal: str | None
    note: str | None


def _prepared(
    candidate: Candidate, split: str, settings: EncoderSettings, encoder: TokenEncoder
) -> Prepared:
    """The candidate's sentences as token numbers; a text over the budget is refused."""
    found = sentences(candidate, split, settings.languages)
    if found.refusal:
        return Prepared((), found.refusal, found.note)
    tokens = [encoder.tokenize(text) for text in found.texts]
    tokens = [one for one in tokens if encoder.weights(one).any()]
    size = _tokens(tokens)
    if size > settings.held_tokens:
        reason = (
            f"{size} tokens are more than the {settings.held_tokens} held at once: "
            "raise held_tokens to score it"
        )
        return Prepared((), reason, found.note)
    if len(tokens) < 2:
        return Prepared(
            (), f"{counted(len(tokens), 'sentence')} with tokens: redundancy needs two", found.note
        )
    cut = sum(one.cut for one in tokens)
    longest = max(len(one.ids) for one in tokens)
    note = (
        f"{cut} of {counted(len(tokens), 'sentence')} cut at {counted(longest, 'token')}"
        if cut
        else None
    )
    return Prepared(tuple(tokens), None, joined(found.note, note))


def encoded(
    candidates: Iterable[Candidate], split: str, settings: EncoderSettings
) -> Iterator[tuple[Prepared, list[Encoded]]]:
    """Each candidate, in order, with the vectors of its sentences (none where it is refused).

    As many candidates as fit into `held_tokens` are encoded together, each sentence that occurs
    in them once; no more than those are held.
    """
    encoder = settings.load()
    group: list[Prepared] = []
    held: set[Tokenized] = set()
    for candidate in candidates:
        one = _prepared(candidate, split, settings, encoder)
        if _tokens(held.union(one.sentences)) > settings.held_tokens:
            yield from _group(group, settings, encoder)
            group, held = [], set()
        group.append(one)
        held.update(one.sentences)
    yield from _group(group, settings, encoder)


def _group(
    group: Sequence[Prepared], settings: EncoderSettings, encoder: TokenEncoder
) -> Iterator[tuple[Prepared, list[Encoded]]]:
    distinct = list(dict.fromkeys(tokens for one in group for tokens in one.sentences))
    made = encoder.encode(distinct, settings.batch_tokens)
    vectors = dict(zip(distinct, made, strict=True))
    for one in group:
        yield one, [vectors[tokens] for tokens in one.sentences]


def _tokens(sentences: Iterable[Tokenized]) -> int:
    return sum(len(tokens.ids) for tokens in sentences)


@dataclass(frozen=True, slots=True)
class Red(Metric):
    """Mean over sentences of the highest BERTScore F1 with another sentence of the text.

    `Red()` uses the shipped English encoder, raw values; `Red.paper()` is the paper's setting.
    A local copy of a hub model keeps its baseline: ``Red.paper(path="/models/deberta")``.
    `split` is a name in `metrics.sentences.SPLITTERS`.
    """

    encoder: EncoderSettings = SHIPPED
    baseline: Baseline | None = None
    split: Literal["icu", "lines"] = "icu"

    def __post_init__(self) -> None:
        if self.split not in SPLITTERS:
            raise UnknownName("sentence splitter", self.split, SPLITTERS, "Red")

    @classmethod
    def minilm(cls) -> "Red":
        """The encoder that installs as a package: runs offline, English only, not rescaled."""
        return cls()

    @classmethod
    def paper(cls, path: str | None = None) -> "Red":
        """deberta-xlarge-mnli, layer 40, rescaled with the English baseline (C.2)."""
        return cls(EncoderSettings(model=DEBERTA, layer=40, path=path), DEBERTA_XLARGE_MNLI_40)

    @property
    def name(self) -> str:
        return {MINILM: "red", DEBERTA: "red-deberta"}.get(self.encoder.model, "red-other")

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name="red", better=Better.LOWER, high=1.0),)

    @property
    def signature(self) -> Signature:
        return Signature.of(
            "red",
            model=self.encoder.model,
            layer=self.encoder.layer,
            rescale=str(self.baseline.f1) if self.baseline else "none",
            lang="+".join(self.encoder.languages or ("any",)),
            split=splitter_name(self.split),
            v=1,
        )

    @property
    def requires(self) -> tuple[str, ...]:
        return self.encoder.requires

    def describe(self) -> Description:
        return Description(
            measures="how much the sentences of one text repeat each other",
            formula="mean over sentences i of max over j ≠ i of BERTScore-F1(x_j, x_i)",
            range="at most 1 (each sentence has a double); raw values lie between -1 and 1, "
            "rescaled ones have no lower bound; lower is better",
            empty="fewer than two sentences: unscored; sentences without a letter or digit are "
            "left out with a note; one sentence in a language the encoder does not know: unscored",
            cost="one pass of the encoder for each sentence (25 sentences: about 0.2 s on two "
            "CPU cores with the shipped encoder)",
            source="GlobeSumm, appendix C.2, after Chen et al. (2021) and BERTScore (Zhang et "
            "al., 2020; bert-score 0.3.13, whose values come out)",
            difference="the shipped encoder is smaller than the paper's and not rescaled, so its "
            "values compare with each other only; the paper names no sentence splitter; the code "
            "of Chen et al. matches single tokens instead of sentences: that is red-tokens",
            weak_spots="two sentences about one subject that say different things score as "
            "near-copies; length and wording move it as much as content",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        found: list[Mapping[str, Measured]] = []
        for prepared, vectors in encoded(candidates, self.split, self.encoder):
            value = None
            if vectors:
                raw = float(np.mean(nearest(vectors)))
                value = self.baseline.rescale(raw) if self.baseline else raw
            found.append({"red": Measured(value, joined(prepared.refusal, prepared.note))})
        return found
