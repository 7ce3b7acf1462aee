"""How much of a summary rests on each document and each language."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from baselines.citations.values import Citation, Standing, Support
from globesumm.values import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What rests on one document or language.

    `share` is from 0 to 1 over the supported sentences of the summary: each counts one, divided
    equally among those it cites, so that the shares of all add up to 1.  None where no sentence
    is supported.  `sentences` cite it, of `supported`; `documents` is how many it has in the
    event (1 for a document).
    """

    name: str
    share: float | None
    sentences: int
    supported: int
    documents: int


def by_document(citations: Sequence[Citation], event: Event) -> list[Share]:
    """The share of each document of `event`, uncited ones too, in the event's order."""
    ids = [document.id for document in event.documents]
    return _shares(citations, dict.fromkeys(ids, 1), lambda one: one.document)


def by_language(citations: Sequence[Citation], event: Event) -> list[Share]:
    """The share of each language of `event`, the largest first."""
    held: dict[str, int] = {}
    for document in event.documents:
        held[document.language] = held.get(document.language, 0) + 1
    found = _shares(citations, held, lambda one: one.language)
    return sorted(found, key=lambda one: (-(one.share or 0.0), one.name))


def _shares(
    citations: Iterable[Citation], held: dict[str, int], name_of: Callable[[Support], str]
) -> list[Share]:
    supported = [one for one in citations if one.standing is Standing.SUPPORTED]
    weight = dict.fromkeys(held, 0.0)
    counted = dict.fromkeys(held, 0)
    for citation in supported:
        # A document that is cited by two of its sentences is one source, not two.
        sources = dict.fromkeys((one.document, name_of(one)) for one in citation.supports)
        for _, name in sources:
            weight[name] = weight.get(name, 0.0) + 1 / len(sources)
        for name in dict.fromkeys(name for _, name in sources):
            counted[name] = counted.get(name, 0) + 1
    return [
        Share(
            name=name,
            share=weight[name] / len(supported) if supported else None,
            sentences=counted[name],
            supported=len(supported),
            documents=held.get(name, 0),
        )
        for name in weight
    ]
