"""Any server with OpenAI's chat completions protocol: OpenAI, vLLM, Ollama, llama.cpp, and others.

A base URL and a model name are enough.  What a server refuses is restated in another way (see
`globesumm.llm.dialect`), and the completion's notes say so.  Answers are not streamed: usage is
then reported everywhere, and no second request can cut a running one.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from globesumm.llm.addresses import Address, key_from_environment
from globesumm.llm.dialect import Dialect, Phrased
from globesumm.llm.errors import (
    ContextOverrun,
    KeyRefused,
    ModelError,
    RequestRefused,
    UnknownModel,
    WrongAddress,
)
from globesumm.llm.request import Completion, Message, Request, parsed
from globesumm.llm.server_replies import (
    blamed,
    completion_from,
    completions_from,
    error_from,
    means,
    said,
)
from globesumm.llm.tokenizers import Counter
from globesumm.llm.transport import Reply, Transport

_MOST_RESTATEMENTS = 16
_LIST_SECONDS = 30.0
_LEAST_TOKENS_TO_JUDGE = 1000
_MOST_CHARACTERS_A_TOKEN = 10


class OpenAICompatible:
    """One model at one server.

    `timeout_seconds` bounds a whole call.  `context_window` (tokens) and `tokenizer` (a folder
    or cached hub name) let an overrun be known before the call; without them it is recognised
    afterwards.  `key_variable` names the environment variable of the key; without it,
    OPENAI_API_KEY is used for OpenAI's own address, and other servers get no key.
    Raises `NoKey` if the variable is unset, `UsageError` for an address that is none.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        *,
        key_variable: str | None = None,
        timeout_seconds: float = 600.0,
        context_window: int | None = None,
        tokenizer: str | None = None,
    ) -> None:
        self.name = name
        self._address = Address.read(base_url)
        self.timeout_seconds = timeout_seconds
        self._window = context_window
        self._dialect = Dialect(official=self._address.official)
        self._variable = key_variable or ("OPENAI_API_KEY" if self._address.official else None)
        key = key_from_environment(self._variable) if self._variable else None
        self._transport = Transport(self._address, key)
        self._counter = Counter(tokenizer) if tokenizer else None
        self.takes_n = True
        """False once the server gave fewer answers to one prompt than it was asked for."""

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.name!r}, {self._address.url!r})"

    @property
    def context_window(self) -> int | None:
        return self._window

    def count_tokens(self, messages: Sequence[Message]) -> int | None:
        return self._counter.count(messages) if self._counter else None

    def facts(self) -> dict[str, str]:
        facts = {
            "backend": "openai",
            "address": self._address.url,
            "openai": self._transport.version,
        }
        if restated := self._dialect.facts():
            facts["restated"] = restated
        return facts

    def close(self) -> None:
        self._transport.close()

    def connection(self) -> tuple[Transport, Dialect, str]:
        """What the Batch API of the same server is reached with."""
        return self._transport, self._dialect, self._address.url

    def models(self) -> tuple[str, ...]:
        """The server's list of models, empty if it keeps none.

        Also learns the context window where the list states it (vLLM does).  Raises
        `ServerDown` or `KeyRefused`: call it before a long run to know these at once.
        """
        reply = self._transport.models(time.monotonic() + min(self.timeout_seconds, _LIST_SECONDS))
        if reply.status in (401, 403):
            raise self._about_key(error_from(reply, self._address.url))
        payload = parsed(reply.text) if reply.status == 200 else None
        listed = payload.get("data") if isinstance(payload, dict) else None
        entries = [e for e in listed if isinstance(e, dict)] if isinstance(listed, list) else []
        for entry in entries:
            window = entry.get("max_model_len")
            if entry.get("id") == self.name and isinstance(window, int) and self._window is None:
                self._window = window
        return tuple(e["id"] for e in entries if isinstance(e.get("id"), str))

    def complete(self, request: Request, /) -> Completion:
        self._check_window(request)
        request, notes = _sendable(request)
        deadline = time.monotonic() + self.timeout_seconds
        form = "schema" if request.schema else "grammar"
        fault_on_form, left_at_fault = False, -1
        for _ in range(_MOST_RESTATEMENTS):
            phrased = self._dialect.phrase(request)
            reply = _meant(self._transport.complete(phrased.body, deadline))
            if reply.status < 400:
                self._dialect.accept(phrased.ways)
                return self._read(reply, request, phrased, notes)
            aspect = blamed(reply, phrased.ways)
            if aspect is None and reply.status == 500 and form in phrased.ways:
                # llama.cpp's Python server fails with 500 on a schema that it cannot take.  A
                # passing fault looks the same, so only the second in a row counts as a refusal.
                if self._dialect.is_accepted(form, phrased.ways):
                    break
                fault_on_form = not fault_on_form
                if fault_on_form:
                    continue
                aspect = form
                left_at_fault = phrased.ways[form] if left_at_fault < 0 else left_at_fault
            if aspect is None or not self._dialect.move_on(request, aspect, phrased.ways):
                break
        if left_at_fault >= 0:  # no way of asking helped, so the form was not to blame
            self._dialect.restore(form, left_at_fault)
        raise self._failure(reply, request.model)

    def complete_together(self, requests: Sequence[Request]) -> list[Completion | ModelError]:
        """The answers to `requests`, which differ in their sample alone, drawn in one call.

        Servers that do not know ``n`` refuse it or, like llama.cpp's, silently give one answer:
        the list is then shorter, and `takes_n` is false from then on.  A failed call gives an
        empty list: to ask one by one tells what is wrong, and is retried.
        """
        first = requests[0]
        self._check_window(first)
        request, notes = _sendable(first)
        phrased = self._dialect.phrase(request)
        body = phrased.body | {"n": len(requests)}
        reply = _meant(self._transport.complete(body, time.monotonic() + self.timeout_seconds))
        if reply.status >= 400:
            refused = error_from(reply, self._address.url)
            # A prompt that is too long, or a server that is busy, says nothing about n.
            self.takes_n = not isinstance(refused, RequestRefused)
            return []
        self._dialect.accept(phrased.ways)
        told = (*phrased.notes, *notes)
        found = completions_from(reply.text, requests, self._address.url, told)
        self.takes_n = len(found) == len(requests)
        if len(found) == 1:
            return found  # As if it had been asked for alone.
        drawn = f"n = {len(requests)} were asked for in one call, and {len(found)} came"
        return [
            replace(one, notes=(*one.notes, drawn)) if isinstance(one, Completion) else one
            for one in found
        ]

    def _read(
        self, reply: Reply, request: Request, phrased: Phrased, notes: tuple[str, ...]
    ) -> Completion:
        url, limit = self._address.url, request.decoding.max_tokens
        completion = completion_from(reply.text, request, url, (*phrased.notes, *notes))
        usage = completion.usage
        if usage and (usage.prompt_tokens or 0) >= _LEAST_TOKENS_TO_JUDGE:
            characters = sum(len(m.content) for m in request.messages)
            if characters > _MOST_CHARACTERS_A_TOKEN * (usage.prompt_tokens or 0):
                raise ContextOverrun(
                    f"{url} read only {usage.prompt_tokens} tokens of a prompt of {characters} "
                    "characters, so it dropped a part without saying so: give the server a "
                    "longer context (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx)",
                    window=usage.prompt_tokens,
                )
        if usage and limit and (usage.completion_tokens or 0) > limit:
            self._dialect.move_on(request, "limit", phrased.ways)
            note = f"the server ignored the limit of {limit} tokens"
            completion = replace(completion, notes=(*completion.notes, note))
        return completion

    def _check_window(self, request: Request) -> None:
        if self._window is None or self._counter is None:
            return
        tokens, answer = self._counter.count(request.messages), request.decoding.max_tokens or 1
        if tokens + answer > self._window:
            raise ContextOverrun(
                f"the prompt has {tokens} tokens and the answer may take {answer}, more than the "
                f"window of {self._window}: shorten the prompt or lower max_tokens",
                tokens=tokens,
                window=self._window,
            )

    def _failure(self, reply: Reply, name: str) -> ModelError:
        """The error of a refused request; asks for the model list where that may help."""
        unknown = means("unknown_model", said(reply.text)) and reply.status in (400, 404, 422, 500)
        if not unknown and reply.status != 404:
            return self._about_key(error_from(reply, self._address.url))
        try:
            known = self.models()
        except ModelError:
            known = ()
        if unknown or (known and name not in known):
            return UnknownModel(name, self._address.url, known)
        return WrongAddress(
            f"{self._address.url} has no /chat/completions (HTTP 404): correct its base URL, which "
            "usually ends in /v1"
        )

    def _about_key(self, error: ModelError) -> ModelError:
        if not isinstance(error, KeyRefused):
            return error
        came = f"the key came from {self._variable}" if self._variable else "no key was sent"
        return KeyRefused(
            f"{error} ({came}; name the environment variable of this server's key with "
            "--key-variable)"
        )


def _meant(reply: Reply) -> Reply:
    """`reply` with the status it means: some gateways answer 200 with an error in the body."""
    payload = parsed(reply.text) if reply.status == 200 else None
    if not isinstance(payload, dict) or not payload.get("error") or payload.get("choices"):
        return reply
    error: Any = payload["error"]
    code = error.get("code") if isinstance(error, dict) else None
    return replace(reply, status=code if isinstance(code, int) and 400 <= code < 600 else 502)


def _sendable(request: Request) -> tuple[Request, tuple[str, ...]]:
    """`request` without lone surrogates, which JSON over HTTP cannot carry."""
    cleaned = tuple(
        replace(m, content=m.content.encode("utf-8", "replace").decode()) for m in request.messages
    )
    if cleaned == request.messages:
        return request, ()
    return replace(request, messages=cleaned), ("lone surrogates in the prompt became '?'",)
