"""``globesumm events``: the config it takes, what it would do, and where it stops."""

import json
import re
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from globesumm.cli.main import run
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import GLOBESUMM
from globesumm.records import read_own_records, to_json, write_records
from globesumm.values import Document, Event
from retrieval.events.candidates import Candidate
from retrieval.events.seeds import choose
from retrieval.events.settings import EventsConfig, PortalTable, load, shipped
from retrieval.portal.values import PortalEvent

OWN = 'documents = ["sample:marrakesh-earthquake"]\n[portal]\nevents = "p.jsonl"\n'


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_config_of_events_that_is_shipped_loads(name: str) -> None:
    assert load(name).languages


def test_paths_start_from_the_files_folder_and_languages_are_the_26_unless_said(
    tmp_path: Path,
) -> None:
    config = load(written(tmp_path, OWN))
    assert config.portal.events == str(tmp_path / "p.jsonl")
    assert config.documents == ("sample:marrakesh-earthquake",)
    assert config.languages == GLOBESUMM


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", DataError, "no days"),
        ("first = 2023-09-09\n", DataError, "first and last go together"),
        ("first = 2023-09-09\nlast = 2023-09-08\n", DataError, "ends"),
        ("[portal]\nevents = 'p.jsonl'\n", DataError, "GDELT needs first and last"),
        (OWN + "saved = 'x'\n", DataError, "name one of them"),
        (OWN + "[keep]\ndocuments = 3\nlanguages = 4\n", DataError, "no event could have that"),
        (OWN + "[keep]\nlanguage = 4\n", UnknownName, "did you mean 'languages'"),
        (OWN + "[candidates]\nk = 0\n", DataError, "k is 0"),
        (OWN + "[candidates]\nk = 1000000\n", DataError, "k is 1000000"),
        (OWN + "[candidates]\nk1 = nan\n", DataError, "k1 is nan"),
        (OWN + "[candidates]\nb = 2.0\n", DataError, "b is 2"),
        (OWN + "[candidates]\ndays_after = 99999999999\n", DataError, "at most 3660"),
        (OWN + "[verify]\nunjudged = 'drop'\n", DataError, "unjudged"),
        ("languages = ['xx']\n" + OWN, UnknownName, "unknown language 'xx'"),
        ("languages = []\n" + OWN, DataError, "languages is empty"),
        ("languages = ['und']\n" + OWN, DataError, "no language to search in"),
        ("first = ", DataError, "not TOML"),
    ],
)
def test_what_cannot_be_meant_is_told(
    tmp_path: Path, text: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        load(written(tmp_path, text))


DAYS = "first = 2023-09-09\nlast = 2023-09-09\n"


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("documents = ['none.jsonl']\n" + DAYS, "documents names"),
        ("documents = ['sample:none']\n" + DAYS, "none"),
        ("prompts = 'none'\n" + DAYS, "prompts names"),
        (DAYS + "[portal]\nsaved = 'none'\n", "portal.saved names"),
        (DAYS + "[portal]\nevents = 'none'\n", "portal.events names"),
        (DAYS + "[verify]\njudgements = ['none']\n", "verify.judgements names"),
        (DAYS + "[verify]\njudgements = ['a\\u0000b']\n", "cannot|not TOML|names"),
        (DAYS + "[fetch]\nconnect_to = { '*' = 'nowhere' }\n", "not an address:port"),
    ],
)
def test_what_a_config_names_is_looked_for_before_anything_is_fetched(
    tmp_path: Path, text: str, says: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    config = written(tmp_path, text)
    assert run(["events", str(config), "--out", str(tmp_path / "out"), *more]) == 2
    assert re.search(says, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_a_config_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(tmp_path / "none.toml"))
    with pytest.raises(UnknownName, match="did you mean 'sample'"):
        load("smaple")


def portal_event(name: str, category: str | None = "Sports", text: str = "A text.") -> PortalEvent:
    return PortalEvent(id=name, date=_QUAKE, description=text, category=category)


_QUAKE = date(2023, 9, 9)


def test_events_are_chosen_by_category_and_id_and_the_others_are_counted() -> None:
    events = [portal_event("a"), portal_event("b", None), portal_event("c"), portal_event("a")]
    seeds = choose(events, PortalTable(categories=("Sports",), most=1))
    assert [event.id for event in seeds.chosen] == ["a"]
    assert (seeds.found, dict(seeds.aside)) == (
        3, {"other categories": 1, "after the first 1": 1},
    )  # fmt: skip
    assert [one.reason for one in seeds.rejected] == ["two events have this id"]
    assert [event.id for event in choose(events, PortalTable(ids=("c",))).chosen] == ["c"]


def test_a_category_or_an_id_that_nobody_knows_is_told() -> None:
    with pytest.raises(UnknownName, match="did you mean 'Sports'"):
        choose([], PortalTable(categories=("Sport",)))
    with pytest.raises(UnknownName, match="unknown event 'z'"):
        choose([portal_event("a")], PortalTable(ids=("z",)))


def test_a_dry_run_tells_every_stage_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["events", "sample", "--out", str(out), "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "3 events x 16 languages = 48: 48 to make, 0 model calls" in told
    assert not out.exists()


def test_a_dry_run_counts_a_models_calls_without_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "p.jsonl", [portal_event("a")])
    text = 'languages = ["en", "fr", "de"]\n' + OWN + '[model]\nname = "gpt-4o"\n'
    assert run(["events", written(tmp_path, text), "--out", str(tmp_path / "o"), "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "3 to make, 2 model calls" in told
    assert "gpt-4o is asked about the others" in told


def test_a_stage_that_nobody_knows_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["events", "sample", "--out", str(tmp_path), "--until", "querys"]) == 2
    assert "did you mean 'queries'" in capsys.readouterr().err


def test_a_chain_stops_where_it_is_told_to(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["events", "sample", "--out", str(out), "--until", "queries"]) == 0
    assert {path.name for path in out.iterdir()} >= {"queries.jsonl", "run.json"}
    assert not (out / "pages").exists()


def test_a_folder_of_other_sources_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["events", "sample", "--out", str(out), "--until", "queries"]) == 0
    write_records(tmp_path / "p.jsonl", [portal_event("a")])
    assert run(["events", written(tmp_path, OWN), "--out", str(out)]) == 2
    assert "other settings" in capsys.readouterr().err


@pytest.mark.slow
def test_the_sample_runs_offline_and_an_edited_query_finds_what_its_link_did_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
    out = tmp_path / "out"
    assert run(["events", "sample", "--out", str(out)]) == 0

    def documents() -> dict[str, int]:
        events = read_own_records(out / "events.jsonl", Event)
        return {event.id: len(event.documents) for event in events}

    assert documents() == {"marrakesh-earthquake": 14, "titan-submersible": 7}
    path = out / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        if (row["event"], row["language"]) == ("marrakesh-earthquake", "he"):
            row["text"] = "ברעידת האדמה במרוקו"
    write_records(path, rows)
    capsys.readouterr()
    assert run(["events", "sample", "--out", str(out)]) == 0
    assert documents() == {"marrakesh-earthquake": 15, "titan-submersible": 7}
    assert "1 by people" in capsys.readouterr().out


def test_the_documented_config_states_every_default(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "events.md").read_text("utf-8")
    block = text.partition("```toml\n")[2].partition("```")[0]
    config = load(written(tmp_path, block))
    plain = EventsConfig(first=config.first, last=config.last, languages=GLOBESUMM)
    assert config == plain
    commented = re.sub(r"^# (?=[a-z_]+ = |\[model\])", "", block, flags=re.MULTILINE)
    only_one = commented.replace('saved = "pages"', "")
    assert load(written(tmp_path, only_one)).fetch.by_title == 20
    for table in (plain, plain.portal, plain.gdelt, plain.fetch, plain.candidates, plain.verify,
                  plain.keep):  # fmt: skip
        for field in fields(table):
            assert re.search(rf"\b{field.name}\b", block), field.name


def test_rows_that_are_no_events_are_named_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = to_json(portal_event("a"))
    (tmp_path / "p.jsonl").write_text(
        f'{good}\n{{"id": "b"}}\nnot json\n{good}\n\x00\n', encoding="utf-8"
    )
    out = tmp_path / "out"
    assert run(["events", written(tmp_path, OWN), "--out", str(out), "--until", "queries"]) == 1
    told = capsys.readouterr()
    assert told.err.count("refused: ") == 4
    assert "for 1 of 1 events" in told.out


@pytest.mark.slow
def test_hostile_descriptions_and_edits_are_searched_like_any_other(tmp_path: Path) -> None:
    pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
    texts = {
        "long": "earthquake " + " ".join(f"word{number}" for number in range(20_000)),
        "markup": "<b>earthquake</b> AND (OR) \"NOT field:* ~ ^2 [a TO b] \\ / ' \x00 \x1b",
        "surrogate": "earthquake \ud800 in Morocco",
        "blank": "earthquake",
    }
    events = [portal_event(name, text=text) for name, text in texts.items()]
    write_records(tmp_path / "p.jsonl", events)
    config = written(tmp_path, 'languages = ["en"]\n' + OWN)
    out = tmp_path / "out"
    assert run(["events", config, "--out", str(out)]) == 0
    found = read_own_records(out / "candidates.jsonl", Candidate)
    assert {one.event for one in found} == set(texts)


def event(name: str, *texts: str) -> Event:
    documents = [
        Document(id=f"{name}-{number}", text=text, language="en")
        for number, text in enumerate(texts)
    ]
    return Event(id=name, description="Something.", documents=tuple(documents))


def test_summarize_takes_a_file_of_events_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.jsonl"
    write_records(path, [event("a", "One text.", "Another text."), event("b", "A third text.")])
    command = ["summarize", str(path), "--out", str(tmp_path / "run")]
    assert run([*command, "--dry-run"]) == 0
    assert "2 events with 3 documents" in capsys.readouterr().out
    reference = tmp_path / "reference.txt"
    reference.write_text("A summary by hand.")
    assert run([*command, "--reference", str(reference)]) == 2
    assert "--reference goes with one event" in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_writes_queries_and_judges_once_and_people_overrule_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyserini", reason="needs the extra 'retrieval'")
    lines = [
        {"pattern": r"Write the description in French", "answer": _FRENCH},
        {"pattern": r"Each is (?P<mark>verdict-[0-9a-f]{6}),", "answer": _YES},
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    sample = next(read_own_records(Path(load("sample").portal.events or ""), PortalEvent))
    write_records(tmp_path / "p.jsonl", [sample])
    config = written(
        tmp_path,
        'languages = ["en", "fr"]\ndocuments = ["sample:titan-submersible"]\n'
        '[portal]\nevents = "p.jsonl"\n[keep]\ndocuments = 2\nlanguages = 2\n'
        '[model]\nname = "script"\nmodel = "scripted:script.jsonl"\n',
    )
    out = tmp_path / "out"
    assert run(["events", config, "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "3 calls, 0 from the store" in told.err
    (made,) = read_own_records(out / "events.jsonl", Event)
    assert made.notes[-1] == "2 of 2 documents verified by scripted:script.jsonl"
    queries = (out / "queries.jsonl").read_text("utf-8")
    assert "Le submersible Titan implose" in queries
    assert "names added: Sous-marin, Océan Atlantique" in queries
    assert run(["events", config, "--out", str(out)]) == 0
    assert "0 calls, 2 from the store" in capsys.readouterr().err
    path = out / "judgements.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[0] |= {"relevant": False, "judge": "Ana"}
    write_records(path, rows)
    assert run(["events", config, "--out", str(out)]) == 0
    assert not (out / "events.jsonl").read_text("utf-8")
    assert "none of the criteria, says Ana" in (out / "decisions.jsonl").read_text("utf-8")


_FRENCH = json.dumps(
    {"description": "Le submersible Titan implose lors d'une plongée vers l'épave du Titanic."}
)
_YES = "$mark 1: yes\n$mark 2: no\n$mark 3: no"
