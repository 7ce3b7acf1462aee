"""Equal requests at the same time make one call."""

import threading
from concurrent.futures import Future

from globesumm.llm.metered import Meter
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper


class SingleFlight(Wrapper):
    """While a request is being answered, callers with an equal one wait for the same answer.

    A failure is shared as well.  `shared` counts the callers that waited, who are hits of the
    `meter`.
    """

    def __init__(self, inside: Model, meter: Meter | None = None) -> None:
        super().__init__(inside)
        self.shared = 0
        self._meter = meter
        self._flying: dict[str, Future[Completion]] = {}
        self._lock = threading.Lock()

    def complete(self, request: Request, /) -> Completion:
        key = request.key
        with self._lock:
            flight = self._flying.get(key)
            if flight is not None:
                self.shared += 1
            else:
                own: Future[Completion] = Future()
                self._flying[key] = own
        if flight is not None:
            if self._meter:
                self._meter.hit()
            return flight.result()
        try:
            completion = self.inside.complete(request)
        except BaseException as error:
            own.set_exception(error)
            raise
        else:
            own.set_result(completion)
            return completion
        finally:
            with self._lock:
                del self._flying[key]
