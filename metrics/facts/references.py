"""Human references as systems, scored like any other (OmniCSEval, 4)."""

from collections.abc import Iterable, Sequence

from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN
from metrics.facts.records import Candidate
from metrics.facts.sources import Source

REFERENCE = "reference"


def of_sources(sources: Iterable[Source]) -> list[Candidate]:
    """Each reference that a source has as a summary of it.

    The first is by the system ``reference``, the next by ``reference 2`` and so on; in the
    reference's stated language, or in that of the source where it has one.
    """
    found = []
    for source in sources:
        languages = {part.language for part in source.parts}
        own = languages.pop() if len(languages) == 1 else UNKNOWN
        given = [text for text in (source.reference, *source.further_references) if text]
        found += [
            Candidate(
                id=source.id,
                system=REFERENCE if number == 1 else f"{REFERENCE} {number}",
                summary=text,
                language=source.reference_language or own,
            )
            for number, text in enumerate(given, 1)
        ]
    return found


def with_references(
    candidates: Sequence[Candidate], sources: Iterable[Source]
) -> tuple[Candidate, ...]:
    """The summaries and the references of the sources.

    Raises `UsageError` where there is no reference, or a system has the name of one.
    """
    references = of_sources(sources)
    if not references:
        raise UsageError("--references: no source has a reference")
    taken = {one.system for one in candidates} & {one.system for one in references}
    if taken:
        raise UsageError(
            f"--references: a system of the summaries is already called {min(taken)!r}; rename it"
        )
    return (*candidates, *references)
