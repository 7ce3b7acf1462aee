"""Known-truth files with mistakes, and what the check prints of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli.main import run
from globesumm.values import Rejected
from metrics.narrowed import WIDEST
from metrics.truth import Article, Known, read_articles, read_labels

ARTICLE: dict[str, Any] = {
    "id": "quay",
    "language": "en",
    "excerpts": ["The quay floods each spring.", "The wall costs ten million."],
    "points": {
        "en": {
            "keys": ["Every spring water covers the quay.", "Ten million is the wall's price."],
            "reversals": ["In spring the quay stays dry.", "The wall is free."],
            "other": ["Boats need the quay."],
        }
    },
}
LABEL: dict[str, Any] = {
    "article": "quay",
    "source": "The quay floods each spring.",
    "summary": "The quay floods.",
    "language": "en",
    "coverage": 0.5,
}


def _written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"id": " "},
        {"id": "\ud800"},
        {"topic": "\udfff"},
        {"excerpts": ["The quay floods each spring.", "half \ud83d"]},
        {"points": {"en": {"keys": ["one \ud800", "two"]}}},
        {"points": {"en": {"keys": ["one"]}}},
        {"points": {"en": {"keys": ["one", "two"], "other": ["two"]}}},
        {"points": {"xx-klingon": {"keys": ["one", "two"]}}},
    ],
)
def test_an_article_with_a_mistake_is_refused_and_the_next_is_checked(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = _written(tmp_path / "mine.jsonl", ARTICLE | changes, ARTICLE | {"id": "next"})
    bad, good = read_articles(path)
    assert isinstance(bad, Rejected)
    assert isinstance(good, Article)
    assert run(["metrics", "check", "--articles", str(path), "--metrics", "length"]) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"coverage": "0.5"},
        {"coverage": True},
        {"coverage": 1e308},
        {"coverage": 10**400},
        {"faithfulness": float("inf")},
        {"faithfulness": [1]},
        {"article": " "},
        {"article": "\ud800"},
        {"source": "half \ud83d"},
        {"summary": "\ud800"},
        {"id": "\ud800"},
    ],
)
def test_a_label_with_a_mistake_is_refused_and_the_next_is_checked(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = _written(tmp_path / "people.jsonl", LABEL | changes, LABEL | {"id": "next"})
    bad, good = read_labels(path)
    assert isinstance(bad, Rejected)
    assert isinstance(good, Known)
    assert run(["metrics", "check", "--labels", str(path), "--metrics", "length"]) == 1


def test_the_check_says_of_which_truth_nothing_is_known_and_how_many_lines_were_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        LABEL | {"id": str(place), "summary": "The quay. " * place, "coverage": place}
        for place in (1, 2, 3)
    ]
    path = _written(tmp_path / "people.jsonl", *lines, LABEL | {"coverage": "high"})
    assert run(["metrics", "check", "--labels", str(path), "--metrics", "length"]) == 1
    out = capsys.readouterr().out
    assert "3 summaries of 1 article (" in out
    assert "have a known faithfulness" in out
    assert "known coverage" not in out
    assert "not counted in labels" in out
    assert "- 1 line could not be read" in out


def test_tables_and_notes_of_the_check_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["metrics", "check", "--metrics", "length,abstractiveness", "--languages", "en-en"]
    assert run([*asked, "--resamples", "20"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDEST
    assert out.count("words ↓") == 2
    assert not out.endswith("\n\n")


def test_articles_without_unfaithful_sentences_are_named_in_one_note(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["metrics", "check", "--metrics", "length", "--most-bad", "0", "--resamples", "5"]
    assert run(asked) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("no unfaithful sentence to compose with") == 1
    assert "desaladora in en, desaladora in es" in out
