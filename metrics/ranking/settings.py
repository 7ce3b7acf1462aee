"""What decides a ranking beside the scores."""

from dataclasses import dataclass

from globesumm.errors import UnknownName, UsageError
from metrics.base import Better
from metrics.ranking.outcomes import Ties, Wins


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How methods are compared and fitted.

    `better` is the direction of the scores, `sigma` the model's scale (1e-6 to 1e6), `penalty` the
    number of virtual ties added to each pair (0: plain maximum likelihood), `bootstrap` the
    number of resamples of the documents.  Raises `UnknownName` and `UsageError`.
    """

    better: Better = Better.HIGHER
    wins: Wins = "documents"
    ties: Ties = "split"
    sigma: float = 1.0
    penalty: float = 1.0
    bootstrap: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.wins not in ("documents", "averages"):
            raise UnknownName("kind of comparison", self.wins, ("documents", "averages"))
        if self.ties not in ("split", "random"):
            raise UnknownName("rule for ties", self.ties, ("split", "random"))
        if not 1e-6 <= self.sigma <= 1e6:
            raise UsageError(f"sigma is {self.sigma}: give a number from 0.000001 to 1000000")
        if not (self.penalty == 0 or 1e-6 <= self.penalty <= 1e6):
            raise UsageError(
                f"penalty is {self.penalty}: give virtual ties a pair, 0 or 0.000001 to 1000000"
            )
        if not 1 <= self.bootstrap <= 100_000:
            raise UsageError(f"{self.bootstrap} resamples: give a number from 1 to 100000")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}: give a number from 0 up")
