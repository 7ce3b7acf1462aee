"""What several reports say, and what each of them leaves out or tells alone.

Both are what the rounds found (redundancies and omissions); nothing is compared again.  The last
round of an extractive merge speaks of all reports; a model's rounds each add one to what was said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from baselines.briefs.values import Claim, Silence
from baselines.ledger import Entry
from baselines.ledger.chains import is_summary
from baselines.recipes import parse_recipe
from globesumm.values import Document, Event, Issue, IssueKind, Statement, Summary

BY_OTHERS = 2
"""Reports that must have told a claim by then for a later one to lack it."""


def common(summary: Summary, event: Event, entries: Sequence[Entry]) -> tuple[Claim, ...]:
    """The claims of two reports or more, those of most reports and languages first.

    Claims that are in dispute by the ledger's `entries` come last.
    """
    numbers = _numbers(event)
    told = [
        replace(
            _claim(issue, summary.target, numbers),
            conflicts=tuple(one.number for one in entries if _disputed(issue, one)),
        )
        for issue in _issues(summary)
        if issue.kind is IssueKind.REDUNDANCY
        and len({one.document for one in issue.statements}) > 1
    ]
    return tuple(
        sorted(told, key=lambda o: (bool(o.conflicts), -len(o.sources), -len(o.languages)))
    )


def _disputed(issue: Issue, entry: Entry) -> bool:
    """Whether sentences of the claim take different sides in the conflict."""
    said = {(one.document, one.index) for one in issue.statements}
    sides = {one.value for one in entry.voices if (one.document, one.index) in said}
    return len(sides) > 1


def silences(summary: Summary, event: Event, shared: Sequence[Claim]) -> tuple[Silence, ...]:
    """For each report what it tells alone and what it lacks; those with neither are left out."""
    numbers = _numbers(event)
    alone: dict[int, list[Claim]] = {}
    for issue in _issues(summary):
        if issue.kind is IssueKind.OMISSION:
            claim = _claim(issue, summary.target, numbers)
            for source in claim.sources:
                alone.setdefault(source, []).append(claim)
    found = []
    for document in event.documents:
        number = numbers[document.id]
        lacks = tuple(
            place
            for place, claim in enumerate(shared, start=1)
            if number not in claim.sources and _known_by_then(document, claim, event)
        )
        if number in alone or lacks:
            found.append(Silence(source=number, alone=tuple(alone.get(number, ())), lacks=lacks))
    return tuple(found)


def compared(summary: Summary) -> bool:
    """Whether the rounds compare reports at all, as those of a plain prompt do not."""
    return any(round_.issues for round_ in summary.rounds)


def _known_by_then(document: Document, claim: Claim, event: Event) -> bool:
    """Whether others had told the claim before `document`; never sure for an undated one."""
    if document.published is None:
        return False
    earlier = [
        number
        for number in claim.sources
        if (time := event.documents[number - 1].published) and time <= document.published
    ]
    return len(earlier) >= BY_OTHERS


def _claim(issue: Issue, target: str, numbers: Mapping[str, int]) -> Claim:
    told = [one for one in issue.statements if one.document in numbers] or list(issue.statements)
    shown = next((one for one in told if one.language == target), told[0])
    so_far = any(is_summary(one.document) for one in issue.statements)
    notes = [issue.note, "the summary of earlier reports says so too" if so_far else None]
    return Claim(
        text=shown.text,
        language=shown.language,
        sources=tuple(sorted({numbers[one.document] for one in told if one.document in numbers})),
        languages=_languages(told),
        note="; ".join(filter(None, notes)) or None,
    )


def _languages(told: Sequence[Statement]) -> tuple[str, ...]:
    return tuple(sorted({one.language for one in told}))


def _numbers(event: Event) -> dict[str, int]:
    return {document.id: number for number, document in enumerate(event.documents, start=1)}


def _issues(summary: Summary) -> list[Issue]:
    whole = parse_recipe(summary.recipe).prompting == "extractive"
    rounds = summary.rounds[-1:] if whole else summary.rounds
    return [issue for round_ in rounds for issue in round_.issues]
