"""The register of known gaps: what GDELT's lists leave out and what its host does not serve.

The register is in ``globesumm/data/gdelt``, as of `AS_OF`; a gap that is not in it is nothing
known, and counts as a failure until someone looks.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from globesumm.errors import DataError
from retrieval.gdelt.names import BEGINS, FileName, Product, Stream
from retrieval.gdelt.slots import QUARTER, from_stamp

AS_OF = "2026-08-09"

_LISTS = {
    Stream.ENGLISH: "not_listed_english.txt",
    Stream.TRANSLATED: "not_listed_translated.txt",
}
_LISTED_PRODUCTS = (Product.GKG, Product.EXPORT, Product.MENTIONS)


def known_gap(name: FileName) -> str | None:
    """Why the file `name` is known not to exist, or None if it should be there."""
    if name.slot < BEGINS[name.stream]:
        return f"before the stream began ({BEGINS[name.stream]:%Y-%m-%d %H:%M})"
    if str(name) in _not_served():
        return f"listed, but not served (as of {AS_OF})"
    return None


def known_unlisted(name: FileName) -> str | None:
    """Why no list names the file `name`, where that is known; else None."""
    if name.slot < BEGINS[name.stream]:
        return f"before the stream began ({BEGINS[name.stream]:%Y-%m-%d %H:%M})"
    if name in _not_listed(name.stream):
        return f"never listed (as of {AS_OF})"
    return None


@cache
def true_size(name: FileName) -> int | None:
    """The size in bytes of a file whose list states a wrong one; None for all others."""
    for line in _lines("wrong_size.txt"):
        wrong, size = line.split()
        if wrong == str(name):
            return int(size)
    return None


@cache
def _not_served() -> frozenset[str]:
    return frozenset(_lines("not_served.txt"))


@cache
def _not_listed(stream: Stream) -> frozenset[FileName]:
    found = set()
    for line in _lines(_LISTS[stream]):
        digits, *more = line.split()
        count = int(more.pop(0)) if more and more[0].isdigit() else 1
        products = [Product(name) for name in more[0].split(",")] if more else _LISTED_PRODUCTS
        first = from_stamp(f"{digits}00")
        for place in range(count):
            for product in products:
                found.add(FileName(first + QUARTER * place, stream, product))
    return frozenset(found)


def _lines(name: str) -> Iterator[str]:
    source = files("globesumm").joinpath("data", "gdelt", name)
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{source}: cannot be read ({error.strerror})") from error
    return (line for line in text.splitlines() if line and not line.startswith("#"))
