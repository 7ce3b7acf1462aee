"""Citations as text, as Markdown, and in the run folder."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from baselines.citations import escaping
from baselines.citations.escaping import when
from baselines.citations.shares import Share, by_document, by_language
from baselines.citations.values import Basis, Citation, Standing, Support
from globesumm.finite import counted
from globesumm.languages import LANGUAGES
from globesumm.records import read_made, write_records
from globesumm.runs import Run
from globesumm.values import Document, Event

CITATIONS = "citations.jsonl"
"""Beside ``scores.jsonl`` in a run folder: a `Citation` a line."""

SHOWN = 4
"""Cited sentences shown for one sentence of a summary; the others are counted."""

Escape = Callable[[str], str]


def write_citations(run: Run, found: Iterable[Citation]) -> Path:
    """Keep `found` in the run folder; what it held of the same event and recipe is replaced."""
    fresh = list(found)
    told = {(one.event, one.recipe) for one in fresh}
    kept = [one for one in read_citations(run) if (one.event, one.recipe) not in told]
    path = run.folder / CITATIONS
    write_records(path, [*kept, *fresh])
    return path


def read_citations(run: Run) -> list[Citation]:
    """The citations kept in the run folder; none where there is no such file."""
    return read_made(run.folder / CITATIONS, Citation)


def text(citations: Sequence[Citation], event: Event) -> str:
    """The citations of one summary (one event, recipe and round) for a terminal."""
    return _written(citations, event, escaping.plain, "#")


def markdown(citations: Sequence[Citation], event: Event) -> str:
    """The same as Markdown; whatever comes from documents or models is literal there."""
    return _written(citations, event, escaping.markdown, "##")


def _written(citations: Sequence[Citation], event: Event, say: Escape, head: str) -> str:
    if not citations:
        return f"{head} {say(event.id)}: the summary has no sentence\n"
    first = citations[0]
    documents = {document.id: document for document in event.documents}
    methods = dict.fromkeys(one.method for one in citations)
    lines = [
        f"{head} {say(event.id)} by {say(first.recipe)}, round {first.round}",
        "",
        f"{_counts(citations)}; method: {say(' / '.join(methods))}",
        "",
    ]
    for citation in citations:
        mark = "" if citation.standing is Standing.SUPPORTED else f"[{_MARK[citation.standing]}] "
        lines.append(f"{citation.sentence}. {say(mark) if mark else ''}{say(citation.text)}")
        lines += [f"   - {line}" for line in _under(citation, documents, say)]
    lines += ["", f"{head}# Share of each document and language", ""]
    lines += [
        f"- {say(_who(documents.get(one.name), one.name))}: {_share(one)}"
        for one in by_document(citations, event)
        if one.sentences
    ]
    uncited = [one.name for one in by_document(citations, event) if not one.sentences]
    if uncited:
        lines.append(f"- not cited: {say(', '.join(uncited))}")
    lines.append("")
    lines += [
        f"- {say(_language(one.name))} ({one.documents} of "
        f"{counted(len(event.documents), 'document')}): "
        f"{_share(one)}"
        for one in by_language(citations, event)
    ]
    return "\n".join(lines) + "\n"


_MARK = {Standing.UNSUPPORTED: "no source found", Standing.UNJUDGED: "not judged"}


def _counts(citations: Sequence[Citation]) -> str:
    held = {standing: sum(one.standing is standing for one in citations) for standing in Standing}
    have = "has" if len(citations) == 1 else "have"
    parts = [f"{held[Standing.SUPPORTED]} of {counted(len(citations), 'sentence')} {have} a source"]
    if held[Standing.UNSUPPORTED]:
        parts.append(f"{held[Standing.UNSUPPORTED]} have none that was found")
    if held[Standing.UNJUDGED]:
        parts.append(f"{held[Standing.UNJUDGED]} were not judged")
    return ", ".join(parts)


def _under(citation: Citation, documents: Mapping[str, Document], say: Escape) -> Iterable[str]:
    for one in citation.supports[:SHOWN]:
        yield _cited(one, documents, say)
    if len(citation.supports) > SHOWN:
        more = citation.supports[SHOWN:]
        yield say(f"and {len(more)} more: {', '.join(f'{o.document} {o.index}' for o in more)}")
    if citation.nearest:
        yield f"nearest, no source: {_cited(citation.nearest, documents, say)}"
    if citation.figures and citation.supports:
        yield f"not in the cited sentences: {say(', '.join(citation.figures))}"
    if citation.note:
        yield f"note: {say(citation.note)}"
    if 0 < citation.judged < citation.pairs:
        yield f"{citation.judged} of {counted(citation.pairs, 'sentence')} could be judged"


def _cited(one: Support, documents: Mapping[str, Document], say: Escape) -> str:
    score = "" if one.score is None else f" {one.score:.2f}"
    basis = "" if one.basis is Basis.NEAREST else f"{_BASIS[one.basis]}"
    how = f"{basis}{score}".strip()
    who = say(f"{_who(documents.get(one.document), one.document)}, sentence {one.index}")
    return f"{who} [{one.language}, {how}]: {say(one.text)}"


_BASIS = {
    Basis.OWN: "word for word",
    Basis.MERGE: "named by the merge",
    Basis.ENTAILED: "entailed",
    Basis.JOINTLY: "entailed together",
}


def _who(document: Document | None, name: str) -> str:
    if document is None:
        return name
    return f"{document.source or document.id}, {when(document.published)}"


def _share(one: Share) -> str:
    if one.share is None:
        return "no share: no sentence has a source"
    return f"{100 * one.share:.1f} % ({one.sentences} of {counted(one.supported, 'sentence')})"


def _language(code: str) -> str:
    return LANGUAGES[code].name if code in LANGUAGES else code
