"""Find out which calls a piece of work would make, by letting it run until it lacks one."""

import threading
from collections.abc import Callable, Mapping

from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion, Model, Request
from globesumm.llm.wrapper import Wrapper


class Deferred(ModelError):
    """The call is not in the store yet; it was noted down and not made."""


class Collecting(Wrapper):
    """Answers from `store`; what that lacks is noted in `missing` (by key) and `Deferred`."""

    def __init__(self, inside: Model, store: CallStore) -> None:
        super().__init__(inside)
        self.missing: dict[str, Request] = {}
        self._store = store
        self._lock = threading.Lock()

    def complete(self, request: Request, /) -> Completion:
        found = self._store.get(request.key)
        if found is not None:
            return found
        with self._lock:
            self.missing[request.key] = request
        raise Deferred(f"the call {request.key[:12]} waits for its batch")

    def close(self) -> None:
        """The model inside belongs to someone else."""


def in_waves(
    work: Callable[[Mapping[str, Model]], None],
    models: Mapping[str, Model],
    store: CallStore,
    answer: Callable[[str, Mapping[str, Request]], bool],
) -> bool:
    """Let `work` run again and again until it lacks no call; whether that was reached.

    `work` is given the models by name and takes each `Deferred` as the end of one item.  What
    every run of it lacks goes to ``answer(name, requests)``, which says whether the requests
    of that model are settled; if those of any model still wait, or none could be answered, this
    ends with False, and the same work goes on another day.
    """
    given_up: set[str] = set()
    while True:
        asked = {name: Collecting(model, store) for name, model in models.items()}
        work(asked)
        lacking = {
            name: {key: one for key, one in model.missing.items() if key not in given_up}
            for name, model in asked.items()
        }
        if not any(lacking.values()):
            return not given_up
        settled = [answer(name, requests) for name, requests in lacking.items() if requests]
        if not all(settled):
            return False
        # A call that its batches could not answer is left to the ordinary run.
        given_up |= {
            key for requests in lacking.values() for key in requests if store.get(key) is None
        }
