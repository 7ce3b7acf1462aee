"""Whatever a server does with the key that it was sent, no verb shows or keeps it."""

import argparse
import gzip
import importlib.util
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from globesumm.cli import main
from globesumm.cli.main import VERBS, parser_of
from globesumm.llm.retrying import Retrying
from tests.annotate.test_annotate_kills import answered
from tests.cli.test_entail import ROWS
from tests.llm.conftest import Answer, QuirkServer, choice, reply
from tests.probe.test_xquad import squad
from tests.torture.asked_server import of_the_grid, of_the_judge
from tests.torture.cases import GRID, documents, entailed

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


Case = Callable[[Path, Path], Iterable[list[str]]]
"""From a folder with a finished run and the folder to write to, to the commands of a verb."""

ADDRESS = "address.txt"
"""In the folder with the run: where the server is, for what reads it from a config file."""


def entailing(*command: str) -> list[list[str]]:
    return [[*command, "--entailer", "judge", "--judge", "m"]]


def facts(step: str, *given: str) -> Case:
    def commands(place: Path, out: Path) -> list[list[str]]:
        if (place / "made").exists():
            shutil.copytree(place / "made", out, dirs_exist_ok=True)
        held = [str(place / one) if one.endswith(".jsonl") else one for one in given]
        return [["facts", step, *held, "--out", str(out), "--judge", "m"]]

    return commands


def grid(place: Path, out: Path) -> list[list[str]]:
    config = place / "grid.toml"
    address = (place / ADDRESS).read_text(encoding="utf-8")
    keyed = f'{GRID.format(url=address)}key_variable = "{VARIABLE}"\n'
    config.write_text(keyed, encoding="utf-8")
    return [
        ["grid", str(config), "--out", str(out)],
        ["report", str(out)],
        ["export", str(out), "--to", "inspect", "--out", str(out / "logs")],
        ["export", str(out), "--to", "datasets", "--out", str(out / "rows")],
    ]


def events(place: Path, out: Path) -> Iterator[list[str]]:
    from tests.events.world import World
    from tests.retrieval.mirror.web_server import Mirror

    with Mirror() as mirror:
        world = World(mirror)
        world.serve(quake=False, days=("20230909", "20230909"))
        config = world.config(
            place / "mine.toml",
            {
                "": 'first = 2023-09-09\nlast = 2023-09-09\nlanguages = ["en", "fr", "de", "es"]',
                "model": f'name = "m"\nbase_url = "{(place / ADDRESS).read_text("utf-8")}"\n'
                f'key_variable = "{VARIABLE}"',
            },
        )
        yield ["events", str(config), "--out", str(out), "--until", "queries"]


def translated(_: dict[str, Any]) -> str:
    """What the model of ``globesumm events`` is asked for."""
    return json.dumps({"description": "Inondation à Marenburg : 60 familles évacuées."})


def probe(place: Path, out: Path) -> list[list[str]]:
    files = []
    for language in ("en", "de"):
        files.append(place / f"xquad.{language}.json")
        files[-1].write_text(json.dumps(squad(language, 2, 1)), encoding="utf-8")
    return [["probe", "xquad", *map(str, files), "--model", "m", "--out", str(out)]]


