"""The component study on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 condenses and answers badly: this shows that every call gets through and is stored, that
what fails is told, and that nothing is asked twice; it says nothing of quality.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.cli import main
from tests.live import llama_server

pytestmark = pytest.mark.slow

OWN = {
    "en": ("The ferry Alma sank on Monday off Cape Lund. Nine people are missing.", "Alma"),
    "fr": ("Le bac Alma a coulé lundi au large du cap Lund. Neuf personnes manquent.", "Alma"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("server"), 4096) as url:
        yield url


def own_files(folder: Path) -> list[str]:
    found = []
    for language, (context, answer) in OWN.items():
        asked = {"id": "1", "question": "Which ferry sank?", "answers": [{"text": answer}]}
        plain = {"data": [{"paragraphs": [{"context": context, "qas": [asked]}]}]}
        path = folder / f"own.{language}.json"
        path.write_text(json.dumps(plain), encoding="utf-8")
        found.append(str(path))
    return found


def shared_files() -> list[str]:
    data = os.environ.get("GLOBESUMM_DATA")
    folder = Path(data or ".") / "questions" / "xquad"
    if data is None or not folder.is_dir():
        pytest.skip("needs XQuAD: set GLOBESUMM_DATA to the folder of shared data")
    return [str(folder / f"xquad.{language}.json.gz") for language in ("en", "es")]


@pytest.mark.parametrize("source", ["own", "xquad"])
def test_every_method_is_probed_over_http_and_nothing_is_asked_twice(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    files = own_files(tmp_path) if source == "own" else shared_files()
    command = [
        "probe", "xquad", *files, "--model", "smollm2", "--base-url", server, "--at-once", "1",
        "--max-tokens", "400", "--words", "30", "--extended-words", "60",
        "--paragraphs", "1", "--questions", "1", "--out", str(tmp_path / "run"),
    ]  # fmt: skip
    assert main([*command, "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls$", capsys.readouterr().out, re.MULTILINE)
    assert planned
    assert int(planned[1]) == 16
    # A weak model may fail at some of it, which is told.
    assert main(command) in (0, 1)
    said = capsys.readouterr()
    made = re.search(r"this time: (\d+) calls, 0 from the store", said.err)
    assert made
    lines = (tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == 8
    for one in answers:
        assert (one["answer"] is None) == (one["right"] is None) == (one["reason"] is not None)
    answered = sum(one["answer"] is not None for one in answers)
    assert f"{answered} of 8 questions were answered" in said.out
    assert answered > 0
    again = main([*command, "--rule", "exact"])
    assert again in (0, 1)
    retold = re.search(r"this time: (\d+) calls, (\d+) from the store", capsys.readouterr().err)
    assert retold
    # Only what failed, and so was never stored, may be asked again.
    assert int(retold[1]) == 0 or answered < 8
