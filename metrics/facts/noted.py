"""What an asker was to ask and did ask, for the account of a step (`baselines.account`)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from globesumm.llm.recording import Use


@dataclass(slots=True)
class Noted:
    """Calls since the last `clear`: `planned` by step (the prompt), and the `uses` in order.

    A use that a stored verdict rests on is one like any other, whichever process made the call.
    """

    planned: Counter[str] = field(default_factory=Counter)
    uses: list[Use] = field(default_factory=list)

    def plan(self, steps: Iterable[str]) -> None:
        """Count one call for each."""
        self.planned.update(steps)

    def clear(self) -> None:
        """Begin with the next source or summary."""
        self.planned, self.uses = Counter(), []
