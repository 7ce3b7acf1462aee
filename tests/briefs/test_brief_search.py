"""Words, an index, and the reports of one event among those of others."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

from globesumm.cli import main
from globesumm.records import read_own_records
from globesumm.runs import Run
from globesumm.values import Document
from retrieval.index import Index
from tests.briefs.conftest import row, write

OTHERS = [
    row("x", text="Rovers won the cup final on penalties. 40,000 people watched the match.",
        title="Rovers win the cup", published="2023-09-05T10:00:00Z", url=None),
    row("y", text="The central bank raised interest rates. Inflation fell to 4 percent.",
        title="Rates rise again", published="2023-09-05T12:00:00Z", url=None),
]  # fmt: skip
GERMAN = row(
    "g", language="de", title="Brücke in Vale eingestürzt", published="2023-09-05T15:00:00Z",
    text="Die Brücke in Vale ist am Montagmorgen eingestürzt. Beim Einsturz der Brücke kamen laut "
    "Polizei mindestens 6 Menschen ums Leben.", url=None,
)  # fmt: skip
QUICK = ("--recipe", "crs.none.lead", "--entailer", "lexical")
HASHED = ("--encoder", "hashed-ngrams")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    rows = [row("a"), row("b"), row("c"), GERMAN, *OTHERS]
    path = write(folder / "all.jsonl", rows)
    Index(folder / "index").add(read_own_records(path, Document))
    return folder / "index"


def brief(words: str, index: Path, out: Path, *more: str) -> int:
    return main(["brief", words, "--index", str(index), "--out", str(out), *QUICK, *more])


def taken(out: Path) -> set[str]:
    return {one.id for one in Run.open(out).events()[0].documents}


def test_words_find_the_reports_of_one_event_in_languages_that_they_are_not_in(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brief("bridge at Vale fell", index, tmp_path / "run") == 0
    assert taken(tmp_path / "run") == {"a", "b", "c", "g"}
    fates = (tmp_path / "run" / "brief" / "choice.jsonl").read_text(encoding="utf-8")
    how = {one["document"]: one["how"] for one in map(json.loads, fates.splitlines())}
    assert how["a"].startswith("words in en")
    assert how["g"].endswith("untranslated") or "same days" in how["g"]
    assert "4 reports in 3 languages" in capsys.readouterr().out


def test_an_index_that_grew_is_folded_in_by_the_same_command(index: Path, tmp_path: Path) -> None:
    own, out = tmp_path / "index", tmp_path / "run"
    Index(own).add(_documents(["a", "b"], tmp_path))
    asked = (*HASHED, "--around", "0")
    assert brief("bridge at Vale fell", own, out, *asked) == 0
    assert taken(out) == {"a", "b"}
    Index(own).add(_documents(["c"], tmp_path))
    assert brief("bridge at Vale fell", own, out, *asked, "--watch", "--once") == 0
    assert taken(out) == {"a", "b", "c"}


def test_a_language_without_a_hit_or_an_index_is_told_with_the_reason(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--languages", "en,de,ja,mt", "--around", "0", *HASHED)
    assert brief("bridge fell police", index, tmp_path / "run", *options) == 0
    shown = capsys.readouterr().out
    assert "ja: no document in this language" in shown
    assert "mt: no analyzer for this language" in shown
    assert "de: no document holds a word of the query within the days" in shown
    assert "as they stand, untranslated" in shown
    assert taken(tmp_path / "run") == {"a", "c"}


def test_words_given_for_a_language_are_what_it_is_searched_with(
    index: Path, tmp_path: Path
) -> None:
    options = ("--languages", "en,de", "--around", "0", "--words", "de=Brücke eingestürzt")
    assert brief("bridge fell police", index, tmp_path / "run", *options) == 0
    assert taken(tmp_path / "run") == {"a", "c", "g"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["zeppelin"], "holds a word of 'zeppelin': give the words in a language"),
        (["bridge Vale", "--since", "2024-01-01"], "what the words find is of 2023-09-0"),
        (["bridge Vale", "--languages", "is"], "has no documents in is: it has de, en, fr"),
    ],
)
def test_a_search_without_a_hit_says_what_may_help(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
) -> None:
    words, *options = asked
    assert brief(words, index, tmp_path / "run", *options) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_an_empty_index_is_said_to_be_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index").mkdir()
    assert brief("bridge", tmp_path / "index", tmp_path / "run") == 2
    assert "is empty: globesumm index" in capsys.readouterr().err


@pytest.mark.parametrize("done", ["lost", "cut"])
def test_a_language_of_the_index_that_is_damaged_is_named_and_never_left_out(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], done: str
) -> None:
    shutil.copytree(index, tmp_path / "index")
    path = tmp_path / "index" / "en" / "analysis.json"
    if done == "lost":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:9])
    assert brief("bridge at Vale fell", tmp_path / "index", tmp_path / "run", *HASHED) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "analysis.json" in last
    assert "repeat the command that made it" in last


def _documents(names: list[str], folder: Path) -> list[Document]:
    path = write(folder / f"{''.join(names)}.jsonl", [row(name) for name in names])
    return list(read_own_records(path, Document))
