"""The languages this package knows, and every way people write their names.

The table is ``globesumm/data/languages.toml``, read when first asked for.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from globesumm.errors import UnknownName

UNKNOWN = "und"
"""The BCP-47 code for a language that could not be determined."""

GLOBESUMM: tuple[str, ...] = (
    *("fr", "bg", "sv", "hi", "it", "hu", "nl", "pt", "ru", "ar", "ro", "da", "mk"),
    *("tr", "uk", "ca", "pl", "ko", "el", "fi", "es", "cs", "de", "he", "sq", "en"),
)
"""The 26 languages of the GlobeSumm data set, in the paper's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language; `scripts` are ISO 15924 codes, the usual one first."""

    code: str
    name: str
    own_name: str
    scripts: tuple[str, ...]
    direction: Literal["ltr", "rtl"] = "ltr"
    aliases: tuple[str, ...] = ()


class _Languages(Mapping[str, Language]):
    """The table, read from its file when first asked, so that importing costs nothing."""

    def __getitem__(self, code: str) -> Language:
        return _table()[code]

    def __iter__(self) -> Iterator[str]:
        return iter(_table())

    def __len__(self) -> int:
        return len(_table())


LANGUAGES: Mapping[str, Language] = _Languages()
"""Canonical code to language; `UNKNOWN` is not in it."""


@cache
def _table() -> dict[str, Language]:
    source = files("globesumm").joinpath("data", "languages.toml")
    rows: dict[str, dict[str, Any]] = tomllib.loads(source.read_text(encoding="utf-8"))
    return {
        code: Language(
            code=code,
            name=row["name"],
            own_name=row["own_name"],
            scripts=tuple(row["scripts"]),
            direction=row.get("direction", "ltr"),
            aliases=tuple(row.get("aliases", ())),
        )
        for code, row in rows.items()
    }


@cache
def _canonical() -> dict[str, str]:
    """Every folded code, alias and name, with the code it means."""
    known = {"und": UNKNOWN, "un": UNKNOWN, "xx-unkn": UNKNOWN, "unknown": UNKNOWN}
    for language in _table().values():
        for written in (language.code, language.name, language.own_name, *language.aliases):
            known[_folded(written)] = language.code
    return known


def _folded(written: str) -> str:
    """One spelling for names that differ in case, composition, blanks or underscores."""
    text = unicodedata.normalize("NFC", written).strip().casefold()
    return re.sub(r"[\s_-]+", "-", text)


def parse(code: str) -> str:
    """The canonical code for a language written in any usual way.

    Accepts BCP-47 tags with script and region (``pt-BR``, ``zh_Hant``), POSIX locales
    (``pt_BR.UTF-8``), ISO 639-1/2/3 codes and English and own names, in any case; ``und`` and
    what detectors write for it give `UNKNOWN`.

    Raises `UnknownName` with the nearest known name for anything else.
    """
    known = _canonical()
    folded = _folded(code[:100])
    if folded in known:
        return known[folded]
    bare = re.sub(r"[.@(].*", "", folded, flags=re.DOTALL).rstrip("-")
    if bare in known:
        return known[bare]
    primary, _, subtags = bare.partition("-")
    if re.fullmatch(r"[a-z]{2,3}", primary) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", subtags):
        found = known.get(primary)
        if found is not None:
            return found
    # Three letters or fewer were meant as a code: offer codes only, and names otherwise.
    short = len(folded) <= 3
    known_names = (row.code if short else row.name for row in _table().values())
    raise UnknownName("language", code[:100], known_names)


# ISO 15924 codes of the scripts that the table uses, with Unicode's names for them.
_SCRIPTS = {
    "Latn": "Latin",
    "Cyrl": "Cyrillic",
    "Arab": "Arabic",
    "Hani": "Han",
    "Deva": "Devanagari",
    "Grek": "Greek",
    "Hebr": "Hebrew",
    "Hang": "Hangul",
    "Hira": "Hiragana",
    "Kana": "Katakana",
    "Thai": "Thai",
    "Beng": "Bengali",
    "Tibt": "Tibetan",
    "Ethi": "Ethiopic",
    "Armn": "Armenian",
    "Geor": "Georgian",
    "Gujr": "Gujarati",
    "Guru": "Gurmukhi",
    "Khmr": "Khmer",
    "Knda": "Kannada",
    "Laoo": "Lao",
    "Mlym": "Malayalam",
    "Mong": "Mongolian",
    "Mymr": "Myanmar",
    "Orya": "Oriya",
    "Sinh": "Sinhala",
    "Taml": "Tamil",
    "Telu": "Telugu",
    "Thaa": "Thaana",
}


@cache
def _script_runs() -> Any:
    import regex

    runs = (rf"(?P<{code}>[\p{{L}}&&\p{{Script={name}}}]+)" for code, name in _SCRIPTS.items())
    return regex.compile("|".join(runs), regex.VERSION1)


def scripts_of(text: str) -> Counter[str]:
    """Number of letters of each script in `text`, by ISO 15924 code."""
    counts: Counter[str] = Counter()
    for run in _script_runs().finditer(text):
        counts[run.lastgroup] += run.end() - run.start()
    return counts


def script_of(text: str) -> str | None:
    """The script most letters of `text` are in (ISO 15924), or None if it has no letters."""
    return next((code for code, _ in scripts_of(text).most_common(1)), None)


@cache
def script_letters(script: str, *, marks: bool = True) -> str:
    """The letters of `script` (ISO 15924) in the Basic Multilingual Plane, with their `marks`.

    Those that it shares with others (the long mark of Japanese, combining accents) are among
    them.  As the inside of a character class, ``a-zà-ö``.  Raises `KeyError` for a script that
    no language of the table is written in.
    """
    return _class(script, r"\p{L}\p{M}" if marks else r"\p{L}", letters=not marks)


@cache
def script_signs(script: str) -> str:
    """The digits, stops, dashes and brackets that are of `script` and not of all, in such a class.

    With the joiners of scripts that are misspelt without them.
    """
    joiners = "\u200c\u200d" if script in _JOINED else ""
    return _class(script, r"\p{Nd}\p{Po}\p{Pd}\p{Ps}\p{Pe}") + joiners


_JOINED = ("Arab", "Beng", "Deva", "Gujr", "Guru", "Khmr", "Knda", "Mlym", "Mymr", "Orya", "Sinh",
           "Taml", "Telu")  # fmt: skip
"""Scripts in which (non-)joiners tell words apart, as in Persian and Sinhala."""


@cache
def _plane() -> str:
    """Every character of the Basic Multilingual Plane."""
    return "".join(map(chr, range(0xFFFF)))


def _class(script: str, kinds: str, *, letters: bool = False) -> str:
    """The characters of `script` of these `kinds` as ranges; of `letters` those Python knows."""
    import regex

    held = regex.compile(rf"[\p{{scx={_SCRIPTS[script]}}}&&[{kinds}]]", regex.VERSION1)
    ranges: list[list[int]] = []
    for found in held.findall(_plane()):
        # A letter that this Python does not know yet would count as none.
        if letters and not found.isalpha():
            continue
        code = ord(found)
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(chr(low) if low == high else f"{chr(low)}-{chr(high)}" for low, high in ranges)
