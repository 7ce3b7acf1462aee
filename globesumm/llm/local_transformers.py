"""Models in this process through `transformers`: chat template, batches, seeds."""

import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from globesumm.errors import UsageError
from globesumm.llm.completeness import oddities, whole
from globesumm.llm.errors import ContextOverrun, ModelError, RequestRefused, TimedOut, excerpt
from globesumm.llm.local_decoding import Drawn, generate
from globesumm.llm.model_files import load_model, model_folder, weights_folder
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.llm.thinking import split_thinking
from globesumm.llm.tokenizers import load_tokenizer, prompt_tokens

_UNSTATED_LIMIT = 1024


class LocalTransformers:
    """A causal language model in a folder or under a hub name, loaded at once.

    A folder with a LoRA adapter stands for the model that it is for, the adapter merged into it.

    `batch_size` requests that wait at the same time are answered together.  Each answer is the
    one it would be alone up to rounding, which could tip a near-tie between two tokens; the
    default of 1 leaves nothing to that.  `timeout_seconds` bounds one batch.  A temperature of
    None is 1.  Schemas and grammars are not enforced (a note says so), nor are reasoning budgets;
    ``off`` and efforts go to the chat template.  Raises `UsageError` where the model cannot be
    had.
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
        if batch_size < 1:
            raise UsageError(f"batch_size must be at least 1, not {batch_size}")
        folder = model_folder(name, revision)
        self.name = name
        self._tokenizer = load_tokenizer(str(_tokenizer_folder(folder)))
        self._model = load_model(folder, device, dtype)
        self._facts = _facts(folder, self._model)
        longest = getattr(self._model.config, "max_position_embeddings", None)
        self.context_window: int | None = context_window or longest
        self._batch_size, self._timeout = batch_size, timeout_seconds
        self._waiting: deque[tuple[Request, Future[Completion]]] = deque()
        self._queue_lock, self._turn = threading.Lock(), threading.Lock()

    def __repr__(self) -> str:
        return f"LocalTransformers({self.name!r})"

    def facts(self) -> dict[str, str]:
        return dict(self._facts)

    def close(self) -> None:
        """There is nothing to give back; the weights go with the object."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return len(prompt_tokens(self._tokenizer, messages))

    def complete(self, request: Request, /) -> Completion:
        answer: Future[Completion] = Future()
        with self._queue_lock:
            self._waiting.append((request, answer))
        while not answer.done():
            # Whoever gets the turn answers a batch of those waiting, be it for others.
            with self._turn:
                if not answer.done():
                    self._answer_some()
        return answer.result()

    def complete_all(self, requests: Sequence[Request]) -> list[Completion | ModelError]:
        """The answer or error of each request, in batches of `batch_size`."""
        results: list[Completion | ModelError] = []
        for start in range(0, len(requests), self._batch_size):
            with self._turn:
                results += self._batch(requests[start : start + self._batch_size])
        return results

    def _answer_some(self) -> None:
        with self._queue_lock:
            size = min(self._batch_size, len(self._waiting))
            taken = [self._waiting.popleft() for _ in range(size)]
        try:
            results = self._batch([request for request, _ in taken])
        except BaseException as error:
            for _, answer in taken:
                answer.set_exception(error)
            raise
        for (_, answer), result in zip(taken, results, strict=True):
            if isinstance(result, ModelError):
                answer.set_exception(result)
            else:
                answer.set_result(result)

    def _batch(self, requests: Sequence[Request]) -> list[Completion | ModelError]:
        results: dict[int, Completion | ModelError] = {}
        ready: list[tuple[int, Request, list[int], int]] = []
        for index, request in enumerate(requests):
            prompt = self._prompt(request)
            try:
                ready.append((index, request, prompt, self._limit(request, len(prompt))))
            except ModelError as error:
                results[index] = error
        if ready:
            for (index, request, prompt, _), outcome in zip(ready, self._drawn(ready), strict=True):
                try:
                    results[index] = self._read(request, len(prompt), outcome)
                except ModelError as error:
                    results[index] = error
        return [results[index] for index in range(len(requests))]

    def _prompt(self, request: Request) -> list[int]:
        """The tokens of the prompt that `request` makes."""
        return prompt_tokens(self._tokenizer, request.messages, template_options(request))

    def _inference(self, _requests: Sequence[Request]) -> AbstractContextManager[None]:
        """What a batch is generated within; another way of inference prepares the model here."""
        return nullcontext()

    def _limit(self, request: Request, prompt: int) -> int:
        """Tokens the answer may take; raises `ContextOverrun` before anything is computed."""
        wanted, window = request.decoding.max_tokens, self.context_window
        if window is None:
            return wanted or _UNSTATED_LIMIT
        if prompt + (wanted or 1) > window:
            raise ContextOverrun(
                f"the prompt has {prompt} tokens and the answer may take {wanted or 1}, more than "
                f"the window of {window}: shorten the prompt or lower max_tokens",
                tokens=prompt,
                window=window,
            )
        return wanted or window - prompt

    def _drawn(
        self, ready: Sequence[tuple[int, Request, list[int], int]]
    ) -> Sequence[Drawn | ModelError]:
        import torch

        deadline = time.monotonic() + self._timeout
        requests = [row[1] for row in ready]
        prompts, limits = [row[2] for row in ready], [row[3] for row in ready]
        try:
            with self._inference(requests):
                return generate(
                    self._model,
                    self._tokenizer,
                    prompts,
                    requests,
                    limits=limits,
                    deadline=deadline,
                )
        except torch.OutOfMemoryError as error:
            if len(ready) > 1:
                torch.cuda.empty_cache()
                half = len(ready) // 2
                return [*self._drawn(ready[:half]), *self._drawn(ready[half:])]
            reason = excerpt(str(error), 120)
            return [RequestRefused(f"not enough memory for {len(prompts[0])} tokens ({reason})")]

    def _read(self, request: Request, prompt: int, outcome: Drawn | ModelError) -> Completion:
        if isinstance(outcome, ModelError):
            raise outcome
        text, reasoning, ended = split_thinking(outcome.text)
        usage = Usage(prompt_tokens=prompt, completion_tokens=outcome.tokens)
        completion = Completion(
            text=text.strip(),
            finish=outcome.finish,
            reasoning=reasoning,
            usage=usage,
            model=self.name,
            fingerprint=self._facts["revision"],
            server="transformers",
            notes=(*_unenforced(request), *oddities(request, text, usage)),
        )
        if outcome.finish == "time":
            raise TimedOut(f"{self.name} gave no whole answer in {self._timeout:g} s", completion)
        return whole(completion, request, ended=ended)


def _tokenizer_folder(folder: Path) -> Path:
    """`folder`, or for an adapter that brings no tokenizer the folder of its model."""
    return folder if (folder / "tokenizer_config.json").is_file() else weights_folder(folder)


def template_options(request: Request) -> dict[str, Any]:
    """What the chat template is told of reasoning."""
    reasoning = request.decoding.reasoning
    if reasoning == "off":
        return {"enable_thinking": False, "thinking": False}
    return {"reasoning_effort": reasoning} if isinstance(reasoning, str) else {}


def _unenforced(request: Request) -> list[str]:
    asked = {"schema": request.schema, "grammar": request.grammar}
    notes = [f"{name} not enforced by this backend" for name, form in asked.items() if form]
    if isinstance(request.decoding.reasoning, int):
        notes.append("reasoning budget not enforced by this backend")
    return notes


def _facts(folder: Path, model: Any) -> dict[str, str]:
    import torch
    import transformers

    return {
        "backend": "transformers",
        # A snapshot of the hub lies in a folder named by its commit.
        "revision": folder.name if folder.parent.name == "snapshots" else "local folder",
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "device": str(model.device),
        "dtype": str(model.dtype).removeprefix("torch."),
    }
