"""What is done is reused, what fails is named, the rest goes on: in one process and in two."""

import errno
import json
import os
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from globesumm.errors import RunMismatch, UsageError
from globesumm.shards import Outcome, Shard, Stage, finished, run_stage
from globesumm.shards.attempt import attempt
from globesumm.shards.folder import ShardFolder
from tests.shards import stages
from tests.shards.conftest import Check

both = pytest.mark.parametrize("workers", [1, 2])


def run(stage: Stage, shards: list[Shard], folder: Path, workers: int) -> Outcome:
    return run_stage(stage, shards, folder, suffix=".tsv", workers=workers, progress_name="shards")


@both
def test_every_shard_has_its_result_and_the_counts_are_summed(
    tmp_path: Path, workers: int, is_whole: Check
) -> None:
    shards = stages.shards(9)
    outcome = run(stages.write, shards, tmp_path, workers)
    assert (outcome.done, outcome.reused, outcome.failed) == (9, 0, ())
    size = sum(len(stages.content(shard)) for shard in shards)
    assert outcome.counts == {"rows": 9 * stages.LINES, "bytes": size}
    is_whole(tmp_path, shards)


@both
def test_a_second_run_does_no_work_and_sums_the_same(tmp_path: Path, workers: int) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    stage = partial(stages.note, notes=notes)
    first = run(stage, stages.shards(5), tmp_path / "out", workers)
    again = run(stage, stages.shards(5), tmp_path / "out", workers)
    assert len(list(notes.iterdir())) == 5
    assert (again.done, again.reused) == (0, 5)
    assert again.counts == first.counts


@both
def test_a_grown_list_costs_only_what_is_new(tmp_path: Path, workers: int) -> None:
    run(stages.write, stages.shards(4)[1:], tmp_path, workers)
    grown = run(stages.write, stages.shards(6), tmp_path, workers)
    assert (grown.done, grown.reused) == (3, 3)
    assert grown.counts["rows"] == 6 * stages.LINES


@both
def test_a_failed_shard_is_named_kept_on_record_and_tried_again(
    tmp_path: Path, workers: int, is_whole: Check
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    stage = partial(stages.fails, notes=notes)
    shards = [*stages.shards(3), Shard("odd", "bad file")]
    outcome = run(stage, shards, tmp_path / "out", workers)
    assert outcome.done == 3
    assert outcome.shards == 4
    (failure,) = outcome.failed
    assert (failure.shard, failure.kind) == ("odd", "DataError")
    assert failure.message == "bad file: no zip file"
    assert not (tmp_path / "out" / "odd.tsv").exists()
    record = json.loads((tmp_path / "out" / "_failures" / "odd.json").read_text())
    assert record["message"] == "bad file: no zip file"
    (notes / "mended").touch()
    again = run(stage, shards, tmp_path / "out", workers)
    assert (again.done, again.reused, again.failed) == (1, 3, ())
    is_whole(tmp_path / "out", shards)


def test_of_many_failures_some_are_said_and_all_are_on_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(stages.writes_nothing, stages.shards(70), tmp_path, 1)
    said = capsys.readouterr().err
    assert said.count(" failed: ") == 50
    assert said.count(str(tmp_path / "_failures")) == 1
    assert len(outcome.failed) == len(list((tmp_path / "_failures").iterdir())) == 70


@both
@pytest.mark.parametrize(
    ("stage", "kind", "says"),
    [
        (stages.has_a_fault, "KeyError", "stages.py"),
        (stages.writes_nothing, "DataError", "wrote no file"),
        (stages.counts_halves, "DataError", "0.5"),
    ],
)
def test_a_faulty_stage_is_a_named_failure(
    tmp_path: Path, workers: int, stage: Stage, kind: str, says: str
) -> None:
    outcome = run(stage, stages.shards(2), tmp_path, workers)
    assert [failure.kind for failure in outcome.failed] == [kind, kind]
    assert says in outcome.failed[0].message
    assert not list(tmp_path.glob("*.tsv"))


@both
@pytest.mark.parametrize(
    ("stage", "says"),
    [(stages.lacks_a_package, "globesumm\\[retrieval\\]"), (stages.fills_the_disk, "No space")],
)
def test_what_no_shard_can_survive_ends_the_run(
    tmp_path: Path, workers: int, stage: Stage, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        run(stage, stages.shards(50), tmp_path, workers)
    assert not (tmp_path / "_partial").exists()


@pytest.mark.parametrize("damage", ["torn", "emptied", "counts lost", "counts torn", "result lost"])
def test_a_result_and_counts_that_do_not_go_together_are_made_again(
    tmp_path: Path, damage: str, is_whole: Check
) -> None:
    shards = stages.shards(3)
    run(stages.write, shards, tmp_path, 1)
    result = tmp_path / f"{shards[1].name}.tsv"
    counts = tmp_path / "_counts" / f"{shards[1].name}.json"
    match damage:
        case "torn":
            result.write_bytes(result.read_bytes()[:-9])
        case "emptied":
            result.write_bytes(b"")
        case "counts lost":
            counts.unlink()
        case "counts torn":
            counts.write_bytes(counts.read_bytes()[:-9])
        case _:
            result.unlink()
    assert [shard.name for shard in finished(tmp_path, ".tsv")] == [shards[0].name, shards[2].name]
    again = run(stages.write, shards, tmp_path, 1)
    assert (again.done, again.reused) == (1, 2)
    is_whole(tmp_path, shards)


def test_a_torn_result_is_not_left_to_be_read_when_making_it_again_fails(tmp_path: Path) -> None:
    shards = [Shard("one", "bad")]
    (tmp_path / "one.tsv").write_bytes(b"half")
    run(partial(stages.fails, notes=tmp_path), shards, tmp_path, 1)
    assert not (tmp_path / "one.tsv").exists()


def test_a_task_that_is_run_again_after_it_was_done_does_nothing(tmp_path: Path) -> None:
    kept = ShardFolder(tmp_path, ".tsv")
    kept.partial.mkdir(parents=True)
    (shard,) = stages.shards(1)
    first = attempt(stages.write, kept, shard)
    assert attempt(stages.has_a_fault, kept, shard) == first


def test_what_dead_runs_left_unfinished_is_removed(tmp_path: Path, is_whole: Check) -> None:
    left = tmp_path / "_partial" / "0123456789ab"
    left.mkdir(parents=True)
    (left / "20230000.gkg.csv.fedcba.tsv").write_bytes(b"half")
    run(stages.write, stages.shards(1), tmp_path, 1)
    is_whole(tmp_path, stages.shards(1))


@both
def test_a_name_given_twice_is_neither_doubled_nor_silent(tmp_path: Path, workers: int) -> None:
    shards = [Shard("a", "1"), Shard("b", "2"), Shard("a", "3"), Shard("A", "4")]
    for _ in range(2):
        outcome = run(stages.write, shards, tmp_path, workers)
        assert outcome.counts["rows"] == 2 * stages.LINES
        assert [(it.shard, it.kind) for it in outcome.failed] == [
            ("a", "DuplicateName"),
            ("A", "DuplicateName"),
        ]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "a/b", "a\\b", ".hidden", "_counts", "a\0b", "a\n", "x" * 151]
)
def test_a_name_that_is_no_safe_file_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a shard"):
        Shard(name, "")


