"""Passages as prompts show them: fenced, labelled with time and language, sentences numbered."""

from collections.abc import Sequence

from annotation.lists import numbered
from annotation.schemas import Context
from globesumm.languages import LANGUAGES
from globesumm.prompts import Data
from globesumm.values import Document, Passage

LISTED = ("kis", "clp")
"""Steps after which a passage is a list."""


def is_list(passage: Passage) -> bool:
    """Whether `passage` is a list of sentences rather than running text."""
    return bool(passage.steps) and passage.steps[-1] in LISTED


def body(passage: Passage, *, number: bool = False) -> str:
    """The text of `passage`: a numbered list if it is one or `number` says so, else its lines."""
    if number or is_list(passage):
        return numbered([sentence.text for sentence in passage.sentences])
    return passage.text


def reports(
    passages: Sequence[Passage], context: Context, *, number: bool = False
) -> tuple[Data, ...]:
    """One block for each passage.  Labels hold only what we know ourselves, no text of others."""
    documents = {document.id: document for document in context.event.documents}
    return tuple(
        Data(
            label=f"report {place} of {len(passages)}: {_described(passage, documents)}",
            text=body(passage, number=number),
        )
        for place, passage in enumerate(passages, start=1)
    )


def _described(passage: Passage, documents: dict[str, Document]) -> str:
    spoken_for = [documents[name] for name in passage.documents if name in documents]
    written = _language(passage.language)
    if len(spoken_for) != 1:
        latest = max((d.published for d in spoken_for if d.published), default=None)
        until = f", the latest of {latest:%Y-%m-%d %H:%M} UTC" if latest else ""
        return f"a summary of {len(passage.documents)} earlier reports{until}, in {written}"
    [document] = spoken_for
    published = document.published
    time = f"published {published:%Y-%m-%d %H:%M} UTC" if published else "undated"
    if document.language == passage.language:
        return f"{time}, in {written}"
    return f"{time}, in {written}, from {_language(document.language)}"


def _language(code: str) -> str:
    row = LANGUAGES.get(code)
    return row.name if row else "an unknown language"
