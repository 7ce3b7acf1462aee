"""Topics with their sides from files and into files, in three layouts.

``jsonl``    one topic a line, this project's own: ``{"topic", "sides": [{"name", "documents"}]}``
``polisum``  PoliSum's table (CSV): ``title, left_op, right_op, left_sum, right_sum``, the
             documents of a side separated by line breaks (Deas and McKeown, 2025)
``stances``  the perspective paper's records (JSON or JSON Lines): ``{"topic", "stance",
             "document"}``, one a side, a topic's sides in any order
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from baselines.perspectives import layout_jsonl, layout_polisum, layout_stances
from baselines.perspectives.checking import LEAST, Found, checked
from baselines.perspectives.values import Topic
from globesumm.errors import UnknownName, UsageError
from globesumm.values import Rejected

Texts = Mapping[str, str]
"""What a system wrote, by ``<topic>/<side>``; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One form of file: how it is read and written, the endings it is known by, and a line."""

    read: Callable[[Path], Iterator[Found | Rejected]]
    write: Callable[[Path, "list[Topic]", Texts], None]
    endings: tuple[str, ...]
    about: str


LAYOUTS: Mapping[str, Layout] = {
    "jsonl": Layout(
        read=layout_jsonl.read,
        write=layout_jsonl.write,
        endings=(".jsonl", ".ndjson"),
        about="one topic a line with its sides",
    ),
    "polisum": Layout(
        read=layout_polisum.read,
        write=layout_polisum.write,
        endings=(".csv",),
        about="PoliSum's table: title, left_op, right_op, left_sum, right_sum",
    ),
    "stances": Layout(
        read=layout_stances.read,
        write=layout_stances.write,
        endings=(".json",),
        about="the perspective paper's records: topic, stance, document",
    ),
}
"""Every layout by its name; adding one means writing its two functions and a row."""


def read_topics(
    path: Path, layout: str | None = None, *, least: int = LEAST
) -> Iterator[Topic | Rejected]:
    """The topics in the file `path`, in order, and what could not become one.

    Without a `layout` the file's ending says which.  `least` is how many documents a side needs.
    Raises `UnknownName`, and `UsageError` where there is no file or the layout cannot be told;
    a file that cannot be read as that layout at all is a `DataError`.
    """
    return checked(_layout(path, layout).read(_file(path)), least=least)


def write_topics(
    path: Path, topics: "list[Topic]", layout: str | None = None, texts: Texts | None = None
) -> None:
    """Write topics to `path`, whole or not at all; `texts` are summaries by ``<topic>/<side>``.

    Raises `UsageError` for what a layout cannot hold.
    """
    _layout(path, layout, "--to").write(path, topics, texts or {})


def _file(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(
            f"{path}: {'no regular file' if path.exists() else 'no such file'}: "
            "name a file of topics, or samples"
        )
    return path


def _layout(path: Path, name: str | None, option: str = "--layout") -> Layout:
    if name is not None:
        if name not in LAYOUTS:
            raise UnknownName("layout", name, LAYOUTS)
        return LAYOUTS[name]
    for one in LAYOUTS.values():
        if path.suffix.lower() in one.endings:
            return one
    endings = ", ".join(ending for one in LAYOUTS.values() for ending in one.endings)
    raise UsageError(
        f"{path}: its ending says no layout of topics ({endings}): name one with {option} "
        f"({', '.join(LAYOUTS)})"
    )
