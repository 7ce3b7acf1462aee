"""What must hold between the tables of an experiment file, checked when it is read."""

from collections.abc import Iterator, Sequence

from globesumm.config.experiment import Experiment
from globesumm.config.tables import ModelRow
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.llm.addresses import Address
from globesumm.llm.request import Decoding


def check(experiment: Experiment, where: str) -> None:
    """Raise `UnknownName` or `DataError` for what cannot be meant; `where` names the file."""
    rows = (*experiment.models, *experiment.helpers)
    for one, other in _pairs(rows):
        if one.name.casefold() == other.name.casefold():
            raise DataError(f"{where}: two models are called {other.name!r}: rename one")
        if reason := _confusable(one, other):
            raise DataError(f"{where}: models {one.name!r} and {other.name!r}: {reason}")
    for row in rows:
        if row.batch and row.in_process:
            raise DataError(f"{where}: model {row.name!r}: batch needs a server, and it has none")
        _askable(experiment, row, where)
    _named(experiment, where)
    judged = [metric for judge in experiment.judges for metric in judge.metrics]
    if twice := next((metric for metric in judged if judged.count(metric) > 1), None):
        raise DataError(f"{where}: judges: {twice!r} is judged twice: name one judge for it")
    if experiment.limits.spend is not None:
        _priced(experiment, where)


def _askable(experiment: Experiment, row: ModelRow, where: str) -> None:
    """Raise `DataError` for an address, a decoding or a setting that `row` cannot be asked with."""
    decoding = experiment.decoding
    try:
        Address.read(row.base_url)
        Decoding(
            temperature=decoding.temperature,
            top_p=decoding.top_p,
            max_tokens=decoding.max_tokens,
            reasoning=row.reasoning,
        )
    except UsageError as error:
        raise DataError(f"{where}: model {row.name!r}: {error}") from error
    if not row.in_process:
        return
    idle = ("base_url", "key_variable", "timeout_seconds")
    if named := [name for name in idle if getattr(row, name) is not None]:
        raise DataError(
            f"{where}: model {row.name!r}: {', '.join(named)} is for servers, and it has none"
        )


def asked(experiment: Experiment) -> list[ModelRow]:
    """The rows that may be asked: those with cells, the one that prepares, those that judge."""
    names = [row.name for row in experiment.models]
    names += [experiment.presteps.model] if experiment.presteps.model else []
    names += [experiment.drafts.judge] if experiment.drafts.judge else []
    names += [judge.model for judge in experiment.judges if judge.model]
    return [experiment.rows[name] for name in dict.fromkeys(names)]


def _pairs(rows: Sequence[ModelRow]) -> Iterator[tuple[ModelRow, ModelRow]]:
    return ((one, other) for place, other in enumerate(rows) for one in rows[:place])


def _confusable(one: ModelRow, other: ModelRow) -> str | None:
    """Why the two may not stand in one file, or None.

    The call store knows an answer by its request, in which the server's address has no place.
    """
    if one.asked_as != other.asked_as:
        return None
    named = f"both are asked for as {one.asked_as!r}"
    if (one.served, one.base_url) != (other.served, other.base_url):
        return (
            f"{named}, but of different servers or backends, whose answers the call store could "
            "not tell apart: serve one of them under another name, or run it in a grid of its own"
        )
    prices = ("input_per_million", "output_per_million", "cached_input_per_million")
    if any(getattr(one, price) != getattr(other, price) for price in prices):
        return f"{named}, and their prices differ: give both the same"
    if one.reasoning == other.reasoning:
        return f"{named} with the same settings, so their answers are the same: drop one"
    return None


def _named(experiment: Experiment, where: str) -> None:
    named = [("[presteps] model", experiment.presteps.model)]
    named += [("[drafts] judge", experiment.drafts.judge)]
    named += [("[[judges]] model", judge.model) for judge in experiment.judges]
    for kind, name in named:
        if name is not None and name not in experiment.rows:
            raise UnknownName(kind, name, experiment.rows, where=where)


def _priced(experiment: Experiment, where: str) -> None:
    unpriced = [row.name for row in asked(experiment) if not row.priced]
    if unpriced:
        raise DataError(
            f"{where}: limits.spend needs the prices of every model that is asked, and "
            f"{', '.join(unpriced)} has none: give input_per_million and output_per_million, or "
            "limit tokens or calls instead"
        )
