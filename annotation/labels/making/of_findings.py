"""Items in which people review what a model found beyond the gold (FPP; GlobeSumm, B.1)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.labels.payloads import Issues, Listed, Prediction
from annotation.labels.values import Item
from globesumm.errors import DataError
from globesumm.records import from_plain, to_plain
from globesumm.values import Rejected

Row = tuple[str, Mapping[str, Any]]


def reviews(
    rows: Iterable[Row], lists: Mapping[str, tuple[Listed, Listed]]
) -> Iterator[Item | Rejected]:
    """One item a pair, of (place, row) of ``to-inspect.jsonl``; `lists` by pair are what is shown.

    Rows have ``pair``, ``of``, ``kind``, ``first``, ``second`` and ``text`` (see
    `metrics.where.Inspected`).  A row of no such form, or of a pair that is not there, is
    `Rejected`.
    """
    by_pair: dict[str, list[Prediction]] = {}
    for where, row in rows:
        pair = str(row.get("pair"))
        if pair not in lists:
            yield Rejected(where=where, reason=f"there is no pair {pair!r} among the texts given")
            continue
        told = {
            name: row[name] for name in ("kind", "first", "second", "of", "text") if name in row
        }
        try:
            by_pair.setdefault(pair, []).append(from_plain(Prediction, told, where))
        except DataError as error:
            yield Rejected(where=where, reason=str(error).removeprefix(f"{where}: "))
    for pair, found in by_pair.items():
        first, second = lists[pair]
        if not found:
            continue
        yield Item(
            id=f"{pair}/review",
            kind="issues",
            payload=to_plain(Issues(first=first, second=second, review=tuple(found))),
            languages=tuple(dict.fromkeys((first.language, second.language))),
            event=pair.rpartition("/")[0] or pair,
            source={"pair": pair},
        )
