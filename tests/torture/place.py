"""A command that is killed or meets an accident: how it is prepared, and what it may leave."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.retrieval.mirror.web_server import Mirror
from tests.torture.asked_server import Answer, AskedServer, of_the_method

Command = Callable[[Path], list[str]]
"""From the folder of the run to the arguments of ``globesumm``."""


@dataclass
class Place:
    """Where a case is prepared: a folder for its inputs, and the servers that it asks."""

    folder: Path
    models: AskedServer
    mirror: Mirror

    def asked(self) -> list[str]:
        """Everything that was asked of either server, in order for each."""
        seen = [one.target for one in self.mirror.requests if one.path != "/robots.txt"]
        return [*self.models.asked, *(f"{one}" for one in seen)]

    def forget(self) -> None:
        self.models.asked.clear()
        self.mirror.forget()


@dataclass(frozen=True, kw_only=True)
class Case:
    """`prepare` writes the inputs and gives the command; `says` is how the models answer.

    Every file of the run's folder must be as in an undisturbed run, but for `aside` (shell
    patterns): files that hold the time, and stores, whose calls are compared one by one.
    `results` looks at what cannot be compared as bytes.  `at_once` requests may be under way, and
    so asked again, when it is killed.  A `batched` request names what is missing, and so is another
    after a kill; only how many there are is compared.

    `stores` (patterns) are files to whose end records are written, and `records` those that say
    how the folder was made, which another version writes in another way.
    """

    prepare: Callable[[Place], Command]
    says: Answer = of_the_method
    aside: tuple[str, ...] = ()
    results: Callable[[Path], object] = field(default=lambda _: None)
    at_once: int = 1
    needs: tuple[str, ...] = ()
    batched: bool = False
    stores: tuple[str, ...] = ("**/calls.sqlite-wal",)
    records: tuple[str, ...] = ("**/run.json",)
