"""Which analyzer each language has, the same when documents and when queries are read.

Anserini indexes a language that it does not map with its English analyzer and says nothing; here
a language without a row in ``analyzers.toml`` is refused, and a row that is a makeshift says so.
"""

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from globesumm import languages
from globesumm.errors import UnknownName
from globesumm.records import from_plain
from retrieval.index import java

ENGLISH = "io.anserini.analysis.DefaultEnglishAnalyzer"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    about: str
    fallback: str | None = None
    truncate: int | None = None
    fold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The row of one language: Lucene's class, and what is done to its tokens here.

    `fallback` says why the analyzer is a makeshift, None where it is one of the language.
    """

    language: str
    name: str
    about: str
    fallback: str | None = None
    truncate: int | None = None
    fold: bool = False

    @property
    def tokens_ours(self) -> bool:
        """Whether tokens are changed here, so that Lucene is given them ready."""
        return self.fold or self.truncate is not None

    @property
    def signature(self) -> str:
        """Names everything that decides how words compare; kept with an index."""
        short = self.name.rsplit(".", 1)[-1]
        cut = f"+first-{self.truncate}" if self.truncate else ""
        return f"{short}{'+fold' if self.fold else ''}{cut}"

    def analyzer(self) -> Any:
        """A new Java analyzer; starts Java."""
        made = java.java_class(self.name)
        return made.newStemmingInstance("porter") if self.name == ENGLISH else made()

    def tokens(self, text: str) -> list[str]:
        """What `text` is compared by; starts Java."""
        printable = text.encode("utf-8", "replace").decode()
        return [self._changed(token) for token in _analyzed(self.language)(printable)]

    def _changed(self, token: str) -> str:
        if self.fold:
            parts = unicodedata.normalize("NFD", token)
            token = "".join(p for p in parts if unicodedata.category(p) != "Mn")
        return token[: self.truncate] if self.truncate else token


@cache
def analyses() -> Mapping[str, Analysis]:
    """Every language that can be indexed, by code."""
    text = resources.files("globesumm").joinpath("data/analyzers.toml").read_text("utf-8")
    found = {}
    for language, content in tomllib.loads(text).items():
        name = content.pop("class")
        row = from_plain(_Row, content, f"analyzers.toml: {language}")
        found[language] = Analysis(
            language=language,
            name=name,
            about=row.about,
            fallback=row.fallback,
            truncate=row.truncate,
            fold=row.fold,
        )
    return found


def analysis(language: str) -> Analysis:
    """The row of `language`, by any of its names; raises `UnknownName` where there is none."""
    known, code = analyses(), languages.parse(language)
    if code not in known:
        raise UnknownName("language with an analyzer", language, known)
    return known[code]


@cache
def _analyzed(language: str) -> Any:
    java.start()
    from pyserini.analysis import Analyzer

    return Analyzer(analysis(language).analyzer()).analyze
