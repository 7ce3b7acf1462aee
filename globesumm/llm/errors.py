"""What can go wrong between a request and a whole answer, as one tree.

::

    ModelError
    ├── NoKey               no key in the environment                         ends a command
    ├── KeyRefused          the server does not accept the key                ends a command
    ├── QuotaSpent          the account is empty                              ends a command
    ├── UnknownModel        the server has no such model                      ends a command
    ├── WrongAddress        something answers there, but no model server      ends a command
    ├── ServerDown          nothing answers at the address                    ends a command
    ├── LimitReached        the run's own cap on calls, tokens, spend, time   ends a command
    ├── Stopped             the run is being stopped; no call was begun       ends a command
    ├── StoreUnusable       the call store cannot be read or written          ends a command
    ├── Refused             the model or a filter declined to answer
    ├── CutOff              the answer stops at the token limit
    ├── ContextOverrun      the prompt does not fit the model's window
    ├── RequestRefused      the server rejects the request as stated
    ├── NotStored           replay asked for a call that was never stored
    ├── RateLimited         too many requests; carries Retry-After            retried
    ├── ServerFault         the server failed (5xx)                           retried
    ├── ConnectionLost      the connection broke during the call              retried
    ├── TimedOut            no whole answer within the time allowed           retried
    └── BadAnswer           the reply cannot be read as an answer             retried once

Those that end a command are `UsageError`s as well.  All others concern one call: the caller
records them and goes on with the next.  `completion` holds what was said nevertheless, so that
the raw text is kept; it is never to be used as if it were whole.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from globesumm.errors import GlobeSummError, UsageError, nearest_name

if TYPE_CHECKING:
    from globesumm.llm.request import Completion

LONGEST_EXCERPT = 300
_SHOWN_MODELS = 20


class ModelError(GlobeSummError):
    """A call that gave no whole answer.  `retryable`: the same request may succeed later."""

    retryable: bool = False
    retry_after: float | None = None

    def __init__(self, message: str, completion: "Completion | None" = None) -> None:
        super().__init__(message)
        self.completion = completion


class NoKey(ModelError, UsageError):
    """The environment variable that should hold the key is unset or unusable."""

    def __init__(self, variable: str, reason: str = "is not set") -> None:
        self.variable = variable
        super().__init__(
            f"no key: the environment variable {variable} {reason}; set it to your key, give "
            "the --base-url of a server without one, or use --model extractive, which needs none"
        )


class KeyRefused(ModelError, UsageError):
    """The server answered 401 or 403."""


class QuotaSpent(ModelError, UsageError):
    """The account behind the key has no credit left; waiting does not help."""


class UnknownModel(ModelError, UsageError):
    """The server does not have the model; `known` is its list (empty if it gave none)."""

    def __init__(self, name: str, address: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(sorted(known))
        nearest = nearest_name(name, self.known)
        listed = ", ".join(self.known[:_SHOWN_MODELS]) or "it gives no list"
        more = len(self.known) - _SHOWN_MODELS
        super().__init__(
            f"{address} has no model {name!r}"
            + (f"; did you mean {nearest!r}?" if nearest else "")
            + f" Its models: {listed}"
            + (f" and {more} more" if more > 0 else "")
        )


class WrongAddress(ModelError, UsageError):
    """Something answers at the address, but it does not speak the chat completions protocol."""


class ServerDown(ModelError, UsageError):
    """No connection to the address.

    `retryable` is true only where the server answered earlier (it may be restarting); one that
    never answered is reported at once.
    """

    def __init__(self, address: str, reason: str, *, answered_before: bool = False) -> None:
        self.address, self.retryable = address, answered_before
        super().__init__(
            f"no server answers at {address} ({reason}): start it, or correct its base URL"
        )


class LimitReached(ModelError, UsageError):
    """A cap set for the run is reached; finished calls are kept and the command can resume."""


class Stopped(ModelError, UsageError):
    """The run that the call belongs to is ending, so the call was not begun."""


class StoreUnusable(ModelError, UsageError):
    """The call store's file cannot be read or written."""


class Refused(ModelError):
    """The model declined, or a content filter stopped the answer."""


class CutOff(ModelError):
    """The answer ends at the token limit, not where the model would have ended it."""


class ContextOverrun(ModelError):
    """The prompt (with the answer's allowance) is longer than the context window.

    `tokens` and `window` are None where the server did not say them.
    """

    def __init__(
        self, message: str, *, tokens: int | None = None, window: int | None = None
    ) -> None:
        self.tokens, self.window = tokens, window
        super().__init__(message)


class RequestRefused(ModelError):
    """The server rejects the request, for a reason that no known workaround removes."""


class NotStored(ModelError):
    """Replay without a backend, and the call is not in the store."""


class RateLimited(ModelError):
    """HTTP 429.  `retry_after` is in seconds, None where the server did not say."""

    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServerFault(ModelError):
    """The server failed (HTTP 5xx, 408, 409, 425).  `retry_after` as in `RateLimited`."""

    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ConnectionLost(ModelError):
    """The connection was made and broke before the whole answer was there."""

    retryable = True


class TimedOut(ModelError):
    """No whole answer within the time allowed for one call."""

    retryable = True


class BadAnswer(ModelError):
    """The reply cannot be read as an answer (HTML, no choices, empty text); `raw` is its start."""

    retryable = True

    def __init__(
        self, message: str, completion: "Completion | None" = None, *, raw: str | None = None
    ) -> None:
        super().__init__(message, completion)
        self.raw = raw


def excerpt(text: str, longest: int = LONGEST_EXCERPT) -> str:
    """`text` as part of a one-line message: control characters become spaces, long text is cut."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
