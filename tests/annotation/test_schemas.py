"""The two schemas: which rounds there are, what each is given, and how they resume."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.passages import EMPTY, UNDATED, passages
from annotation.schemas import (
    ALONE,
    Context,
    chronological,
    count_rounds,
    single_turn,
    with_carries,
    without_repeated_carries,
)
from globesumm import records
from globesumm.errors import UsageError
from globesumm.values import Document, Event, Passage, Round, Sentence

START = datetime(2023, 9, 8, 22, 11, tzinfo=UTC)


def document(name: str, hours: int | None, text: str = "One sentence. Another one.") -> Document:
    published = None if hours is None else START + timedelta(hours=hours)
    return Document(id=name, text=text, language="en", published=published)


def event(*documents: Document) -> Event:
    return Event(id="quake", description="A quake", documents=documents)


class Recorder:
    """A merge that keeps first sentences, and remembers what it was called with."""

    def __init__(self, *, carries: bool = True) -> None:
        self.calls: list[tuple[tuple[Passage, ...], Context]] = []
        self.carries = carries

    def __call__(self, given: Sequence[Passage], context: Context) -> Round:
        self.calls.append((tuple(given), context))
        firsts = tuple(sentence for passage in given for sentence in passage.sentences[:1])
        carry = Passage(
            documents=("whoever",),
            language="en",
            sentences=(*firsts, Sentence(text="carried", language="en")),
        )
        return Round(
            index=0,
            documents=(),
            added=(),
            summary=" ".join(sentence.text for sentence in firsts),
            sentences=firsts,
            carry=carry if self.carries else None,
        )


def fold(happening: Event, merge: Recorder, earlier: Sequence[Round] = ()) -> list[Round]:
    context = Context(event=happening, target="en")
    return list(chronological(passages(happening), merge, context, earlier))


FOUR = event(*(document(f"d{hours}", hours) for hours in (3, 1, 2, 0)))


def test_passages_come_by_time_then_id_with_undated_documents_last_and_noted() -> None:
    made = passages(
        event(document("z", None), document("b", 5), document("a", 5), document("c", 1))
    )
    assert [passage.documents for passage in made] == [("c",), ("a",), ("b",), ("z",)]
    assert [passage.notes for passage in made] == [(), (), (), (UNDATED,)]


def test_each_sentence_of_a_passage_says_where_it_stands() -> None:
    [passage] = passages(event(document("d", 0)))
    places = [
        (statement.document, statement.index, statement.language, statement.text == sentence.text)
        for sentence in passage.sentences
        for statement in sentence.statements
    ]
    assert places == [("d", 1, "en", True), ("d", 2, "en", True)]


@given(st.integers(min_value=2, max_value=12))
def test_n_documents_give_n_minus_one_rounds_each_one_document_longer(count: int) -> None:
    merge = Recorder()
    rounds = fold(event(*(document(f"d{hours:02}", hours) for hours in range(count))), merge)
    assert len(rounds) == count - 1 == count_rounds(chronological, count)
    assert [done.index for done in rounds] == list(range(1, count))
    assert [len(done.documents) for done in rounds] == list(range(2, count + 1))
    assert [done.added for done in rounds[1:]] == [(f"d{n:02}",) for n in range(2, count)]
    assert all(given == done.inputs for (given, _), done in zip(merge.calls, rounds, strict=True))


def test_a_round_takes_the_carry_of_the_one_before_and_the_next_document() -> None:
    merge = Recorder()
    rounds = fold(FOUR, merge)
    assert rounds[0].documents == ("d0", "d1") == rounds[0].added
    for before, after in pairwise(rounds):
        assert after.inputs[0] == before.carry
        assert after.inputs[1].documents == after.added


def test_a_merge_may_look_back_at_all_documents_covered_so_far() -> None:
    merge = Recorder()
    fold(FOUR, merge)
    seen = [[p.documents[0] for p in context.sources] for _, context in merge.calls]
    assert seen == [["d0", "d1"], ["d0", "d1", "d2"], ["d0", "d1", "d2", "d3"]]


def test_without_a_carry_the_summary_is_handed_on() -> None:
    rounds = fold(FOUR, Recorder(carries=False))
    assert rounds[1].inputs[0].sentences == rounds[0].sentences
    assert rounds[1].inputs[0].documents == rounds[0].documents


def test_one_document_is_summarized_by_itself_and_that_is_noted() -> None:
    for schema in (single_turn, chronological):
        happening = event(document("d", 0))
        context = Context(event=happening, target="en")
        [done] = schema(passages(happening), Recorder(), context)
        assert done.documents == done.added == ("d",)
        assert ALONE in done.notes
        assert count_rounds(schema, 1) == 1


@pytest.mark.parametrize("schema", [single_turn, chronological])
@pytest.mark.parametrize(
    ("documents", "said"),
    [((), "no documents"), ((document("d", 0, " \n "),), "1 documents without a sentence")],
)
def test_nothing_to_summarize_is_refused_with_what_to_do(
    schema: object, documents: tuple[Document, ...], said: str
) -> None:
    happening = event(*documents)
    assert callable(schema)
    with pytest.raises(UsageError, match=rf"'quake' has {said}: give it at least one document"):
        list(schema(passages(happening), Recorder(), Context(event=happening, target="en")))


def test_a_document_without_text_takes_part_and_is_named() -> None:
    rounds = fold(event(document("a", 0), document("b", 1, ""), document("c", 2)), Recorder())
    assert len(rounds) == 2
    assert f"b: {EMPTY}" in rounds[0].notes
    assert f"b: {EMPTY}" not in rounds[1].notes


def test_single_turn_merges_everything_at_once() -> None:
    merge = Recorder()
    context = Context(event=FOUR, target="en")
    [done] = single_turn(passages(FOUR), merge, context)
    assert done.documents == done.added == ("d0", "d1", "d2", "d3")
    assert len(done.inputs) == 4
    again = list(single_turn(passages(FOUR), merge, context, [done]))
    assert again == [done]
    assert len(merge.calls) == 1


def test_only_the_last_stored_round_keeps_its_carry_and_the_others_get_theirs_back() -> None:
    rounds = fold(FOUR, Recorder())
    stored = without_repeated_carries(rounds)
    assert [done.carry is None for done in stored] == [True, True, False]
    assert with_carries(stored) == tuple(rounds)
    written = records.to_json(list(stored))
    assert records.from_json(tuple[Round, ...], written) == stored


def test_a_later_document_costs_one_round() -> None:
    first = fold(event(*(document(f"d{n}", n) for n in range(4))), Recorder())
    merge = Recorder()
    grown = event(*(document(f"d{n}", n) for n in range(5)))
    rounds = fold(grown, merge, without_repeated_carries(first))
    assert len(merge.calls) == 1
    assert rounds == fold(grown, Recorder())


def test_an_interrupted_fold_goes_on_from_where_it_stopped() -> None:
    whole = fold(FOUR, Recorder())
    for done in range(4):
        merge = Recorder()
        assert fold(FOUR, merge, without_repeated_carries(whole[:done])) == whole
        assert len(merge.calls) == 3 - done


def test_a_document_that_belongs_further_ahead_costs_the_rounds_from_its_place_on() -> None:
    before = fold(event(*(document(f"d{n}", 2 * n) for n in range(5))), Recorder())
    merge = Recorder()
    grown = event(*(document(f"d{n}", 2 * n) for n in range(5)), document("late", 5))
    assert fold(grown, merge, before) == fold(grown, Recorder())
    assert len(merge.calls) == 3


def test_a_changed_text_is_summarized_again() -> None:
    documents = [document(f"d{n}", n) for n in range(4)]
    before = fold(event(*documents), Recorder())
    for changed in range(4):
        edited = list(documents)
        edited[changed] = replace(edited[changed], text="Something else.")
        merge = Recorder()
        assert fold(event(*edited), merge, before) == fold(event(*edited), Recorder())
        assert len(merge.calls) == 3 - max(0, changed - 1)


def test_rounds_over_one_document_are_not_taken_for_rounds_over_two() -> None:
    alone = fold(event(document("a", 0)), Recorder())
    both = event(document("a", 0), document("b", 1))
    assert fold(both, Recorder(), alone) == fold(both, Recorder())
