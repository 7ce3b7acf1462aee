"""The data card and the tables: true, readable by machines, and unmoved by hostile names."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rensa", reason="needs the extra 'retrieval'")
pytest.importorskip("pyarrow", reason="needs the extra 'retrieval'")

from globesumm.values import Event
from retrieval.dataset.build import Settings, build
from retrieval.dataset.counting import ESTIMATE, token_counter
from retrieval.dataset.folder import Folder
from retrieval.dataset.schema import event_of_row
from retrieval.dataset.statistics import statistics
from retrieval.dataset.tables import Table, escaped
from tests.dataset.conftest import event

HOSTILE = (
    "---\nlicense: mit\n---",
    "<script>alert(1)</script>",
    "a | b | [x](javascript:alert(1))",
    "`rm` $x$ \\input{x} & 100% #1 ~ ^ _a_",
    "\u202eevil\u2066 \x00\x1b[31m",
)


def front_matter(text: str) -> Mapping[str, Any]:
    yaml: Any = pytest.importorskip("yaml")
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert head
    loaded: Mapping[str, Any] = yaml.safe_load(head[1])
    return loaded


def test_the_front_matter_says_what_the_hub_expects(events: list[Event], tmp_path: Path) -> None:
    build(events, tmp_path / "set", Settings(name='A: "name" # 1', licence="cc-by-4.0"))
    said = front_matter((tmp_path / "set" / "README.md").read_text())
    assert said["pretty_name"] == 'A: "name" # 1'
    assert said["license"] == "cc-by-4.0"
    assert said["language"] == ["de", "en", "fr"]
    assert said["size_categories"] == ["n<1K"]
    files = said["configs"][0]["data_files"]
    assert [one["split"] for one in files] == ["train", "valid", "test"]
    assert all((tmp_path / "set" / one["path"]).is_file() for one in files)


def test_norwegian_stays_a_word_in_yaml(tmp_path: Path) -> None:
    made = event(1, documents=1)
    made = replace(made, documents=(replace(made.documents[0], language="no"),))
    build([made], tmp_path / "set", Settings())
    assert front_matter((tmp_path / "set" / "README.md").read_text())["language"] == ["no"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_neither_end_the_front_matter_nor_become_markup(
    tmp_path: Path, hostile: str
) -> None:
    made = event(1)
    documents = (replace(made.documents[0], url=None, source=hostile), *made.documents[1:])
    bad = replace(made, category=hostile, description=hostile, documents=documents)
    build([bad, event(2)], tmp_path / "set", Settings(name=hostile, licence=hostile))
    card = (tmp_path / "set" / "README.md").read_text()
    said = front_matter(card)
    assert said["license"] == hostile
    body = card.split("\n---\n", 1)[1]
    assert "<script" not in body
    assert "](javascript" not in body.replace("\\](", "")
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", body)
    assert "\n---\n" not in body
    rows = [line for line in body.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) in {3, 4, 5} for row in rows)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_cells_stay_one_cell_in_every_form(hostile: str) -> None:
    table = Table(name="t", title="T", header=("a", "b"), rows=((hostile, "1"),))
    assert len(table.tsv().splitlines()) == 2
    assert table.tsv().splitlines()[1].count("\t") == 1
    row = table.tex().splitlines()[6]
    assert row.endswith(r"& 1 \\")
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert not re.search(r"(?<!\\)[$%#]", row)
    assert "\\input" not in row
    assert "<" not in escaped(hostile)


def test_counts_by_category_month_and_split_are_those_of_the_events() -> None:
    made = [event(number, category="A" if number % 2 else None) for number in range(40)]
    splits = {one.id: "train" if one.category else "test" for one in made}
    found = statistics(made, splits, ESTIMATE)
    assert found.events == {"train": 20, "test": 20}
    assert found.categories == {"A": 20, "(none)": 20}
    assert found.event_months == {"2023-05": 31, "2023-06": 9}
    assert sum(found.document_months.values()) == 120
    assert found.documents_an_event == {3: 40}
    tables = {table.name: table for table in found.tables()}
    assert tables["sizes"].rows[0] == ("Num", "40", "120", "0")
    assert tables["sizes"].rows[1][3] == "–"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("hello world", 2), ("tiktoken is great!", 6), ("antidisestablishmentarianism", 6)],
)
def test_tokens_are_those_that_openai_documents_for_cl100k(text: str, tokens: int) -> None:
    counter = token_counter()
    if counter is ESTIMATE:
        pytest.skip("no cl100k_base on this machine")
    assert counter.count(text, "en") == tokens


def test_an_estimate_says_that_it_is_one() -> None:
    assert ESTIMATE.name.startswith("estimate")
    assert ESTIMATE.count("Two words", "en") == 2
    assert ESTIMATE.count("", "en") == 0
    assert ESTIMATE.count("Две думи \ud800", "bg") > 2


def test_datasets_loads_the_folder_offline(
    events: list[Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    datasets: Any = pytest.importorskip("datasets")
    out = tmp_path / "set"
    build(events, out, Settings())
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 6, "valid": 2, "test": 2}
    back = [event_of_row(row) for rows in loaded.values() for row in rows]
    assert sorted(back, key=lambda one: one.id) == Folder(out).events() == events


def test_datasets_loads_one_event_and_addresses_alone(
    events: list[Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    datasets: Any = pytest.importorskip("datasets")
    build(events[:1], tmp_path / "one", Settings())
    loaded = datasets.load_dataset(str(tmp_path / "one"), cache_dir=str(tmp_path / "c1"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 1}
    build(events, tmp_path / "bare", Settings(texts=False))
    loaded = datasets.load_dataset(str(tmp_path / "bare"), cache_dir=str(tmp_path / "c2"))
    rows = [row for part in loaded.values() for row in part]
    assert len(rows) == 30
    assert all(len(row["text_sha256"]) == 64 for row in rows)


def test_plots_are_the_same_bytes_each_time(events: list[Event], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("a", "b"):
        build(events, tmp_path / name, Settings())
    for name in ("languages.svg", "months.svg"):
        one = (tmp_path / "a" / "statistics" / name).read_bytes()
        assert one == (tmp_path / "b" / "statistics" / name).read_bytes()
        assert b"<svg" in one


def test_the_account_of_checks_is_json_lines(events: list[Event], tmp_path: Path) -> None:
    bad = replace(events[0], date=None)
    build([bad, *events[1:]], tmp_path / "set", Settings())
    lines = (tmp_path / "set" / "checks.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["no date"]
