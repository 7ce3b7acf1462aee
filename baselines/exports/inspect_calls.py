"""Stored calls to models as Inspect's transcript and token counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.exports.sources import sound
from globesumm.errors import DataError
from globesumm.llm.call_store import CallStore, StoredCall
from globesumm.llm.recording import Use
from globesumm.llm.request import Completion, Decoding, Message, Request, Usage

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.model import ModelUsage

FINISHED = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """The calls of one summary: as events, as tokens by model, and what must be said of them."""

    events: "list[Event]" = field(default_factory=list)
    usage: "dict[str, ModelUsage]" = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


class Calls:
    """The answers in a call store, found by key; a run without one has none."""

    def __init__(self, path: Path) -> None:
        self._store = CallStore(path, read_only=True) if path.exists() else None

    def close(self) -> None:
        """Give the file back."""
        if self._store is not None:
            self._store.close()

    def of(self, uses: Sequence[Use] | None) -> Noted:
        """What is known of the requests that a summary rests on; None: nothing was noted."""
        if not uses:
            return Noted()
        found = [(use, call) for use in uses if use.answered and (call := self._call(use.key))]
        counted = [call for _, call in found if call.completion and call.completion.usage]
        about = {
            "requests": len(uses),
            "requests answered": sum(use.answered for use in uses),
            "requests without a count of tokens": len(uses) - len(counted),
        }
        return Noted(
            events=[
                _event(use, call.request, call.completion) for use, call in found if call.completion
            ],
            usage=usage_sum(
                {call.request.model: tokens(call.completion.usage)}
                for call in counted
                if call.completion and call.completion.usage
            ),
            about={"calls": about},
        )

    def _call(self, key: str) -> StoredCall | None:
        """A damaged record is one answer less, which the counts say."""
        try:
            return self._store.call(key) if self._store is not None else None
        except DataError:
            return None


def tokens(usage: Usage) -> "ModelUsage":
    """Tokens as Inspect counts them; its total is what goes in and out together."""
    from inspect_ai.model import ModelUsage

    asked, said = usage.prompt_tokens or 0, usage.completion_tokens or 0
    return ModelUsage(
        input_tokens=asked,
        output_tokens=said,
        total_tokens=asked + said,
        input_tokens_cache_read=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )


def usage_sum(rows: "Iterable[Mapping[str, ModelUsage]]") -> "dict[str, ModelUsage]":
    """Tokens by model over all rows."""
    found: dict[str, ModelUsage] = {}
    for row in rows:
        for model, usage in row.items():
            found[model] = found[model] + usage if model in found else usage
    return found


def _event(use: Use, request: Request, completion: Completion) -> "Event":
    from inspect_ai.event import ModelEvent

    output = model_output(request.model, completion)
    return ModelEvent(
        model=request.model,
        role=use.step or None,
        input=[chat_message(one) for one in request.messages],
        tools=[],
        tool_choice="none",
        config=generate_config(request.decoding, request.seed),
        output=output,
        working_time=completion.seconds,
        metadata={"step": use.step, "why": use.why, "key": use.key},
    )


def model_output(model: str, completion: Completion) -> Any:
    """An answer as Inspect holds it."""
    from inspect_ai.model import ModelOutput

    output = ModelOutput.from_content(
        model,
        sound(completion.text),
        stop_reason=FINISHED.get(completion.finish, "unknown"),  # type: ignore[arg-type]
    )
    output.usage = tokens(completion.usage) if completion.usage else None
    output.time = completion.seconds
    return output


def chat_message(message: Message) -> Any:
    """A turn of a conversation as Inspect's."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return kinds[message.role](content=sound(message.content))


def generate_config(decoding: Decoding, seed: int | None) -> Any:
    """How an answer is drawn, as Inspect says it; what is None is left to the provider."""
    from inspect_ai.model import GenerateConfig

    held: dict[str, Any] = {
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "max_tokens": decoding.max_tokens,
        "seed": seed,
        "stop_seqs": list(decoding.stop) or None,
    }
    if isinstance(decoding.reasoning, int):
        held["reasoning_tokens"] = decoding.reasoning
    elif decoding.reasoning is not None:
        held["reasoning_effort"] = "none" if decoding.reasoning == "off" else decoding.reasoning
    return GenerateConfig(**{name: value for name, value in held.items() if value is not None})
