"""What a server's reply means: an answer, a named error, or a refused part of the request."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from globesumm.llm.completeness import oddities, patterns, whole
from globesumm.llm.errors import (
    BadAnswer,
    ContextOverrun,
    KeyRefused,
    ModelError,
    QuotaSpent,
    RateLimited,
    Refused,
    RequestRefused,
    ServerFault,
    excerpt,
)
from globesumm.llm.request import Completion, Request, Usage, parsed
from globesumm.llm.thinking import split_thinking
from globesumm.llm.token_choices import token_choices
from globesumm.llm.transport import Reply

LONGEST_WAIT = 3600.0
"""Seconds; a longer Retry-After is cut to this."""

_LONGEST_REASON = 100
_MOST_TOKENS = 2**53
_RETRIED = frozenset({408, 409, 425})


def means(meaning: str, said: str) -> bool:
    """Whether an error's text has a meaning of the table ``meaning``."""
    return bool(patterns("meaning")[meaning].search(said))


def said(text: str) -> str:
    """Code, type, parameter and message of an error body in any of the servers' shapes."""
    payload = parsed(text)
    if not isinstance(payload, dict):
        return text[:4000]
    error = payload.get("error", payload)
    if not isinstance(error, dict):
        return str(error)[:4000]
    names = ("code", "type", "param", "message", "detail")
    found = [error.get(n) for n in names] + [payload.get("message"), payload.get("detail")]
    found += [f"{n} {error[n]}" for n in ("n_prompt_tokens", "n_ctx") if n in error]
    parts = [p if isinstance(p, str) else json.dumps(p) for p in found if p not in (None, "")]
    return "; ".join(dict.fromkeys(parts))[:4000] or text[:4000]


def blamed(reply: Reply, candidates: Mapping[str, int]) -> str | None:
    """Which stated aspect of a request a refusal is about, or None."""
    if reply.status not in (400, 404, 415, 422, 500, 501):
        return None
    message = said(reply.text)
    if any(means(meaning, message) for meaning in ("unknown_model", "refusal", "quota")):
        return None
    if means("overrun", message) and not re.search(
        "unsupported|unrecognized", message, re.IGNORECASE
    ):
        return None
    payload = parsed(reply.text)
    error = payload.get("error") if isinstance(payload, dict) else None
    param = error.get("param") if isinstance(error, dict) else None
    places = [param, message] if isinstance(param, str) and param else [message]
    for place in places:
        for aspect, pattern in patterns("blame").items():
            if aspect in candidates and pattern.search(place):
                return aspect
        if place in ("max_tokens", "max_completion_tokens") and "limit" in candidates:
            # A limit that is only too high is the user's to correct.
            unsupported = re.search(
                r"unsupported|not supported|unrecognized", message, re.IGNORECASE
            )
            return "limit" if unsupported else None
    return None


def error_from(reply: Reply, address: str) -> ModelError:
    """The named error of a reply that is not an answer."""
    status, message = reply.status, said(reply.text)
    shown = f"{address} answered HTTP {status}: {excerpt(message) or 'nothing'}"
    wait = retry_after(reply.headers)
    if means("quota", message) and status in (402, 403, 429):
        return QuotaSpent(f"{shown}. Add credit to the account and repeat the command to resume")
    if status in (400, 403) and means("refusal", message):
        return Refused(f"a content filter refused the prompt: {shown}")
    if status in (401, 403):
        return KeyRefused(shown)
    if means("overrun", message) or status == 413:
        tokens, window = _overrun_sizes(message)
        return ContextOverrun(f"the prompt does not fit: {shown}", tokens=tokens, window=window)
    if status == 429:
        return RateLimited(shown, wait)
    if status in _RETRIED or (status >= 500 and status != 501):
        return ServerFault(shown, wait)
    return RequestRefused(shown)


def completion_from(text: str, request: Request, server: str, notes: tuple[str, ...]) -> Completion:
    """The whole answer in a reply of status 200; raises `CutOff`, `Refused` or `BadAnswer`."""
    payload = _payload(text, server)
    choice = _choices(payload, server, text)[0]
    usage = _usage(payload.get("usage"))
    told = (*notes, *_many_choices(payload))
    return _completion(payload, choice, request, server, notes=told, usage=usage)


def completions_from(
    text: str, requests: Sequence[Request], server: str, notes: tuple[str, ...]
) -> list[Completion | ModelError]:
    """Each choice of a reply as the answer to one of `requests`; fewer where there are fewer.

    The tokens of the prompt are the first one's, and those of all answers are shared out evenly.
    """
    payload = _payload(text, server)
    choices = _choices(payload, server, text)[: len(requests)]
    usages = _shared(_usage(payload.get("usage")), len(choices))
    found: list[Completion | ModelError] = []
    for choice, usage, request in zip(choices, usages, requests, strict=False):
        try:
            one = _completion(payload, choice, request, server, notes=notes, usage=usage)
            found.append(one)
        except ModelError as error:
            found.append(error)
    return found


