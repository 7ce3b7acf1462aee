"""The folder: what it holds, how it grows, what is taken out, and what it never mixes."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("rensa", reason="needs the extra 'retrieval'")
pytest.importorskip("pyarrow", reason="needs the extra 'retrieval'")

from globesumm import records
from globesumm.cli.main import run
from globesumm.errors import RunMismatch, UsageError
from globesumm.records import read_own_records, write_records
from globesumm.values import Event, Issue, IssueKind, Outlet, Statement
from retrieval.dataset.addresses import Address
from retrieval.dataset.build import Settings, build
from retrieval.dataset.folder import Folder
from retrieval.dataset.schema import described, read_parquet, write_parquet
from retrieval.dataset.splits import SPLITS
from retrieval.dataset.takedown import Takedown, takedown_of
from retrieval.portal.values import PortalEvent, Topic
from tests.dataset.conftest import event, text_of


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def ids(out: Path) -> set[tuple[str, str]]:
    return {(one.id, doc.id) for one in Folder(out).events() for doc in one.documents}


def full(number: int) -> Event:
    """An event with something in every field."""
    made = event(number)
    first = replace(
        made.documents[0],
        notes=("a", "b"),
        authors=("A. B.",),
        modified=made.date,
        language_detected="en",
        outlet=Outlet(domain="x.example", country="BG", facts={"owner": "state", "a": ""}),
    )
    said = Statement(document=first.id, index=1, language="en", text="Five.")
    issue = Issue(kind=IssueKind.CONFLICT, statements=(said, said), differs="number: 5 / 6")
    return replace(
        made,
        documents=(first, *made.documents[1:]),
        references=("One.", "Two."),
        conflicts=(issue,),
        notes=("note",),
    )


def test_parquet_gives_back_every_field_of_every_event(tmp_path: Path) -> None:
    made = [full(1), event(2, date=None, category=None), replace(event(3), reference_language="fr")]
    write_parquet(tmp_path / "a.parquet", made)
    assert list(read_parquet(tmp_path / "a.parquet")) == made


def test_every_column_is_described() -> None:
    names = [name for name, _ in described()]
    assert {"id", "documents[].text", "documents[].outlet.facts", "conflicts[].cause"} <= set(names)
    assert len(names) == len(set(names))


def test_the_verb_makes_splits_card_statistics_and_accounts(
    events_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "set"
    assert run(["dataset", str(events_file), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "10 events (train 6, valid 2, test 2), 30 documents in 3 languages" in told
    for split in SPLITS:
        path = Folder(out).data(split, ".jsonl")
        assert list(read_own_records(path, Event)) == list(
            read_parquet(Folder(out).data(split, ".parquet"))
        )
    sizes = (out / "statistics" / "sizes.tsv").read_text().splitlines()
    assert sizes[1] == "Num\t10\t30\t0"
    assert sizes[3:] == [
        "Train Set Size\t6\t18\t0",
        "Valid Set Size\t2\t6\t0",
        "Test Set Size\t2\t6\t0",
    ]
    languages = (out / "statistics" / "languages.tsv").read_text().splitlines()
    assert [row.split("\t")[:3] for row in languages[1:4]] == [
        ["German", "de", "10"],
        ["English", "en", "10"],
        ["French", "fr", "10"],
    ]
    assert languages[-1].split("\t")[2] == "30"


def test_the_same_command_twice_changes_no_byte(events_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    run(["dataset", str(events_file), "--out", str(out)])
    before = contents(out)
    assert run(["dataset", str(events_file), "--out", str(out)]) == 0
    assert contents(out) == before


def test_more_events_are_added_and_old_ones_keep_split_and_text(
    events: list[Event], tmp_path: Path
) -> None:
    out = tmp_path / "set"
    build(events, out, Settings())
    before = Folder(out).known()
    changed = replace(events[0].documents[0], text=text_of("another"))
    added = replace(events[0].documents[0], id="added", text=text_of("added"), url=None)
    grown = replace(events[0], documents=(changed, *events[0].documents[1:], added))
    built = build([grown, *(event(number) for number in range(10, 20))], out, Settings())
    after = Folder(out).known()
    assert {name: after[name] for name in before} == before
    assert Counter(after.values()) == {"train": 12, "valid": 4, "test": 4}
    assert (built.added_events, built.added_documents, built.kept) == (10, 31, 1)
    first = next(one for one in Folder(out).events() if one.id == events[0].id)
    assert events[0].documents[0].text in {one.text for one in first.documents}
    assert "added" in {one.id for one in first.documents}


def test_a_new_document_that_would_tie_two_splits_is_left_out(
    events: list[Event], tmp_path: Path
) -> None:
    out = tmp_path / "set"
    build(events, out, Settings())
    known = Folder(out).known()
    one = next(item for item in events if known[item.id] == "train")
    other = next(item for item in events if known[item.id] == "test")
    copy = replace(other.documents[0], id="copy", url=None)
    built = build([replace(one, documents=(*one.documents, copy))], out, Settings())
    assert [(found.event, found.document) for found in built.left_out] == [(one.id, "copy")]
    assert built.leaks == 0
    assert (one.id, "copy") not in ids(out)


def test_related_events_share_a_split_in_the_folder(tmp_path: Path) -> None:
    made = [event(number) for number in range(12)]
    for place in range(1, 5):
        copy = replace(made[0].documents[0], id=f"copy{place}", url=None)
        made[place] = replace(made[place], documents=(*made[place].documents, copy))
    built = build(made, tmp_path / "set", Settings())
    known = Folder(tmp_path / "set").known()
    assert len({known[made[place].id] for place in range(5)}) == 1
    assert built.leaks == 0


def test_another_seed_is_refused_and_named(events: list[Event], tmp_path: Path) -> None:
    build(events, tmp_path / "set", Settings())
    with pytest.raises(RunMismatch, match="seed"):
        build(events, tmp_path / "set", Settings(seed=1))
    with pytest.raises(RunMismatch, match="texts"):
        build(events, tmp_path / "set", Settings(texts=False))


def test_a_folder_with_other_files_is_not_written_to(events: list[Event], tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        build(events, tmp_path, Settings())
    assert (tmp_path / "README.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("entry", "gone"),
    [
        ("https://www.paper1.example/e003/1/?utm_source=x", {"e003-1"}),
        ("https://paper1.example/e003/*", {"e003-1"}),
        ("paper2.example", {f"e{number:03d}-2" for number in range(10)}),
        ("PAPER2.example.", {f"e{number:03d}-2" for number in range(10)}),
        ("e004-0", {"e004-0"}),
        ("e005", {"e005-0", "e005-1", "e005-2"}),
    ],
)
def test_every_kind_of_takedown_entry_is_honoured(
    events: list[Event], tmp_path: Path, entry: str, gone: set[str]
) -> None:
    out = tmp_path / "set"
    built = build(events, out, Settings(), takedown_of(["# asked for", entry]))
    there = {document for _, document in ids(out)}
    assert {one.id for item in events for one in item.documents} - there == gone
    assert sum(built.taken.values()) == len(gone)
    told = b"".join(contents(out).values())
    assert not any(f'"{name}"'.encode() in told for name in gone)


def test_what_was_taken_out_stays_out_without_the_list(events: list[Event], tmp_path: Path) -> None:
    out = tmp_path / "set"
    build(events, out, Settings())
    build(events, out, Settings(), takedown_of(["paper1.example"]))
    moved = replace(events[0].documents[1], id="again", url="https://copy.example/1")
    again = replace(events[0], documents=(*events[0].documents, moved))
    built = build([again, *events[1:]], out, Settings())
    assert built.taken == {"taken out earlier": 11}
    assert all("paper1" not in (one.url or "") for e in Folder(out).events() for one in e.documents)
    assert "again" not in {document for _, document in ids(out)}
    assert "paper1.example" not in (out / "removed.jsonl").read_text()


def test_a_takedown_also_takes_quotations_and_titles(tmp_path: Path) -> None:
    made = full(1)
    titled = replace(made, description=str(made.documents[0].title))
    build([titled, event(2)], tmp_path / "set", Settings(), takedown_of([made.documents[0].id]))
    left = next(one for one in Folder(tmp_path / "set").events() if one.id == made.id)
    assert left.conflicts == ()
    assert left.description == made.documents[1].title


def test_an_entry_that_meets_nothing_is_named(
    events_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "takedown.txt"
    listed.write_text("nobody.example\npaper0.example # by mail\n")
    run(["dataset", str(events_file), "--out", str(tmp_path / "s"), "--takedown", str(listed)])
    told = capsys.readouterr().err
    assert "taken out: 10 documents by paper0.example" in told
    assert "nobody.example met no document" in told


@pytest.mark.parametrize("line", ["two words", "http://", "https://[::1"])
def test_a_takedown_line_that_is_nothing_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(Exception, match="list:2"):
        takedown_of(["paper.example", line], "list")


def test_bad_events_and_documents_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    first = event(1)
    documents = (
        first.documents[0],
        replace(first.documents[1], text=" \n"),
        replace(first.documents[2], id=first.documents[0].id),
        replace(first.documents[2], text="A \ud800 b\x00c " + text_of("x"), title="\udfff"),
    )
    made = [replace(first, documents=documents), event(2, documents=0), event(3), event(3)]
    built = build(made, tmp_path / "set", Settings())
    assert Counter(one.kind for one in built.left_out) == {
        "no text": 1, "document id twice": 1, "no documents": 1, "event id twice": 1
    }  # fmt: skip
    kept = Folder(tmp_path / "set").events()
    assert [one.id for one in kept] == ["e001", "e003"]
    assert "\ufffd b\ufffdc" in kept[0].documents[1].text
    assert built.findings["unstorable characters"] == 1


def test_nothing_to_keep_is_an_error_and_no_empty_data_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no event is left"):
        build([event(1, documents=0)], tmp_path / "set", Settings())


def test_the_addresses_alone_hold_no_word_of_any_text(
    events: list[Event], events_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "set"
    assert run(["dataset", str(events_file), "--out", str(out), "--urls-only"]) == 0
    told = b"".join(contents(out).values()).decode("utf-8", "replace")
    for item in events:
        for document in item.documents:
            assert document.text.split()[3] not in told
            assert document.text[:20] not in told
            assert str(document.title) not in told
            assert f'"{document.url}"' in told
        assert item.description not in told


def test_addresses_grow_like_texts_do(events: list[Event], tmp_path: Path) -> None:
    out = tmp_path / "set"
    settings = Settings(texts=False)
    build(events, out, settings)
    before, rows = Folder(out).known(), set(Folder(out).rows())
    build([event(number) for number in range(8, 20)], out, settings)
    assert {name: Folder(out).known()[name] for name in before} == before
    assert rows <= set(Folder(out).rows())
    assert len(Folder(out).rows()) == 60
    again = contents(out)
    build(events, out, settings)
    assert contents(out) == again
    assert all(isinstance(row, Address) and row.text_sha256 for row in Folder(out).rows())


def test_a_data_set_of_addresses_keeps_the_splits_of_the_one_with_texts(
    events_file: Path, tmp_path: Path
) -> None:
    whole, bare = tmp_path / "whole", tmp_path / "bare"
    run(["dataset", str(events_file), "--out", str(whole), "--seed", "7"])
    run(["dataset", str(whole), "--out", str(bare), "--urls-only"])
    assert Folder(bare).known() == Folder(whole).known()


def test_the_published_layout_round_trips(events_file: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    run(["dataset", str(events_file), "--out", str(first), "--layout", "globesumm"])
    written = sorted(
        line
        for path in (first / "layout").glob("*.jsonl")
        for line in path.read_text().splitlines()
    )
    assert {len(json.loads(line)["news"]) for line in written} == {3}
    joined = tmp_path / "published.jsonl"
    joined.write_text("\n".join(written) + "\n")
    assert run(["dataset", str(joined), "--out", str(second), "--layout", "globesumm"]) == 0
    again = sorted(
        line
        for path in (second / "layout").glob("*.jsonl")
        for line in path.read_text().splitlines()
    )
    assert again == written


def test_a_dry_run_writes_nothing(
    events_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", str(events_file), "--out", str(tmp_path / "s"), "--dry-run"]) == 0
    assert "nothing written" in capsys.readouterr().out
    assert not (tmp_path / "s").exists()


def test_an_idle_takedown_changes_no_byte(events: list[Event], tmp_path: Path) -> None:
    build(events, tmp_path / "set", Settings())
    before = contents(tmp_path / "set")
    build([], tmp_path / "set", Settings(), Takedown())
    assert contents(tmp_path / "set") == before


def test_events_of_a_data_set_feed_the_other_verbs(events_file: Path, tmp_path: Path) -> None:
    run(["dataset", str(events_file), "--out", str(tmp_path / "set")])
    again = tmp_path / "again.jsonl"
    write_records(again, read_own_records(tmp_path / "set" / "data" / "train.jsonl", Event))
    assert again.read_bytes() == (tmp_path / "set" / "data" / "train.jsonl").read_bytes()


def test_a_build_that_was_stopped_anywhere_goes_on_to_the_same_files(
    events: list[Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = records._write_chunks
    written: list[Path] = []
    allowed = [1000]

    def counted(path: Path, chunks: Iterable[bytes]) -> None:
        written.append(path)
        if len(written) > allowed[0]:
            raise OSError(28, "no space left", str(path))
        original(path, chunks)

    monkeypatch.setattr(records, "_write_chunks", counted)
    build(events, tmp_path / "whole", Settings())
    for last in range(1, len(written), 6):
        out = tmp_path / f"stopped{last}"
        written.clear()
        allowed[0] = last
        with pytest.raises(OSError, match="no space"):
            build(events, out, Settings())
        allowed[0] = 1000
        build(events, out, Settings())
        assert contents(out) == contents(tmp_path / "whole")


def test_passwords_in_addresses_are_not_published(tmp_path: Path) -> None:
    made = event(1)
    secret = replace(made.documents[0], url="https://me:secret@paper.example/a")
    build([replace(made, documents=(secret,))], tmp_path / "set", Settings())
    told = b"".join(contents(tmp_path / "set").values())
    assert b"secret" not in told
    assert b"https://paper.example/a" in told


def test_events_of_one_story_of_the_portal_share_a_split(
    events: list[Event], events_file: Path, tmp_path: Path
) -> None:
    day = date(2023, 5, 1)
    topic = Topic(text="A long war", level=1, pages=("War",))
    listed = [
        PortalEvent(id="e000", date=day, description="First.", topics=(topic,)),
        PortalEvent(id="absent", date=day, description="Between.", topics=(topic,)),
        PortalEvent(id="e004", date=day, description="Below.", parent="absent"),
        *(
            PortalEvent(id=f"e00{n}", date=day, description="On.", topics=(topic,))
            for n in (6, 7, 9)
        ),
        PortalEvent(id="e001", date=day, description="Another thing."),
    ]
    write_records(tmp_path / "portal.jsonl", listed)
    out = tmp_path / "set"
    command = ["dataset", str(events_file), "--out", str(out), "--portal"]
    assert run([*command, str(tmp_path / "portal.jsonl")]) == 0
    known = Folder(out).known()
    assert len({known[name] for name in ("e000", "e004", "e006", "e007", "e009")}) == 1
    assert Counter(known.values()) == {"train": 6, "valid": 2, "test": 2}
    assert run([*command, str(tmp_path / "nothing")]) == 2
