"""Queries in a file that people may edit: what they changed is never overwritten.

Each line of ``queries.jsonl`` is the query of one event in one language.  A line whose text is
not what was made for it (`made`), or that was added by hand, is a person's and stays; an empty
text says not to search.  All others are made anew when what they were made of changes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from globesumm.errors import UsageError
from globesumm.records import read_records, write_records
from globesumm.runs import digest
from globesumm.values import Rejected
from retrieval.events import translated, wording
from retrieval.events.asking import Asker
from retrieval.events.wording import SOURCE, names_in, worded
from retrieval.portal.values import PortalEvent

LINKS, DESCRIPTION, PERSON = "language links", "description", "person"

NO_NAME = "no article of the event has a name in this language"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is searched for an event in a language; `text` is None where there is nothing to say.

    `origin` tells how it was made: of the description, of language links, by a model (its name),
    or by a person.  `made` is the digest of the text that was made, `basis` of all that decided
    it; a line without them is a person's.
    """

    event: str
    language: str
    text: str | None
    origin: str = PERSON
    note: str | None = None
    basis: str | None = None
    made: str | None = None

    @property
    def edited(self) -> bool:
        """Whether a person wrote it or changed it."""
        return self.made is None or self.made != digest([self.text])

    @property
    def searched(self) -> bool:
        """Whether there is a word in it to search for."""
        return any(character.isalnum() for character in self.text or "")


def have_queries(
    events: Sequence[PortalEvent], languages: Sequence[str], path: Path, asker: Asker | None
) -> list[Query]:
    """The query of each event in each language, in order; those lacking are made and kept.

    With an `asker` its model translates descriptions; what it fails at has no text, the reason in
    its note, and is asked for again the next time.  Queries of other events stay in the file.
    Raises `UsageError` where a line of the file cannot be read, so that no one's work is lost.
    """
    kept = read_queries(path)
    wanted = [(event.id, language) for event in events for language in languages]
    stale = stale_queries(events, languages, path, asker)
    made = {(one.event, one.language): one for one in _made(stale, asker)}
    if made:
        every = {**kept, **made}
        others = [every[key] for key in every.keys() - set(wanted)]
        others.sort(key=lambda query: (query.event, query.language))
        write_records(path, [*(every[key] for key in wanted), *others])
    return [made.get(key) or _by_person(kept[key]) for key in wanted]


def stale_queries(
    events: Sequence[PortalEvent], languages: Sequence[str], path: Path, asker: Asker | None
) -> list[tuple[PortalEvent, str]]:
    """The (event, language) pairs whose query is lacking, failed, or made of what has changed."""
    kept = read_queries(path)
    stale: list[tuple[PortalEvent, str]] = []
    for event in events:
        for language in languages:
            there = kept.get((event.id, language))
            if there is None or not (there.edited or _is_fresh(there, event, asker)):
                stale.append((event, language))
    return stale


def read_queries(path: Path) -> dict[tuple[str, str], Query]:
    """The queries in the file by event and language; none where there is no file."""
    found: dict[tuple[str, str], Query] = {}
    if not path.exists():
        return found
    for one in read_records(path, Query):
        if isinstance(one, Rejected):
            raise UsageError(f"{one.where}: {one.reason}: mend that line, or remove it")
        key = (one.event, one.language)
        if key in found:
            raise UsageError(
                f"{path}: two queries of {one.event} in {one.language}: remove one of them"
            )
        found[key] = one
    return found


def _by_person(query: Query) -> Query:
    return replace(query, origin=PERSON, note=None) if query.edited else query


def _is_fresh(query: Query, event: PortalEvent, asker: Asker | None) -> bool:
    if query.basis != _basis(event, query.language, asker):
        return False
    failed = query.text is None and query.note != NO_NAME
    return not failed


def _basis(event: PortalEvent, language: str, asker: Asker | None) -> str:
    """What decides a query: the event's words and names, and who writes by which rule."""
    if asker is None or language == SOURCE:
        how = wording.RULE
    else:
        reference = asker.prompts[translated.PROMPT].reference
        how = f"{translated.RULE} {asker.model.name} {reference} {asker.decoding}"
    return digest([event.description, str(event.date), names_in(event, language), language, how])


def _made(wanted: Sequence[tuple[PortalEvent, str]], asker: Asker | None) -> Iterable[Query]:
    by_model = [(event, code) for event, code in wanted if asker is not None and code != SOURCE]
    yield from _by_model(by_model, asker) if asker and by_model else ()
    asked = {(event.id, language) for event, language in by_model}
    for event, language in wanted:
        if (event.id, language) not in asked:
            text = worded(event, language)
            origin = DESCRIPTION if language == SOURCE else LINKS
            note = NO_NAME if text is None else None
            basis = _basis(event, language, asker)
            yield _query(event.id, language, text, basis, origin=origin, note=note)


def _by_model(wanted: Sequence[tuple[PortalEvent, str]], asker: Asker) -> Iterable[Query]:
    answers = translated.translate(wanted, asker)
    for (event, language), said in zip(wanted, answers, strict=True):
        text, note = None, said.reason
        if said.value is not None:
            text, lost = said.value
            note = f"names added: {', '.join(lost)}" if lost else None
        basis = _basis(event, language, asker)
        yield _query(event.id, language, text, basis, origin=asker.model.name, note=note)


def _query(
    event: str, language: str, text: str | None, basis: str, *, origin: str, note: str | None
) -> Query:
    return Query(
        event=event,
        language=language,
        text=text,
        origin=origin,
        note=note,
        basis=basis,
        made=digest([text]),
    )
