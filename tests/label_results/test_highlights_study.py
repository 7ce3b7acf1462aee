"""The study of released highlights, on files of the same form made here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines.studies import highlights
from globesumm.cli.main import run
from globesumm.errors import DataError

DOCUMENT = "The ferry sank at dawn. Rescuers saved forty people. Rain fell on the harbour."
SUMMARIES = {"lead": "The ferry sank at dawn. Rain fell.", "rerank": "Forty people were saved."}


def _task() -> dict[str, Any]:
    return {"topic": "ferry", "stance": "left", "document": DOCUMENT, "summaries": SUMMARIES}


def _said(document: list[str], lead: list[str], omitted: list[bool]) -> dict[str, Any]:
    return {
        "highlight_document": [[[{"start": 0, "end": 1, "label": one} for one in document]]],
        "highlight_summary_lead": lead,
        "highlight_summary_rerank": ["Forty people were saved."],
        **{f"in_doc_nin_summary_lead_{place}": one for place, one in enumerate(omitted)},
        "nin_doc_in_summary_lead_0": False,
        "nin_doc_in_summary_lead_1": True,
        "in_doc_nin_summary_rerank_0": False,
        "nin_doc_in_summary_rerank_0": False,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    labels, tasks = tmp_path / highlights.LABELS, tmp_path / highlights.TASKS
    labels.mkdir(parents=True)
    tasks.mkdir(parents=True)
    one = _said(["The ferry sank at dawn."], ["The ferry sank at dawn."], [False, True])
    other = _said(
        ["ferry sank at dawn", "Rain fell on the harbour."], ["Rain fell."], [False, False]
    )
    for number, said in ((1, one), (2, other)):
        (labels / f"name=annotator-{number}.json").write_text(json.dumps([said]))
        (tasks / f"data-annotator={number}.json").write_text(json.dumps([_task()]))
    return tmp_path


def test_overlap_and_human_shares_come_out_as_counted_by_hand(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["study", "highlights", "--data", str(data)]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    by_name = {tuple(row[:2]): row for row in rows if len(row) > 2}
    # One of one and one of two excerpts of the document match: (1 + 1/2) / 2.
    assert by_name["| documents", "words"][2].startswith("0.750")
    # Of the two summaries the first has nothing in common, the second all.
    assert by_name["| summaries", "words"][2].startswith("0.500")
    lead = next(row for row in rows if row[0] == "| lead")
    # Key points of the document that the summary has: 1 of 2 and 2 of 2; true ones of it: 1 of 2.
    assert lead[1].startswith("0.750")
    assert "(2/2)" in lead[1]
    assert lead[2].startswith("0.500")
    assert [cell.strip(" |") for cell in lead[4:]] == ["1.500", "0.500", "1.000"]


BROKEN: dict[str, tuple[Path, Callable[[dict[str, Any]], object]]] = {
    "no topic": (highlights.TASKS, lambda one: one.pop("topic")),
    "no summaries": (highlights.TASKS, lambda one: one.update(summaries=None)),
    "a summary that is none": (highlights.TASKS, lambda one: one.update(summaries={"lead": 3})),
    "highlights of no summary": (highlights.TASKS, lambda one: one.update(summaries={})),
    "no highlights": (highlights.LABELS, lambda one: one.pop("highlight_document")),
    "a number": (highlights.LABELS, lambda one: one.update(highlight_document=3)),
    "no words": (highlights.LABELS, lambda one: one.update(highlight_document=[[[{}]]])),
    "no text": (
        highlights.LABELS,
        lambda one: one.update(highlight_document=[[[{"label": None}]]]),
    ),
    "told in a number": (highlights.LABELS, lambda one: one.update(highlight_summary_lead=7)),
}


@pytest.mark.parametrize("how", BROKEN)
def test_files_of_another_form_are_named(
    data: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, change = BROKEN[how]
    path = min((data / folder).iterdir())
    held = json.loads(path.read_bytes())
    change(held[0])
    path.write_text(json.dumps(held))
    assert run(["study", "highlights", "--data", str(data)]) == 2
    assert "name=annotator-1.json: not in the form" in capsys.readouterr().err


def test_tasks_and_answers_of_different_number_are_named(data: Path) -> None:
    path = data / highlights.TASKS / "data-annotator=2.json"
    path.write_text(json.dumps([_task(), _task()]))
    with pytest.raises(DataError, match="annotator-2"):
        highlights.load(data)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}", b"[1]", b"[" * 100_000])
def test_files_that_hold_no_list_are_named(data: Path, content: bytes) -> None:
    (data / highlights.LABELS / "name=annotator-1.json").write_bytes(content)
    with pytest.raises(DataError, match="annotator-1"):
        highlights.load(data)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["label", "agreement", "study", "--resample", "3"], "did you mean '--resamples'?"),
        (["label", "results", "study", "--out", "x", "--by", "x"], "--candidates"),
        (["metrics", "check", "--metric", "x"], "did you mean '--metrics'?"),
    ],
)
def test_an_unknown_option_of_an_action_is_told_with_the_options_of_that_action(
    asked: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(asked) == 2
    said = capsys.readouterr().err
    assert told in said
    assert f"in globesumm {asked[0]} {asked[1]}" in said
