"""The order of summaries, events in a file, and the threads that a grid shares."""

import threading
import time
from concurrent.futures import CancelledError
from contextvars import copy_context
from pathlib import Path

import pytest

from baselines.grid.cells import Cell, Part, cells
from baselines.grid.event_file import EventFile
from baselines.grid.folder import GridFolder
from baselines.grid.schedule import Admission, Stream, by_length, chain
from baselines.grid.threads import Threads
from baselines.recipes import parse_recipe
from globesumm.errors import DataError, RunMismatch, UsageError
from globesumm.llm.work import CURRENT, Job, Load, Work
from globesumm.records import write_records
from tests.grid.conftest import event, experiment


@pytest.mark.parametrize(
    ("recipe", "documents", "calls"),
    [
        ("crs.kis-clp.protocol", 12, 2 + 11 * 4),
        ("crs.none.direct", 12, 11),
        ("sts.summarize-translate.protocol", 12, 2 + 3),
        ("sts.none.direct", 1, 1),
        ("crs.translate-summarize.direct", 1, 1 + 1),
        ("crs.none.lead", 12, 0),
    ],
)
def test_a_chain_counts_the_calls_that_follow_one_another(
    recipe: str, documents: int, calls: int
) -> None:
    assert chain(parse_recipe(recipe), documents).left(0) == calls


def test_a_chain_gets_shorter_round_by_round() -> None:
    whole = chain(parse_recipe("crs.kis-clp.protocol"), 4)
    assert [whole.left(done) for done in range(4)] == [14, 8, 4, 0]


def events_in(path: Path, *sizes: int) -> EventFile:
    write_records(path, (event(number, size) for number, size in enumerate(sizes)))
    return EventFile(path)


def test_summaries_come_longest_chain_first_and_each_once(tmp_path: Path) -> None:
    chosen = cells(experiment())
    events = events_in(tmp_path / "events.jsonl", 3, 9, 5, 9)
    planned = list(by_length(chosen, events))
    lengths = [one.chain.left(0) for one in planned]
    assert lengths == sorted(lengths, reverse=True)
    assert len({(one.cell, one.event) for one in planned}) == len(planned) == 4 * len(chosen)


def test_a_part_whose_calls_wait_gets_no_further_job(tmp_path: Path) -> None:
    events = events_in(tmp_path / "events.jsonl", 3, 3)
    recipe = parse_recipe("crs.none.direct")
    streams = []
    for name in ("busy", "idle"):
        part = Part(model=name, target="en")
        jobs = by_length([Cell(recipe=recipe, part=part)], events)
        streams.append(Stream(part=part, jobs=jobs, load=Load()))
    admission = Admission(streams, 4)
    for _ in range(10):
        streams[0].load.more()
    assert admission.following() is streams[1]
    streams[1].take()
    assert admission.following() is streams[1]
    streams[1].take()
    assert admission.following() is None
    assert not admission.ended()


def test_events_are_read_one_by_one_in_their_order(tmp_path: Path) -> None:
    events = events_in(tmp_path / "events.jsonl", 3, 1, 7)
    assert list(events) == ["event-0", "event-1", "event-2"]
    assert events["event-2"] == event(2, 7)
    assert (events.documents("event-1"), len(events)) == (1, 3)
    assert events.by_size() == ["event-2", "event-0", "event-1"]
    with events.held("event-1") as one, events.held("event-1") as other:
        assert one is other
        assert [passage.documents for passage in one.passages] == [("e1d0",)]
    with pytest.raises(KeyError):
        events["event-9"]


def test_events_that_nobody_holds_are_let_go_but_the_latest(tmp_path: Path) -> None:
    events = events_in(tmp_path / "events.jsonl", *[2] * 60)
    with events.held("event-0"):
        for number in range(1, 60):
            with events.held(f"event-{number}"):
                pass
        assert list(events._held) == ["event-0", *(f"event-{n}" for n in range(44, 60))]
    assert len(events._held) == 16
    assert "event-0" not in events._held


