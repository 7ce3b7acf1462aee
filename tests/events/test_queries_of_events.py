"""Queries: names by language links, a model's words read strictly, and people's edits kept."""

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.languages import GLOBESUMM
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from retrieval.events.asking import Asker
from retrieval.events.queries import NO_NAME, PERSON, Query, have_queries, read_queries
from retrieval.events.wording import worded
from retrieval.portal.values import PortalEvent, Topic

EVENT = PortalEvent(
    id="quake",
    date=date(2023, 9, 9),
    description="An earthquake of magnitude 6.8 kills at least 2,946 people in Morocco.",
    pages=("Earthquake", "Morocco"),
    topics=(Topic(text="Disasters", level=1, pages=("Morocco", "Atlas Mountains")),),
    names={
        "Earthquake": {"fr": "Séisme", "ru": "Землетрясение"},
        "Morocco": {"fr": "Maroc", "ru": "Марокко", "hi": "मोरक्को"},
        "Atlas Mountains": {"fr": "Atlas"},
    },
)


def about(description: str, **names: str) -> PortalEvent:
    return PortalEvent(
        id="other",
        date=date(2023, 9, 9),
        description=description,
        pages=("Morocco",),
        names={"Morocco": names},
    )


def asked(script: Callable[[Request], str]) -> Asker:
    return Asker(model=Scripted(script), most_at_once=1)


def answering(*answers: str) -> tuple[Asker, list[str]]:
    """An asker that gives these answers in turn, the last one for ever, and what it was asked."""
    given, heard = list(answers), list[str]()

    def script(request: Request) -> str:
        heard.append(request.messages[-1].content)
        return given.pop(0) if len(given) > 1 else given[0]

    return asked(script), heard


def stated(text: str) -> str:
    return json.dumps({"description": text}, ensure_ascii=False)


def test_without_a_model_names_numbers_and_nothing_else_are_searched() -> None:
    assert worded(EVENT, "fr") == "Séisme Maroc Atlas 6,8 2 946 2946"
    assert worded(EVENT, "ru") == "Землетрясение Марокко 6,8 2 946 2946"
    assert worded(EVENT, "hi") == "मोरक्को 6.8 2,946 2946"


def test_in_the_portals_own_language_the_description_is_the_query() -> None:
    assert worded(EVENT, "en") == EVENT.description


def test_a_language_without_a_name_has_no_query() -> None:
    assert worded(EVENT, "bg") is None


@pytest.mark.parametrize(
    ("description", "language", "has"),
    [
        ("Troops cross on 7 October 2023.", "de", "7. Oktober 2023"),
        ("Troops cross on 7 October.", "uk", "7 жовтня"),
        ("It is the first since May 2022.", "es", "mayo de 2022"),
        ("It costs 3 million dollars.", "de", "3"),
        ("Inflation rises to 12.4%.", "fr", "12,4"),
    ],
)
def test_dates_and_numbers_are_written_as_the_language_writes_them(
    description: str, language: str, has: str
) -> None:
    query = worded(about(description, **{language: "Name"}), language)
    assert query is not None
    assert query.startswith("Name ")
    assert has in query


@pytest.mark.parametrize("language", GLOBESUMM)
def test_dates_that_are_none_and_calendars_of_other_lands_do_no_harm(language: str) -> None:
    event = about("On 31 February and 29 February 2023, and on 7 October 2023.", **{language: "N"})
    query = worded(event, language)
    assert query is not None
    assert language == "en" or "2023" in query


