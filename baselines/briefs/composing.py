"""From a run folder to its brief: what the parts found, in one view."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from baselines.briefs.asked import REQUEST, Kind, Request
from baselines.briefs.choosing import CHOICE, Fate, told
from baselines.briefs.claims import common, compared, silences
from baselines.briefs.searching import Lack
from baselines.briefs.values import Brief, Line, Missing, Source
from baselines.briefs.versions import read_corrections, read_turns, read_versions
from baselines.citations import Citation, Standing, by_document, by_language, read_citations
from baselines.ledger import Entry
from baselines.ledger.written import read_ledger
from globesumm.finite import counted
from globesumm.records import read_own_records, read_record
from globesumm.runs import BRIEF, Run
from globesumm.values import Document, Event, Rejected, Summary

LACKS = "lacks.jsonl"
"""In the folder ``brief`` of a run: a `Lack` a line, what the last look did not find and why."""

PLANTED = "speaks to a model"
"""How the note on a text with orders to a model begins its reason (`globesumm.text.planted`)."""


def brief_of(run: Run, event: Event, summary: Summary) -> Brief:
    """The brief of one summary of `run`, whose citations and ledger are kept there."""
    last = summary.rounds[-1].index
    mine = (summary.event, summary.recipe)
    cited = [
        one for one in read_citations(run) if (one.event, one.recipe, one.round) == (*mine, last)
    ]
    entries = [one for one in read_ledger(run) if (one.event, one.recipe) == mine]
    numbers = {one.id: number for number, one in enumerate(event.documents, start=1)}
    shared = common(summary, event, entries)
    times = sorted(one.published for one in event.documents if one.published)
    return Brief(
        event=event.id,
        title=event.description or event.id,
        asked=_asked(run),
        recipe=summary.recipe,
        model=summary.model,
        target=summary.target,
        version=max(1, len(read_versions(run))),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        summary=tuple(_line(one, numbers) for one in cited),
        common=shared,
        silences=silences(summary, event, shared),
        conflicts=tuple(entries),
        turns=tuple(read_turns(run)),
        corrections=tuple(read_corrections(run)),
        sources=tuple(_sources(event, cited)),
        shares=tuple((one.name, one.documents, one.share) for one in by_language(cited, event)),
        missing=tuple(_missing(run, event, summary, cited, entries)),
    )


def _asked(run: Run) -> str:
    """The words that were asked; a file's name is nobody's business but its owner's."""
    path = run.folder / BRIEF / REQUEST
    if not path.is_file():
        return ""
    request = read_record(path, Request)
    return "" if request.kind is Kind.DOCUMENTS else request.text


def _line(citation: Citation, numbers: dict[str, int]) -> Line:
    named = [one for one in citation.supports if one.document in numbers]
    return Line(
        text=citation.text,
        language=citation.language,
        standing=citation.standing,
        sources=tuple(sorted({numbers[one.document] for one in named})),
        languages=tuple(sorted({one.language for one in named})),
        figures=citation.figures if citation.supports else (),
        note=citation.note,
    )


def _sources(event: Event, cited: Sequence[Citation]) -> Iterator[Source]:
    shares = {one.name: one for one in by_document(cited, event)}
    for number, document in enumerate(event.documents, start=1):
        share = shares[document.id]
        yield Source(
            number=number,
            id=document.id,
            outlet=document.source or document.id,
            language=document.language,
            title=document.title or document.id,
            published=document.published,
            country=document.outlet.country if document.outlet else None,
            url=document.url,
            share=share.share,
            sentences=share.sentences,
            notes=document.notes,
        )


def _missing(
    run: Run,
    event: Event,
    summary: Summary,
    cited: Sequence[Citation],
    entries: Sequence[Entry],
) -> Iterator[Missing]:
    """Everything that a reader may miss, with its reason."""
    yield from _not_found(run)
    yield from _not_read(run.rejected())
    documents = event.documents
    if len(documents) == 1:
        why = "the event has one report, so nothing can be held against it"
        yield Missing(what="agreement, omissions and conflicts", why=why)
    elif not compared(summary):
        why = f"the rounds of {summary.recipe} name neither what agrees nor what differs"
        yield Missing(what="agreement, omissions and conflicts", why=why)
    for note in dict.fromkeys((*summary.notes, *summary.rounds[-1].notes)):
        yield Missing(what="the summary", why=note)
    yield from _not_sourced(cited)
    yield from _not_judged(entries)
    yield from _noted(documents)
    if not (run.folder / "scores.jsonl").is_file():
        yield Missing(what="scores", why="not computed: globesumm score RUN does it")


def _not_found(run: Run) -> Iterator[Missing]:
    path = run.folder / BRIEF / LACKS
    if path.is_file():
        reasons: dict[str, list[str]] = {}
        for lack in read_own_records(path, Lack):
            reasons.setdefault(lack.why, []).append(lack.what)
        for why, some in reasons.items():
            yield Missing(what=", ".join(some), why=why)
    path = run.folder / BRIEF / CHOICE
    if path.is_file():
        for line in told(read_own_records(path, Fate)):
            count, _, rest = line.partition(" left out ")
            yield Missing(what=f"{counted(int(count), 'report')} seen", why=f"left out {rest}")


def _not_read(rejected: Sequence[Rejected]) -> Iterator[Missing]:
    kinds = Counter(one.kind or "cannot be read" for one in rejected)
    for kind, count in kinds.most_common():
        first = next(one for one in rejected if (one.kind or "cannot be read") == kind)
        what = f"{count} pages or documents" if count > 1 else "1 page or document"
        yield Missing(what=what, why=f"{kind}: {first.where}: {first.reason}")


def _not_sourced(cited: Sequence[Citation]) -> Iterator[Missing]:
    if not cited:
        yield Missing(what="citations", why="not made: globesumm cite RUN does it")
        return
    for standing, why in (
        (Standing.UNSUPPORTED, "no report was found to say so"),
        (Standing.UNJUDGED, "whether a report says so was not judged"),
    ):
        if count := sum(one.standing is standing for one in cited):
            yield Missing(what=f"sources of {count} of {counted(len(cited), 'sentence')}", why=why)
    methods = dict.fromkeys(one.method for one in cited if one.method != "merge")
    if methods:
        yield Missing(what="certainty of citations", why=f"judged by {' / '.join(methods)}")


def _not_judged(entries: Sequence[Entry]) -> Iterator[Missing]:
    causes = sum(one.cause is None for one in entries)
    if causes:
        why = "no step of the recipe judges causes"
        yield Missing(what=f"the cause of {causes} of {counted(len(entries), 'conflict')}", why=why)
    open_ = sum(one.final.treatment is None for one in entries)
    if open_:
        what = f"what the summary does about {open_} of {counted(len(entries), 'conflict')}"
        yield Missing(what=what, why="the judge gave no verdict")


def _noted(documents: Iterable[Document]) -> Iterator[Missing]:
    for document in documents:
        for note in document.notes:
            if PLANTED in note:
                yield Missing(what=f"trust in {document.source or document.id}", why=note)
    undated = [one.id for one in documents if one.published is None]
    if undated:
        yield Missing(what="dates", why=f"not stated by {', '.join(undated)}: they stand last")
