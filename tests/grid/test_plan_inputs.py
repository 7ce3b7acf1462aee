"""Every form in which an experiment can name its events."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from baselines.grid.scoring import judged_metrics
from globesumm import samples
from globesumm.cli.experiment_events import read_events
from globesumm.config import Experiment, Judge, ModelRow
from globesumm.errors import UnknownName, UsageError
from globesumm.llm.scripted import Scripted
from globesumm.records import write_records
from globesumm.values import Event
from tests.annotation.conftest import document, event


def test_samples_come_by_name_with_their_reference_and_conflicts() -> None:
    read, rejected = read_events((f"sample:{samples.FIRST}",))
    assert [one.id for one in read] == [samples.FIRST]
    assert not rejected
    assert read[0].references
    assert read[0].conflicts
    with pytest.raises(UnknownName, match="did you mean 'titan-submersible'"):
        read_events(("sample:titan-submersibel",))


def test_a_file_of_events_gives_them_all_and_names_its_bad_lines(tmp_path: Path) -> None:
    events = [Event(id=f"e{n}", description="", documents=(document("a"),)) for n in range(3)]
    path = tmp_path / "events.jsonl"
    write_records(path, events)
    with path.open("a") as file:
        file.write('{"id": "half", "documents": 1}\n')
    read, rejected = read_events((str(path),))
    assert read == events
    assert [one.where for one in rejected] == [f"{path}:4"]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    write_records(tmp_path / "run" / "events.jsonl", events[:1])
    assert read_events((str(tmp_path / "run"),))[0] == events[:1]


def test_the_published_layout_brings_its_annotation_as_reference_and_conflicts(
    tmp_path: Path,
) -> None:
    round_ = {
        "news1": "1. Two are dead.",
        "news2": "1. Three are dead.",
        "where": "Conflicts:\n1. Sentence 1 of report 1 and sentence 1 of report 2: the toll.",
        "strategy": "1. Update: take the later number.",
        "summary": "Three people are dead.",
        "summary_KIS": "1. Three people are dead.",
    }
    news = [
        {
            "lang_abbr": "en",
            "lang_full": "English",
            "date": f"2023050{n}",
            "title": "t",
            "article": f"Report {n} says so.",
            "KIS": "1. So.",
            "KIS+CLP": "1. So.",
        }
        for n in (1, 2)
    ]
    record = {
        "date": 20230501,
        "description": "A flood",
        "category": "Disasters",
        "news": news,
        "GPT4": [round_],
    }
    path = tmp_path / "test.json"
    path.write_text(json.dumps([record]))
    (read,), rejected = read_events((str(path),))
    assert not rejected
    assert read.references == ("Three people are dead.",)
    assert len(read.conflicts) == 1
    assert any("published annotation" in note for note in read.notes)
    judged = Experiment(models=(ModelRow(name="m"),), judges=(Judge(model="m", metrics=("cre",)),))
    for events, conflicts in (([read], "issues/5"), ([read, sample()], "issues/5+marked")):
        with ExitStack() as within:
            models = {"m": Scripted({}, name="m")}
            made = judged_metrics(judged, models, events, tmp_path, within)["cre"]
        assert f"conflicts:{conflicts}" in str(made.signature)


def sample() -> Event:
    return read_events((f"sample:{samples.FIRST}",))[0][0]


def test_documents_are_one_event_a_file_and_stars_stand_for_any(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_records(tmp_path / f"{name}.jsonl", [document(name)])
    read, _ = read_events((str(tmp_path / "*.jsonl"),))
    assert [one.id for one in read] == ["one", "two"]
    with pytest.raises(UsageError, match="no file of such a name"):
        read_events((str(tmp_path / "*.csv"),))


def test_two_events_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write_records(path, [event(document("a"))])
    with pytest.raises(UsageError, match="two events are called ferry"):
        read_events((str(path), str(path)))
