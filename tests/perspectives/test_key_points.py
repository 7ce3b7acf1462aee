"""Key points as a measure, held against counts made by hand, and sides named beyond Z."""

from dataclasses import replace
from pathlib import Path

import pytest

from baselines.perspectives import samples
from baselines.perspectives.key_points import KeyPoints, points_of
from baselines.perspectives.tasks import Setting, task_of
from baselines.perspectives.values import Side, Topic, each_side, side_id
from globesumm.cli import main
from globesumm.prompts import Library
from globesumm.values import Document
from metrics.base import Candidate
from metrics.entailment import LexicalStandIn
from metrics.judged import Alignment


def metric(topic: Topic) -> KeyPoints:
    return KeyPoints(LexicalStandIn(threshold=0.95), points_of([topic]))


def told(topic: Topic, side: Side, *sentences: str) -> tuple[float | None, float | None]:
    candidate = Candidate(id=side_id(topic, side), text=" ".join(sentences), language="en")
    coverage, faithfulness = metric(topic).score([candidate])
    return coverage.value, faithfulness.value


def test_coverage_and_faithfulness_are_those_of_the_paper() -> None:
    topic = samples.load("harbour-cruise-limit")
    side, other = topic.sides
    own = [point.text for point in side.key_points]
    theirs = [point.text for point in other.key_points]
    assert told(topic, side, *own) == (1.0, 1.0)
    assert told(topic, side, own[0], own[1]) == (0.5, 1.0)
    assert told(topic, side, own[0], theirs[0]) == (0.25, 0.5)
    turned = side.key_points[1].reversed
    assert turned
    coverage, faithfulness = told(topic, side, own[0], own[2], turned)
    assert coverage == 0.5
    assert faithfulness == pytest.approx(2 / 3)


def test_nothing_told_is_no_coverage_and_no_faithfulness() -> None:
    topic = samples.load("harbour-cruise-limit")
    assert told(topic, topic.sides[0], "It rained.") == (0.0, None)


def test_a_side_without_key_points_and_a_language_not_read_are_unscored_with_the_reason() -> None:
    topic = samples.load("harbour-cruise-limit")
    bare = replace(topic, sides=tuple(replace(side, key_points=()) for side in topic.sides))
    assert told(bare, bare.sides[0], "It rained.") == (None, None)
    candidate = Candidate(id=side_id(topic, topic.sides[0]), text="Il pleut.", language="fr")
    for one in metric(topic).score([candidate]):
        assert one.value is None
        assert "points not judged: the lexical stand-in compares words" in (one.note or "")


def test_a_metric_says_everything_about_itself() -> None:
    made = metric(samples.load("harbour-cruise-limit"))
    described = made.describe()
    assert all(getattr(described, name).strip() for name in described.__slots__)
    assert made.signature != replace(made, entailer=LexicalStandIn(0.5)).signature
    assert Alignment(LexicalStandIn()).name != made.name


def test_a_topic_may_have_more_sides_than_there_are_letters() -> None:
    sides = tuple(
        Side(
            name=f"outlet {n}",
            documents=(Document(id=f"d{n}", text=f"Report {n} says so.", language="en"),),
        )
        for n in range(30)
    )
    topic = Topic(id="t", topic="A bridge", sides=sides)
    task = task_of(topic, sides[0], Setting(), Library())
    [message] = task.step.messages(task.passages)
    for letter in ("A", "Z", "AA", "AD"):
        assert f"side {letter}, document 1 of 1" in message.content
    assert len({side_id(one, side) for one, side in each_side([topic])}) == 30


def test_sides_whose_names_run_together_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        '{"id": "a", "topic": "x", "sides": {"b/c": ["Y.", "Z."], "d": ["N.", "M."]}}',
        '{"id": "a/b", "topic": "x", "sides": {"c": ["Y.", "Z."], "d": ["N.", "M."]}}',
    ]
    path = tmp_path / "topics.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert main(["perspective", "run", str(path), "--model", "m", "--dry-run"]) == 2
    assert "'a/b/c': rename a topic or a side" in capsys.readouterr().err
