"""Several answers to one prompt: in one call where the server gives them, else one by one.

A prompt of many documents is read once instead of nine times.  Each answer is stored under its
own request (its sample), so that a later run that wants more of them, or that was killed, buys
none twice.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError
from globesumm.llm.metered import Meter
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.pool import Lane
from globesumm.llm.request import Model, Request
from globesumm.llm.single_flight import SingleFlight


class Together:
    """Fills `store` with answers to requests that differ in their sample alone."""

    def __init__(
        self,
        backend: OpenAICompatible,
        flights: SingleFlight,
        store: CallStore,
        meter: Meter,
        lane: Lane,
    ) -> None:
        self._backend, self._flights, self._store = backend, flights, store
        self._meter, self._lane = meter, lane

    def draw(self, requests: Sequence[Request]) -> None:
        """Ask in one call for what the store lacks; what does not come is left to be asked for.

        Counts as many calls as answers came, since each stands for one.
        """
        if not self._backend.takes_n or len(requests) < 2:
            return
        with self._flights.drawing(one.key for one in requests) as free:
            missing = [
                one for one in requests if one.key in free and self._store.get(one.key) is None
            ]
            if len(missing) > 1:
                self._draw(missing)

    def _draw(self, missing: Sequence[Request]) -> None:
        with self._lane.slot():
            self._meter.start(missing[0].model)
            started = monotonic()
            try:
                found = self._backend.complete_together(missing)
            except UsageError as error:
                self._meter.end(missing[0], None, error if isinstance(error, ModelError) else None)
                raise
            except ModelError as error:
                # Asked one by one it is named, and retried where that may help.
                self._meter.end(missing[0], error.completion, error)
                return
            seconds = round((monotonic() - started) / max(1, len(found)), 3)
        if not found:
            self._meter.give_back()
            return
        for place, (request, answer) in enumerate(zip(missing, found, strict=False)):
            if place:
                self._meter.came_along()
            if isinstance(answer, ModelError):
                self._meter.end(request, answer.completion, answer)
                name = type(answer).__name__
                self._store.put_failure(request, name, str(answer), answer.completion)
            else:
                self._meter.end(request, answer)
                self._store.put(request, replace(answer, seconds=seconds))


def draw_together(model: Model, requests: Sequence[Request]) -> None:
    """Have `model` ready to answer each of `requests`, which differ in their sample alone.

    Whoever asks for them one by one afterwards gets what came from the store.  Does nothing for
    a model that answers in process, or has no store to keep what came.
    """
    together = getattr(model, "together", None)
    if isinstance(together, Together):
        together.draw(requests)
