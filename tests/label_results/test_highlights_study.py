"""The study of released highlights, on a miniature of the release."""

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.studies import highlights
from baselines.studies.page import Page
from globesumm.errors import UsageError

DOCUMENT = "The ferry sank at dawn. Rescuers saved forty people."


def spans(*labels: str) -> list[list[dict[str, Any]]]:
    return [
        [{"start": DOCUMENT.index(one), "end": DOCUMENT.index(one) + len(one), "label": one}]
        for one in labels
    ]


def said(document: list[Any], told: list[str], omitted: list[bool], made_up: list[bool]) -> Any:
    found: dict[str, Any] = {"highlight_document": [document, []], "highlight_summary_rerank": told}
    found |= {f"in_doc_nin_summary_rerank_{n}": one for n, one in enumerate(omitted)}
    return found | {f"nin_doc_in_summary_rerank_{n}": one for n, one in enumerate(made_up)}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    labels, tasks = tmp_path / highlights.LABELS, tmp_path / highlights.TASKS
    labels.mkdir(parents=True)
    tasks.mkdir(parents=True)
    task = {
        "topic": "ferry",
        "stance": "left",
        "document": DOCUMENT,
        "summaries": {"rerank": "A ferry sank. The captain fled."},
    }
    answers = (
        said(spans("The ferry sank at dawn.", "forty"), ["A ferry sank"], [False, True], [False]),
        said(spans("ferry sank"), ["A ferry sank", "captain fled"], [False], [False, True]),
    )
    for number, one in enumerate(answers, start=1):
        (labels / f"name=annotator-{number}.json").write_text(json.dumps([one]))
        (tasks / f"data-annotator={number}.json").write_text(json.dumps([task]))
    return tmp_path


def rows(page: Page, place: int) -> list[tuple[str, ...]]:
    return list(page.sections[place].table.rows)


def test_overlap_is_of_texts_that_two_people_highlighted(release: Path) -> None:
    found = {(row[0], row[1]): row[2] for row in rows(highlights.run(release, 0), 0)}
    # One of two matches one of one: 1/2 and 1; and in the summary 1 of 1 and 1 of 2.
    assert found["documents", "words"] == "0.750 ± 0.250"
    assert found["summaries", "words"] == "0.750 ± 0.250"


def test_ticked_boxes_are_what_is_missing(release: Path) -> None:
    (row,) = rows(highlights.run(release, 0), 1)
    # Coverage 1/2 and 1, faithfulness 1 and 1/2.
    assert row[1].startswith("0.750 ")
    assert row[2].startswith("0.750 ")
    assert row[4:] == ("1.000", "0.500", "0.500")


def test_a_folder_without_the_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="released annotations"):
        highlights.run(tmp_path, 0)
