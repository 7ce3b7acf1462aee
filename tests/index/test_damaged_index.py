"""A damaged index is refused in one line that says what to do, at search and at growth."""

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.errors import DataError, GlobeSummError, UsageError
from globesumm.values import Document
from retrieval.index import Bm25, Index
from retrieval.index.bm25 import Window


def report(number: int, day: datetime) -> Document:
    return Document(
        id=f"d{number}", text=f"A flood reached town {number}.", language="en", published=day
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "index"
    days = (datetime(1, 1, 2, tzinfo=UTC), datetime(2023, 5, 1, tzinfo=UTC))
    Index(folder).add([report(number, day) for number, day in enumerate(days)])
    return folder


def overwrite(pattern: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        paths = list(folder.glob(pattern))
        assert paths
        for path in paths:
            path.write_bytes(content)

    return damage


def remove(pattern: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        paths = list(folder.glob(pattern))
        assert paths
        for path in paths:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        overwrite("analysis.json", b"{\xff"),
        overwrite("analysis.json", b""),
        overwrite("documents.sqlite", bytes(range(256)) * 40),
        overwrite("lucene/segments_*", bytes(range(50))),
        overwrite("lucene/segments_*", b""),
        remove("documents.sqlite*"),
        remove("lucene/_*"),
    ],
)
def test_damage_is_said_in_one_line_and_nothing_is_added(
    damage: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shutil.copytree(whole, folder)
    damage(folder / "en")
    index = Index(folder)
    with pytest.raises(GlobeSummError, match="en") as said:
        index.document(index.search("flood", "en")[0])
    assert "\n" not in str(said.value)
    with pytest.raises((UsageError, DataError), match="en"):
        Index(folder).add([report(9, datetime(2023, 5, 2, tzinfo=UTC))])


@pytest.mark.parametrize("damage", [remove("lucene"), remove("lucene/segments_*")])
def test_an_index_without_a_commit_is_made_again_by_the_same_command(
    damage: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shutil.copytree(whole, folder)
    damage(folder / "en")
    with pytest.raises(UsageError, match="repeat the command that made it"):
        Index(folder).search("flood", "en")
    days = (datetime(1, 1, 2, tzinfo=UTC), datetime(2023, 5, 1, tzinfo=UTC))
    made = Index(folder).add([report(number, day) for number, day in enumerate(days)])
    assert made.added == {"en": 2}
    assert len(Index(folder).search("flood", "en")) == 2


def test_a_window_may_be_as_long_as_the_calendar_and_open_on_one_side(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = Index(whole)
    ever = Window(since=date.min, until=date.max)
    assert {hit.document for hit in index.search("flood", "en", window=ever)} == {"d0", "d1"}
    old = Window(since=date.min, until=date(1000, 1, 1))
    assert [hit.document for hit in index.search("flood", "en", window=old)] == ["d0"]
    search = ["search", "flood", "--index", str(whole), "--language", "en"]
    assert run([*search, "--since", "2000-01-01"]) == 0
    assert "2023-05-01" in (told := capsys.readouterr().out)
    assert told.count("\n") == 1


def test_a_query_of_more_words_than_lucene_takes_by_itself_is_searched(whole: Path) -> None:
    many = " ".join(f"word{number}" for number in range(100_500))
    found = dict(Index(whole).search_many({"a": many, "b": "flood"}, "en", Bm25()))
    assert [len(found[name]) for name in "ab"] == [0, 2]
