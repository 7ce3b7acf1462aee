"""Train and test articles are apart: by id, address, text and near-duplicates, refused by name."""

from dataclasses import replace

import pytest

from baselines.perspectives.values import Side, Topic
from baselines.preference.apart import check_apart, split
from globesumm.errors import UsageError
from globesumm.values import Document

pytest.importorskip("rensa", reason="near-duplicates need the extra retrieval")

LONG = (
    "The council of the town decided on Monday evening that the old bridge over the river will "
    "be closed for two years, because engineers found cracks in three of its seven pillars and "
    "the money for a new one cannot be had before the next budget is agreed in the spring."
)


def topic(name: str, *documents: Document) -> Topic:
    other = Document(id=f"{name}-other", text=f"Only {name} says {name}.", language="en")
    sides = (Side(name="north", documents=documents), Side(name="south", documents=(other,)))
    return Topic(id=name, topic=name, sides=sides)


def document(identifier: str, text: str, url: str | None = None) -> Document:
    return Document(id=identifier, text=text, language="en", url=url)


PLAIN = topic("plain", document("p1x", LONG, url="https://example.org/bridge?utm_source=x"))

ALIKE = {
    "id": topic("other", document("p1x", "Quite another text on quite another matter.")),
    "address": topic(
        "other",
        document("n9z", "Another text entirely.", url="http://www.example.org/bridge"),
    ),
    "word for word": topic("other", document("n9z", LONG.upper())),
    "near-duplicate": topic("other", document("n9z", LONG.replace("Monday", "Tuesday"))),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_a_report_in_both_is_refused_by_name(kind: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_apart([PLAIN], [ALIKE[kind]])
    assert "'plain'" in str(raised.value)
    assert "'other'" in str(raised.value)


def test_one_topic_in_both_is_refused() -> None:
    with pytest.raises(UsageError, match="both have the id 'plain'"):
        check_apart([PLAIN], [topic("plain", document("z", "Something else is said here."))])


def test_counted_ids_of_reports_without_address_are_no_overlap() -> None:
    check_apart(
        [topic("a", document("left-1", "The ferry leaves the harbour at noon."))],
        [topic("b", document("left-1", "A museum opens in the valley in winter."))],
    )


def test_copies_within_train_are_not_refused() -> None:
    copy = topic("copy", document("n9z", LONG.replace("Monday", "Tuesday")))
    other = topic("test", document("t", "A museum opens in the valley in winter."))
    check_apart([PLAIN, copy], [other])
    with pytest.raises(UsageError, match="near-duplicate"):
        check_apart([PLAIN], [copy])


def several(count: int) -> list[Topic]:
    names = ("ferry", "museum", "clinic", "forest", "market", "school", "winter", "harbour")
    return [
        topic(f"t{at}", document(f"{name}-report", f"What {name} number {at} is about: {name}."))
        for at, name in enumerate(names[:count])
    ]


def test_topics_that_share_reports_stay_on_one_side() -> None:
    shared = [*several(6), PLAIN, topic("copy", document("n9z", LONG.replace("two", "three")))]
    for seed in range(8):
        made = split(shared, 3, seed)
        ids = {one.id for one in made.test}
        assert ids >= {"plain", "copy"} or not ids & {"plain", "copy"}
        assert {one.id for one in made.train} | ids == {one.id for one in shared}
        check_apart(made.train, made.test)


def test_a_split_is_repeated_by_its_seed_and_not_by_another() -> None:
    held = [tuple(one.id for one in split(several(8), 3, seed).test) for seed in (0, 0, 1, 2)]
    assert held[0] == held[1]
    assert len(set(held)) > 1
    assert all(len(one) == 3 for one in held)


@pytest.mark.parametrize("count", [2, 3])
def test_nothing_left_to_train_on_is_refused(count: int) -> None:
    with pytest.raises(UsageError, match="nothing is left to train on"):
        split(several(2), count, 0)


def test_topics_that_all_share_one_report_cannot_be_split() -> None:
    held = [replace(PLAIN, id=f"t{at}") for at in range(3)]
    with pytest.raises(UsageError, match="share so many reports"):
        split(held, 1, 0)
