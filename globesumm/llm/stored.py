"""A model that asks only for what its call store lacks; without a backend, a replay."""

from collections.abc import Sequence

from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError, NotStored, RateLimited, excerpt
from globesumm.llm.metered import Meter
from globesumm.llm.request import Completion, Message, Model, Request
from globesumm.llm.wrapper import Wrapper


class Stored(Wrapper):
    """Answers from the store where it has them, and puts there what the model inside answers.

    A failed call is kept apart unless it says nothing about the call itself (a 429, or an error
    that ends the command).
    """

    def __init__(self, inside: Model, store: CallStore, meter: Meter | None = None) -> None:
        super().__init__(inside)
        self.store = store
        self._meter = meter

    def complete(self, request: Request, /) -> Completion:
        found = self.store.get(request.key)
        if found is not None:
            if self._meter:
                self._meter.hit()
            return found
        try:
            completion = self.inside.complete(request)
        except ModelError as error:
            if not isinstance(error, RateLimited | UsageError | NotStored):
                name, message = type(error).__name__, str(error)
                self.store.put_failure(request, name, message, error.completion)
            raise
        return self.store.put(request, completion)

    def close(self) -> None:
        super().close()
        self.store.close()


class Replay:
    """The model of a replay: behind a store, everything that the store lacks is an error."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.context_window: int | None = None

    def count_tokens(self, messages: Sequence[Message]) -> None:
        """Unknown without a tokenizer."""

    def complete(self, request: Request, /) -> Completion:
        raise NotStored(
            f"replay: the call {request.key[:12]} to {request.model!r} is not in the store (its "
            f"last message begins {excerpt(request.messages[-1].content, 60)!r}); repeat without "
            "replay to make it"
        )

    def facts(self) -> dict[str, str]:
        return {"backend": "replay"}

    def close(self) -> None:
        """There is nothing to give back."""
