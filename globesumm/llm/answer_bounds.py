"""Bounds on the form of an answer, for servers that enforce forms.

A weak model may go on within a form until it is cut off, or write in another language than it is
asked to.  A form with bounds lets it do neither: lists end, strings end, and strings hold the
letters of the wanted scripts alone.  So each answer can be used, and the calls made are those
planned.  What is beyond a bound is not said, which may end a sentence in the middle.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from globesumm.errors import UsageError
from globesumm.languages import script_letters, script_signs

MOST = 1000
"""Items of a list, and characters of a string: grammars of more are slow or refused."""

_BESIDE_LETTERS = " 0-9.,:;!?()%/+'’‘“”«»–—،؛؟।。、，：（）・-"
_FORM = re.compile(r"([0-9]{1,4})x([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class Bounds:
    """At most so many `items` in a list, of at most so many `characters` each.

    A text by itself has at most items × characters, up to 1,000.
    """

    items: int
    characters: int

    def __post_init__(self) -> None:
        for name in ("items", "characters"):
            if not 1 <= getattr(self, name) <= MOST:
                raise ValueError(f"bounded: {name} is {getattr(self, name)}: give 1 to {MOST}")

    @classmethod
    def parse(cls, text: str) -> "Bounds":
        """Bounds from ``8x80``; raises `UsageError`."""
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise UsageError(f"{text!r} bounds nothing: give items x characters, such as 8x80")
        try:
            return cls(int(found[1]), int(found[2]))
        except ValueError as error:
            raise UsageError(f"{text!r} is no bound such as 8x80 ({error})") from error

    def string(self, scripts: Collection[str]) -> dict[str, Any]:
        """The schema of one string in a list, in `scripts` (ISO 15924; none: any characters)."""
        return _string(self.characters, frozenset(scripts))

    def text(self, scripts: Collection[str]) -> dict[str, Any]:
        """The schema of one string by itself."""
        return _string(min(MOST, self.items * self.characters), frozenset(scripts))


@cache
def _string(most: int, scripts: frozenset[str]) -> dict[str, Any]:
    if not scripts:
        return {"type": "string", "minLength": 1, "maxLength": most}
    first = "".join(script_letters(script, marks=False) for script in sorted(scripts))
    letters = "".join(script_letters(one) + script_signs(one) for one in sorted(scripts))
    pattern = f"^[{first}][{letters}{_BESIDE_LETTERS}]{{0,{most - 1}}}$"
    return {"type": "string", "pattern": pattern}
