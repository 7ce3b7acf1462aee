"""What is asked of a model, what comes back, and what a model is."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, Protocol, runtime_checkable

from globesumm.errors import UsageError

EFFORTS = ("minimal", "low", "medium", "high", "xhigh")
"""Reasoning efforts that servers name."""

MOST_TEMPERATURE = 100.0
"""Beyond what any server takes (most stop at 2)."""

MOST_LOGPROBS = 20
"""Likeliest tokens at one place that servers tell at most."""


def canonical_json(value: object) -> str:
    """`value` as JSON with one spelling: sorted keys, no spaces, ASCII escapes, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How the answer is drawn.  None leaves a setting to the server and sends nothing.

    `temperature` is at least 0 (0: greedy), `top_p` in (0, 1], `max_tokens` at least 1 and
    includes reasoning, `seed` an integer, `stop` at most a few strings that end the answer.
    `reasoning` is ``"off"``, an effort of `EFFORTS`, or a budget in tokens.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = 0
    stop: tuple[str, ...] = ()
    reasoning: str | int | None = None

    def __post_init__(self) -> None:
        for name, least, most in (("temperature", 0.0, MOST_TEMPERATURE), ("top_p", 0.0, 1.0)):
            value = getattr(self, name)
            if value is None:
                continue
            if (
                not _is_number(value)
                or not least <= value <= most
                or (name == "top_p" and not value)
            ):
                hot = f"from 0 to {MOST_TEMPERATURE:g}"
                bounds = hot if name == "temperature" else "above 0 and at most 1"
                raise UsageError(f"{name} must be a number {bounds}, not {value!r}")
            object.__setattr__(self, name, float(value))
        if self.max_tokens is not None and not (_is_whole(self.max_tokens) and self.max_tokens > 0):
            raise UsageError(f"max_tokens must be a whole number above 0, not {self.max_tokens!r}")
        if self.seed is not None and not _is_whole(self.seed):
            raise UsageError(f"seed must be a whole number, not {self.seed!r}")
        stop: object = self.stop
        if not isinstance(stop, list | tuple) or not all(isinstance(s, str) and s for s in stop):
            raise UsageError(f"stop must be a tuple of non-empty strings, not {self.stop!r}")
        object.__setattr__(self, "stop", tuple(self.stop))
        self._check_reasoning()

    def _check_reasoning(self) -> None:
        allowed = self.reasoning in (None, "off", *EFFORTS)
        budget = (
            _is_whole(self.reasoning) and isinstance(self.reasoning, int) and self.reasoning > 0
        )
        if not allowed and not budget:
            raise UsageError(
                f"reasoning must be 'off', one of {', '.join(EFFORTS)}, or a budget in tokens "
                f"above 0, not {self.reasoning!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Exactly what decides an answer.

    `sample` tells repeated draws apart; servers that take a seed get ``seed + sample``.
    `schema` is a JSON schema as text (see `canonical_json`) and `grammar` one in GBNF; at most
    one of them may be given.  Where a server cannot keep it, the completion's notes say so.
    `top_logprobs` asks for so many likeliest tokens, 1 to 20, at each place of the answer.
    """

    model: str
    messages: tuple[Message, ...]
    decoding: Decoding = field(default_factory=Decoding)
    sample: int = 0
    schema: str | None = None
    grammar: str | None = None
    top_logprobs: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages:
            raise UsageError("a request needs at least one message")
        if not _is_whole(self.sample) or self.sample < 0:
            raise UsageError(f"sample must be a whole number from 0, not {self.sample!r}")
        if self.schema is not None and self.grammar is not None:
            raise UsageError("a request takes a schema or a grammar, not both: leave one out")
        if self.schema is not None and not isinstance(parsed(self.schema), dict):
            raise UsageError("schema must be a JSON schema as text; canonical_json makes one")
        wanted = self.top_logprobs
        if wanted is not None and not (_is_whole(wanted) and 1 <= wanted <= MOST_LOGPROBS):
            raise UsageError(
                f"top_logprobs must be a whole number from 1 to {MOST_LOGPROBS}, not {wanted!r}"
            )

    @property
    def key(self) -> str:
        """SHA-256 (hex) of the canonical JSON of every field that is not None or empty.

        Unset fields are left out, so that a field added later leaves old keys as they were.
        """
        return _key(self)

    @property
    def seed(self) -> int | None:
        """The seed of this sample, within 32 bits; None where unseeded."""
        seed = self.decoding.seed
        return None if seed is None else (seed + self.sample) % 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the server counted them; None where it did not say.

    `completion_tokens` includes `reasoning_tokens`; `prompt_tokens` includes `cached_tokens`.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One token of an answer, and the likeliest at its place with their log probabilities."""

    text: str
    likeliest: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer.  It is whole unless it comes inside a `ModelError`.

    `reasoning` is what the model wrote before its answer, None where there was none to see.
    `usage` is None where the server reported nothing.  `model` and `fingerprint` are what the
    server called itself, `server` the address or kind of backend.  `notes` say what was not
    as asked (for instance a schema that the server refused).  `seconds` is how long the call took,
    waits before it and failed attempts left out; None where it was not one call by itself.
    `tokens` are the answer's with their rivals where that was asked for and the server told it.
    """

    text: str
    finish: str = "stop"
    reasoning: str | None = None
    usage: Usage | None = None
    model: str | None = None
    fingerprint: str | None = None
    server: str | None = None
    notes: tuple[str, ...] = ()
    seconds: float | None = field(default=None, compare=False)
    tokens: tuple[TokenChoice, ...] = ()


@runtime_checkable
class Model(Protocol):
    """Anything that answers requests.  Every method may be called from many threads at once."""

    @property
    def name(self) -> str:
        """What `Request.model` is to hold."""

    @property
    def context_window(self) -> int | None:
        """Tokens that prompt and answer share; None where unknown."""

    def count_tokens(self, messages: Sequence[Message]) -> int | None:
        """Prompt tokens of `messages` with the chat template; None without a tokenizer."""

    def complete(self, request: Request, /) -> Completion:
        """The whole answer, or a `ModelError` (see `globesumm.llm.errors`)."""

    def facts(self) -> dict[str, str]:
        """What is worth recording: backend, address, versions, workarounds in use."""

    def close(self) -> None:
        """Give back connections and files; calling it twice does no harm."""


@lru_cache(maxsize=64)
def _key(request: Request) -> str:
    """Remembered for the requests in flight, since every layer around a model asks for it."""
    plain = _set_fields(request)
    plain["messages"] = [_set_fields(message) for message in request.messages]
    plain["decoding"] = _set_fields(request.decoding)
    return sha256(canonical_json(plain).encode("ascii")).hexdigest()


def _set_fields(value: Request | Message | Decoding) -> dict[str, Any]:
    """The fields that are not None or empty; far cheaper than `dataclasses.asdict`."""
    found = ((name.name, getattr(value, name.name)) for name in fields(value))
    return {name: held for name, held in found if held is not None and held != ()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def parsed(text: str) -> Any:
    """Parsed JSON, or None where `text` is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
