"""What users of `evaluate` hand over, checked before it is stored.

`evaluate` makes a text of whatever it is given for one (``["a"]`` becomes ``"['a']"``), and would
score that.  Here what is no text is refused by its place.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from globesumm.errors import UsageError
from globesumm.languages import parse
from metrics.base import printable


def checked(columns: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[Any]]:
    """The columns `names`: a text for each of ``predictions``, of every other a list of texts.

    Lone surrogates, which Arrow cannot hold, are U+FFFD in it, as metrics read them anyway.
    Raises `UsageError` for another form, for unequal lengths, and for a column that is not taken.
    """
    others = sorted(
        name for name, held in columns.items() if name not in names and held is not None
    )
    # References are handed to every metric by habit; what else is not taken was meant.
    if refused := [name for name in others if name != "references"]:
        raise UsageError(f"{refused[0]!r} is not taken here: this metric takes {', '.join(names)}")
    found = {}
    for name in names:
        read = _text if name == "predictions" else _texts
        given = _listed(columns.get(name), name)
        found[name] = [read(one, f"{name}[{place}]") for place, one in enumerate(given)]
    count = len(found["predictions"])
    for name, held in found.items():
        if len(held) != count:
            raise UsageError(f"{count} predictions but {len(held)} {name}: give one for each")
    return found


def codes(given: object, own: str, count: int) -> list[str]:
    """The language of each of `count` predictions: `given` is one code, one for each, or None.

    `own` is what None stands for.  Raises `UsageError` (`UnknownName` for an unknown language).
    """
    if given is None or isinstance(given, str):
        return [parse(given or own)] * count
    listed = _listed(given, "language")
    if len(listed) != count:
        raise UsageError(f"{count} predictions but {len(listed)} languages: give one each")
    return [parse(_text(one, f"language[{place}]")) for place, one in enumerate(listed)]


def document_codes(given: object, own: str, counts: Sequence[int]) -> list[list[str]]:
    """The language of each document: one code for all, or for each prediction one or a list."""
    if given is None or isinstance(given, str):
        return [codes(given, own, count) for count in counts]
    listed = _listed(given, "document_languages")
    if len(listed) != len(counts):
        raise UsageError(
            f"{len(counts)} predictions but {len(listed)} document_languages: give one each"
        )
    found = []
    for place, (one, count) in enumerate(zip(listed, counts, strict=True)):
        held = (
            [one] * count if isinstance(one, str) else _texts(one, f"document_languages[{place}]")
        )
        if len(held) != count:
            raise UsageError(
                f"document_languages[{place}]: {len(held)} for {count} documents: give one each"
            )
        found.append([parse(code) for code in held])
    return found


def _listed(given: object, name: str) -> list[Any]:
    if given is None:
        raise UsageError(f"no {name} given: give one for each prediction")
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{name}: {type(given).__name__} given: give one for each prediction")
    return list(given)


def _texts(given: object, where: str) -> list[str]:
    if isinstance(given, str):
        return [_text(given, where)]
    if given is None or isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{where} is {type(given).__name__}: give a text, or a list of texts")
    return [_text(one, f"{where}[{place}]") for place, one in enumerate(given)]


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise UsageError(f"{where} is {type(given).__name__}: give a text")
    return printable(str(given))[0]
