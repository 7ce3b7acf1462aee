"""One HTTP exchange with a model server through the `openai` package, bounded and without keys.

The package's exceptions come from whichever HTTP library it uses in its version; they are told
apart by class name, so that both are served.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from globesumm.errors import MissingPackage
from globesumm.llm.addresses import Address
from globesumm.llm.errors import BadAnswer, ConnectionLost, ModelError, ServerDown, TimedOut

LONGEST_REPLY = 64 * 1024 * 1024
"""Bytes; a server that sends more is stopped."""

_LONGEST_ERROR = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever the status; the key is taken out of `text`."""

    status: int
    text: str
    headers: Mapping[str, str]


class Transport:
    """A connection pool to one address.  `key` is kept by the `openai` client alone."""

    def __init__(self, address: Address, key: str | None) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingPackage("openai", "a model behind an HTTP server", "models") from error
        self.version = openai.__version__
        self._address = address
        self._answered = False
        self._without_key = _remover(key)
        # No proxy of the environment can reach this machine's own servers.
        pool = openai.DefaultHttpxClient(
            trust_env=not address.local, event_hooks={"response": [_stop_at_error]}
        )
        # Identities in the environment are for OpenAI alone.
        identity = None if address.official else ""
        self._client = openai.OpenAI(
            api_key=key or "none",
            base_url=address.url,
            max_retries=0,
            http_client=pool,
            organization=identity,
            project=identity,
        )

    def __repr__(self) -> str:
        return f"Transport({self._address.url!r})"

    def close(self) -> None:
        self._client.close()

    def complete(self, body: dict[str, Any], deadline: float) -> Reply:
        """Post a chat completion; raises `ServerDown`, `ConnectionLost`, `TimedOut`, `BadAnswer`.

        `deadline` is on `time.monotonic`'s clock.
        """
        return self.exchange(
            lambda _: self._chat.create(
                model=body["model"],
                messages=body["messages"],
                extra_body=body,
                timeout=max(0.1, deadline - time.monotonic()),
            ),
            deadline,
        )

    @cached_property
    def _chat(self) -> Any:
        """Made once: the `openai` package wraps every method of a resource anew for each."""
        return self._client.chat.completions.with_streaming_response

    def models(self, deadline: float) -> Reply:
        """Get the list of models; raises as `complete` does."""
        return self.exchange(lambda api: api.models.with_streaming_response.list(), deadline)

    def exchange(
        self,
        open_response: Callable[[Any], AbstractContextManager[Any]],
        deadline: float,
        *,
        longest: int | None = None,
    ) -> Reply:
        """Any call of the `openai` client, at most `longest` bytes; raises as `complete` does."""
        left = max(0.1, deadline - time.monotonic())
        try:
            with open_response(self._client.with_options(timeout=left)) as response:
                self._answered = True
                text = _received(response.iter_bytes(), deadline, longest or LONGEST_REPLY)
                return Reply(response.status_code, self._without_key(text), dict(response.headers))
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001  (of whichever HTTP library there is)
            # Some versions of `openai` wrap what a hook raises, others pass it on.
            refusal = error.__cause__ if error.__cause__ is not None else error
            if isinstance(refusal, _ErrorReplyError):
                self._answered = True
                return Reply(refusal.status, self._without_key(refusal.text), refusal.headers)
            raise self._named(error, left) from None

    def _named(self, error: Exception, left: float) -> ModelError:
        """The named error of a call that broke below HTTP."""
        cause, url = error.__cause__ or error, self._address.url
        kinds = {kind.__name__ for link in (error, cause) for kind in type(link).__mro__}
        reason = self._without_key(str(cause) or type(cause).__name__)
        if kinds & {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}:
            return ServerDown(url, reason, answered_before=self._answered)
        if kinds & {"TimeoutException", "APITimeoutError"}:
            return TimedOut(f"{url} gave no whole answer in {left:.3g} s")
        if kinds & {"TransportError", "APIConnectionError", "StreamError", "OSError"}:
            return ConnectionLost(f"the connection to {url} broke ({reason})")
        return BadAnswer(f"{url}: {type(error).__name__}: {reason}")


class _ErrorReplyError(Exception):
    """A reply of status 400 or above, on its way through the `openai` package."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(status)
        self.status, self.text, self.headers = status, text, headers


def _stop_at_error(response: Any) -> None:
    """Take an error's body here, bounded; the `openai` package would read it without an end."""
    if response.status_code >= 400:
        start = bytearray()
        for chunk in response.iter_bytes():
            start += chunk
            if len(start) > _LONGEST_ERROR:
                break
        text = start[:_LONGEST_ERROR].decode("utf-8", errors="replace")
        raise _ErrorReplyError(response.status_code, text, dict(response.headers))


def _received(chunks: Any, deadline: float, longest: int) -> str:
    """The body, stopped when it takes too long or grows too large."""
    received = bytearray()
    for chunk in chunks:
        received += chunk
        if len(received) > longest:
            raise BadAnswer(f"a reply longer than {longest} bytes was stopped")
        if time.monotonic() > deadline:
            raise TimedOut("no whole answer in the time allowed: it came too slowly")
    return received.decode("utf-8", errors="replace")


def _remover(key: str | None) -> Callable[[str], str]:
    """Takes the key out of text; a closure, so that no repr shows it."""
    return (lambda text: text.replace(key, "[key]")) if key else (lambda text: text)
