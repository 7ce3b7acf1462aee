"""An index whose making is killed, and made on by the same command, finds what a whole one does."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.records import write_records
from globesumm.values import Document
from retrieval.index import Bm25, Index
from retrieval.index.bm25 import Window
from tests.lying import lying

LANGUAGES = ("bg", "it", "sq")
EACH = 1050
START = datetime(2023, 5, 1, tzinfo=UTC)


def reports() -> list[Document]:
    """Reports in three languages, by turns, of sentences drawn from the known items."""
    drawn = random.Random(7)
    folder = files("globesumm") / "data" / "known_items"
    sentences = {
        language: [
            line.split("\t")[-1]
            for line in (folder / f"{language}.tsv").read_text("utf-8").splitlines()
            if "\t" in line
        ]
        for language in LANGUAGES
    }
    return [
        Document(
            id=f"{language}-{number}",
            text=" ".join(drawn.choices(sentences[language], k=6)),
            language=language,
            published=START + timedelta(days=drawn.randrange(60)),
        )
        for number in range(EACH)
        for language in LANGUAGES
    ]


@pytest.mark.slow
def test_an_index_killed_at_several_moments_finds_what_an_undisturbed_one_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = reports()
    source, whole, cut = tmp_path / "documents.jsonl", tmp_path / "whole", tmp_path / "cut"
    write_records(source, made)
    assert run(["index", str(source), "--out", str(whole)]) == 0
    moments: list[Callable[[], bool]] = [
        lambda: bool(lying(cut, "*/lucene/*")),
        lambda: len(lying(cut, "*/documents.sqlite")) == len(LANGUAGES),
        lambda: bool(lying(cut, "*/lucene/segments_*")),
    ]
    assert sum(killed_at(moment, source, cut) for moment in moments) >= 2
    assert run(["index", str(source), "--out", str(cut)]) == 0
    capsys.readouterr()
    assert run(["index", str(source), "--out", str(cut)]) == 0
    told = capsys.readouterr().out
    assert told.count("0 added") == len(LANGUAGES)
    assert told.count(f"{EACH} there already") == len(LANGUAGES)
    june = Window(since=date(2023, 6, 1), until=date(2023, 6, 20))
    there, here = Index(whole), Index(cut)
    for one in random.Random(1).sample(made, 60):
        for window in (None, june):
            found = here.search(one.text[:200], one.language, Bm25(k=100), window)
            assert found
            assert found == there.search(one.text[:200], one.language, Bm25(k=100), window)
            assert here.document(found[0]) == there.document(found[0])


def killed_at(moment: Callable[[], bool], source: Path, out: Path) -> bool:
    """Index in a process of its own and kill it then; whether it was still at work."""
    code = "import sys; from globesumm.cli.main import run; sys.exit(run(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "index", str(source), "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while process.poll() is None and not moment() and time.monotonic() < until:
        time.sleep(0.001)
    at_work = process.poll() is None
    if at_work:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
    return at_work
