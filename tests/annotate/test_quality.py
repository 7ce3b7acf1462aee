"""Quality checks of rounds: what is flagged, what passes, what cannot be told."""

from collections import Counter
from dataclasses import replace

import pytest

from annotation.quality import CHECKS, check_summary, new_numbers, totals
from globesumm.values import Passage, Round, Sentence, Summary


def sentences(*texts: str, language: str = "en") -> tuple[Sentence, ...]:
    return tuple(Sentence(text=text, language=language) for text in texts)


@pytest.mark.parametrize(
    ("made", "given", "new"),
    [
        ("2,946 died.", "The toll is 2946.", []),
        ("2,946 died.", "The toll is 2.946.", []),
        ("296 died.", "632 died.", ["296"]),
        ("Twelve people died.", "12 people died.", []),
        ("12 people died.", "Thirteen people died.", ["12 people"]),
        ("About 3,000 died.", "2,946 people died.", []),
        ("A man and a dog were found.", "People were found.", []),
        ("On 8 September 2023 it shook.", "It shook.", []),
        ("Six were hurt and 40 died.", "Six were hurt.", ["40"]),
        ("It cost 5 million euros.", "It cost 5,000,000 euros.", []),
        ("Nothing.", "12 died.", []),
    ],
)
def test_a_number_that_no_source_states_is_found(made: str, given: str, new: list[str]) -> None:
    found = new_numbers(sentences(made), sentences(given))
    assert len(found) == len(new)
    for one, wanted in zip(found, new, strict=True):
        assert wanted.split()[0] in one


def passage(*texts: str, documents: tuple[str, ...] = ("a",)) -> Passage:
    return Passage(documents=documents, language="en", sentences=sentences(*texts))


def a_round(summary: str, carry: tuple[str, ...], *inputs: Passage, index: int = 1) -> Round:
    names = tuple(name for one in inputs for name in one.documents)
    return Round(
        index=index,
        documents=names,
        added=names,
        summary=summary,
        inputs=inputs,
        carry=passage(*carry, documents=names),
    )


def summary(*rounds: Round) -> Summary:
    return Summary(
        event="e", recipe="r", model="m", target="en", text=rounds[-1].summary, rounds=rounds
    )


def english(text: str) -> str | None:
    return "fr" if "le bac" in text else None if len(text) < 20 else "en"


def flagged(happening: Summary, kis: dict[str, Passage] | None = None) -> list[tuple[str, str]]:
    return [
        (one.check, one.field)
        for one in check_summary(happening, english, kis)
        if one.passed is False
    ]


FIRST = passage("The ferry sank at night off Alma.", "Nine people are missing.")
SECOND = passage("The ferry Alma sank on Monday.", "Nine are missing.", documents=("b",))
FINE = a_round(
    "The ferry sank and nine people are missing.",
    ("The ferry Alma sank at night.", "Nine people are missing."),
    FIRST,
    SECOND,
)


def test_a_round_without_fault_has_no_flag() -> None:
    assert flagged(summary(FINE), {"a": FIRST, "b": SECOND}) == []


def test_each_fault_is_flagged_with_its_field() -> None:
    french = replace(FINE, summary="Hier le bac a coulé et neuf personnes manquent.")
    assert ("language", "summary") in flagged(summary(french))
    numbers = replace(FINE, summary="The ferry sank and 41 people are missing.")
    assert ("numbers", "summary") in flagged(summary(numbers))
    longer = passage("One.", "Two.", "Three.")
    assert ("shrank", "KIS+CLP a") in flagged(summary(FINE), {"a": longer})


def test_a_list_that_the_next_round_shortened_is_flagged() -> None:
    assert FINE.carry is not None
    third = passage("The ferry Alma was found.", documents=("c",))
    later = a_round("The ferry sank.", ("The ferry Alma sank.",), FINE.carry, third, index=2)
    found = [one for one in check_summary(summary(FINE, later), english) if one.round == 2]
    [shrank] = [one for one in found if one.field == "summary_KIS" and one.check == "shrank"]
    assert shrank.passed is False
    assert shrank.detail == "2 items before, 1 now"


def test_what_cannot_be_told_is_no_flag_and_says_why() -> None:
    found = [one for one in check_summary(summary(FINE), english) if one.passed is None]
    assert {one.detail for one in found} >= {"the list it was made from is not known"}
    empty = replace(FINE, summary="", carry=passage())
    texts = [one for one in check_summary(summary(empty), english) if one.field == "summary"]
    assert [(one.check, one.passed, one.detail) for one in texts] == [
        ("language", None, "no text"), ("numbers", None, "no text"),
    ]  # fmt: skip


def test_the_sums_cover_every_check_and_count_what_could_not_be_told() -> None:
    counts = Counter({("language", True): 3, ("language", False): 1, ("shrank", None): 2})
    found = totals(counts)
    assert [one.check for one in found] == list(CHECKS)
    assert [(one.made, one.flagged, one.untold) for one in found] == [
        (4, 1, 0), (0, 0, 0), (0, 0, 2),
    ]  # fmt: skip