@pytest.mark.parametrize(
    ("line", "words"),
    [("{}", "no event"), ('{"id": "a", "documents": []}', "second event"), ("[", "no event")],
)
def test_a_damaged_file_of_events_is_named_with_its_line(
    tmp_path: Path, line: str, words: str
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"id": "a", "documents": []}\n' + line + "\n")
    with pytest.raises(DataError, match=f"events.jsonl:2: .*{words}|events.jsonl:2: a {words}"):
        EventFile(path)
    with pytest.raises(UsageError, match="cannot be read"):
        EventFile(tmp_path / "nothing.jsonl")


def test_a_part_is_a_run_folder_that_takes_the_grid_s_events(tmp_path: Path) -> None:
    folder = GridFolder.start(tmp_path / "grid", {"data": "x"})
    folder.write_events([event(0, 2)])
    part = Part(model="GPT 4", target="de", repeat=1, seed=5)
    run = folder.part(part)
    assert run.folder.parent == tmp_path / "grid" / "parts"
    assert [one.id for one in run.events()] == ["event-0"]
    assert run.record().settings["models"] == "GPT 4"
    assert list(folder.parts()) == [part.name]
    assert folder.uses(part, "crs.none.direct", "event-0") is None
    again = GridFolder.open(tmp_path / "grid")
    assert again.part(part).folder == run.folder
    with pytest.raises(RunMismatch, match="data"):
        GridFolder.start(tmp_path / "grid", {"data": "y"})
    with pytest.raises(RunMismatch, match="seed"):
        again.part(part, {"seed": 6})


def test_what_killed_processes_were_writing_is_removed(tmp_path: Path) -> None:
    folder = GridFolder.start(tmp_path / "grid", {})
    run = folder.part(Part(model="m", target="en"))
    place = run.folder / "summaries" / "crs.none.direct"
    place.mkdir(parents=True)
    unfinished = [place / ".event.json.abcdefgh.part", run.folder / ".scores.jsonl.x1234567.part"]
    unfinished.append(folder.path / ".events.jsonl._1234567.part")
    for file in unfinished:
        file.write_text("{")
    (place / "event.json").write_text("{}")
    folder.sweep()
    assert [file.name for file in place.iterdir()] == ["event.json"]
    assert not [file for file in unfinished if file.exists()]


def test_threads_are_bounded_and_take_the_most_urgent_task_first() -> None:
    threads, gate, order = Threads(1, "test"), threading.Event(), []

    def task(name: str) -> str:
        order.append(name)
        gate.wait(10)
        return name

    futures = [threads.submit(task, "first")]
    while order != ["first"]:
        time.sleep(0.001)
    for remaining in (2, 9, 5):
        context = copy_context()
        context.run(CURRENT.set, Job(Work(), Load(), remaining))
        futures.append(context.run(lambda r=remaining: threads.submit(task, f"{r}")))  # type: ignore[misc]
    gate.set()
    assert [one.result(5) for one in futures] == ["first", "2", "9", "5"]
    assert order == ["first", "9", "5", "2"]
    threads.shutdown()


def test_threads_hand_errors_on_and_drop_cancelled_tasks() -> None:
    threads, gate = Threads(1, "test"), threading.Event()
    first = threads.submit(gate.wait, 10)
    failing = threads.submit(int, "x")
    dropped = threads.submit(int, "1")
    dropped.cancel()
    gate.set()
    assert first.result(5)
    with pytest.raises(ValueError, match="invalid literal"):
        failing.result(5)
    with pytest.raises(CancelledError):
        dropped.result(5)
    threads.shutdown()


def test_idle_threads_are_used_again() -> None:
    threads = Threads(8, "used-again")
    for number in range(40):
        assert threads.submit(abs, -number).result(5) == number
        time.sleep(0.001)
    assert sum(one.name == "used-again" for one in threading.enumerate()) < 8
    threads.shutdown()
