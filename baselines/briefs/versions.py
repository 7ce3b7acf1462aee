"""What readers were shown before: what the present summary says no longer, or says otherwise.

A version is the summary as it stood after one look, with its citations and conflicts.  Corrections
and the turns of conflicts are what two versions in a row differ by; both files are made of the
versions alone, so that a look that was cut short changes nothing.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from baselines.briefs.values import Correction, CorrectionKind, Turn, Turned
from baselines.citations import Citation
from baselines.growing.changes import Kind, changes
from baselines.ledger import Entry, Treatment, Voice
from globesumm.errors import DataError
from globesumm.progress import say
from globesumm.records import AGAIN, read_made, read_own_records, write_records
from globesumm.runs import Run
from globesumm.values import Document, Event, Statement, Summary

VERSIONS, CORRECTIONS, TURNS = "versions.jsonl", "corrections.jsonl", "turns.jsonl"
"""In a run folder: a `Version`, `Correction` or `Turned` a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of the summary; `documents` are those it rests on, `statements` their words."""

    text: str
    language: str
    documents: tuple[str, ...]
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What readers were shown from `at` on: `round` is the last one, of `documents`."""

    number: int
    at: datetime
    round: int
    documents: tuple[str, ...]
    sentences: tuple[Said, ...]
    entries: tuple[Entry, ...]


def read_versions(run: Run) -> list[Version]:
    """The versions of the run's brief, the first one first."""
    path = run.folder / VERSIONS
    return list(read_own_records(path, Version)) if path.exists() else []


def keep_version(  # noqa: PLR0917  # what a version is made of
    run: Run,
    summary: Summary,
    event: Event,
    citations: Sequence[Citation],
    entries: Sequence[Entry],
    at: datetime,
) -> bool:
    """Record the summary as the next version unless it is as the last one was; whether it is new.

    Corrections and turns are written anew from all versions; a damaged line of the files they
    replace is named.
    """
    held = read_versions(run)
    made = _version(summary, citations, entries, len(held) + 1, at)
    new = not held or _content(held[-1]) != _content(made)
    if new:
        write_records(run.folder / VERSIONS, [*held, made])
        held.append(made)
    documents = {one.id: one for one in event.documents}
    steps = list(pairwise(held))
    for name, kind in ((CORRECTIONS, Correction), (TURNS, Turned)):
        _name_damage(run.folder / name, kind)
    write_records(
        run.folder / CORRECTIONS,
        [one for before, after in steps for one in corrections(before, after, documents)],
    )
    write_records(run.folder / TURNS, [one for step in steps for one in turns(*step)])
    return new


def _name_damage(path: Path, kind: type[object]) -> None:
    try:
        if path.exists():
            deque(read_own_records(path, kind, AGAIN), maxlen=0)
    except DataError as error:
        say(f"damaged: {error} (here it is written anew from {VERSIONS}, which holds all of it)")


def read_corrections(run: Run) -> list[Correction]:
    """The correction log of the run; none where there is no such file."""
    return read_made(run.folder / CORRECTIONS, Correction)


def read_turns(run: Run) -> list[Turned]:
    """What became of conflicts from version to version; none where there is no such file."""
    return read_made(run.folder / TURNS, Turned)


def _version(
    summary: Summary,
    citations: Sequence[Citation],
    entries: Sequence[Entry],
    number: int,
    at: datetime,
) -> Version:
    last = summary.rounds[-1]
    merged = {one.text: one.statements for one in last.sentences}
    return Version(
        number=number,
        at=at,
        round=last.index,
        documents=last.documents,
        sentences=tuple(
            Said(
                text=one.text,
                language=one.language,
                documents=one.documents,
                statements=merged.get(one.text, ()),
            )
            for one in citations
            if one.round == last.index
        ),
        entries=tuple(entries),
    )


def _content(version: Version) -> tuple[object, ...]:
    return version.documents, version.sentences, version.entries


