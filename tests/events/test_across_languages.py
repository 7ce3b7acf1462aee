"""English descriptions find reports of their event in other languages.

Through language links, and through translations as a model answers them.  The model here is a
script with a translator's answers: what is shown is the way from answer to reports, and no model's
skill.
"""

import os
import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.prompts import language_name
from globesumm.records import to_json
from globesumm.values import Document
from retrieval.events.asking import Asker
from retrieval.events.queries import have_queries
from retrieval.events.wording import worded
from retrieval.portal.values import PortalEvent

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

LEAST = {"ar": 0.9, "cs": 0.85, "el": 0.9, "en": 0.9, "fr": 0.9, "he": 0.8, "hi": 0.8}
"""The mean share of an event's ten reports among the first ten found that is not to be lost."""


TRANSLATED = {"ar": 0.84, "cs": 0.91, "el": 0.88, "fr": 0.89, "he": 0.76, "hi": 0.88}
"""The same of translated descriptions."""


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


def translator(request: Request) -> str:
    """The translation of the description and into the language that the prompt names."""
    asked = request.messages[-1].content
    translations = tomllib.loads(Path(__file__).with_name("translations.toml").read_text("utf-8"))
    (topic,) = [one for one in topics() if one["description"] in asked]
    (language,) = [code for code in TRANSLATED if f" in {language_name(code)}, " in asked]
    return to_json({"description": translations[topic["number"]][language]})


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(TRANSLATED))
def test_the_reports_of_an_event_are_found_by_its_translated_description(
    index: Any, language: str, tmp_path: Path
) -> None:
    asker = Asker(model=Scripted(translator))
    events = [event(topic) for topic in topics()]
    queries = have_queries(events, [language], tmp_path / "queries.jsonl", asker)
    assert all(query.origin == "scripted" and query.text for query in queries)
    shares, firsts = [], 0
    for query in queries:
        found = [hit.document for hit in index.search(query.text, language)]
        shares.append(sum(name.startswith(query.event) for name in found) / 10)
        firsts += bool(found) and found[0].startswith(query.event)
    print(f"{language} {sum(shares) / len(shares):.3f} first {firsts} of 6: {shares}")
    assert sum(shares) / len(shares) >= TRANSLATED[language]
