"""Call stores can be passed on and merged without a wrong answer getting in, and made smaller."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UsageError
from globesumm.llm.call_store import CallStore, StoredCall
from globesumm.llm.exchange import calls_of, export, merge, prune
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.records import write_records


def request(number: int, model: str = "tiny") -> Request:
    return Request(model=model, messages=(Message("user", f"question {number}"),))


def answer(text: str) -> Completion:
    return Completion(text=text, usage=Usage(prompt_tokens=3, completion_tokens=1))


def filled(path: Path, numbers: range, text: str = "answer", model: str = "tiny") -> CallStore:
    store = CallStore(path)
    for number in numbers:
        store.put(request(number, model), answer(f"{text} {number}"))
    return store


def test_an_export_holds_every_call_and_merges_back_equal(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite", range(5))
    store.put_failure(request(9), "Refused", "the model refused", answer("I will not"))
    store.close()
    count, damaged = export(tmp_path / "a.sqlite", tmp_path / "calls.jsonl")
    assert (count, damaged) == (6, [])
    copy = CallStore(tmp_path / "b.sqlite")
    taken = merge(copy, tmp_path / "calls.jsonl")
    assert (taken.added, taken.failures, taken.damaged) == (5, 1, [])
    original = CallStore(tmp_path / "a.sqlite")
    assert list(copy.answers()) == list(original.answers())
    assert list(copy.failures()) == list(original.failures())


def test_merging_twice_adds_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite", range(3))
    store.put_failure(request(9), "Refused", "no")
    store.close()
    into = CallStore(tmp_path / "b.sqlite")
    merge(into, tmp_path / "a.sqlite")
    again = merge(into, tmp_path / "a.sqlite")
    assert (again.added, again.known, again.failures) == (0, 3, 0)


def test_the_answer_already_there_stays_and_the_difference_is_counted(tmp_path: Path) -> None:
    filled(tmp_path / "theirs.sqlite", range(2), "their answer").close()
    ours = filled(tmp_path / "ours.sqlite", range(1), "our answer")
    taken = merge(ours, tmp_path / "theirs.sqlite")
    assert (taken.added, taken.differing) == (1, 1)
    kept = ours.get(request(0).key)
    assert kept
    assert kept.text == "our answer 0"


def test_an_answer_under_another_requests_key_does_not_get_in(tmp_path: Path) -> None:
    lie = StoredCall(key=request(1).key, request=request(2), completion=answer("a lie"))
    write_records(tmp_path / "calls.jsonl", [lie])
    into = CallStore(tmp_path / "b.sqlite")
    taken = merge(into, tmp_path / "calls.jsonl")
    assert "is not its request's key" in taken.damaged[0].reason
    assert len(into) == 0


def test_a_damaged_row_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    filled(tmp_path / "a.sqlite", range(3)).close()
    with sqlite3.connect(tmp_path / "a.sqlite") as direct:
        direct.execute("UPDATE answers SET completion = '{' WHERE rowid = 2")
    into = CallStore(tmp_path / "b.sqlite")
    taken = merge(into, tmp_path / "a.sqlite")
    assert taken.added == 2
    assert "answers row 2" in taken.damaged[0].where


def test_only_one_models_calls_are_exported_on_request(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite", range(2))
    store.put(request(0, "large"), answer("x"))
    store.close()
    assert export(tmp_path / "a.sqlite", tmp_path / "o.jsonl", model="large")[0] == 1


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 9)))
def test_pruning_keeps_exactly_what_is_used(kept: set[int]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder) / "a.sqlite", range(10))
        assert prune(store, {request(number).key for number in kept}) == 10 - len(kept)
        assert {call.key for call in store.answers()} == {request(n).key for n in kept}
        store.close()


def test_a_folder_without_a_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no call store there"):
        list(calls_of(tmp_path))
