"""How far each batch is, and what came of the requests in it."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Lines of batches by what came of them.

    `answered` are stored; `expired` ran out of time, `failed` came back with an error, and
    `missing` ones were never mentioned: they are redone.  `strange` lines answer nothing asked.
    """

    answered: int = 0
    expired: int = 0
    failed: int = 0
    missing: int = 0
    strange: int = 0

    def one_more(self, name: str, count: int = 1) -> "Counts":
        """These counts with `count` more lines under `name`."""
        more: dict[str, int] = {name: getattr(self, name) + count}
        return replace(self, **more)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            answered=self.answered + other.answered,
            expired=self.expired + other.expired,
            failed=self.failed + other.failed,
            missing=self.missing + other.missing,
            strange=self.strange + other.strange,
        )

    def __str__(self) -> str:
        return (
            f"{self.answered} answered, {self.expired} expired, {self.failed} failed, "
            f"{self.missing} missing, {self.strange} lines that answer nothing asked"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One batch: written down (no `batch` yet), submitted, or collected (with its `counts`).

    `mark` is the digest under which the server is asked for it; `keys` are its requests'.
    """

    model: str
    server: str
    mark: str
    keys: tuple[str, ...]
    written: str
    batch: str | None = None
    counts: Counts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What came of requests: `waiting` ones are with the server, `left` ones no batch answered.

    `stopped` says which cap kept requests back, if one did.
    """

    counts: Counts = field(default_factory=Counts)
    waiting: int = 0
    left: int = 0
    stopped: str | None = None