def entail(place: Path, _: Path) -> list[list[str]]:
    pairs = place / "pairs"
    pairs.mkdir()
    for language, rows in ROWS.items():
        text = "".join("\t".join(row) + "\n" for row in rows)
        (pairs / f"dev-{language}.tsv").write_text(text, encoding="utf-8")
    return entailing("entail", str(pairs))


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
            ["export", str(out), "--to", "inspect", "--out", str(out / "logs")],
            ["label", "new", str(out / "labels"), "--kind", "key-points", "--from", str(out),
             "--annotator", "ada"],
        ],
    ),
    "grid": (of_the_grid, grid),
    "events": (translated, events),
    "brief": (
        lambda body: answered(body["messages"][-1]["content"]),
        lambda place, out: [
            ["brief", str(place / "event.jsonl"), "--model", "m", "--judged", "--out", str(out),
             "--encoder", "hashed-ngrams", "--entailer", "lexical",
             "--format", "text,markdown,html,json"],
        ],
    ),
    "cite": (entailed, lambda place, _: entailing("cite", str(place / "run"), "--judge-all")),
    "ledger": (
        entailed,
        lambda place, _: [
            *entailing("ledger", str(place / "run")),
            *entailing("ledger", "--sample", "marrakesh-earthquake"),
        ],
    ),
    "entail": (entailed, entail),
    "probe": (lambda body: answered(body["messages"][-1]["content"]), probe),
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
    "facts match": (
        of_the_judge,
        lambda place, out: [
            *facts("extract", "sources.jsonl")(place, out),
            *facts("match", "summaries.jsonl")(place, out),
        ],
    ),
    "facts verify": (
        of_the_judge,
        lambda place, out: [
            *facts("decompose", "summaries.jsonl")(place, out),
            *facts("verify", "summaries.jsonl", "--sources", "sources.jsonl")(place, out),
        ],
    ),
    "facts study": (
        of_the_judge,
        facts("study", "summaries.jsonl", "--sources", "sources.jsonl", "--resamples", "20"),
    ),
    "metrics check": (
        entailed,
        lambda _, out: [
            ["metrics", "check", "--metrics", "nic", "--each", "2", "--languages", "en-en",
             "--resamples", "20", "--entailer", "judge", "--judge", "m", "--out", str(out)],
        ],
    ),
    "study": (
        of_the_judge,
        lambda _, out: [
            ["study", "planted", "--size", "4", "--model", "m", "--out", f"{out}.md"],
        ],
    ),
    "facts generate": (
        lambda body: answered(body["messages"][-1]["content"]),
        lambda place, out: [
            ["facts", "generate", str(place / "sources.jsonl"), "--model", "m", "--out", str(out)],
        ],
    ),
}  # fmt: skip

NEEDS = {"events": ("aiohttp", "mwparserfromhell")}


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


def test_every_verb_that_takes_a_key_is_tried() -> None:
    named_in_a_config = {"grid", "events"}
    assert {*verbs_with_a_key(), *named_in_a_config} == CASES.keys()


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
    # A moment of rest would only take time: after a refusal the next try follows at once.
    monkeypatch.setattr(Retrying, "_wait_after", lambda *_: 0.01)
    monkeypatch.chdir(tmp_path)
    says, commands = CASES[verb]
    server = Tattling(says)
    shutil.copytree(place, tmp_path / "place")
    (tmp_path / "place" / ADDRESS).write_text(server.url, encoding="utf-8")
    for package in NEEDS.get(verb, ()):
        pytest.importorskip(package)
    try:
        for command in commands(tmp_path / "place", tmp_path / "out"):
            if "inspect" in command and not importlib.util.find_spec("inspect_ai"):
                continue
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
        assert CANARY not in path.name
        assert CANARY.encode() not in path.read_bytes(), path.relative_to(tmp_path)
    for path in held:
        for name, content in inside(path):
            assert CANARY.encode() not in content, (path.relative_to(tmp_path), name)


def inside(path: Path) -> Iterator[tuple[str, bytes]]:
    """What is packed in a file, or parted over the pages of a database, with a name."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield from ((name, packed.read(name)) for name in packed.namelist())
    elif path.suffix == ".gz":
        yield "unpacked", gzip.decompress(path.read_bytes())
    elif path.suffix == ".parquet":
        from pyarrow import parquet

        yield "rows", repr(parquet.read_table(path).to_pylist()).encode()
    elif path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as base:
            yield "rows", "\n".join(base.iterdump()).encode(errors="backslashreplace")


def test_a_key_that_is_packed_or_in_a_database_would_be_found(tmp_path: Path) -> None:
    secret = (CANARY * 9999).encode()
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("samples/1.json", secret)
    (tmp_path / "b.gz").write_bytes(gzip.compress(secret))
    with closing(sqlite3.connect(tmp_path / "c.sqlite")) as base, base:
        base.execute("CREATE TABLE t (x TEXT)")
        base.execute("INSERT INTO t VALUES (?)", (secret.decode(),))
    for path in tmp_path.iterdir():
        assert any(secret in content for _, content in inside(path)), path
