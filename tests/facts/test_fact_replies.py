"""Judges' replies: what real ones say, and what is made of broken ones."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.facts.replies import Sentences, read_matches, read_support
from metrics.facts.verdicts import Verdicts
from tests.facts.reply_grammar import MARK, reply

CATEGORIES = {"noerror": True} | {
    f"{kind}error": False
    for kind in (
        "outofcontext", "entity", "predicate", "circumstantial", "grammatical", "coreference",
        "linking", "other",
    )
}  # fmt: skip
"""What FineSurE's judge may say of a sentence."""


def finesure(name: str) -> Iterator[dict[str, Any]]:
    folder = Path(os.environ.get("GLOBESUMM_DATA", "")) / "metrics" / "finesure"
    if not os.environ.get("GLOBESUMM_DATA") or not folder.is_dir():
        pytest.skip("GLOBESUMM_DATA names no folder with the published outputs of FineSurE")
    for line in (folder / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def means(rows: dict[str, list[tuple[float, ...]]]) -> dict[str, tuple[float, ...]]:
    return {
        system: tuple(
            round(100 * sum(column) / len(column), 1) for column in zip(*held, strict=True)
        )
        for system, held in rows.items()
    }


def test_finesure_alignment_outputs_give_the_published_labels_and_aggregates() -> None:
    rows: dict[str, list[tuple[float, ...]]] = {}
    for line in finesure("result-keyfact-alignment-raw.jsonl"):
        labels, sentences = line["pred_alignment_labels"], len(line["sentences"])
        read = read_matches(line["llm_output"], len(labels), sentences)
        assert read.verdicts is not None, read.reason
        assert [int(bool(held)) for held in read.verdicts] == labels
        numbers = {number for held in read.verdicts for number in held}
        assert numbers == set(line["pred_sentence_line_numbers"])
        measured = Verdicts(
            id=line["doc_id"], key_facts=read.verdicts, sentences=sentences, supported=None
        ).measured()
        values = tuple(float(measured[n].value or 0) for n in ("completeness", "conciseness"))
        rows.setdefault(line["model"], []).append(values)
    assert means(rows) == {"unilm_out_v2": (45.5, 76.0), "t5_out_large": (59.0, 81.7)}


def test_finesure_fact_checking_outputs_give_the_published_labels_and_aggregates() -> None:
    rows: dict[str, list[tuple[float, ...]]] = {}
    pooled: dict[str, list[bool]] = {}
    for line in finesure("result-fact-checking-raw.jsonl"):
        labels = line["pred_faithfulness_labels"]
        read = read_support(line["llm_output"], len(labels), words=CATEGORIES)
        assert read.verdicts is not None, read.reason
        supported = tuple(one.supported for one in read.verdicts)
        assert [int(not one) for one in supported] == labels
        measured = Verdicts(
            id=line["doc_id"], key_facts=None, sentences=len(labels), supported=supported
        ).measured()
        value = float(measured["faithfulness"].value or 0)
        rows.setdefault(line["model"], []).append((value,))
        pooled.setdefault(line["model"], []).extend(not one for one in supported)
    errors = {name: round(100 * sum(held) / len(held), 1) for name, held in pooled.items()}
    assert errors == {"bert_sum": 0.0, "bus": 33.3, "pgn": 16.7, "s2s": 83.3, "bart": 33.3}
    assert means(rows) == {
        "bert_sum": (100.0,), "bus": (66.7,), "pgn": (83.3,), "s2s": (16.7,), "bart": (75.0,),
    }  # fmt: skip


def test_of_a_thousand_malformed_replies_none_is_misread_and_the_recoverable_are_read() -> None:
    recoverable, recovered, kinds, seed, tried = 0, 0, Counter[str](), 0, 0
    while tried < 1000:
        made, meant = reply(seed)
        seed += 1
        if not made.done:
            continue
        tried += 1
        kinds.update(made.done)
        count = len(meant)
        found: list[Sentences] | list[bool] | None
        if made.matching:
            matches = read_matches(made.text, count, made.sentences, MARK)
            found = None if matches.verdicts is None else list(matches.verdicts)
        else:
            support = read_support(made.text, count, MARK)
            votes = support.verdicts
            found = None if votes is None else [one.supported for one in votes]
        assert found is None or found == meant, (made.text, found, meant)
        recoverable += made.recoverable
        recovered += made.recoverable and found is not None
    assert len(kinds) >= 28
    assert min(kinds.values()) >= 15
    assert 300 <= recoverable <= 700
    assert recovered >= 0.95 * recoverable


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    assert read_support(text, 2, MARK).reason
    read_support(text, 1)
    read_matches(text, 1, 3)


@pytest.mark.parametrize("text", ["[" * 50_000, "{" * 50_000, '{"a":' * 5_000, "([" * 50_000])
def test_nothing_but_brackets_is_unread_in_bounded_time(text: str) -> None:
    assert read_support(text, 3).verdicts is None


LEFT_OPEN = {
    "two lists": (
        '[{"fact": 1, "supported": true}] or [{"fact": 1, "supported": false}]',
        "differ",
    ),
    "a count": ('[{"fact": 1, "supported": true}, {"fact": 2, "supported": true}]', "facts 1 to 1"),
    "zero-based": ('[{"fact": 0, "supported": true}]', "facts 1 to 1"),
    "a key twice": ('[{"fact": 1, "supported": true, "supported": false}]', "two verdicts"),
    "words": ('[{"fact": 1, "supported": "partly"}]', "no verdict"),
    "prose": ("The fact is supported.", "no list"),
    "two numbers": ('[{"fact": 1, "id": 2, "supported": true}]', "two numbers"),
}


@pytest.mark.parametrize(("text", "reason"), LEFT_OPEN.values(), ids=LEFT_OPEN)
def test_what_a_reply_leaves_open_is_unread_with_the_reason(text: str, reason: str) -> None:
    read = read_support(text, 1)
    assert read.verdicts is None
    assert reason in (read.reason or "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"fact": 1, "response": "yes", "line number": []}]', "contradict"),
        ('[{"fact": 1, "response": "no", "line number": [1]}]', "contradict"),
        ('[{"fact": 1, "sentences": [3]}]', "no sentence 3"),
        ('[{"fact": 1, "sentences": [true]}]', "no sentence number"),
        ('[{"fact": 1, "sentences": "some"}]', "no sentence number"),
    ],
)
def test_a_match_that_contradicts_itself_is_unread(text: str, reason: str) -> None:
    read = read_matches(text, 1, 2)
    assert read.verdicts is None
    assert reason in (read.reason or "")
