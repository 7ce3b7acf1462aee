"""Equal requests that are made at the same time make one call."""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext

from globesumm.llm.errors import ModelError
from globesumm.llm.metered import Meter
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.urgency import SHARED, Urgency, level
from globesumm.llm.work import CURRENT
from globesumm.llm.wrapper import Wrapper


class _Flight:
    """A request that is being answered, as urgent as the most urgent of its callers."""

    def __init__(self) -> None:
        self.answer: Future[Completion] = Future()
        self.urgency = Urgency(level())


class SingleFlight(Wrapper):
    """While a request is being answered, callers with an equal one wait for the same answer.

    A failure is shared as well, and within one piece of work (`globesumm.llm.work`) one that
    would come again is not asked for again.  `shared` counts the callers that waited, who are
    hits of the `meter`.
    """

    def __init__(self, inside: Model, meter: Meter | None = None) -> None:
        super().__init__(inside)
        self.shared = 0
        self._meter = meter
        self._flying: dict[str, _Flight] = {}
        self._drawn: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def complete(self, request: Request, /) -> Completion:
        key, job = request.key, CURRENT.get()
        known = job.work.failure(key) if job else None
        if known is not None:
            self._hit()
            raise known
        with self._lock:
            drawn = self._drawn.get(key)
        if drawn is not None:
            # What comes is in the store then; what does not is asked for below.
            with job.joined() if job else nullcontext():
                drawn.wait()
        with self._lock:
            flight = self._flying.get(key)
            if flight is not None:
                self.shared += 1
            else:
                own = self._flying[key] = _Flight()
        if flight is not None:
            self._hit()
            flight.urgency.raise_to(level())
            with job.joined() if job else nullcontext():
                return flight.answer.result()
        token = SHARED.set(own.urgency)
        try:
            completion = self.inside.complete(request)
        except BaseException as error:
            if job and isinstance(error, ModelError):
                job.work.failed(key, error)
            own.answer.set_exception(error)
            raise
        else:
            own.answer.set_result(completion)
            return completion
        finally:
            SHARED.reset(token)
            with self._lock:
                del self._flying[key]

    @contextmanager
    def drawing(self, keys: Iterable[str]) -> Iterator[frozenset[str]]:
        """Those of `keys` that nobody asks for now; whoever does so meanwhile waits for the end.

        For answers that come by another way than `complete` and are in the store afterwards.
        """
        done = threading.Event()
        with self._lock:
            free = frozenset(
                key for key in keys if key not in self._flying and key not in self._drawn
            )
            self._drawn.update(dict.fromkeys(free, done))
        try:
            yield free
        finally:
            with self._lock:
                for key in free:
                    del self._drawn[key]
            done.set()

    def _hit(self) -> None:
        if self._meter:
            self._meter.hit()
