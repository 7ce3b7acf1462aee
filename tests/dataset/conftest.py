"""Events made for these tests: every text is another one, unless a test says so."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from globesumm.records import write_records
from globesumm.values import Document, Event

BEGINNING = datetime(2023, 5, 1, tzinfo=UTC)
LANGUAGES = ("en", "fr", "de", "bg", "el")

MakeEvent = Callable[..., Event]


def text_of(seed: str, words: int = 80) -> str:
    """Words nobody else draws."""
    draw = Random(seed)
    made = [
        "".join(draw.choices("abcdefghijklmnoprstuv", k=draw.randint(3, 9))) for _ in range(words)
    ]
    return " ".join(made).capitalize() + "."


def event(number: int, documents: int = 3, **more: object) -> Event:
    """Event `number`, with reports in as many languages as there are."""
    name = f"e{number:03d}"
    reports = tuple(
        Document(
            id=f"{name}-{place}",
            text=text_of(f"{name}-{place}"),
            language=LANGUAGES[place % len(LANGUAGES)],
            title=f"Title {name} {place}",
            published=BEGINNING + timedelta(days=number, hours=place),
            url=f"https://paper{place}.example/{name}/{place}",
        )
        for place in range(documents)
    )
    values: dict[str, object] = {
        "id": name,
        "description": text_of(f"about {name}", 12),
        "documents": reports,
        "date": BEGINNING + timedelta(days=number),
        "category": "Disasters and accidents",
    }
    return Event(**{**values, **more})  # type: ignore[arg-type]


@pytest.fixture
def events() -> list[Event]:
    return [event(number) for number in range(10)]


@pytest.fixture
def events_file(tmp_path: Path, events: list[Event]) -> Path:
    path = tmp_path / "events.jsonl"
    write_records(path, events)
    return path
