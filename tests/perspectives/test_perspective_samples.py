"""The topics that come with the package are what their authors say, and group into their sides."""

import pytest

from baselines.perspectives import samples
from baselines.perspectives.checking import Found, checked
from baselines.perspectives.grouping import FIELDS, columns, grouped, value_of
from baselines.perspectives.values import Topic
from globesumm.errors import UnknownName
from globesumm.values import Document, Event, Outlet, Rejected
from retrieval.language import detect


@pytest.mark.parametrize("name", samples.names())
def test_every_sample_stands_and_its_key_points_stand_in_its_documents(name: str) -> None:
    topic = samples.load(name)
    [made] = checked(iter([Found(where=name, topic=topic)]))
    assert made == topic
    for side in topic.sides:
        texts = {document.id: document.text for document in side.documents}
        assert len(side.key_points) <= len(side.documents)
        assert len({point.document for point in side.key_points}) == len(side.key_points)
        for point in side.key_points:
            assert point.excerpt
            assert point.excerpt in texts[point.document or ""]
            assert point.reversed
            assert point.reversed != point.text


@pytest.mark.parametrize("name", samples.names())
def test_every_document_is_in_the_language_it_says(name: str) -> None:
    for side in samples.load(name).sides:
        for document in side.documents:
            assert detect(document.text).language == document.language


def test_there_are_six_topics_two_of_them_in_several_languages() -> None:
    topics = samples.load_all()
    assert len(topics) >= 6
    assert sum(len(topic.languages) > 2 for topic in topics) >= 2
    assert all(len(topic.sides) == 2 for topic in topics)


def test_an_unknown_sample_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'orlau-weir'"):
        samples.load("orlau-weird")


def as_event(topic: Topic) -> Event:
    documents = tuple(document for side in topic.sides for document in side.documents)
    return Event(id=topic.id, description=topic.topic, documents=documents)


@pytest.mark.parametrize("name", samples.names())
def test_documents_group_into_the_sides_that_a_table_of_outlets_gives_them(name: str) -> None:
    topic = samples.load(name)
    event = as_event(topic)
    [by] = {field for field in columns([event]) if field not in FIELDS}
    [made] = grouped([event], by)
    assert isinstance(made, Topic)
    expected = {side.name: {one.id for one in side.documents} for side in topic.sides}
    assert {side.name: {one.id for one in side.documents} for side in made.sides} == expected


@pytest.mark.parametrize("by", FIELDS)
def test_every_field_that_documents_know_themselves_makes_sides(by: str) -> None:
    def document(number: int, which: int) -> Document:
        return Document(
            id=str(number),
            text=f"Report {number}.",
            language=("en", "fr")[which],
            source=("One", "Two")[which],
            outlet=Outlet(
                domain="x.example", country=("IE", "FR")[which], agency=("A", "B")[which]
            ),
        )

    held = tuple(document(number, number % 2) for number in range(4))
    [made] = grouped([Event(id="e", description="x", documents=held)], by)
    assert isinstance(made, Topic)
    assert [len(side.documents) for side in made.sides] == [2, 2]
    assert {side.name for side in made.sides} == {value_of(one, by) for one in held}


def test_sides_that_are_too_small_are_left_out_by_name_and_too_few_reject_the_event() -> None:
    weir = as_event(samples.load("orlau-weir"))
    [made] = grouped([weir], "language")
    assert isinstance(made, Topic)
    assert {side.name for side in made.sides} == {"de", "en", "pl"}
    assert made.notes == ("sides of fewer than 2 documents left out: fr (1), uk (1)",)
    [refused] = grouped([weir], "language", least=3)
    assert isinstance(refused, Rejected)
    assert refused.kind == "missing-side"


def test_a_field_that_no_document_has_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'language'"):
        list(grouped([as_event(samples.load("orlau-weir"))], "langauge"))
