"""Verdicts on one summary, from a file or from a judge, and the scores that follow."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import DataError
from globesumm.records import read_plain_records
from globesumm.values import Rejected, Score
from metrics.base import Measured, Signature, joined
from metrics.facts.formula import COLUMNS, completeness, conciseness, faithfulness

KNOWN = ("id", "key_facts", "sentences", "supported", "system", "scenario", "language", "notes")
"""What a line of verdicts may hold."""

MOST_SENTENCES = 1_000_000

WARNED = "warnings"
"""The name of the note that says what in the texts speaks to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What was judged of one summary.

    `key_facts` holds for each key fact the numbers of the sentences that state it (empty: none),
    None where matching was not done; `sentences` is their number.  `supported` says for each
    fact of the summary whether the source supports it (None: not judged), and is None where
    verification was not done.  `notes` say why something was not done, by the name of the part
    (``key_facts``, ``supported``), and under `WARNED` what speaks to a model.
    `system` wrote the summary of a source of `scenario`.
    """

    id: str
    key_facts: tuple[tuple[int, ...], ...] | None
    sentences: int
    supported: tuple[bool | None, ...] | None
    system: str | None = None
    scenario: str | None = None
    language: str | None = None
    notes: Mapping[str, str] | None = None

    def measured(self) -> dict[str, Measured]:
        """The three scores by name; each is noted where a text speaks to a model."""
        notes = self.notes or {}
        unmatched = Measured(None, notes.get("key_facts", "the key facts were not matched"))
        unverified = Measured(None, notes.get("supported", "the facts were not verified"))
        found = self.key_facts
        made = {
            "completeness": unmatched if found is None else completeness(found, self.sentences),
            "conciseness": unmatched if found is None else conciseness(found, self.sentences),
            "faithfulness": unverified if self.supported is None else faithfulness(self.supported),
        }
        return {
            name: Measured(one.value, joined(one.note, notes.get(WARNED)))
            for name, one in made.items()
        }


def scores(verdicts: Iterable[Verdicts], judge: str = "given") -> list[Score]:
    """Three scores for each summary, in order; `judge` names who judged in the signature."""
    return [
        Score(
            id=one.id,
            metric=column.name,
            value=measured[column.name].value,
            signature=signature(column.name, judge),
            note=measured[column.name].note,
            recipe=one.system,
            language=one.language,
        )
        for one in verdicts
        for measured in [one.measured()]
        for column in COLUMNS
    ]


def unread(rejected: Iterable[Rejected], judge: str = "given") -> list[Score]:
    """Three scores without a value for each line that could not be read."""
    return [
        Score(
            id=bad.where,
            metric=column.name,
            value=None,
            signature=signature(column.name, judge),
            note=f"not read: {bad.reason}",
        )
        for bad in rejected
        for column in COLUMNS
    ]


def signature(column: str, judge: str) -> str:
    """What decides the values of `column`."""
    return str(Signature.of(column, verdicts=judge, v=1))


def read_verdicts(path: Path) -> Iterator[Verdicts | Rejected]:
    """Lines ``{"id", "key_facts", "sentences", "supported"}`` of a JSON Lines file.

    Sentences are numbered from 0 or from 1, each line in its own way.  A key fact may also be
    one number, or null for none, as in the published data.  ``key_facts`` or ``supported`` may
    be missing or null: then that direction was not judged.  A line of another form, and one
    about a summary that an earlier line was about, is `Rejected`.
    """
    seen: set[tuple[str | None, str]] = set()
    for record in read_plain_records(path):
        if isinstance(record, Rejected):
            yield record
            continue
        where, plain = record
        try:
            found = parsed(plain)
        except DataError as error:
            yield Rejected(where=where, reason=str(error))
            continue
        key = (found.system, found.id)
        if key in seen:
            by = f" by {found.system!r}" if found.system else ""
            yield Rejected(where=where, reason=f"the summary {found.id!r}{by} was on a line before")
            continue
        seen.add(key)
        yield found


def parsed(plain: Mapping[str, Any]) -> Verdicts:
    """The verdicts that one line holds; raises `DataError`."""
    if strange := [key for key in plain if key not in KNOWN]:
        raise DataError(f"unknown key {strange[0][:60]!r} (known: {', '.join(KNOWN)})")
    count = plain.get("sentences")
    if not isinstance(count, int) or not _whole(count) or not 0 <= count <= MOST_SENTENCES:
        raise DataError(f"sentences: a whole number from 0 to {MOST_SENTENCES} is needed")
    name = plain.get("id")
    if not isinstance(name, str) or not name:
        raise DataError("id: a name is needed")
    for key in ("system", "scenario", "language"):
        if not isinstance(plain.get(key), str | None):
            raise DataError(f"{key}: a name is needed")
    notes = plain.get("notes")
    if notes is not None and not (
        isinstance(notes, dict) and all(isinstance(note, str) for note in notes.values())
    ):
        raise DataError("notes: an object of texts is needed")
    found = Verdicts(
        id=name,
        key_facts=_matches(plain.get("key_facts")),
        sentences=count,
        supported=_supported(plain.get("supported")),
        system=plain.get("system"),
        scenario=plain.get("scenario"),
        language=plain.get("language"),
        notes=notes,
    )
    try:
        found.measured()
    except ValueError as error:
        raise DataError(f"key_facts: {error}") from error
    return found


def _matches(given: object) -> tuple[tuple[int, ...], ...] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise DataError("key_facts: a list is needed, with a list of sentences for each key fact")
    found = []
    for place, one in enumerate(given):
        held = [] if one is None else one if isinstance(one, list) else [one]
        if not all(_whole(number) for number in held):
            raise DataError(f"key_facts.{place}: a list of whole numbers is needed")
        found.append(tuple(sorted(set(held))))
    return tuple(found)


def _supported(given: object) -> tuple[bool | None, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise DataError("supported: a list is needed, with true or false for each fact")
    for place, one in enumerate(given):
        if not isinstance(one, bool | None):
            raise DataError(f"supported.{place}: true, false or null is needed")
    return tuple(given)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
