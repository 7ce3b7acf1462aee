"""Texts put back from addresses, over HTTP: the same, changed, gone, and never asked twice."""

import json
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")
pytest.importorskip("pyarrow", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.records import read_own_records, write_records
from globesumm.values import Document
from retrieval.dataset.addresses import addresses, rehydrate
from retrieval.dataset.folder import Folder
from retrieval.event import event_of
from tests.dataset.conftest import event
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.web_server import Mirror

PATH = "/news/2023/05/01/a-story-in-{}.html"
NUMBERS = {"en": 1, "de": 2, "es": 3, "fr": 4}


def test_same_changed_and_missing_texts_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urls = {code: f"http://{code}.example{PATH.format(code)}" for code in NUMBERS}
    with Mirror() as mirror:
        place = mirror.address.removeprefix("http://")
        options = [f"--connect-to=*.example={place}", "--delay=0", "--timeout=2", "--workers=1"]
        for language, number in NUMBERS.items():
            mirror.put(PATH.format(language), article(language, number))
        listed = tmp_path / "list.txt"
        listed.write_text("\n".join(urls.values()) + "\n")
        run(["fetch", str(listed), "--out", str(tmp_path / "fetched"), *options])
        documents = list(read_own_records(tmp_path / "fetched" / "documents.jsonl", Document))
        assert {one.language for one in documents} == set(NUMBERS)
        write_records(tmp_path / "events.jsonl", [event_of(documents, id="e")])
        run(["dataset", str(tmp_path / "events.jsonl"), "--out", str(tmp_path / "whole")])
        run(["dataset", str(tmp_path / "whole"), "--out", str(tmp_path / "bare"), "--urls-only"])

        mirror.put(PATH.format("fr"), article("fr", 40))
        del mirror._default.contents[PATH.format("es")]
        capsys.readouterr()
        command = ["dataset", str(tmp_path / "bare"), "--rehydrate"]
        command += ["--out", str(tmp_path / "again")]
        command += [f"--fetch-option={one}" for one in options]
        assert run(command) == 1
        assert "2 of 4 texts the same to the letter" in capsys.readouterr().err
        lines = (tmp_path / "again-pages" / "differences.jsonl").read_text().splitlines()
        told = {row["url"]: row for row in map(json.loads, lines)}
        assert told[urls["fr"]]["kind"] == "changed"
        assert told[urls["fr"]]["expected"] != told[urls["fr"]]["found"]
        assert told[urls["es"]]["kind"] == "missing"
        assert "404" in told[urls["es"]]["reason"]
        assert len(told) == 2

        mirror.forget()
        assert run(command) == 1
        assert mirror.asked("/") == []
    (back,) = Folder(tmp_path / "again").events()
    before = {one.id: one for one in documents}
    for one in back.documents:
        if one.language in {"en", "de"}:
            assert one.text == before[one.id].text
        else:
            assert any("another digest" in note for note in one.notes)
    assert {one.language for one in back.documents} == {"en", "de", "fr"}
    assert Folder(tmp_path / "again").known() == Folder(tmp_path / "whole").known()


def test_exact_leaves_changed_texts_out() -> None:
    made = event(1)
    rows = list(addresses([made], {made.id: "test"}))
    changed = [made.documents[0], *(event(2).documents[1:])]
    moved = [
        Document(id=one.id, text=two.text, language=one.language, url=one.url)
        for one, two in zip(made.documents, changed, strict=True)
    ]
    found = rehydrate(rows, moved, {}, exact=True)
    assert [len(one.documents) for one in found.events] == [1]
    assert (found.same, found.of) == (1, 3)
    assert [one.reason for one in found.differences] == ["left out", "left out"]
    assert len(rehydrate(rows, moved, {}).events[0].documents) == 3


def test_documents_without_an_address_and_unfetched_ones_are_named() -> None:
    made = event(1)
    rows = list(addresses([made], {made.id: "test"}))
    bare = Document(id="x", text="Text.", language="en")
    rows += list(addresses([event(2, documents=0, id="f")], {"f": "test"}))
    rows += list(addresses([event_of([bare], id="g")], {"g": "train"}))
    found = rehydrate(rows, [], {str(made.documents[0].url): "gone: status 410"})
    assert found.events == ()
    assert [one.kind for one in found.differences] == [
        "missing",
        "missing",
        "missing",
        "no address",
    ]
    assert [one.reason for one in found.differences][:2] == ["gone: status 410", "not fetched"]


def test_a_data_set_with_texts_is_not_rehydrated(
    events_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, bare = tmp_path / "set", tmp_path / "bare"
    assert run(["dataset", str(events_file), "--rehydrate", "--out", str(out)]) == 2
    assert "no data set of addresses" in capsys.readouterr().err
    run(["dataset", str(events_file), "--urls-only", "--out", str(bare)])
    assert run(["dataset", str(bare), "--out", str(out)]) == 2
    assert "--rehydrate fetches them" in capsys.readouterr().err
