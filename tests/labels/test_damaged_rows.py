"""Rows of a project that somebody changed by hand."""

from typing import Any

import pytest

from annotation.labels.rows import item_of, label_of
from globesumm.errors import DataError

LABEL: tuple[Any, ...] = (
    *("one", "item", "v", "relevance", "ada", 1, "annotator", '{"relevant": true}'),
    *("2026-01-01T00:00:00+00:00", "2026-01-01T00:01:00+00:00", 60.0),
    *("hidden", "[]", None, "counts"),
)
ITEM: tuple[Any, ...] = ("item", "relevance", '["en"]', None, "{}", "{}", None, "{}")


def changed(row: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*row[:place], value, *row[place + 1 :])


def test_a_sound_row_is_read() -> None:
    assert label_of(LABEL).annotator == "ada"
    assert item_of(ITEM).languages == ("en",)


@pytest.mark.parametrize(
    ("place", "value"),
    [(6, "king"), (6, None), (7, '{"relevant"'), (8, "yesterday"), (9, None), (11, 3), (12, "[")],
)
def test_a_damaged_label_is_named(place: int, value: Any) -> None:
    with pytest.raises(DataError, match="label 'one' in the database cannot be read"):
        label_of(changed(LABEL, place, value))


@pytest.mark.parametrize(("place", "value"), [(2, "["), (4, "{"), (5, None), (6, "{"), (7, 3)])
def test_a_damaged_item_is_named(place: int, value: Any) -> None:
    with pytest.raises(DataError, match="item 'item' in the database cannot be read"):
        item_of(changed(ITEM, place, value))
