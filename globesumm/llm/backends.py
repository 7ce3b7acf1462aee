"""From a name to a model that stores, retries, counts and bounds its calls."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from globesumm.errors import UnknownName, UsageError, nearest_name
from globesumm.llm.adapters import is_adapter
from globesumm.llm.bounded import Bounded, complete_all
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError, NotStored
from globesumm.llm.metered import Caps, Meter, Metered, Price, Totals
from globesumm.llm.pool import Lane, Pool, check_bound
from globesumm.llm.recording import is_recording, record, used
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.retrying import Retrying
from globesumm.llm.single_flight import SingleFlight
from globesumm.llm.stored import Replay, Stored
from globesumm.llm.wrapper import Wrapper

if TYPE_CHECKING:
    from globesumm.llm.together import Together


def _openai() -> Callable[..., Model]:
    from globesumm.llm.openai_compatible import OpenAICompatible

    return OpenAICompatible


def _transformers() -> Callable[..., Model]:
    from globesumm.llm.local_transformers import LocalTransformers

    return LocalTransformers


def _pine() -> Callable[..., Model]:
    from globesumm.llm.pine.backend import LocalPine

    return LocalPine


def _scripted() -> Callable[..., Model]:
    from globesumm.llm.scripted import Scripted

    return Scripted.read


BACKENDS: Mapping[str, Callable[[], Callable[..., Model]]] = {
    "openai": _openai,
    "transformers": _transformers,
    "pine": _pine,
    "scripted": _scripted,
}
"""What makes the model of ``BACKEND:NAME``; called so that only the one in use is imported."""


class OpenedModel(Wrapper):
    """What `open_model` gives: a model with its `meter` and its `store` (None without one)."""

    def __init__(
        self,
        inside: Model,
        backend: Model,
        meter: Meter,
        store: CallStore | None,
        most: int,
        *,
        lane: Lane | None = None,
    ) -> None:
        super().__init__(inside)
        self.backend, self.meter, self.store, self._most = backend, meter, store, most
        self.together = _together(inside, backend, meter, store, lane)

    def complete(self, request: Request, /) -> Completion:
        if request.model != self.name:
            raise UsageError(
                f"a request to {request.model!r} was given to the model {self.name!r}: "
                "name the same in both"
            )
        try:
            completion = self.inside.complete(request)
        except ModelError as error:
            # What ends a command says nothing of this call, and may have kept it from being made.
            if is_recording() and not isinstance(error, UsageError | NotStored):
                record((used(request.key, answered=False),))
            raise
        if is_recording():
            record((used(request.key),))
        return completion

    @property
    def totals(self) -> Totals:
        """What was used since the model was opened."""
        return self.meter.totals

    def run_totals(self) -> Totals:
        """What all calls in the store used, whenever they were made; reads the whole store."""
        return self.meter.totals if self.store is None else self.store.totals(self.meter.prices)

    def check(self) -> tuple[str, ...]:
        """Reach a server before a long run; returns its list of models (none for other backends).

        Raises `ServerDown` and `KeyRefused` at once.
        """
        from globesumm.llm.openai_compatible import OpenAICompatible

        return self.backend.models() if isinstance(self.backend, OpenAICompatible) else ()

    def complete_all(self, requests: Iterable[Request]) -> Iterator[Completion | ModelError]:
        """Answer or error of each request, in order; see `globesumm.llm.bounded.complete_all`."""
        return complete_all(self, requests, most_at_once=self._most)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_model(
    name: str | Model,
    base_url: str | None = None,
    *,
    store: CallStore | Path | None = None,
    replay: bool = False,
    most_at_once: int | None = None,
    attempts: int = 5,
    longest_wait_seconds: float = 60.0,
    prices: Mapping[str, Price] | None = None,
    caps: Caps | None = None,
    meter: Meter | None = None,
    pool: Pool | None = None,
    **settings: Any,
) -> OpenedModel:
    """A model by name, wrapped: one flight for equal requests, the store, retries, the meter.

    `name` is ``gpt-4o`` or, with `base_url`, any model of an OpenAI-compatible server;
    ``transformers:NAME`` or the path of a model's folder for one in process (a hub name needs
    the prefix), and ``pine:NAME`` for the same without the weight of documents' order;
    ``scripted:FILE`` for written answers; or a `Model` of your own.  `settings` go
    to the backend (`timeout_seconds`, `key_variable`, `context_window`, `tokenizer`,
    `batch_size`, `device`, `revision`...); None leaves one at its default.  With `replay` no
    backend is opened, and a call that `store` lacks raises `NotStored`.  `caps` bound the whole
    run, what `store` says was used before included.

    Models of one run share a `pool`, which bounds the calls in flight over them all, and a
    `meter`, which then brings the prices and caps.  `most_at_once` bounds this model's server
    within the pool (8 without a pool).

    Raises `UsageError` and its children: unknown backend or setting, no key, missing package.
    """
    pool = pool or Pool(8 if most_at_once is None else most_at_once)
    most = pool.most_at_once if most_at_once is None else check_bound(most_at_once)
    if meter and (prices or caps):
        raise UsageError("a shared meter brings its own prices and caps: leave them out")
    if replay and store is None:
        raise UsageError("replay needs a call store to answer from")
    backend = _backend(name, base_url, settings, replay=replay)
    calls = CallStore(store, read_only=replay) if isinstance(store, Path) else store
    if meter is None:
        prior = calls.totals(prices) if calls is not None and caps is not None else None
        meter = Meter(prices=prices, caps=caps, before=prior)
    inside: Model = backend
    lane = None
    if not replay:
        lane = pool.lane(_server(backend), most)
        inside = Retrying(
            Bounded(Metered(backend, meter), timeout_seconds=_last_resort(backend), lane=lane),
            attempts=attempts,
            longest_wait_seconds=longest_wait_seconds,
            lane=lane,
        )
    if calls is not None:
        inside = Stored(inside, calls, meter)
    return OpenedModel(SingleFlight(inside, meter), backend, meter, calls, most, lane=lane)


def _together(
    flights: Model, backend: Model, meter: Meter, store: CallStore | None, lane: Lane | None
) -> "Together | None":
    """What draws several answers in one call; None where no server or no store is behind it."""
    if store is None or lane is None or not isinstance(flights, SingleFlight):
        return None
    if not hasattr(backend, "complete_together"):
        return None
    from globesumm.llm.openai_compatible import OpenAICompatible
    from globesumm.llm.together import Together

    if not isinstance(backend, OpenAICompatible):
        return None
    return Together(backend, flights, store, meter, lane)


def _server(backend: Model) -> str:
    """What models on one server have in common; one in process has a server of its own."""
    return backend.facts().get("address") or f"{backend.name} {id(backend)}"


def _last_resort(backend: Model) -> float | None:
    """When to give up a server that its own timeout does not: one that trickles its headers."""
    own = getattr(backend, "timeout_seconds", None)
    return None if own is None else 1.5 * own + 10


def _backend(
    name: str | Model, base_url: str | None, settings: dict[str, Any], *, replay: bool
) -> Model:
    if not isinstance(name, str):
        return Replay(name.name) if replay else name
    word, rest = _parted(name)
    if replay:
        stored_as = {"scripted": f"scripted:{Path(rest).name}", "pine": f"pine:{rest}"}
        return Replay(stored_as.get(word, rest))
    if base_url is not None:
        settings = settings | {"base_url": base_url}
    given = {setting: value for setting, value in settings.items() if value is not None}
    make = BACKENDS[word]()
    known = list(inspect.signature(make).parameters)[1:]
    for setting in given:
        if setting not in known:
            raise UnknownName("setting", setting, known, where=f"a model of backend {word!r}")
    return make(rest, **given)


def _parted(name: str) -> tuple[str, str]:
    """(backend, name).  A colon may belong to the name: Ollama has ``llama3:8b``."""
    word, colon, rest = name.partition(":")
    if colon and word in BACKENDS:
        backend = word
    elif (Path(name) / "config.json").is_file() or is_adapter(Path(name)):
        backend, rest = "transformers", name
    elif colon and nearest_name(word, BACKENDS):
        raise UnknownName("backend", word, BACKENDS, where=f"the model name {name!r}")
    else:
        backend, rest = "openai", name
    if not rest.strip():
        raise UsageError(f"the model name {name!r} is empty")
    return backend, rest
