"""English descriptions find reports of their event in other languages through language links."""

import os
import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from globesumm.values import Document
from retrieval.events.wording import worded
from retrieval.portal.values import PortalEvent

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

LEAST = {"ar": 0.9, "cs": 0.85, "el": 0.9, "en": 0.9, "fr": 0.9, "he": 0.8, "hi": 0.8}
"""The mean share of an event's ten reports among the first ten found that is not to be lost."""


@cache
def topics() -> list[dict[str, Any]]:
    return list(tomllib.loads(Path(__file__).with_name("topics.toml").read_text("utf-8"))["topic"])


def event(topic: dict[str, Any]) -> PortalEvent:
    day: date = topic["date"]
    return PortalEvent(
        id=topic["number"],
        date=day,
        description=topic["description"],
        pages=tuple(topic["names"]),
        names=topic["names"],
    )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = Path(os.environ.get("GLOBESUMM_DATA", "")) / "events" / "multiling2011"
    if not folder.is_dir():
        pytest.skip("GLOBESUMM_DATA with events/multiling2011 is absent")
    from retrieval.index import Index
    from retrieval.read import read

    made = Index(tmp_path_factory.mktemp("multiling"))
    made.add(one for one in read(folder / "SourceTexts") if isinstance(one, Document))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(LEAST))
def test_the_reports_of_an_event_are_found_by_what_its_articles_are_called(
    index: Any, language: str
) -> None:
    shares, firsts = [], 0
    for topic in topics():
        query = worded(event(topic), language)
        assert query is not None
        found = [hit.document for hit in index.search(query, language)]
        shares.append(sum(name.startswith(topic["number"]) for name in found) / 10)
        firsts += bool(found) and found[0].startswith(topic["number"])
    print(f"{language} {sum(shares) / len(shares):.3f} first {firsts} of 6: {shares}")
    assert sum(shares) / len(shares) >= LEAST[language]
