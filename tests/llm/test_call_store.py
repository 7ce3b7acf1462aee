"""The call store: nothing finished is lost or bought twice, nothing failed is given back."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from globesumm.errors import DataError, UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import (
    BadAnswer,
    CutOff,
    ModelError,
    NotStored,
    RateLimited,
    Refused,
    StoreUnusable,
)
from globesumm.llm.metered import Meter, Price
from globesumm.llm.request import Completion, Request, Usage
from globesumm.llm.scripted import Scripted
from globesumm.llm.stored import Replay, Stored
from tests.llm.conftest import ask

WRITER = """
import sys
from pathlib import Path
from globesumm.llm.call_store import CallStore
from globesumm.llm.request import Completion, Message, Request
store = CallStore(Path(sys.argv[1]))
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    request = Request(model="m", messages=(Message("user", f"{n}"),))
    store.put(request, Completion(text=f"answer {n}"))
    print(n, flush=True)
"""


def numbered(n: int) -> Request:
    return ask(f"{n}", model="m")


def writer(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(first), str(last)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.fixture
def store(tmp_path: Path) -> CallStore:
    return CallStore(tmp_path / "run" / "calls.sqlite")


def test_an_answer_is_asked_for_once_and_comes_back_the_same(store: CallStore) -> None:
    asked: list[Request] = []

    def script(request: Request) -> Completion:
        asked.append(request)
        return Completion(
            text="a\ud800\x00é", reasoning="r", usage=Usage(prompt_tokens=3), notes=("n",)
        )

    meter = Meter()
    model = Stored(Scripted(script), store, meter)
    first, second = model.complete(ask()), model.complete(ask())
    assert first == second
    assert len(asked) == 1
    assert meter.totals.hits == 1
    reopened = CallStore(store.path)
    assert reopened.get(ask().key) == first
    assert [call.request for call in reopened.answers()] == asked


@pytest.mark.parametrize("kind", [CutOff, Refused, BadAnswer])
def test_a_failed_call_is_kept_apart_and_never_given_back(
    store: CallStore, kind: type[ModelError]
) -> None:
    half = Completion(text="half a sen", finish="length")
    model = Stored(Scripted(lambda _: kind("why", half)), store)
    for _ in range(2):
        with pytest.raises(kind):
            model.complete(ask())
    assert len(store) == 0
    failures = list(store.failures())
    assert [(f.error, f.message, f.completion) for f in failures] == [
        (kind.__name__, "why", half)
    ] * 2
    assert failures[0].request == ask()
    assert Stored(Scripted(lambda _: "whole"), store).complete(ask()).text == "whole"


def test_a_429_leaves_no_failure_behind(store: CallStore) -> None:
    model = Stored(Scripted(lambda _: RateLimited("slow down")), store)
    with pytest.raises(RateLimited):
        model.complete(ask())
    assert list(store.failures()) == []


def test_replay_answers_from_the_store_and_names_what_it_lacks(store: CallStore) -> None:
    store.put(ask(), Completion(text="kept"))
    replay = Stored(Replay("tiny"), CallStore(store.path, read_only=True))
    assert replay.complete(ask()).text == "kept"
    with pytest.raises(NotStored, match="Something else"):
        replay.complete(ask("Something else."))
    assert list(store.failures()) == []


def test_replay_from_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=r"calls\.sqlite"):
        CallStore(tmp_path / "calls.sqlite", read_only=True)
    assert not (tmp_path / "calls.sqlite").exists()


def test_the_first_answer_to_a_request_stays(store: CallStore) -> None:
    other = CallStore(store.path)
    assert store.put(ask(), Completion(text="first")).text == "first"
    assert other.put(ask(), Completion(text="second")).text == "first"
    assert len(store) == 1


def test_calls_are_listed_and_cleared_by_model(store: CallStore) -> None:
    for n in range(200):
        store.put(ask(f"{n}", model="a" if n % 2 else "b"), Completion(text="x"))
    store.put_failure(ask(model="a"), "CutOff", "too long")
    assert len(list(store.answers())) == 200
    assert store.clear("a", failures_only=True) == 1
    assert store.clear("a") == 100
    assert {call.request.model for call in store.answers()} == {"b"}
    assert store.clear() == 100
    assert len(store) == 0


def test_totals_count_what_earlier_parts_of_a_run_used(store: CallStore) -> None:
    used = Usage(prompt_tokens=1_000_000, completion_tokens=500_000)
    store.put(numbered(1), Completion(text="x", usage=used))
    store.put(numbered(2), Completion(text="x"))
    store.put_failure(numbered(3), "CutOff", "why", Completion(text="h", usage=used))
    store.put_failure(numbered(4), "ServerFault", "why")
    totals = store.totals({"m": Price(input_per_million=2, output_per_million=4)})
    assert (totals.calls, totals.failed, totals.uncounted, totals.unpriced) == (4, 2, 1, 1)
    assert (totals.tokens, totals.spend) == (3_000_000, 8.0)


def test_a_process_killed_at_any_moment_loses_no_stored_call(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    finished: set[int] = set()
    for turn, delay in enumerate((0.0, 0.003, 0.01, 0.03, 0.1)):
        process = writer(path, turn * 100_000, turn * 100_000 + 90_000)
        assert process.stdout is not None
        finished.add(int(process.stdout.readline()))
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        finished.update(int(line) for line in process.stdout if line.endswith("\n"))
        process.wait()
        store = CallStore(path)
        for n in finished:
            kept = store.get(numbered(n).key)
            assert kept is not None
            assert kept.text == f"answer {n}"
        assert len(store) - len(finished) in range(turn + 2)  # one may be stored and not yet said
        store.close()
    assert {entry.name for entry in tmp_path.iterdir()} <= {
        "calls.sqlite", "calls.sqlite-wal", "calls.sqlite-shm"
    }  # fmt: skip


@pytest.mark.parametrize("lost", [1, 7, 100, 3000])
def test_a_torn_last_record_costs_only_itself(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "calls.sqlite"
    store = CallStore(path)
    for n in range(20):
        store.put(numbered(n), Completion(text=f"answer {n}"))
    torn = tmp_path / "torn.sqlite"
    shutil.copy(path, torn)
    log = path.with_name("calls.sqlite-wal").read_bytes()
    torn.with_name("torn.sqlite-wal").write_bytes(log[:-lost])
    after = CallStore(torn)
    assert 18 <= len(after) <= 19
    for n in range(len(after)):
        assert after.get(numbered(n).key) == Completion(text=f"answer {n}")
    after.put(numbered(19), Completion(text="again"))
    assert len(after) in (19, 20)


def test_two_processes_and_many_threads_share_one_store(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    processes = [writer(path, first, first + 60) for first in (0, 30)]
    store = CallStore(path)

    def put(first: int) -> None:
        for n in range(first, first + 30):
            store.put(numbered(n), Completion(text=f"answer {n}"))

    threads = [threading.Thread(target=put, args=(first,)) for first in (0, 15, 80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()
    assert len(store) == 110
    assert all(call.completion is not None for call in store.answers())


def test_a_store_survives_a_fork(store: CallStore) -> None:
    store.put(numbered(1), Completion(text="parent"))
    child = os.fork()
    if child == 0:
        kept = store.get(numbered(1).key)
        store.put(numbered(2), Completion(text="child"))
        os._exit(0 if kept else 1)
    assert os.waitpid(child, 0)[1] == 0
    kept = store.get(numbered(2).key)
    assert kept is not None
    assert kept.text == "child"


def test_a_damaged_record_is_said_and_bought_again(
    store: CallStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.put(ask(), Completion(text="kept"))
    raw = sqlite3.connect(store.path)
    raw.execute("UPDATE answers SET completion = '{\"text\": 3'")
    raw.commit()
    raw.close()
    with pytest.raises(DataError, match="row 1"):
        list(store.answers())
    model = Stored(Scripted(lambda _: "bought again"), store)
    assert model.complete(ask()).text == "bought again"
    assert "the call is made again" in caplog.text
    assert model.complete(ask()).text == "bought again"
    assert len(store) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"not a database at all, but long enough to look at" * 20, "damaged or something else")],
)
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "calls.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreUnusable, match=words):
        CallStore(path)
    assert path.read_bytes() == content


def test_a_store_of_another_program_or_version_is_left_alone(
    tmp_path: Path, store: CallStore
) -> None:
    foreign = sqlite3.connect(tmp_path / "notes.sqlite")
    foreign.execute("CREATE TABLE notes (text)")
    foreign.commit()
    foreign.close()
    content = (tmp_path / "notes.sqlite").read_bytes()
    with pytest.raises(StoreUnusable, match="another program"):
        CallStore(tmp_path / "notes.sqlite")
    assert (tmp_path / "notes.sqlite").read_bytes() == content
    store.close()
    later = sqlite3.connect(store.path)
    later.execute("PRAGMA user_version = 99")
    later.close()
    with pytest.raises(StoreUnusable, match="format 99") as refused:
        CallStore(store.path)
    # Nobody holds it, even while the error that names it is still at hand.
    other = sqlite3.connect(store.path, timeout=0)
    other.execute("BEGIN IMMEDIATE")
    other.close()
    assert refused.traceback


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnusable, match="file"):
        CallStore(tmp_path / "file" / "calls.sqlite")
    with pytest.raises(UsageError, match="folder"):
        CallStore(tmp_path)


def test_a_full_disk_ends_the_command_and_keeps_what_is_stored(store: CallStore) -> None:
    store.put(numbered(1), Completion(text="kept"))
    pages = store._run("PRAGMA page_count", ())[0][0]
    store._run(f"PRAGMA max_page_count = {pages}", ())
    with pytest.raises(StoreUnusable, match=r"full.*space"):
        store.put(numbered(2), Completion(text="x" * 100_000))
    assert store.get(numbered(1).key) == Completion(text="kept")
