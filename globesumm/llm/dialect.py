"""How one server wants to be asked, learnt from what it refuses.

Servers that speak the same protocol differ in what they accept.  Each aspect of a request has
ways of saying it, best first; when a server refuses one, the next is used from then on, and
every completion made with a lesser way says so in its notes.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from globesumm.llm.request import Message, Request


@dataclass(frozen=True, slots=True)
class Way:
    """One way of stating an aspect: the fields it adds, and what to note when it is a fallback."""

    fields: Mapping[str, Any]
    note: str


@dataclass(frozen=True, slots=True)
class Phrased:
    """A request as one server is to get it, and which way each aspect took."""

    body: dict[str, Any]
    ways: Mapping[str, int]
    notes: tuple[str, ...]


class Dialect:
    """The ways in use with one server.  `official` is true for OpenAI's own address."""

    def __init__(self, *, official: bool) -> None:
        self._official = official
        self._lock = threading.Lock()
        self._chosen: dict[str, int] = {}
        self._accepted: set[tuple[str, int]] = set()

    def as_now(self) -> "Dialect":
        """A copy: the ways in use now, for reading answers to what was phrased with them."""
        copy = Dialect(official=self._official)
        with self._lock:
            copy._chosen, copy._accepted = dict(self._chosen), set(self._accepted)
        return copy

    def phrase(self, request: Request) -> Phrased:
        """The body to send for `request`."""
        body: dict[str, Any] = {"model": request.model}
        notes: list[str] = []
        used: dict[str, int] = {}
        for aspect, ways in self._aspects(request).items():
            with self._lock:
                index = min(self._chosen.get(aspect, 0), len(ways) - 1)
            used[aspect] = index
            body.update(ways[index].fields)
            if index:
                notes.append(ways[index].note)
        return Phrased(body, used, tuple(notes))

    def move_on(self, request: Request, aspect: str, used: Mapping[str, int]) -> bool:
        """Leave the way that was refused; false where none is left."""
        if aspect not in used:
            return False
        last = len(self._aspects(request)[aspect]) - 1
        with self._lock:
            if self._chosen.get(aspect, 0) > used[aspect]:
                return True  # another thread met the same refusal and moved on already
            if used[aspect] >= last:
                return False
            self._chosen[aspect] = used[aspect] + 1
            return True

    def restore(self, aspect: str, index: int) -> None:
        """Go back to a way that was left for a fault which had another cause after all."""
        with self._lock:
            self._chosen[aspect] = index

    def accept(self, used: Mapping[str, int]) -> None:
        """Remember that the server took these ways."""
        with self._lock:
            self._accepted.update(used.items())

    def is_accepted(self, aspect: str, used: Mapping[str, int]) -> bool:
        """Whether the server ever took this way of the aspect."""
        with self._lock:
            return (aspect, used.get(aspect, 0)) in self._accepted

    def facts(self) -> str:
        """The aspects that are not stated in the best way, for the record."""
        with self._lock:
            return ", ".join(f"{k}: way {v + 1}" for k, v in sorted(self._chosen.items()) if v)

    def _aspects(self, request: Request) -> dict[str, tuple[Way, ...]]:
        decoding = request.decoding
        aspects = {"system": _system(request.messages)}
        if decoding.max_tokens is not None:
            aspects["limit"] = self._limit(decoding.max_tokens)
        for name, value in (
            ("temperature", decoding.temperature),
            ("top_p", decoding.top_p),
            ("seed", request.seed),
            ("stop", list(decoding.stop) or None),
        ):
            if value is not None:
                dropped = f"{name} {value} refused by the server: its own setting was used"
                aspects[name] = (Way({name: value}, ""), Way({}, dropped))
        if decoding.reasoning is not None:
            aspects["reasoning"] = self._reasoning(decoding.reasoning)
        if request.schema is not None:
            aspects["schema"] = _schema(request.schema)
        if request.grammar is not None:
            aspects["grammar"] = _grammar(request.grammar)
        if request.top_logprobs is not None:
            aspects["logprobs"] = _logprobs(request.top_logprobs)
        return aspects

    def _limit(self, tokens: int) -> tuple[Way, ...]:
        # llama.cpp's Python server and Ollama ignore max_completion_tokens without a word, and
        # OpenAI's reasoning models refuse max_tokens.
        names = ["max_tokens", "max_completion_tokens"]
        if self._official:
            names.reverse()
        return (
            Way({names[0]: tokens}, ""),
            Way({names[1]: tokens}, f"token limit sent as {names[1]}: {names[0]} was refused"),
        )

    def _reasoning(self, reasoning: str | int) -> tuple[Way, ...]:
        dropped = Way(
            {}, f"reasoning {reasoning!r} refused by the server: its own setting was used"
        )
        template = {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}
        none = Way({"reasoning_effort": "none"}, "reasoning 'off' sent as effort 'none' alone")
        least = Way({"reasoning_effort": "minimal"}, "reasoning 'off' sent as effort 'minimal'")
        if reasoning == "off":
            if self._official:
                return (none, least, dropped)
            both = Way({"reasoning_effort": "none", **template}, "")
            alone = Way(template, "reasoning 'off' sent to the chat template alone")
            return (both, alone, none, least, dropped)
        if isinstance(reasoning, str):
            return (Way({"reasoning_effort": reasoning}, ""), dropped)
        # vLLM, llama-server and OpenRouter each read one of these names and ignore the others.
        names = {
            "thinking_token_budget": reasoning,
            "thinking_budget_tokens": reasoning,
            "reasoning": {"max_tokens": reasoning},
        }
        each = tuple(Way({k: v}, f"reasoning budget sent as {k} alone") for k, v in names.items())
        return (Way(names, ""), *each, dropped)


def _system(messages: tuple[Message, ...]) -> tuple[Way, ...]:
    plain = [{"role": m.role, "content": m.content} for m in messages]
    ways = [Way({"messages": plain}, "")]
    if len(messages) > 1 and messages[0].role == "system" and messages[1].role == "user":
        merged = {"role": "user", "content": f"{messages[0].content}\n\n{messages[1].content}"}
        note = "the server takes no system message: it was put before the first user message"
        ways.append(Way({"messages": [merged, *plain[2:]]}, note))
    return tuple(ways)


def _schema(schema: str) -> tuple[Way, ...]:
    parsed = json.loads(schema)
    named = {"name": "answer", "schema": parsed, "strict": True}
    return (
        Way({"response_format": {"type": "json_schema", "json_schema": named}}, ""),
        Way(
            {"response_format": {"type": "json_object", "schema": parsed}},
            "schema sent with json_object: json_schema was refused",
        ),
        Way({}, "schema not enforced: the server refused json_schema and json_object"),
    )


def _grammar(grammar: str) -> tuple[Way, ...]:
    return (
        Way({"grammar": grammar, "structured_outputs": {"grammar": grammar}}, ""),
        Way({"grammar": grammar}, "grammar sent as 'grammar' alone"),
        Way({"guided_grammar": grammar}, "grammar sent as 'guided_grammar'"),
        Way({}, "grammar not enforced: the server refused it"),
    )


def _logprobs(count: int) -> tuple[Way, ...]:
    return (
        Way({"logprobs": True, "top_logprobs": count}, ""),
        Way({}, "no token probabilities: the server refused to tell them"),
    )