def corrections(
    before: Version, after: Version, documents: Mapping[str, Document]
) -> Iterator[Correction]:
    """What `before` says that `after` does not, in the order of its sentences."""
    old = {one.text: one for one in before.sentences}
    new = {one.text: one for one in after.sentences}
    added = [name for name in after.documents if name not in set(before.documents)]
    reworded = {
        one.before: one.after for one in changes(list(old), list(new)) if one.kind is Kind.REWORDED
    }
    for text, said in old.items():
        if text in new:
            continue
        now = new.get(_now(said, after, old) or reworded.get(text) or "")
        yield Correction(
            kind=CorrectionKind.OTHERWISE if now else CorrectionKind.DROPPED,
            version=before.number,
            round=before.round,
            at=after.at,
            before=text,
            language=said.language,
            sources=_named(said.documents, documents),
            now=now.text if now else None,
            now_language=now.language if now else None,
            now_sources=_named(now.documents, documents) if now else (),
            because=_named(added, documents),
        )


def _now(said: Said, after: Version, old: Mapping[str, Said]) -> str | None:
    """What `after` says of the conflict that the sentence took a side in, in a sentence of its own.

    The ledger knows whose words a conflict is about, and which sentences of a summary treat it.
    """
    spoken = {(one.document, " ".join(one.text.split())) for one in said.statements}
    for entry in after.entries:
        takes = any(said.text in one.words for one in entry.history)
        if not takes and not spoken & set(map(_key, entry.voices)):
            continue
        fresh = [word for word in entry.final.words if word not in old]
        if fresh:
            return fresh[0]
    return None


def turns(before: Version, after: Version) -> Iterator[Turned]:
    """What became of each conflict from `before` to `after`, in the order of the later ledger."""
    left = list(before.entries)
    for entry in after.entries:
        same = max(left, key=lambda one: _shared(one, entry), default=None)
        if same is None or not _shared(same, entry):
            yield _turned(Turn.ARISES, after, entry, _voices(entry.voices))
            continue
        left.remove(same)
        known = set(map(_key, same.voices))
        news = list(_voices(one for one in entry.voices if _key(one) not in known))
        was, is_ = same.final.treatment, entry.final.treatment
        if was is not is_:
            news.append(f"the summary: {was or 'not judged'}, now {is_ or 'not judged'}")
        if was is not Treatment.ADDRESSED and is_ is Treatment.ADDRESSED:
            yield _turned(Turn.SETTLED, after, entry, news)
        elif was is Treatment.ADDRESSED and is_ is not Treatment.ADDRESSED:
            yield _turned(Turn.REOPENED, after, entry, news)
        elif news:
            yield _turned(Turn.CHANGES, after, entry, news)
    for entry in left:
        yield _turned(Turn.GONE, after, entry, ())


def _turned(turn: Turn, after: Version, entry: Entry, news: Iterable[str]) -> Turned:
    treatment = None if turn is Turn.GONE else entry.final.treatment
    return Turned(
        turn=turn,
        version=after.number,
        at=after.at,
        about=entry.differs or "they differ",
        news=tuple(news),
        treatment=None if treatment is None else str(treatment),
    )


def _shared(one: Entry, other: Entry) -> int:
    """How many statements two entries share; 0 where they turn on other kinds of figures."""
    if one.kind is not other.kind:
        return 0
    return len(set(map(_key, one.voices)) & set(map(_key, other.voices)))


def _voices(voices: Iterable[Voice]) -> Iterator[str]:
    for one in voices:
        value = f"{one.value}: " if one.value is not None else ""
        yield f"{value}{one.outlet or one.document} [{one.language}]"


def _key(one: Voice) -> tuple[str, str]:
    return one.document, " ".join(one.text.split())


def _named(names: Iterable[str], documents: Mapping[str, Document]) -> tuple[str, ...]:
    found = []
    for name in names:
        document = documents.get(name)
        if document is None:
            found.append(name)
            continue
        time = document.published
        when = time.strftime("%Y-%m-%d %H:%MZ") if time else "undated"
        found.append(f"{document.source or name} [{document.language}], {when}")
    return tuple(found)