def _shared(usage: Usage | None, count: int) -> list[Usage | None]:
    if usage is None:
        return [None] * count
    each, rest = divmod(usage.completion_tokens or 0, count)
    counted = usage.completion_tokens is not None
    first = replace(usage, completion_tokens=each + rest if counted else None)
    other = Usage(prompt_tokens=0, completion_tokens=each if counted else None)
    return [first, *[other] * (count - 1)]


def _payload(text: str, server: str) -> dict[str, Any]:
    payload = parsed(text)
    if not isinstance(payload, dict):
        kind = "HTML" if text.lstrip()[:1] == "<" else "no JSON object"
        raise BadAnswer(
            f"{server} answered with {kind}; is the base URL right? {excerpt(text, 120)!r}",
            raw=text[:4000],
        )
    return payload


def _choices(payload: dict[str, Any], server: str, text: str) -> list[dict[str, Any]]:
    choices = payload.get("choices")
    found = choices if isinstance(choices, list) else []
    if not found or not isinstance(found[0], dict):
        raise BadAnswer(f"{server} gave no choices: {excerpt(text, 120)}", raw=text[:4000])
    return [choice for choice in found if isinstance(choice, dict)]


def _completion(
    payload: dict[str, Any],
    choice: dict[str, Any],
    request: Request,
    server: str,
    *,
    notes: tuple[str, ...],
    usage: Usage | None,
) -> Completion:
    message = choice.get("message")
    if not isinstance(message, dict):
        message = {"content": choice.get("text")}
    answer, reasoning, ended = split_thinking(_text(message.get("content")))
    completion = Completion(
        text=answer,
        finish=str(choice.get("finish_reason") or "unstated")[:_LONGEST_REASON],
        reasoning=_field(message, "reasoning_content", "reasoning", "thinking") or reasoning,
        usage=usage,
        model=_field(payload, "model"),
        fingerprint=_field(payload, "system_fingerprint"),
        server=server,
        notes=(*notes, *oddities(request, answer, usage)),
        tokens=token_choices(choice.get("logprobs")) if request.top_logprobs else (),
    )
    return whole(completion, request, refusal=_field(message, "refusal"), ended=ended)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server asks (``retry-after-ms``, seconds, or an HTTP date)."""
    named = {name.lower(): value for name, value in headers.items()}
    milliseconds = _seconds(named.get("retry-after-ms"))
    if milliseconds is not None:
        return min(milliseconds / 1000, LONGEST_WAIT)
    value = named.get("retry-after")
    seconds = _seconds(value)
    if seconds is None and value:
        until = _date(value)
        # The server's own clock, where it states it, so that a wrong clock here does not matter.
        now = _date(named.get("date")) or datetime.now(UTC)
        seconds = max(0.0, (until - now).total_seconds()) if until else None
    return None if seconds is None else min(seconds, LONGEST_WAIT)


def _date(value: str | None) -> datetime | None:
    try:
        time = parsedate_to_datetime(value) if value else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return time.replace(tzinfo=UTC) if time and time.tzinfo is None else time


def _seconds(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _text(content: object) -> str:
    """A message's content; some servers give it in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _field(source: Mapping[str, Any], *names: str) -> str | None:
    found = (source.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)


def _usage(found: object) -> Usage | None:
    if not isinstance(found, dict):
        return None
    out, into = found.get("completion_tokens_details"), found.get("prompt_tokens_details")
    usage = Usage(
        prompt_tokens=_count(found.get("prompt_tokens")),
        completion_tokens=_count(found.get("completion_tokens")),
        reasoning_tokens=_count(out.get("reasoning_tokens")) if isinstance(out, dict) else None,
        cached_tokens=_count(into.get("cached_tokens")) if isinstance(into, dict) else None,
    )
    return None if usage == Usage() else usage


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _MOST_TOKENS else None


def _overrun_sizes(message: str) -> tuple[int | None, int | None]:
    """(tokens asked for, window) where the message says them."""
    window = re.search(r"(?:length is|n_ctx|window of|limit of)\s*(\d{2,9})", message)
    asked = re.search(r"(?:requested|resulted in|n_prompt_tokens)\s*(?:about )?(\d{2,9})", message)
    return (int(asked[1]) if asked else None), (int(window[1]) if window else None)


def _many_choices(payload: dict[str, Any]) -> list[str]:
    count = len(payload["choices"])
    return [f"the server gave {count} choices: the first was used"] if count > 1 else []
