"""The examples of ``--help``: every verb and action has some, and each can be typed."""

import argparse
import json
import re
import shlex
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.cli.examples import WIDTH, actions
from globesumm.cli.main import VERBS, Parser, parser_of


def examples(parser: argparse.ArgumentParser) -> list[str]:
    """The example commands in a parser's help, each in one line, without their comments."""
    text = f"{parser.description or ''}\n{parser.epilog or ''}"
    unfolded = re.sub(r"\n {6,}(?=-)", " ", text)
    found = re.findall(r"^  (globesumm .*)$", unfolded, re.MULTILINE)
    return [line.split("  #")[0].strip() for line in found]


HELPED = {
    parser.prog: parser
    for verb in VERBS
    for whole in [parser_of(verb)]
    for parser in (whole, *actions(whole))
}
"""Every verb and action, by what is typed."""

EVERY = list(dict.fromkeys(example for parser in HELPED.values() for example in examples(parser)))


def words(example: str) -> list[str]:
    """What the command gets of an example line: redirections are the shell's."""
    found = shlex.split(example)
    return found[1 : found.index(">")] if ">" in found else found[1:]


@pytest.mark.parametrize("command", HELPED)
def test_every_verb_and_action_has_two_examples_of_its_own(command: str) -> None:
    held = examples(HELPED[command])
    assert len(held) >= 2
    assert held[0].startswith(f"{command} ") or held[0] == command
    assert all(len(line) <= WIDTH for line in (HELPED[command].epilog or "").splitlines())


@pytest.mark.parametrize("command", HELPED)
def test_every_verb_and_action_says_what_it_does(command: str) -> None:
    told = (HELPED[command].description or "").strip().split("\n\n")[0]
    assert told.endswith((".", ":"))
    assert told[0].isupper()


@pytest.mark.parametrize("example", EVERY)
def test_every_example_is_understood_by_its_own_parser(example: str) -> None:
    verb, *arguments = words(example)
    parser_of(verb).parse_args(arguments)


def test_the_table_of_examples_names_actions_alone() -> None:
    path = resources.files("globesumm") / "data" / "examples.toml"
    for command in tomllib.loads(path.read_text(encoding="utf-8")):
        assert f"globesumm {command}" in HELPED


OFFLINE = (
    "globesumm read pages/ --out documents.jsonl",
    "globesumm duplicates documents.jsonl --out unique.jsonl",
    "globesumm summarize documents.jsonl --out runs/mine",
    "globesumm score runs/mine --metrics abstractiveness,length",
    "globesumm metrics style runs/mine --plot coverage-density.png",
    "globesumm report runs/mine",
    "globesumm dataset events.jsonl --out data-set --takedown removed.txt",
    "globesumm dataset data-set --out addresses --urls-only",
    "globesumm label new study --kind relevance --from events.jsonl --annotator ada:en,fr",
    "globesumm label links study",
    "globesumm label status study",
    "globesumm label status study --format tsv",
    "globesumm portal --from 2023-05-01 --to 2023-10-31 --out portal --dry-run",
    "globesumm facts leaderboard --published",
    "globesumm perspective convert samples --out topics.jsonl",
    "globesumm compare --paper --table 9",
    "globesumm index --analyzers",
    "globesumm metrics",
    "globesumm metrics --name red",
    "globesumm recipes",
    "globesumm completion bash > ~/.local/share/bash-completion/completions/globesumm",
)  # fmt: skip
"""Examples that take seconds and no model or network, in an order in which each finds its files."""


@pytest.mark.slow
def test_examples_that_need_nothing_do_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from globesumm.cli.experiment_events import read_events
    from globesumm.records import write_records

    assert set(OFFLINE) <= set(EVERY)
    monkeypatch.chdir(tmp_path)
    write_records(Path("events.jsonl"), read_events(("sample:titan-submersible",))[0])
    Path("removed.txt").write_text("nowhere.example\n", encoding="utf-8")
    Path("pages").mkdir()
    for number in (1, 2):
        text = (
            f"The bridge over the river fell at {number} o'clock on Monday. No one was hurt there."
        )
        Path(f"pages/{number}.txt").write_text(text, encoding="utf-8")
    for example in OFFLINE:
        status = main(words(example))
        said = capsys.readouterr()
        assert status == 0, (example, said.err)
        assert said.out, example
    assert json.loads(Path("documents.jsonl").read_text(encoding="utf-8").splitlines()[0])["text"]
    assert Path("runs/mine/report.html").exists()


def test_the_parser_of_a_verb_is_this_projects_own() -> None:
    assert all(isinstance(parser, Parser) for parser in HELPED.values())
