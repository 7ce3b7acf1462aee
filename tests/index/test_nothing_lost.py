"""What is said to be indexed is found; what is not indexed is named, or ends the command."""

import os
import random
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

from globesumm.errors import UsageError
from globesumm.runs import alone
from globesumm.values import Document
from retrieval.index import Index
from tests.torture.small_disk import small_disk


def reports(count: int = 20) -> list[Document]:
    """Some 10 kB each, of words that no other has."""
    drawn = random.Random(4)
    return [
        Document(
            id=f"d{number}",
            text=" ".join(f"{drawn.getrandbits(40):x}" for _ in range(900)),
            language="en",
        )
        for number in range(count)
    ]


def found(folder: Path, made: list[Document]) -> list[str]:
    index = Index(folder)
    hits = [index.search(one.text[:100], "en")[:1] for one in made]
    return [index.document(some[0]).id for some in hits if some]


@pytest.mark.slow
@pytest.mark.parametrize("room_kib", [60, 450, 900])
def test_on_a_disk_that_runs_full_nothing_is_said_to_be_indexed_that_is_not(
    tmp_path: Path, room_kib: int
) -> None:
    made = reports()
    with small_disk(tmp_path / "disk") as disk:
        ballast, free = disk / "ballast", os.statvfs(disk)
        ballast.write_bytes(b"x" * (free.f_bavail * free.f_frsize - room_kib * 1024))
        index = disk / "index"
        said = ""
        try:
            Index(index).add(made)
        except (UsageError, OSError) as error:
            said = str(error)
        if said:
            assert "make room and repeat the command" in said or "No space" in said
        else:
            assert found(index, made) == [one.id for one in made]
        ballast.unlink()
        again = Index(index).add(made)
        assert again.added["en"] + again.known["en"] == len(made)
        assert found(index, made) == [one.id for one in made]


@pytest.mark.parametrize("text", ["", " ", "\n\t\r", "\x00\x1f"])
@pytest.mark.parametrize("language", ["en", "he"])
def test_a_document_with_nothing_to_look_for_is_named_and_counted_as_left_out(
    tmp_path: Path, text: str, language: str
) -> None:
    word = {"en": "flood", "he": "שיטפון"}[language]
    given = [
        Document(id="empty", text=text, language=language),
        Document(id="full", text=word, language=language),
    ]
    for new in (1, 0):
        made = Index(tmp_path).add(given)
        assert (made.added[language], made.known[language]) == (new, 1 - new)
        assert [(one.where, one.kind) for one in made.rejected] == [("empty", "empty")]
    assert [hit.document for hit in Index(tmp_path).search(word, language)] == ["full"]


def test_a_second_process_is_kept_out_of_an_index_that_is_being_made(tmp_path: Path) -> None:
    half = tmp_path / "en" / "lucene" / "_0.fdt"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"written by the first")
    with alone(tmp_path), pytest.raises(UsageError, match="another process is working in"):
        Index(tmp_path).add(reports(1))
    assert half.read_bytes() == b"written by the first"
