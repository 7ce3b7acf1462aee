"""A labelling server on a full or read-only disk, twice, with a torn store or an old one.

Kills are in tests/labels/test_labelling_kills.py, a clock set back in test_labelling_trouble.py.
"""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra 'label'")
pytest.importorskip("uvicorn", reason="needs the extra 'label'")

from annotation.labels.project import DATABASE, Project
from annotation.labels.store import Store
from tests.labels.sample_items import small
from tests.labels.served import ROOT, Reply, Server, ask, project_of, serving_apart, ticket_in
from tests.torture.small_disk import fill, remount, small_disk

pytestmark = pytest.mark.slow

ITEMS = 4


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as place:
        yield place


def made(folder: Path) -> Project:
    return project_of(folder / "p", [small(n) for n in range(ITEMS)], "ada", overlap=1)


def label(server: Server, item: int, note: str = "") -> Reply:
    link = f"{server.links['ada']}item/{item}"
    said = {"ticket": ticket_in(ask(link).text), "answer": {"supported": True}, "note": note}
    return ask(link, said)


def noted(project: Project) -> list[str]:
    store = Store.open(project.store.path)
    try:
        return sorted(str(one.note) for one in store.labels())
    finally:
        store.close()


def refused(project: Project, port: str = "0") -> str:
    """The one line of a server that must not start."""
    ended = subprocess.run(
        [sys.executable, "-m", "globesumm", "label", "serve", str(project.folder), "--port", port],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stderr[-2000:]
    assert "Traceback" not in ended.stderr
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("globesumm: ")
    return last


def test_on_a_full_disk_a_label_is_refused_in_words_and_taken_when_there_is_room(
    disk: Path,
) -> None:
    project = made(disk)
    with serving_apart(project) as server:
        assert label(server, 1, "first").status == 200
        ballast = fill(disk)
        reply = label(server, 2, "x" * 4000)
        assert reply.status == 503
        assert "full" in reply.json["error"]
        ballast.unlink()
        assert label(server, 2, "second").status == 200
    assert noted(project) == ["first", "second"]


def test_a_server_whose_folder_cannot_be_written_says_so_and_serves_nothing(disk: Path) -> None:
    project = made(disk)
    project.store.close()
    remount(disk, "ro")
    last = refused(project)
    assert str(project.folder) in last
    assert "written" in last or "ead-only" in last


def test_a_second_server_is_refused_its_port_and_at_another_loses_no_label(tmp_path: Path) -> None:
    project = made(tmp_path)
    with serving_apart(project) as first:
        port = first.address.rpartition(":")[2]
        assert port in refused(project, port)
        with serving_apart(project) as second:
            assert label(first, 1, "at the first").status == 200
            assert label(second, 2, "at the second").status == 200
    assert noted(project) == ["at the first", "at the second"]


@pytest.mark.parametrize("lost", [1, 700])
def test_a_store_with_a_torn_last_record_costs_that_label_alone(tmp_path: Path, lost: int) -> None:
    project = made(tmp_path)
    project.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    project.store.close()
    with serving_apart(project) as server:
        for item in (1, 2, 3):
            assert label(server, item, f"of {item}").status == 200
    log = project.folder / f"{DATABASE}-wal"
    content = log.read_bytes()
    log.write_bytes(content[: len(content) - lost])
    with serving_apart(project) as server:
        assert set(noted(project)) >= {"of 1", "of 2"}
        for item in (3, 4):
            assert label(server, item, f"of {item}").status == 200
    assert noted(project) == ["of 1", "of 2", "of 3", "of 4"]


def test_a_project_of_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.store.close()
    with sqlite3.connect(project.folder / DATABASE) as base:
        base.execute("UPDATE facts SET value = '0' WHERE name = 'schema'")
    last = refused(project)
    assert "form" in last
    assert "label import" in last
