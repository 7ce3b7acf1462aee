"""What people judged is ranked by the verb that ranks any scores."""

from pathlib import Path

import pytest

from annotation.labels.results.held import Held
from annotation.labels.results.key_points import by_summary, judged
from annotation.labels.results.preferences import comparisons, method_scores
from globesumm.cli.main import run
from globesumm.records import write_records
from tests.label_results import label_samples as samples
from tests.label_results.label_samples import label, span


def test_human_coverage_is_ranked_by_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = [span(samples.DOCUMENT, text, 1) for text in ("The ferry sank", "Rain fell.")]
    told = [span(samples.SUMMARY, "A ferry sank"), span(samples.SUMMARY, "were saved")]
    items, labels = [], []
    for place in range(4):
        for system, links in (("good", [[0, 0], [1, 1]]), ("poor", [[0, 0]] if place else [])):
            item = samples.key_points(
                f"{place}/{system}", event=f"e{place}", source={"system": system}
            )
            items.append(item)
            answer = {"points": points, "told": told, "links": links}
            labels += [label(item, who, answer) for who in "ab"]
    held = Held(items={one.id: one for one in items}, checks={}, labels=tuple(labels))
    scores = by_summary(judged(held))
    assert len(scores) == 16
    assert {one.value for one in scores if one.recipe == "good"} == {1.0}
    write_records(tmp_path / "scores.jsonl", scores)
    told_to_rank = ["rank", str(tmp_path / "scores.jsonl"), "--metric", "human_coverage"]
    assert run(told_to_rank) == 0
    out = capsys.readouterr().out
    assert out.index("good") < out.index("poor")


def test_preferences_are_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items, labels = [], []
    for place in range(6):
        item = samples.preference(f"p{place}", source={"a": "good", "b": "poor"}, event=f"e{place}")
        items.append(item)
        said = "b" if place == 0 else "a"
        labels.append(label(item, "ann", {"preferred": said, "first": "a"}))
    held = Held(items={one.id: one for one in items}, checks={}, labels=tuple(labels))
    write_records(tmp_path / "wins.jsonl", method_scores(comparisons(held)[0]))
    assert run(["rank", str(tmp_path / "wins.jsonl")]) == 0
    out = capsys.readouterr().out
    assert out.index("good") < out.index("poor")
