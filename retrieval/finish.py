"""Drafts → documents: cleaned text, a settled language, an id nobody else has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from globesumm.languages import UNKNOWN
from globesumm.text.clean import clean
from globesumm.values import Document, Rejected
from retrieval.draft import Draft
from retrieval.files import safe
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
    taken: set[str] = set()
    for draft in drafts:
        if isinstance(draft, Rejected):
            yield draft
            continue
        where = draft.where if isinstance(draft, Draft) else draft.id
        text = clean(draft.text)
        if not any(char.isalnum() for char in text.text):
            yield Rejected(where=where, reason="no text", excerpt=draft.title)
            continue
        id_, id_notes = _unique(draft, text.text, taken)
        taken.add(id_)
        own = replace(
            draft,
            id=id_,
            text=text.text.strip(),
            title=_line(draft.title),
            source=_line(draft.source),
            notes=(*draft.notes, *text.notes, *id_notes),
        )
        if isinstance(own, Draft):
            yield _document(own, id_, language, candidates)
        else:
            yield own if language is None else replace(own, language=language)


def _document(
    draft: Draft, id_: str, language: str | None, candidates: Sequence[str] | None
) -> Document:
    text = draft.text
    declared, declared_notes = declared_code(draft.language)
    detection = detect(text, candidates)
    detected = detection.language if detection.language != UNKNOWN else detection.outsider
    if language is None:
        settled, language_notes = settle(declared, detection, text)
    else:
        settled, language_notes = language, _doubt(language, detected, detection.confident)
    missing = () if draft.published or _says_when(draft) else ("published: not stated",)
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
        notes=tuple(dict.fromkeys((*draft.notes, *missing, *declared_notes, *language_notes))),
    )


def _says_when(draft: Draft) -> bool:
    return any(note.startswith("published:") for note in draft.notes)


def _doubt(language: str, detected: str | None, confident: bool) -> tuple[str, ...]:
    if confident and detected != language:
        return (f"language: set to {language!r}, by the text {detected!r}",)
    return ()


def _line(text: str | None) -> str | None:
    return " ".join(clean(text).text.split()) or None if text else None


def _unique(draft: Draft | Document, text: str, taken: set[str]) -> tuple[str, tuple[str, ...]]:
    """An id that is not in `taken`: the draft's own, or one from its content."""
    wanted = safe(clean(draft.id).text) if draft.id else digest(f"{draft.title}\n{text}")
    if wanted not in taken:
        return wanted, ()
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}", (f"id: {wanted!r} was taken by an earlier document",)


def digest(text: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of `text`."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