def test_queries_are_kept_and_made_once(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    made = have_queries([EVENT], ["en", "fr", "bg"], path, None)
    assert [query.searched for query in made] == [True, True, False]
    assert made[2].note == NO_NAME
    before = path.read_bytes()
    assert have_queries([EVENT], ["en", "fr", "bg"], path, None) == made
    assert path.read_bytes() == before


def edit(path: Path, language: str, text: str | None) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        if row["language"] == language:
            row["text"] = text
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("text", ["séisme Marrakech", "", None])
def test_what_a_person_wrote_is_never_overwritten(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "queries.jsonl"
    have_queries([EVENT], ["en", "fr"], path, None)
    edit(path, "fr", text)
    changed = PortalEvent(id="quake", date=EVENT.date, description="Another text.", pages=())
    for event, asker in ((EVENT, None), (changed, None), (EVENT, answering(stated("x"))[0])):
        english, french = have_queries([event], ["en", "fr"], path, asker)
        assert (french.text, french.origin, french.searched) == (text, PERSON, bool(text))
        assert english.text == event.description


def test_a_line_added_by_hand_counts_as_a_persons(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"event": "quake", "language": "bg", "text": "земетресение"}\n', "utf-8")
    (query,) = have_queries([EVENT], ["bg"], path, None)
    assert (query.text, query.origin) == ("земетресение", PERSON)


def test_queries_of_other_events_stay_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    have_queries([EVENT], ["fr"], path, None)
    have_queries([about("Text.", fr="Nom")], ["fr"], path, None)
    assert sorted(read_queries(path)) == [("other", "fr"), ("quake", "fr")]


def test_a_broken_line_stops_before_anything_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"event": "quake", "language": \n', "utf-8")
    with pytest.raises(UsageError, match=r"queries\.jsonl:1: .*mend that line"):
        have_queries([EVENT], ["fr"], path, None)
    assert path.read_text("utf-8").startswith('{"event"')


def test_a_model_translates_and_is_told_the_names(tmp_path: Path) -> None:
    asker, heard = answering(stated("Séisme de magnitude 6,8 au Maroc : 2 946 morts dans l'Atlas."))
    english, french = have_queries([EVENT], ["en", "fr"], tmp_path / "q.jsonl", asker)
    assert english.text == EVENT.description
    assert french.text == "Séisme de magnitude 6,8 au Maroc : 2 946 morts dans l'Atlas."
    assert (french.origin, french.note) == ("scripted", None)
    assert len(heard) == 1
    assert "Morocco = Maroc" in heard[0]
    assert "French (français)" in heard[0]


def test_names_that_the_model_left_out_stand_at_the_end(tmp_path: Path) -> None:
    asker, _ = answering(stated("Tremblement de terre au Royaume chérifien."))
    (query,) = have_queries([EVENT], ["fr"], tmp_path / "q.jsonl", asker)
    assert query.text == "Tremblement de terre au Royaume chérifien. Séisme Maroc Atlas"
    assert query.note == "names added: Séisme, Maroc, Atlas"


def test_an_inflected_name_is_the_name(tmp_path: Path) -> None:
    asker, _ = answering(stated("После землетрясения в Марокко погибли 2946 человек."))
    (query,) = have_queries([EVENT], ["ru"], tmp_path / "q.jsonl", asker)
    assert query.note is None


NONSENSE: Sequence[str] = (
    "Voici la traduction : Séisme au Maroc.",
    '{"text": "Séisme au Maroc."}',
    '{"description": "Séisme au Maroc.", "remark": "done"}',
    '{"description": ["Séisme au Maroc."]}',
    '{"description": "6,8 2946"}',
    '{"description": "Землетрясение в Марокко"}',
    stated(EVENT.description),
    stated("Séisme " * 500),
    "",
    "[" * 100_000,
)


@pytest.mark.parametrize("answer", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_asked_for_once_more_and_then_left_without_a_query(
    tmp_path: Path, answer: str
) -> None:
    asker, heard = answering(answer)
    (query,) = have_queries([EVENT], ["fr"], tmp_path / "q.jsonl", asker)
    assert (query.text, query.searched) == (None, False)
    assert query.note
    assert query.note.startswith("two answers could not be used")
    assert len(heard) == 2
    assert "could not be used" in heard[1]
    # The next run asks again, and what it gets then counts.
    (query,) = have_queries([EVENT], ["fr"], tmp_path / "q.jsonl", answering(stated("Maroc"))[0])
    assert query.searched


def test_a_second_answer_that_is_usable_counts(tmp_path: Path) -> None:
    asker, _ = answering("no", f"```json\n{stated('Séisme au Maroc, dans l’Atlas')}\n```")
    (query,) = have_queries([EVENT], ["fr"], tmp_path / "q.jsonl", asker)
    assert query.text == "Séisme au Maroc, dans l’Atlas"


def test_a_model_that_comes_later_replaces_what_no_person_wrote(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    have_queries([EVENT], ["fr"], path, None)
    (query,) = have_queries([EVENT], ["fr"], path, answering(stated("Séisme au Maroc (Atlas)"))[0])
    assert query.origin == "scripted"


def test_two_lines_for_one_query_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    line = json.dumps({"event": "quake", "language": "fr", "text": "a"}) + "\n"
    path.write_text(line * 2)
    with pytest.raises(UsageError, match="two queries of quake in fr"):
        read_queries(path)


def test_a_query_without_a_word_is_not_searched() -> None:
    assert not Query(event="e", language="fr", text="… – !").searched
