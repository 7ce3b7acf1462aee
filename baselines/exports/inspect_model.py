"""A model of Inspect as one that our recipes, judges and entailers ask.

Recipes ask from threads, and Inspect answers in its event loop; what is asked counts in Inspect's
limits, cache, retries, transcript and token counts.
"""

from collections.abc import Sequence
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from baselines.exports.inspect_calls import chat_message, generate_config
from globesumm.llm.completeness import oddities, whole
from globesumm.llm.request import Completion, Message, Request, Usage

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelUsage

FINISHES = {"max_tokens": "length", "model_length": "length"}
"""Inspect's names of why an answer ended, where ours differ."""


class InspectModel:
    """`inside` answers requests that are made from any thread while its event loop runs.

    To be made within that loop.  Errors of the provider come through as they are, so that
    Inspect's own rules for errors of samples hold.  Schemas and grammars are not passed on: the
    prompt alone asks for the form of an answer.
    """

    context_window: int | None = None

    def __init__(self, inside: "Model") -> None:
        from anyio.lowlevel import current_token

        self._inside, self._token = inside, current_token()
        # Threads of ours know nothing of the sample that Inspect counts a call to.
        self._context = copy_context()

    @property
    def name(self) -> str:
        return str(self._inside)

    def count_tokens(self, messages: Sequence[Message]) -> None:  # noqa: ARG002  # no tokenizer
        return None

    def complete(self, request: Request, /) -> Completion:
        from anyio.from_thread import run

        asked = partial(run, self._ask, request, token=self._token)
        output = self._context.copy().run(asked)
        usage = _usage(output.usage)
        answer = Completion(
            text=output.completion,
            finish=FINISHES.get(output.stop_reason, output.stop_reason),
            usage=usage,
            model=output.model,
            server="inspect_ai",
            notes=tuple(oddities(request, output.completion, usage)),
            seconds=output.time,
        )
        return whole(answer, request)

    async def _ask(self, request: Request) -> Any:
        return await self._inside.generate(
            [chat_message(message) for message in request.messages],
            config=generate_config(request.decoding, request.seed),
        )

    def facts(self) -> dict[str, str]:
        from importlib import metadata

        return {"model server": "inspect_ai", "inspect_ai": metadata.version("inspect_ai")}

    def close(self) -> None:
        """Inspect closes its own models."""


def _usage(usage: "ModelUsage | None") -> Usage | None:
    if usage is None:
        return None
    return Usage(
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.input_tokens_cache_read,
    )
