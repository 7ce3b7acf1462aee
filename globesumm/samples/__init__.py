"""The sample events: raw pages written for this project about real events' facts.

Each folder beside this file holds ``event.toml`` (what it is, and for every page its true
language, time, source and title), ``pages/`` (HTML as a server would send it),
``reference.en.txt`` (a summary by hand) and ``issues.toml`` (the redundancies, omissions and
conflicts that were planted, each with the sentences that hold it).  The outlets are invented.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import UnknownName
from globesumm.values import ConflictCause, Issue, IssueKind, Statement

FIRST = "marrakesh-earthquake"
"""The event that the demonstration shows in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample event: where its pages lie, and what its authors know about it."""

    id: str
    description: str
    category: str | None
    target: str
    pages: Path
    rows: tuple[dict[str, Any], ...]
    reference: str
    issues: tuple[Issue, ...]

    @property
    def conflicts(self) -> tuple[Issue, ...]:
        return tuple(issue for issue in self.issues if issue.kind is IssueKind.CONFLICT)


def names() -> list[str]:
    """The sample events, the one shown in full first."""
    found = sorted(path.parent.name for path in Path(__file__).parent.glob("*/event.toml"))
    return sorted(found, key=lambda name: name != FIRST)


def load(name: str) -> Sample:
    """The sample event `name`; raises `UnknownName`."""
    if name not in names():
        raise UnknownName("sample event", name, names())
    folder = Path(__file__).parent / name
    about = _toml(folder / "event.toml")
    rows = tuple(about["page"])
    languages = {Path(row["file"]).stem: str(row["language"]) for row in rows}
    issues = tuple(_issue(row, languages) for row in _toml(folder / "issues.toml")["issue"])
    return Sample(
        id=about["id"],
        description=about["description"],
        category=about.get("category"),
        target=about.get("target", "en"),
        pages=folder / "pages",
        rows=rows,
        reference=(folder / "reference.en.txt").read_text(encoding="utf-8").strip(),
        issues=issues,
    )


def _issue(row: dict[str, Any], languages: dict[str, str]) -> Issue:
    statements = tuple(
        Statement(
            document=statement["document"],
            index=0,
            language=languages[statement["document"]],
            text=statement["quote"],
        )
        for statement in row["statement"]
    )
    return Issue(
        kind=IssueKind(row["kind"]),
        statements=statements,
        differs=row.get("differs"),
        cause=ConflictCause(row["cause"]) if "cause" in row else None,
        note=row["english"],
    )


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
