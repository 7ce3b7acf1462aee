"""The component study on a real llama.cpp server with a real small model, over real HTTP.

SmolLM2 condenses and answers badly: this shows that every call gets through and is stored, and
that nothing is asked twice; it says nothing of quality.
"""

import json
import re
from pathlib import Path

import pytest

from globesumm.cli import main
from tests.live import Server, answered, kept, within_forms

pytestmark = pytest.mark.slow

OWN = {
    "en": ("The ferry Alma sank on Monday off Cape Lund. Nine people are missing.", "Alma"),
    "fr": ("Le bac Alma a coulé lundi au large du cap Lund. Neuf personnes manquent.", "Alma"),
}


def own_files(folder: Path) -> list[str]:
    found = []
    for language, (context, answer) in OWN.items():
        asked = {"id": "1", "question": "Which ferry sank?", "answers": [{"text": answer}]}
        plain = {"data": [{"paragraphs": [{"context": context, "qas": [asked]}]}]}
        path = folder / f"own.{language}.json"
        path.write_text(json.dumps(plain), encoding="utf-8")
        found.append(str(path))
    return found


def test_every_method_is_probed_over_http_as_planned_and_nothing_is_asked_twice(
    live_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    command = [
        "probe", "xquad", *own_files(tmp_path), "--model", "smollm2",
        "--base-url", live_server.url, "--at-once", "1", "--max-tokens", "300",
        "--bounded", "2x40", "--words", "30", "--extended-words", "60",
        "--paragraphs", "1", "--questions", "1", "--out", str(out),
    ]  # fmt: skip
    assert main([*command, "--dry-run"]) == 0
    planned = re.search(r"^(\d+) calls$", capsys.readouterr().out, re.MULTILINE)
    assert planned
    assert int(planned[1]) == 16
    before = answered(live_server.log)
    assert main(command) == 0
    said = capsys.readouterr()
    counted = re.search(r"this time: (\d+) calls, (\d+) from the store", said.err)
    assert counted
    # Two condensed texts may come out alike, which are then asked about once.
    assert int(counted[1]) + int(counted[2]) == 16
    made = within_forms(out / "calls.sqlite")
    assert made == int(counted[1]) == answered(live_server.log) - before
    assert kept(out) == (made, 0)
    lines = (out / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == 8
    for one in answers:
        assert one["answer"].strip()
        assert isinstance(one["right"], bool)
        assert one["reason"] is None
    assert "8 of 8 questions were answered" in said.out
    assert main([*command, "--rule", "exact"]) == 0
    retold = re.search(r"this time: 0 calls, 16 from the store", capsys.readouterr().err)
    assert retold
