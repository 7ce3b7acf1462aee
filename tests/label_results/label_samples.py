"""Items and labels of every kind, as tests of results, agreement and exchange take them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from annotation.labels.kinds import check_item, read_answer
from annotation.labels.values import Item, Label, Role

BEGUN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def relevance(name: str, **more: Any) -> Item:
    payload = {
        "query": {"text": "A ferry sank", "language": "en"},
        "article": {"text": f"Ein Bericht {name}", "language": "de"},
    }
    given = {"languages": ("de",), "event": "ferry", **more}
    return check_item(Item(id=name, kind="relevance", payload=payload, **given))


def listed(*sentences: str) -> dict[str, Any]:
    return {"sentences": list(sentences), "language": "en"}


def issues(name: str, first: int = 2, second: int = 2, **more: Any) -> Item:
    payload = {
        "first": listed(*(f"First {n}." for n in range(1, first + 1))),
        "second": listed(*(f"Second {n}." for n in range(1, second + 1))),
    }
    return check_item(Item(id=name, kind="issues", payload=payload, languages=("en",), **more))


def review(name: str, *findings: Mapping[str, Any], **more: Any) -> Item:
    payload = {
        "first": listed("One.", "Two."),
        "second": listed("One.", "Two."),
        "review": list(findings),
    }
    return check_item(Item(id=name, kind="issues", payload=payload, languages=("en",), **more))


def key_fact(name: str, fact: str = "37 died.", **more: Any) -> Item:
    payload = {"fact": {"text": fact, "language": "en"}, "source": [listed("37 died.", "Rain.")]}
    return check_item(Item(id=name, kind="key-facts", payload=payload, languages=("en",), **more))


def support(name: str, fact: str = "37 died.", **more: Any) -> Item:
    payload = {"fact": {"text": fact, "language": "en"}, "source": [listed("37 died.", "Rain.")]}
    kind = "fact-support"
    return check_item(Item(id=name, kind=kind, payload=payload, languages=("en",), **more))


def matching(name: str, sentences: int = 3, **more: Any) -> Item:
    payload = {
        "fact": {"text": "37 died.", "language": "en"},
        "summary": listed(*(f"Sentence {n}." for n in range(1, sentences + 1))),
    }
    return check_item(Item(id=name, kind="matching", payload=payload, languages=("en",), **more))


DOCUMENT = "The ferry sank at dawn. Rescuers saved forty people. Rain fell."
SUMMARY = "A ferry sank and forty were saved. The captain fled."


def key_points(name: str, summary: str | None = SUMMARY, **more: Any) -> Item:
    payload: dict[str, Any] = {"documents": [{"text": DOCUMENT, "language": "en"}]}
    if summary is not None:
        payload["summary"] = {"text": summary, "language": "en"}
    return check_item(Item(id=name, kind="key-points", payload=payload, languages=("en",), **more))


def span(text: str, excerpt: str, document: int = 0) -> dict[str, Any]:
    start = text.index(excerpt)
    end = start + len(excerpt)
    return {"start": start, "end": end, "text": excerpt, "document": document}


def preference(name: str, **more: Any) -> Item:
    payload = {"a": {"text": "Summary a"}, "b": {"text": "Summary b"}}
    return check_item(Item(id=name, kind="preference", payload=payload, languages=("en",), **more))


def label(item: Item, who: str, answer: Mapping[str, Any] | None, **more: Any) -> Label:
    """A label whose id says whose it is; the minute is that of its place."""
    minute = more.pop("minute", 0)
    started = BEGUN + timedelta(minutes=minute)
    role, number = more.get("role", Role.ANNOTATOR), more.get("round", 1)
    given = {
        "id": f"{item.id}-{who}-{number}-{role}",
        "version": item.version,
        "started": started,
        "submitted": started + timedelta(seconds=30),
        "seconds": 30.0,
        **more,
    }
    plain = None if answer is None else read_answer(item, answer)
    return Label(item=item.id, kind=item.kind, annotator=who, answer=plain, **given)


YES = {"relevant": True, "criteria": ["same_event"]}
NO = {"relevant": False, "criteria": []}
