"""Pages through worker processes: in order, within limits, whatever a page does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.values import Document, Rejected
from retrieval import extract_pool
from retrieval.draft import RawPage
from retrieval.extract import extract
from retrieval.extract_page import Extraction
from retrieval.extract_pool import Worker
from retrieval.kinds import KINDS

NOW = datetime(2024, 1, 1, tzinfo=UTC)
SETTINGS = Extraction(now=NOW)
ROOT = Path(extract_pool.__file__).parents[1]


def page(number: int, body: str = "") -> RawPage:
    text = (
        f"<p>The bridge number {number} over the river closed on Monday after engineers found "
        "cracks in two of its pillars, the city said.</p><p>The mayor said that repairs would "
        "take six weeks and cost about four million euros in all.</p>"
    )
    html = f"<html><head><title>Bridge {number}</title></head><body><article>{text}{body}"
    url = f"https://daily.example/a/{number}"
    return RawPage(content=html.encode(), where=url, url=url, id=f"page-{number}")


def test_results_are_the_same_and_in_order_with_and_without_workers() -> None:
    pages = [page(number) for number in range(12)]
    alone = list(extract(pages, settings=SETTINGS))
    assert [one.id for one in alone if isinstance(one, Document)] == [p.id for p in pages]
    assert list(extract(pages, workers=2, settings=SETTINGS)) == alone


def test_pages_are_drawn_as_results_are_taken() -> None:
    drawn = []

    def endless() -> Iterator[RawPage]:
        number = 0
        while True:
            drawn.append(number)
            yield page(number)
            number += 1

    results = extract(endless(), workers=1, settings=SETTINGS)
    assert isinstance(next(results), Document)
    assert len(drawn) <= extract_pool.PAGES_AHEAD + 1
    results.close()  # type: ignore[attr-defined]


def test_a_page_that_takes_too_long_is_named_and_the_next_one_is_read() -> None:
    deep = "<div>" * 200 + "x" + "</div>" * 200
    slow = page(1, "".join(f"<section>{deep}</section>" for _ in range(140)))
    settings = Extraction(now=NOW, seconds=0.001)
    found = list(extract([slow], workers=1, settings=settings))
    assert [one.kind for one in found if isinstance(one, Rejected)] == ["timeout"]
    assert "longer than 0.001 s" in (found[0].reason if isinstance(found[0], Rejected) else "")


def test_a_worker_that_dies_costs_one_page_and_is_replaced() -> None:
    worker = Worker(Extraction(now=NOW, seconds=60))
    try:
        assert isinstance(worker.result_of(page(1)), Document)
        process = worker._process
        assert process is not None
        os.kill(process.pid, signal.SIGSEGV)
        process.wait()
        lost = worker.result_of(page(2))
        assert isinstance(lost, Rejected)
        assert (lost.kind, lost.where) == ("crash", page(2).where)
        assert "SIGSEGV" in lost.reason
        assert isinstance(worker.result_of(page(3)), Document)
        assert worker._process is not process
    finally:
        worker.close()


def test_a_worker_is_replaced_after_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract_pool, "PAGES_OF_A_WORKER", 2)
    worker = Worker(SETTINGS)
    processes = set()
    try:
        for number in range(5):
            assert isinstance(worker.result_of(page(number)), Document)
            assert worker._process is not None
            processes.add(worker._process.pid)
    finally:
        worker.close()
    assert len(processes) == 3


def test_a_stopped_reading_leaves_no_process_behind() -> None:
    results = extract((page(number) for number in range(50)), workers=1, settings=SETTINGS)
    next(results)
    started = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 10
    assert "extract_worker" not in _children()


def _children() -> str:
    listed = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        check=False,
    )
    return listed.stdout


def test_a_page_larger_than_the_limit_is_refused_before_it_is_sent() -> None:
    large = RawPage(content=b"<p>" + b"x" * 5000, where="large")
    for workers in (0, 1):
        settings = Extraction(now=NOW, max_bytes=5000)
        (one,) = extract([large], workers=workers, settings=settings)
        assert isinstance(one, Rejected)
        assert (one.kind, one.reason) == ("too-large", "larger than 5000 bytes")


def test_workers_run_from_a_script_without_a_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from retrieval.draft import RawPage\n"
        "from retrieval.extract import extract\n"
        "text = 'The bridge over the river was closed after engineers found cracks. ' * 3\n"
        "page = RawPage(content=f'<html><body><p>{text}</p></body></html>'.encode(), where='x')\n"
        "print([type(one).__name__ for one in extract([page], workers=1)])\n",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert (ran.stdout.strip(), ran.returncode) == ("['Document']", 0), ran.stderr


def test_workers_run_inside_a_daemon_process_as_clusters_have_them(tmp_path: Path) -> None:
    script = tmp_path / "daemon.py"
    script.write_text(
        "import multiprocessing\n"
        "from retrieval.draft import RawPage\n"
        "from retrieval.extract import extract\n"
        "def work(queue):\n"
        "    html = '<p>' + 'The bridge over the river closed after cracks were found. ' * 3\n"
        "    page = RawPage(content=html.encode(), where='x')\n"
        "    queue.put([type(one).__name__ for one in extract([page], workers=1)])\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    queue = context.Queue()\n"
        "    context.Process(target=work, args=(queue,), daemon=True).start()\n"
        "    print(queue.get(timeout=100))\n",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert (ran.stdout.strip(), ran.returncode) == ("['Document']", 0), ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of address space there")
def test_a_page_that_takes_all_memory_is_named() -> None:
    # Less than the interpreter and its libraries need: the page, or the start, must fail.
    settings = Extraction(now=NOW, memory_mb=40)
    found = list(extract([page(1)], workers=1, settings=settings))
    assert [one.kind for one in found if isinstance(one, Rejected)] in (
        [["crash"], ["out-of-memory"]]
    )


@pytest.mark.parametrize(
    "settings",
    [Extraction(seconds=0), Extraction(max_bytes=0), Extraction(memory_mb=-1)],
)
def test_limits_out_of_range_are_refused_at_once(settings: Extraction) -> None:
    with pytest.raises(UsageError, match="must be above 0"):
        extract([], settings=settings)


def test_unknown_languages_and_numbers_of_workers_are_refused_at_once() -> None:
    with pytest.raises(UnknownName):
        extract([], settings=Extraction(language="klingonese"))
    with pytest.raises(UnknownName):
        extract([], settings=Extraction(candidates=["xx-x"]))
    with pytest.raises(UsageError, match="workers"):
        extract([], workers=-1)


def test_every_rejection_has_a_known_kind_and_its_address() -> None:
    bad = [
        b"",
        b"\x89PNG....",
        b"just text",
        b"<html>",
        b"<p>" + b"<i>x</i>" * 60_001,
        b"\x00" * 99,
    ]
    pages = [
        RawPage(content=content, where=f"p{number}", url=f"https://h.example/{number}")
        for number, content in enumerate(bad)
    ]
    found = list(extract(pages, settings=SETTINGS))
    assert all(isinstance(one, Rejected) for one in found)
    for one, raw in zip(found, pages, strict=True):
        assert isinstance(one, Rejected)
        assert one.kind in KINDS
        assert (one.where, one.url) == (raw.where, raw.url)


def test_what_the_source_of_pages_raises_is_passed_on() -> None:
    def broken() -> Iterator[RawPage]:
        yield page(1)
        raise ConnectionError("gone")

    for workers in (0, 1):
        with pytest.raises(ConnectionError, match="gone"):
            list(extract(broken(), workers=workers, settings=SETTINGS))


def test_a_hang_is_ended_from_outside() -> None:
    worker = Worker(Extraction(now=NOW, seconds=1.0))
    try:
        assert isinstance(worker.result_of(page(1)), Document)
        assert worker._process is not None
        os.kill(worker._process.pid, signal.SIGSTOP)
        watchdog = Timer(30, lambda: None)
        watchdog.start()
        hung = worker.result_of(page(2))
        watchdog.cancel()
        assert isinstance(hung, Rejected)
        assert hung.kind == "timeout"
        assert isinstance(worker.result_of(page(3)), Document)
    finally:
        worker.close()
