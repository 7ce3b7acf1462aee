"""Tables that fit a terminal: columns that find no room go below, under the names again."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from metrics.printed import Table, one_line

WIDEST = 120
"""Characters of a line."""

_NAME, _HEADING = 60, 36
"""Characters of the longest name of a row, and of a column of numbers."""


def text_within(table: Table, widest: int = WIDEST) -> str:
    """`table` as `Table.text` prints it, in lines of at most `widest` characters where it can be.

    Columns that find no room stand in blocks of their own, each with the first `named` columns
    before them; columns under one title stay together where they can.  Long names lose their
    middle; notes are broken between words.
    """
    short = replace(
        table,
        header=tuple(
            _short(name, _NAME if place < table.named else _HEADING)
            for place, name in enumerate(table.header)
        ),
        rows=tuple((*map(_short, row[: table.named]), *row[table.named :]) for row in table.rows),
    )
    blocks = (_of_columns(short, held).text().rstrip("\n") for held in _blocks(short, widest))
    notes = [within(f"- {one_line(note)}", widest, "  ") for note in table.notes]
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])]) + "\n"


def within(text: str, widest: int = WIDEST, indent: str = "") -> str:
    """`text` broken between words; lines after the first begin with `indent`."""
    return textwrap.fill(
        text, widest, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _short(name: str, longest: int = _NAME) -> str:
    """Both ends stay: what tells names of one family apart often stands last."""
    flat, tail = one_line(name), longest // 3
    return flat if len(flat) <= longest else f"{flat[: longest - tail - 1]}…{flat[-tail:]}"


def _blocks(table: Table, widest: int) -> Iterator[Sequence[int]]:
    """The columns of each block, without those that hold names."""
    star = 1 if table.best else 0
    widths = [max(len(one_line(cell)) for cell in column) for column in _columns(table)]
    names = sum(widths[: table.named]) + 2 * max(0, table.named - 1)
    wide = [width + star + 2 for width in widths]
    held: list[int] = []
    for together in _together(table):
        room = widest - names - sum(wide[place] for place in held)
        if held and sum(wide[place] for place in together) > room:
            yield held
            held = []
        for place in together:
            if held and names + sum(wide[one] for one in (*held, place)) > widest:
                yield held
                held = []
            held.append(place)
    yield held


def _together(table: Table) -> Iterator[range]:
    """The columns under each title; each by itself where there are no titles."""
    counts = [count for _, count in table.groups] or [1] * (len(table.header) - table.named)
    first = table.named
    for count in counts:
        yield range(first, first + count)
        first += count


def _columns(table: Table) -> Iterator[tuple[str, ...]]:
    return zip(table.header, *table.rows, strict=True)


def _of_columns(table: Table, places: Sequence[int]) -> Table:
    """The table with those columns alone beside the names."""
    kept = [*range(table.named), *places]
    now = {before: place for place, before in enumerate(kept)}
    titles = list(
        chain.from_iterable([number] * count for number, (_, count) in enumerate(table.groups))
    )
    groups: dict[int, int] = {}
    for place in places if titles else ():
        number = titles[place - table.named]
        groups[number] = groups.get(number, 0) + 1
    titled = [(table.groups[number][0], count) for number, count in groups.items()]
    return replace(
        table,
        header=tuple(table.header[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
        notes=(),
        groups=tuple(titled) if any(title for title, _ in titled) else (),
        best=frozenset((row, now[column]) for row, column in table.best if column in now),
    )
