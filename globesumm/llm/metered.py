"""How much was asked and spent, and the caps on it."""

import math
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from globesumm.errors import DataError, UsageError, cannot_read
from globesumm.llm.errors import ConnectionLost, LimitReached, ModelError, RateLimited, TimedOut
from globesumm.llm.request import Completion, Model, Request, Usage
from globesumm.llm.wrapper import Wrapper
from globesumm.records import from_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in one currency that the user chooses for all prices."""

    input_per_million: float
    output_per_million: float
    cached_input_per_million: float | None = None

    def __post_init__(self) -> None:
        for name in ("input_per_million", "output_per_million", "cached_input_per_million"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} is {value}, and a price is at least 0")

    def of(self, usage: Usage) -> float | None:
        """The cost of one call; None where the server did not count its tokens."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = usage.cached_tokens or 0 if self.cached_input_per_million is not None else 0
        cost = (
            (usage.prompt_tokens - cached) * self.input_per_million
            + cached * (self.cached_input_per_million or 0.0)
            + usage.completion_tokens * self.output_per_million
        )
        return cost / 1_000_000


def read_prices(path: Path) -> dict[str, Price]:
    """Prices by model name from TOML: ``["gpt-4o"]`` over ``input_per_million = 2.5`` and so on.

    Raises `DataError` naming the field that is wrong.
    """
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except ValueError as error:
        raise DataError(f"{path}: not TOML ({error}): correct it there") from error
    return from_plain(dict[str, Price], found, str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums so far.  `calls` went to a model (`failed` of them in vain), `hits` did not have to;
    `limited` attempts were turned away with a 429, and are no calls.

    Token sums cover the calls whose server counted; `uncounted` calls are in no token sum.
    `spend` covers the calls with a known price and count; `unpriced` calls are not in it, so
    where `unpriced` is not 0 the spend is at least that much.
    """

    calls: int = 0
    failed: int = 0
    limited: int = 0
    hits: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    uncounted: int = 0
    spend: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def after(
        self, model: str, usage: Usage | None, prices: Mapping[str, Price], *, answered: bool
    ) -> "Totals":
        """These totals and one more call; a call not `answered` used nothing."""
        usage = usage or Usage()
        counted = usage.prompt_tokens is not None and usage.completion_tokens is not None
        price = prices.get(model)
        cost = price.of(usage) if price else None
        return replace(
            self,
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + (usage.prompt_tokens or 0),
            completion_tokens=self.completion_tokens + (usage.completion_tokens or 0),
            reasoning_tokens=self.reasoning_tokens + (usage.reasoning_tokens or 0),
            uncounted=self.uncounted + (answered and not counted),
            spend=self.spend + (cost or 0.0),
            unpriced=self.unpriced + (answered and cost is None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Where a run is to stop: None is no cap.  Calls in flight may end a little beyond a cap.

    `seconds` is for one invocation, the others are for the whole run.
    """

    calls: int | None = None
    tokens: int | None = None
    spend: float | None = None
    seconds: float | None = None


class Meter:
    """Counts that any number of models and threads share.

    `before` is what earlier parts of the run used: the caps cover it, `totals` does not.  A cap on
    spend needs the price of every model (`UsageError` otherwise, at the first call).  Where a
    server counts no tokens, the caps take one token for each UTF-8 byte, which is never too few;
    the totals do not.
    """

    def __init__(
        self,
        *,
        prices: Mapping[str, Price] | None = None,
        caps: Caps | None = None,
        before: Totals | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.prices, self._caps = dict(prices or {}), caps or Caps()
        self._totals, self._before = Totals(), before or Totals()
        self._feared_tokens, self._feared_spend = self._before.tokens, self._before.spend
        self._clock, self._started = clock, clock()
        self._lock = threading.Lock()
        self._reached: str | None = None

    @property
    def totals(self) -> Totals:
        with self._lock:
            return self._totals

    @property
    def reached(self) -> str | None:
        """Which cap forbade a call, in words; None while none did."""
        with self._lock:
            return self._reached

    def hit(self) -> None:
        """Count a call that was answered without a server."""
        with self._lock:
            self._totals = replace(self._totals, hits=self._totals.hits + 1)

    def start(self, model: str) -> None:
        """Count a call that begins; raises `LimitReached` where a cap forbids it."""
        if self._caps.spend is not None and model not in self.prices:
            raise UsageError(
                f"a cap on spend needs the price of {model!r}: give its price, or cap calls or "
                "tokens instead"
            )
        with self._lock:
            now, caps = self._totals, self._caps
            for what, used, cap in (
                ("calls", self._before.calls + now.calls, caps.calls),
                ("tokens", self._feared_tokens, caps.tokens),
                ("spend", self._feared_spend, caps.spend),
                ("seconds", self._clock() - self._started, caps.seconds),
            ):
                if cap is not None and used >= cap:
                    self._reached = (
                        f"the cap of {cap:g} {what} is reached ({used:g} used): what is finished "
                        "is kept; raise the cap and repeat the command to go on"
                    )
                    raise LimitReached(self._reached)
            self._totals = replace(now, calls=now.calls + 1)

    def came_along(self) -> None:
        """Count a call whose answer came with that of another: it is there, whatever a cap says."""
        with self._lock:
            self._totals = replace(self._totals, calls=self._totals.calls + 1)

    def give_back(self) -> None:
        """Count a call that began as never made: a batch line that its server left undone."""
        with self._lock:
            self._totals = replace(self._totals, calls=self._totals.calls - 1)

    def end(
        self, request: Request, completion: Completion | None, error: BaseException | None = None
    ) -> None:
        """Count what a call that began has used; `error` is how it failed."""
        usage = completion.usage if completion else None
        answered = completion is not None or isinstance(error, TimedOut | ConnectionLost)
        limited = isinstance(error, RateLimited)
        price = self.prices.get(request.model)
        feared = _most(request, completion) if answered else Usage()
        with self._lock:
            now = self._totals.after(request.model, usage, self.prices, answered=answered)
            self._totals = replace(
                now,
                # `start` counted the call already, and a 429 is none.
                calls=now.calls - 1 - limited,
                limited=now.limited + limited,
                failed=now.failed + (error is not None and not limited),
            )
            self._feared_tokens += (feared.prompt_tokens or 0) + (feared.completion_tokens or 0)
            self._feared_spend += (price.of(feared) or 0.0) if price else 0.0


class Metered(Wrapper):
    """Counts every call to the model inside, those that fail included."""

    def __init__(self, inside: Model, meter: Meter) -> None:
        super().__init__(inside)
        self.meter = meter

    def complete(self, request: Request, /) -> Completion:
        self.meter.start(request.model)
        try:
            completion = self.inside.complete(request)
        except ModelError as error:
            self.meter.end(request, error.completion, error)
            raise
        except BaseException as error:
            self.meter.end(request, None, error)
            raise
        self.meter.end(request, completion)
        return completion


def _most(request: Request, completion: Completion | None) -> Usage:
    """The call's usage, or where it was not counted one that cannot be too low.

    No tokenizer makes more tokens than there are bytes.
    """
    usage = (completion.usage if completion else None) or Usage()
    if usage.prompt_tokens is not None and usage.completion_tokens is not None:
        return usage
    prompt = sum(len(m.content.encode("utf-8", "replace")) for m in request.messages)
    text = completion.text + (completion.reasoning or "") if completion else ""
    answer = len(text.encode("utf-8", "replace")) or request.decoding.max_tokens or 0
    return Usage(prompt_tokens=prompt, completion_tokens=answer)
