"""Drafts → documents: cleaned text, a settled language, an id nobody else has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from globesumm.languages import UNKNOWN
from globesumm.text import planted
from globesumm.text.clean import clean
from globesumm.values import Document, Rejected
from retrieval.draft import Draft
from retrieval.files import safe
from retrieval.kinds import NO_TEXT
from retrieval.language import declared_code, detect, settle


def documents(
    drafts: Iterable[Draft | Document | Rejected],
    *,
    language: str | None,
    candidates: Sequence[str] | None,
) -> Iterator[Document | Rejected]:
    """Each draft as a document or, if it has no text, as a `Rejected`; ids are unique.

    `language` is every document's where given; `candidates` are for detection.
    """
    return with_own_ids(
        draft if isinstance(draft, Rejected) else finished(draft, language, candidates)
        for draft in drafts
    )


def finished(
    draft: Draft | Document, language: str | None, candidates: Sequence[str] | None
) -> Document | Rejected:
    """One draft as a document, or as a `Rejected` if it has no text; its id may not be its own."""
    text = clean(draft.text)
    if not any(char.isalnum() for char in text.text):
        where = draft.where if isinstance(draft, Draft) else draft.id
        return Rejected(where=where, reason="no text", excerpt=draft.title, kind=NO_TEXT)
    id_ = safe(clean(draft.id).text) if draft.id else digest(f"{draft.title}\n{text.text}")
    own = replace(
        draft,
        id=id_,
        text=text.text.strip(),
        title=_line(draft.title),
        source=_line(draft.source),
        authors=tuple(filter(None, map(_line, draft.authors))),
        notes=tuple(dict.fromkeys((*draft.notes, *text.notes, *_warning(text.text)))),
    )
    if isinstance(own, Draft):
        return _document(own, id_, language, candidates)
    return own if language is None else replace(own, language=language)


def _warning(text: str) -> tuple[str, ...]:
    """A note on a text that speaks to models; it stays, since a fence holds it in every prompt."""
    note = planted.note(text, "the text")
    return (note,) if note else ()


def with_own_ids(found: Iterable[Document | Rejected]) -> Iterator[Document | Rejected]:
    """`found` with every document's id made its own: a later one of the same id gets a number."""
    taken: set[str] = set()
    for one in found:
        if isinstance(one, Rejected):
            yield one
            continue
        id_ = _unique(one.id, taken)
        taken.add(id_)
        note = f"id: {one.id!r} was taken by an earlier document"
        yield one if id_ == one.id else replace(one, id=id_, notes=(*one.notes, note))


def _document(
    draft: Draft, id_: str, language: str | None, candidates: Sequence[str] | None
) -> Document:
    text = draft.text
    declared, declared_notes = declared_code(draft.language)
    prior, prior_notes = declared_code(draft.prior, "given as")
    detection = detect(text, candidates, (language, declared, prior))
    detected = detection.language if detection.language != UNKNOWN else detection.outsider
    if language is None:
        settled, language_notes = settle(declared, detection, text, prior)
    else:
        settled, language_notes = language, _doubt(language, detected, detection.confident)
    missing = () if draft.published or _says_when(draft) else ("published: not stated",)
    notes = (*draft.notes, *missing, *declared_notes, *prior_notes, *language_notes)
    return Document(
        id=id_,
        text=text,
        language=settled,
        title=draft.title,
        published=draft.published,
        source=draft.source,
        url=draft.url,
        language_declared=declared,
        language_detected=detected,
        notes=tuple(dict.fromkeys(notes)),
        modified=draft.modified,
        authors=draft.authors,
        language_prior=prior,
    )


def _says_when(draft: Draft) -> bool:
    return any(note.startswith("published:") for note in draft.notes)


def _doubt(language: str, detected: str | None, confident: bool) -> tuple[str, ...]:
    if confident and detected != language:
        return (f"language: set to {language!r}, by the text {detected!r}",)
    return ()


def _line(text: str | None) -> str | None:
    return " ".join(clean(text).text.split()) or None if text else None


def _unique(wanted: str, taken: set[str]) -> str:
    """An id that is not in `taken`: the one `wanted`, or that with the next free number."""
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"


def digest(text: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of `text`."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