def test_shards_may_be_drawn_one_by_one_and_memory_stays_flat(tmp_path: Path) -> None:
    def many(count: int) -> Iterator[Shard]:
        for number in range(count):
            yield Shard(f"{number:06d}", "x" * 10_000)

    def peak(count: int, folder: Path) -> int:
        tracemalloc.start()
        outcome = run_stage(
            stages.write, many(count), folder, suffix=".tsv", workers=1, progress_name="shards"
        )
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert outcome.done == count
        return highest

    few, more = peak(50, tmp_path / "few"), peak(250, tmp_path / "more")
    # What stays of a shard is its name: 200 more of them may take 0.1 MB, their sources 2 MB.
    assert more - few < 100_000


def test_a_folder_made_with_other_settings_is_refused_by_the_setting(tmp_path: Path) -> None:
    def run_with(settings: dict[str, str | int | float | bool | None]) -> Outcome:
        return run_stage(
            stages.write, stages.shards(1), tmp_path,
            suffix=".tsv", workers=1, progress_name="shards", settings=settings,
        )  # fmt: skip

    run_with({"languages": "en,fr", "rows": 3})
    assert run_with({"rows": 3, "languages": "en,fr"}).reused == 1
    with pytest.raises(RunMismatch, match="languages: 'en,fr' there, 'de' asked"):
        run_with({"languages": "de", "rows": 3})


def test_a_stage_that_cannot_travel_to_another_process_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="module-level function"):
        run(lambda _shard, _part: {}, stages.shards(2), tmp_path, 2)


def test_no_worker_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        run(stages.write, stages.shards(1), tmp_path, 0)


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        run(stages.write, stages.shards(1), tmp_path / "out", 1)


@pytest.mark.parametrize("name", ["_partial", "_counts", "_stage"])
def test_a_file_in_the_place_of_a_folder_within_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UsageError, match="cannot be written"):
        run_stage(
            stages.write, stages.shards(1), tmp_path,
            suffix=".tsv", workers=1, progress_name="shards", settings={"a": 1},
        )  # fmt: skip
    assert not list(tmp_path.glob("*.tsv"))


def test_a_folder_in_a_results_place_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"{stages.shards(1)[0].name}.tsv").mkdir()
    with pytest.raises(UsageError, match="stands where a result is to be"):
        run(stages.write, stages.shards(1), tmp_path, 1)


def test_a_disk_that_is_full_when_a_failure_is_recorded_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _value: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("globesumm.shards.folder.write_record", full)
    with pytest.raises(UsageError, match="No space left"):
        run(stages.writes_nothing, stages.shards(1), tmp_path, 1)
    with pytest.raises(UsageError, match="No space left"):
        run(stages.write, stages.shards(1), tmp_path, 1)
    assert not list(tmp_path.glob("*.tsv"))


def test_no_shards_is_an_empty_outcome(tmp_path: Path) -> None:
    assert run(stages.write, [], tmp_path, 2) == Outcome()


def test_the_time_left_counts_only_what_is_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(stages.write, stages.shards(4), tmp_path, 1)
    capsys.readouterr()
    run(stages.write, stages.shards(6), tmp_path, 1)
    assert "2/2" in capsys.readouterr().err
