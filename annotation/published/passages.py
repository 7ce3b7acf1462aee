"""Lists of the published layout as passages, with what their sentences rest on."""

from collections.abc import Sequence

from annotation.published.layout import TARGET
from globesumm.values import Passage, Sentence, Statement


def of_document(
    document: str,
    language: str,
    items: Sequence[str],
    steps: tuple[str, ...],
    source: Passage | None = None,
) -> Passage:
    """A document's list; with a `source` of the same length each item rests on the one there."""
    paired = source is not None and len(source.sentences) == len(items)
    return Passage(
        documents=(document,),
        language=language,
        sentences=tuple(
            Sentence(
                text=text,
                language=language,
                statements=source.sentences[index - 1].statements
                if source and paired
                else (Statement(document=document, index=index, language=language, text=text),),
            )
            for index, text in enumerate(items, start=1)
        ),
        steps=steps,
    )


def of_summary(documents: tuple[str, ...], items: Sequence[str]) -> Passage:
    return Passage(
        documents=documents,
        language=TARGET,
        sentences=tuple(Sentence(text=text, language=TARGET) for text in items),
        steps=("summary", "kis"),
    )
