"""What is kept of each round, and the table of all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baselines.preference.drafting import Means
from baselines.preference.sequences import PairAccuracy
from baselines.preference.training import Trained
from metrics.printed import MISSING, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """How a model does on the test sides.

    `accuracy` is on pairs of the base model's drafts, the same in every round; `drafts` are what
    proxies say of the model's own drafts (None where they were not drawn).
    """

    accuracy: PairAccuracy
    drafts: Means | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecord:
    """One finished round; round 0 is the base model, before anything was trained.

    `drafts` are those of the training sides, drawn from the model `drew`; `pairs` were made of
    them, and `none` counts by reason what made none.
    """

    round: int
    held_out: HeldOut
    drew: str | None = None
    drafts: Means | None = None
    pairs: int = 0
    none: Mapping[str, int] = field(default_factory=dict)
    trained: Trained | None = None


def table(rounds: Sequence[RoundRecord]) -> Table:
    """A row for each round: what it trained on, and what of it holds on sides not trained on.

    Shares and values of proxies are times 100; held-out proxies are those of the model's own
    drafts: their mean, and that of the draft ranked first.
    """
    proxies = tuple(
        dict.fromkeys(
            name for one in rounds if (own := one.held_out.drafts) is not None for name in own.mean
        )
    )
    header = (
        "round", "pairs", "steps", "loss", "train acc",
        "held-out pairs", "rewarded", "likelier", "a token",
        *(f"{name} {kind}" for name in proxies for kind in ("mean", "best")),
    )  # fmt: skip
    rows, numbers = [], []
    for one in rounds:
        held, trained = one.held_out.accuracy, one.trained
        values: list[float | None] = [held.rewarded, held.likelier, held.likelier_a_token]
        for name in proxies:
            drafts = one.held_out.drafts
            values += [drafts.mean.get(name), drafts.best.get(name)] if drafts else [None, None]
        first = (
            str(one.round),
            str(one.pairs) if trained else MISSING,
            str(trained.steps) if trained else MISSING,
            f"{trained.loss:.4f}" if trained else MISSING,
            _hundred(trained.train_accuracy if trained else None),
            str(held.pairs),
        )
        rows.append((*first, *map(_hundred, values)))
        numbers.append((*first, *("" if value is None else f"{value:.6f}" for value in values)))
    return Table(
        header=header,
        rows=tuple(rows),
        notes=tuple(_notes(rounds)),
        number_header=header,
        numbers=tuple(numbers),
        named=1,
    )


def _notes(rounds: Sequence[RoundRecord]) -> list[str]:
    found = []
    for one in rounds:
        if one.held_out.accuracy.reason:
            found.append(f"round {one.round}: held-out accuracy: {one.held_out.accuracy.reason}")
        if one.none:
            told = "; ".join(f"{count} {reason}" for reason, count in one.none.items())
            found.append(f"round {one.round}: made no pair: {told}")
    return found


def _hundred(value: float | None) -> str:
    return MISSING if value is None else f"{100 * value:.2f}"
