"""The model of ``pine:NAME``: one in this process that gives no weight to documents' order."""

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.errors import ModelError
from globesumm.llm.local_decoding import Drawn
from globesumm.llm.local_transformers import LocalTransformers, template_options
from globesumm.llm.model_files import model_folder, weights_folder
from globesumm.llm.pine.attention import Pine, check_family
from globesumm.llm.pine.layout import layout
from globesumm.llm.pine.prompt import Segmented, segmented
from globesumm.llm.pretrained import opened, why
from globesumm.llm.request import Completion, Message, Request

TARGET = "?target="
"""What parts the name of a model from the words by which target documents are known."""


class LocalPine(LocalTransformers):
    """`LocalTransformers` under PINE.

    `name` is a folder or a hub name, and may end in ``?target=WORDS``: documents with these words
    in their label are then nearer than the others to whatever asks.  The name of the model is
    ``pine:NAME``, so that its answers are never taken for those of the same weights without
    PINE.  Documents are the numbered series of fenced blocks in a request (`pine.blocks`).
    Raises `UsageError` for a model of a family that PINE does not support.
    """

    def __init__(
        self,
        name: str,
        *,
        device: str | None = None,
        dtype: str = "auto",
        batch_size: int = 1,
        revision: str | None = None,
        context_window: int | None = None,
        timeout_seconds: float = 600.0,
    ) -> None:
        source, marked, target = name.partition(TARGET)
        if marked and not target.strip():
            raise UsageError(f"the model name {name!r} names no target after {TARGET!r}")
        _check(source, revision)
        super().__init__(
            source,
            device=device,
            dtype=dtype,
            batch_size=batch_size,
            revision=revision,
            context_window=context_window,
            timeout_seconds=timeout_seconds,
        )
        self.name = f"pine:{name}"
        self._target = target.strip() or None
        self._pine = Pine(self._model)
        # A tokenizer switches for all its users whether it knows control tokens.
        self._tokenizing = threading.Lock()
        self._facts |= {"backend": "pine", "target": self._target or "none"}

    def __repr__(self) -> str:
        return f"LocalPine({self.name!r})"

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return len(self._cut(messages).tokens)

    def _segmented(self, request: Request) -> Segmented:
        return self._cut(request.messages, template_options(request))

    def _cut(self, messages: Sequence[Message], options: dict[str, Any] | None = None) -> Segmented:
        with self._tokenizing:
            return segmented(self._tokenizer, messages, options, target=self._target)

    def _prompt(self, request: Request) -> list[int]:
        return self._segmented(request).tokens

    def _inference(self, requests: Sequence[Request]) -> AbstractContextManager[None]:
        return self._pine.arranged([layout(self._segmented(r).pieces) for r in requests])

    def _read(self, request: Request, prompt: int, outcome: Drawn | ModelError) -> Completion:
        note = self._segmented(request).note
        try:
            completion = super()._read(request, prompt, outcome)
        except ModelError as error:
            if error.completion is not None:
                error.completion = _noted(error.completion, note)
            raise
        return _noted(completion, note)


def _noted(completion: Completion, note: str | None) -> Completion:
    return replace(completion, notes=(*completion.notes, note)) if note else completion


def _check(source: str, revision: str | None) -> None:
    """Refuse a family before its weights are read."""
    folder = weights_folder(model_folder(source, revision))
    try:
        from transformers import AutoConfig
    except ImportError as error:
        raise MissingPackage("transformers", "a model in process", "models") from error
    try:
        config: Any = opened(AutoConfig, folder)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"the model in {folder} is of no type that is known here") from error
    except Exception as error:
        # A broken file raises anything.
        raise UsageError(f"the config.json in {folder} cannot be read ({why(error)})") from error
    check_family(config)
