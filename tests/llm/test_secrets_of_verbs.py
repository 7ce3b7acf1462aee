"""Whatever a server does with the key that it was sent, no verb shows or keeps it."""

import argparse
import json
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main
from globesumm.cli.main import VERBS, parser_of
from tests.annotate.test_annotate_kills import answered
from tests.llm.conftest import Answer, QuirkServer, choice, reply
from tests.torture.asked_server import of_the_judge
from tests.torture.cases import documents, entailed

CANARY = "sk-canary-5d81c0ffee27"
VARIABLE = "MY_SERVER_KEY"


class Tattling(QuirkServer):
    """Repeats the key in everything it says: answers, names, refusals and errors."""

    def __init__(self, says: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        numbers = count()
        echo = f"your key {CANARY} was seen"
        self.models = {"data": [{"id": CANARY}, {"id": "m"}]}

        def behave(body: dict[str, Any]) -> Answer:
            number = next(numbers) % 7
            if number == 5:
                return Answer({"error": {"message": echo, "code": CANARY}}, 400)
            if number == 6:
                return Answer(f"<html>{echo}", 422, kind="text/html")
            said = says(body)
            whole = reply(model=CANARY, system_fingerprint=CANARY)
            noisy = f"{said}\n{echo}" if number % 2 else said
            return Answer(whole | choice("stop", content=noisy))

        self.behave = behave


Case = Callable[[Path, Path], list[list[str]]]
"""From a folder with a finished run and the folder to write to, to the commands of a verb."""


def entailing(*command: str) -> list[list[str]]:
    return [[*command, "--entailer", "judge", "--judge", "m"]]


def facts(step: str, *given: str) -> Case:
    def commands(place: Path, out: Path) -> list[list[str]]:
        if (place / "made").exists():
            shutil.copytree(place / "made", out, dirs_exist_ok=True)
        held = [str(place / one) if one.endswith(".jsonl") else one for one in given]
        return [["facts", step, *held, "--out", str(out), "--judge", "m"]]

    return commands


CASES: dict[str, tuple[Callable[[dict[str, Any]], str], Case]] = {
    "summarize": (
        lambda body: answered(body["messages"][-1]["content"]),
        lambda place, out: [
            ["summarize", str(place / "event.jsonl"), "--model", "m", "--out", str(out)],
            ["report", str(out)],
            ["calls", "list", str(out)],
            ["calls", "export", str(out), "--out", str(out / "calls.jsonl")],
            ["cite", str(out), "--format", "json"],
            ["ledger", str(out)],
            ["summarize", str(place / "event.jsonl"), "--model", "m", "--recipe",
             "sts.none.direct.rerank", "--out", str(out / "drafted")],
            ["drafts", str(out / "drafted")],
        ],
    ),
    "annotate": (
        lambda body: answered(body["messages"][-1]["content"]),
        lambda place, out: [
            ["annotate", str(place / "event.jsonl"), "--model", "m", "--out", str(out)],
        ],
    ),
    "perspective run": (
        lambda body: answered(body["messages"][-1]["content"]),
        lambda _, out: [
            ["perspective", "run", "sample:orlau-weir", "--methods", "zero-shot", "--model", "m",
             "--out", str(out)],
        ],
    ),
    "score": (
        entailed,
        lambda place, _: [
            *entailing("score", str(place / "run"), "--metrics", "nic,cre,rouge"),
            ["report", str(place / "run")],
        ],
    ),
    "bias": (entailed, lambda place, _: entailing("bias", str(place / "run"))),
    "facts extract": (of_the_judge, facts("extract", "sources.jsonl")),
    "facts decompose": (of_the_judge, facts("decompose", "summaries.jsonl")),
    "facts evaluate": (
        of_the_judge, facts("evaluate", "summaries.jsonl", "--sources", "sources.jsonl"),
    ),
}  # fmt: skip

ELSEWHERE = {
    "cite": "the entailing judge of score; its own form is looked at behind summarize",
    "metrics check": "the judge options of score, on built-in texts",
    "facts generate": "the asker of facts extract",
    "facts match": "a step of facts evaluate",
    "facts verify": "a step of facts evaluate",
    "facts study": "the asker and the steps of facts evaluate",
    "entail": "the entailing judge of score, on pairs of a data set",
    "ledger": "the entailing judge of score; its own files are looked at behind summarize",
    "brief": "summarize, behind a search; the options are its own",
    "probe": "the model options of summarize, on a data set",
    "study": "the judge options of score, on built-in texts",
}
"""Verbs that take a key and are not carried out here, and who asks for them."""


def verbs_with_a_key() -> Iterator[str]:
    def walked(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for one, inside in action.choices.items():
                    yield from walked(inside, f"{name} {one}")
            elif "--key-variable" in action.option_strings:
                yield name

    for verb in VERBS:
        yield from walked(parser_of(verb), verb)


def test_every_verb_that_takes_a_key_is_tried_or_says_who_asks_for_it() -> None:
    assert set(verbs_with_a_key()) == CASES.keys() | ELSEWHERE.keys()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs, and a run that no model made."""
    folder = tmp_path_factory.mktemp("place")
    documents(folder, 2)
    source = {"id": "a", "parts": [{"id": "p", "text": "A: The pump broke on 3 May.",
                                    "language": "en"}]}  # fmt: skip
    said = {"id": "a", "summary": "The pump broke on 3 May.", "language": "en"}
    (folder / "sources.jsonl").write_text(json.dumps(source) + "\n", encoding="utf-8")
    (folder / "summaries.jsonl").write_text(json.dumps(said) + "\n", encoding="utf-8")
    reference = folder / "reference.txt"
    reference.write_text("The bridge of Vale fell.", encoding="utf-8")
    run = ["summarize", str(folder / "event.jsonl"), "--recipe", "crs.none.lead"]
    run += ["--reference", str(reference)]
    assert main([*run, "--out", str(folder / "run")]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("verb", CASES)
def test_a_verb_sends_the_key_and_nothing_of_it_stays(
    verb: str,
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(VARIABLE, CANARY)
    monkeypatch.chdir(tmp_path)
    says, commands = CASES[verb]
    server = Tattling(says)
    shutil.copytree(place, tmp_path / "place")
    try:
        for command in commands(tmp_path / "place", tmp_path / "out"):
            asks = "--model" in command or "--judge" in command
            more = ["--base-url", server.url, "--key-variable", VARIABLE] if asks else []
            assert main([*command, *more]) in {0, 1, 2}, command
    finally:
        server.stop()
    sent = [{name.lower(): value for name, value in one.items()} for one in server.headers]
    assert sent, f"{verb} asked nothing: {capfd.readouterr()}"
    assert all(one["authorization"] == f"Bearer {CANARY}" for one in sent)
    shown = capfd.readouterr()
    assert CANARY not in shown.out + shown.err
    held = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(held) > 3
    for path in held:
        assert CANARY.encode() not in path.read_bytes(), path.relative_to(tmp_path)
        assert CANARY not in path.name
