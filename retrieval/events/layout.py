"""Where each stage keeps its files, and how it knows that they are up to date.

::

    OUT/run.json             what the sources are; another config's are refused
    OUT/portal/              the portal's days, as of globesumm portal
    OUT/queries.jsonl        a query a line; to be edited
    OUT/gdelt/               GDELT's tables, as of globesumm gdelt
    OUT/titles/              BM25 over GDELT's titles, and the addresses they chose
    OUT/pages/               pages and documents, as of globesumm fetch
    OUT/index/               BM25, as of globesumm index
    OUT/candidates.jsonl     what was found: rank, score, reason
    OUT/unsearched.jsonl     events and languages without a candidate, with the reason
    OUT/calls.sqlite         every call to a model
    OUT/judgements.jsonl     a candidate a line, for people; what they fill in counts
    OUT/stories.jsonl        candidates that tell a story once more
    OUT/verdicts.jsonl       the verdict that counts on each candidate
    OUT/decisions.jsonl      what became of each candidate
    OUT/left-out.jsonl       the events that are not kept
    OUT/events.jsonl         the events: what globesumm summarize and grid take
    OUT/stages/<stage>.json  the account of a stage, and what its files were made of
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from globesumm.errors import DataError
from globesumm.records import read_record, write_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The account of a stage: `n` of `of` `what` were had, `left` counts the others by reason.

    `note` is what else a reader must know; `failed` counts what another try may mend.
    """

    stage: str
    what: str
    n: int
    of: int
    left: Mapping[str, int] = field(default_factory=dict)
    note: str | None = None
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    basis: str
    row: Row


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths below the folder `out`."""

    out: Path

    @property
    def portal(self) -> Path:
        return self.out / "portal"

    @property
    def queries(self) -> Path:
        return self.out / "queries.jsonl"

    @property
    def gdelt(self) -> Path:
        return self.out / "gdelt"

    @property
    def titles(self) -> Path:
        return self.out / "titles"

    @property
    def pages(self) -> Path:
        return self.out / "pages"

    @property
    def documents(self) -> Path:
        return self.pages / "documents.jsonl"

    @property
    def index(self) -> Path:
        return self.out / "index"

    @property
    def candidates(self) -> Path:
        return self.out / "candidates.jsonl"

    @property
    def unsearched(self) -> Path:
        return self.out / "unsearched.jsonl"

    @property
    def calls(self) -> Path:
        return self.out / "calls.sqlite"

    @property
    def judgements(self) -> Path:
        return self.out / "judgements.jsonl"

    @property
    def stories(self) -> Path:
        return self.out / "stories.jsonl"

    @property
    def verdicts(self) -> Path:
        return self.out / "verdicts.jsonl"

    @property
    def decisions(self) -> Path:
        return self.out / "decisions.jsonl"

    @property
    def left_out(self) -> Path:
        return self.out / "left-out.jsonl"

    @property
    def events(self) -> Path:
        return self.out / "events.jsonl"

    def made(self, stage: str, basis: str) -> Row | None:
        """The account of `stage` if its files were made of `basis`, else None."""
        try:
            mark = read_record(self.out / "stages" / f"{stage}.json", _Mark)
        except DataError:
            return None
        return mark.row if mark.basis == basis else None

    def mark(self, row: Row, basis: str) -> Row:
        """Note that the stage of `row` has made its files of `basis`."""
        write_record(self.out / "stages" / f"{row.stage}.json", _Mark(basis=basis, row=row))
        return row


def digest_of(path: Path) -> str:
    """SHA-256 of a file's content, ``"none"`` where there is none."""
    if not path.is_file():
        return "none"
    hasher = sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            hasher.update(chunk)
    return hasher.hexdigest()
