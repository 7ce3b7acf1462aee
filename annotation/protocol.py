"""The protocol: what redundancy, omission and conflict are, why reports conflict, what to do.

It is data (``annotation/protocol.toml``) that the prompts show to models and that tells which
kind or cause a model's words mean (GlobeSumm, 2.3 and table 12; the wording is ours).
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from globesumm.errors import DataError, UsageError, cannot_read
from globesumm.records import from_plain
from globesumm.values import ConflictCause, IssueKind

K = TypeVar("K", IssueKind, ConflictCause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kind of issue or one cause; `names` are the words that mean it, ``*`` any ending."""

    definition: str
    example: str
    strategy: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    issues: dict[IssueKind, Entry]
    causes: dict[ConflictCause, Entry]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Every kind of issue and every cause of a conflict with its entry."""

    issues: Mapping[IssueKind, Entry]
    causes: Mapping[ConflictCause, Entry]
    reference: str

    @classmethod
    def read(cls, path: Path) -> "Protocol":
        """The protocol in a TOML file laid out like the one of the package.

        Raises `UsageError` where it cannot be read, `DataError` where something is missing.
        """
        try:
            return _parsed(path.read_bytes(), str(path))
        except OSError as error:
            raise UsageError(cannot_read(path, error)) from error

    def definitions(self) -> str:
        """The three kinds with definition and example, for the prompt that looks for them."""
        return "\n".join(
            f"- {str(kind).capitalize()}: {entry.definition} Example: {entry.example}"
            for kind, entry in self.issues.items()
        )

    def cause_rules(self) -> str:
        """The five causes with definition, example and strategy."""
        return "\n".join(
            f'- "{cause}": {entry.definition} Example: {entry.example} Then: {entry.strategy}'
            for cause, entry in self.causes.items()
        )

    def rules(self) -> str:
        """What a summary does about each kind of issue, and about conflicts by their cause."""
        kinds = "\n".join(
            f"{number}. {str(kind).capitalize()}: {entry.strategy}"
            for number, (kind, entry) in enumerate(self.issues.items(), start=1)
        )
        causes = "\n".join(
            f"   - {cause}: {entry.definition} {entry.strategy}"
            for cause, entry in self.causes.items()
        )
        return f"{kinds}\n{causes}"

    def kind_of(self, text: str) -> IssueKind | None:
        """The kind that `text` names first, or None."""
        return _first_named(text, self._kind_names)

    def cause_of(self, text: str) -> ConflictCause | None:
        """The cause that `text` names first, or None."""
        return _first_named(text, self._cause_names)

    @cached_property
    def _kind_names(self) -> dict[IssueKind, re.Pattern[str]]:
        return {kind: _pattern(str(kind), entry.names) for kind, entry in self.issues.items()}

    @cached_property
    def _cause_names(self) -> dict[ConflictCause, re.Pattern[str]]:
        return {cause: _pattern(str(cause), entry.names) for cause, entry in self.causes.items()}


@cache
def protocol() -> Protocol:
    """The protocol of the package."""
    return _parsed(
        files("annotation").joinpath("protocol.toml").read_bytes(), "annotation/protocol.toml"
    )


def _parsed(content: bytes, where: str) -> Protocol:
    try:
        plain = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{where}: not TOML ({error})") from error
    read = from_plain(_File, plain, where)
    missing = [str(kind) for kind in IssueKind if kind not in read.issues]
    missing += [str(cause) for cause in ConflictCause if cause not in read.causes]
    if missing:
        raise DataError(f"{where}: no entry for {', '.join(missing)}")
    return Protocol(
        issues={kind: read.issues[kind] for kind in IssueKind},
        causes={cause: read.causes[cause] for cause in ConflictCause},
        reference=f"protocol#{sha256(content).hexdigest()[:8]}",
    )


def _pattern(own: str, names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(name.casefold()).replace(r"\*", r"\w*") for name in (own, *names))
    return re.compile(rf"\b(?:{words})\b")


def _first_named(text: str, names: Mapping[K, re.Pattern[str]]) -> K | None:
    folded = text.casefold()
    found = {key: match.start() for key, name in names.items() if (match := name.search(folded))}
    return min(found, key=lambda key: found[key]) if found else None
