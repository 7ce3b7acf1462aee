"""What a step of ``globesumm facts`` asked beside what it was to ask, told at its end."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from globesumm.cli.accounts import ASKED
from globesumm.errors import DataError
from globesumm.progress import say
from globesumm.records import read_record, write_record

if TYPE_CHECKING:
    from baselines.account import Ended
    from metrics.facts.asking import Asker

T = TypeVar("T")
M = TypeVar("M")


class Asking:
    """Notes for each source or summary (`what`) what `askers` were to ask and asked about it."""

    def __init__(self, what: str, *askers: "Asker") -> None:
        self._what, self._askers = what, askers
        self._planned: Counter[str] = Counter()
        self._of_finished: Counter[str] = Counter()
        self._ended: list[Ended] = []

    def each(
        self,
        items: Iterable[T],
        make: Callable[[T], M],
        least: Callable[[T], Mapping[str, int]],
        finished: Callable[[M], bool],
    ) -> list[M]:
        """What is made of each item; `least` are the calls that a plan counts for it by step."""
        from baselines.account import Ended

        found = []
        for item in items:
            for asker in self._askers:
                asker.noted.clear()
            found.append(make(item))
            planned = sum((asker.noted.planned for asker in self._askers), Counter())
            planned |= Counter(least(item))
            done = finished(found[-1])
            self._planned += planned
            self._of_finished += planned if done else Counter()
            uses = tuple(use for asker in self._askers for use in asker.noted.uses)
            self._ended.append(Ended(finished=done, uses=uses))
        return found

    def together(
        self,
        items: Iterable[T],
        make: Callable[[Iterable[T]], list[M]],
        finished: Callable[[M], bool],
    ) -> list[M]:
        """What is made of all items at once, with one call for each, in order."""
        from baselines.account import Ended

        (asker,) = self._askers
        asker.noted.clear()
        found = make(items)
        for one, use in zip(found, asker.noted.uses, strict=True):
            done = finished(one)
            self._planned[use.step] += 1
            self._of_finished[use.step] += done
            self._ended.append(Ended(finished=done, uses=(use,)))
        return found

    def tell(self, step: str, folder: Path) -> None:
        """Keep the account of the step in `folder`, beside those of other steps; say its sums.

        Without askers there is none: an entailer is asked by pairs, which no plan counts.
        """
        if not self._askers:
            return
        from baselines.account import Account, account, account_lines

        told = account(self._planned, self._of_finished, self._ended, len(self._ended))
        path = folder / ASKED
        try:
            held = read_record(path, dict[str, Account]) if path.exists() else {}
        except DataError as error:
            say(f"damaged: {error} (the accounts of other steps are lost; this one is kept)")
            held = {}
        write_record(path, {**held, step: told})
        for line in account_lines(told, self._what):
            say(line)
