"""Writing the published layout: whole, in its order, or not at all."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.lists import numbered
from annotation.passages import in_order
from annotation.published.layout import EVENT_KEYS, RECIPE, STEPS, Published
from annotation.schemas import with_carries
from globesumm.errors import DataError
from globesumm.languages import LANGUAGES
from globesumm.records import write_records
from globesumm.values import Document, Event, Passage, Round, Summary


def write_published(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write events made by `to_published`, one a line; returns how many."""
    return write_records(path, records)


def republished(found: Published) -> dict[str, Any]:
    """What was read, as one object of the layout again, with the labels of people.

    An event without rounds (a file of relevance labels) is written without them.  Raises
    `DataError` as `to_published` does, and so for articles whose dates are out of order.
    """
    if found.summary is None:
        record = _event(found.event, [_labelled(one, found) for one in found.event.documents])
        return {key: value for key, value in record.items() if key != EVENT_KEYS[-1]}
    record = to_published(found.event, found.summary, found.kis)
    for item, document in zip(record["news"], in_order(found.event.documents), strict=True):
        if document.id in found.relevant:
            item["label_relevant"] = int(found.relevant[document.id])
    return record


def to_published(
    event: Event, summary: Summary, kis: Mapping[str, Passage] | None = None
) -> dict[str, Any]:
    """`event` and its rounds as one object of the published layout.

    `kis` are the documents' lists in their own languages; without it they are taken from what
    the sentences of the ``clp`` lists rest on, which works where no list changed its length
    (else carry out the stage ``kis`` again: with a call store that costs no call).  A date or
    category that is not known is null.

    Raises `DataError` where the summary is not of crs.kis-clp.protocol, or its rounds are not
    one less than the documents, not in their order, or lack an answer.
    """
    documents = in_order(event.documents)
    rounds = _checked(event, summary, documents)
    given = {documents[0].id: rounds[0].inputs[0]}
    given |= {one.id: done.inputs[-1] for one, done in zip(documents[1:], rounds, strict=True)}
    news = [_news(one, given[one.id], (kis or {}).get(one.id)) for one in documents]
    return _event(event, news, [_round(done) for done in rounds])


def _event(
    event: Event, news: list[dict[str, Any]], rounds: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    date = int(f"{event.date:%Y%m%d}") if event.date else None
    values = (date, event.description, event.category, news, rounds)
    return dict(zip(EVENT_KEYS, values, strict=True))


def _checked(event: Event, summary: Summary, documents: list[Document]) -> tuple[Round, ...]:
    def refuse(reason: str) -> DataError:
        return DataError(f"event {event.id!r} cannot take the published layout: {reason}")

    if summary.event != event.id:
        raise refuse(f"the summary is of event {summary.event!r}")
    if summary.recipe != RECIPE:
        raise refuse(f"it was summarized by {summary.recipe}, and the layout is of {RECIPE}")
    rounds = with_carries(summary.rounds)
    if len(documents) < 2 or len(rounds) != len(documents) - 1:
        raise refuse(f"{len(documents)} documents and {len(rounds)} rounds, not one less")
    for place, done in enumerate(rounds, start=1):
        if done.documents != tuple(document.id for document in documents[: place + 1]):
            raise refuse(f"round {place} covers other documents than the first {place + 1}")
        if missing := [step for step in STEPS.values() if step not in done.answers]:
            raise refuse(f"round {place} has no answer for {', '.join(missing)}")
        if len(done.inputs) != 2 or done.carry is None:
            raise refuse(f"round {place} does not hold what it was given and what it handed on")
        if place > 1 and done.inputs[0] != rounds[place - 2].carry:
            raise refuse(f"round {place} was not given what round {place - 1} handed on")
    return rounds


def _news(document: Document, clp: Passage, kis: Passage | None) -> dict[str, Any]:
    return _article(document) | {
        "KIS": numbered(_source_list(document, clp, kis)),
        "KIS+CLP": numbered([sentence.text for sentence in clp.sentences]),
    }


def _labelled(document: Document, found: Published) -> dict[str, Any]:
    """An article of a file of labels, with its lists where there are any."""
    item = _article(document)
    for key, lists in (("KIS", found.kis), ("KIS+CLP", found.clp)):
        if document.id in lists:
            item[key] = numbered([sentence.text for sentence in lists[document.id].sentences])
    if document.id in found.relevant:
        item["label_relevant"] = int(found.relevant[document.id])
    return item


def _article(document: Document) -> dict[str, Any]:
    row = LANGUAGES.get(document.language)
    return {
        "lang_abbr": document.language,
        "lang_full": row.name if row else "Unknown",
        "date": f"{document.published:%Y%m%d}" if document.published else None,
        "title": document.title or "",
        "article": document.text,
    }


def _source_list(document: Document, clp: Passage, kis: Passage | None) -> list[str]:
    if kis is not None:
        return [sentence.text for sentence in kis.sentences]
    said = [one for sentence in clp.sentences for one in sentence.statements]
    whole = len(said) == len(clp.sentences)
    if not whole or any(
        (one.document, one.language) != (document.id, document.language) for one in said
    ):
        raise DataError(
            f"document {document.id!r}: its key information in {document.language} is not "
            "known from the rounds; give it (carry out the stage kis again)"
        )
    return [one.text for one in said]


def _round(done: Round) -> dict[str, str]:
    one, other = ([sentence.text for sentence in given.sentences] for given in done.inputs)
    carried = done.carry.sentences if done.carry else ()
    return {
        "news1": numbered(one),
        "news2": numbered(other),
        "where": done.answers["where"],
        "strategy": done.answers["strategies"],
        "summary": done.summary,
        "summary_KIS": numbered([sentence.text for sentence in carried]),
    }
