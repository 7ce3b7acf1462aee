"""Own documents into events: what ties reports, what keeps them apart, and bad input."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.cli.main import run
from globesumm.errors import DataError
from globesumm.records import read_own_records, write_records
from globesumm.values import Document, Event
from retrieval.clusters.backgrounds import Background
from retrieval.clusters.closeness import Settings, ties
from retrieval.clusters.events import cluster, clusters
from retrieval.clusters.names import names, weighted
from retrieval.clusters.vectors import LEAD, Vectors, lead, vectors

BEGINNING = datetime(2023, 5, 1, tzinfo=UTC)
PLAIN = Settings(names=0, background=Background(same_language=0, across_languages=0))


class Counting:
    """An encoder that turns the first word into a direction, and counts what it encodes."""

    def __init__(self, name: str = "counting-1") -> None:
        self.name, self.encoded = name, 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += len(texts)
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row, sum(map(ord, text.split()[0])) % 64] = 1
        return rows


def report(name: str, story: str, language: str = "en", day: float | None = 0) -> Document:
    return Document(
        id=name,
        text=f"{story} and some more words.",
        language=language,
        published=None if day is None else BEGINNING + timedelta(days=day),
    )


def stories(count: int, each: int, days_apart: float = 0) -> list[Document]:
    return [
        report(f"{story}-{one}", chr(97 + story), ("en", "fr", "bg")[one % 3], one * days_apart)
        for story in range(count)
        for one in range(each)
    ]


def grouped(documents: Sequence[Document], settings: Settings = PLAIN) -> set[frozenset[str]]:
    rows = vectors(documents, Counting())
    found = clusters(documents, rows, settings)
    return {frozenset(documents[place].id for place in members) for members in found}


def test_reports_of_one_story_in_three_languages_are_one_event() -> None:
    documents = stories(4, 6)
    found = cluster(documents, vectors(documents, Counting()), PLAIN)
    assert len(found.events) == 4
    for event in found.events:
        assert len({one.id.split("-")[0] for one in event.documents}) == 1
        assert len(event.documents) == 6
    assert not found.left_out


def test_the_window_keeps_the_same_story_of_another_month_apart() -> None:
    documents = [report("a", "x"), report("b", "x", day=1), report("c", "x", day=60)]
    assert grouped(documents) == {frozenset("ab"), frozenset("c")}
    assert grouped(documents, replace(PLAIN, days=100)) == {frozenset("abc")}


def test_a_story_may_last_longer_than_the_window_by_steps() -> None:
    assert len(grouped([report(str(day), "x", day=day) for day in range(0, 60, 10)])) < 6


def test_an_undated_report_may_belong_to_any_time() -> None:
    documents = [report("a", "x"), report("b", "x", day=None)]
    assert grouped(documents) == {frozenset("ab")}


def test_the_background_of_a_language_pair_counts() -> None:
    documents = [report("a", "x"), report("b", "y"), report("c", "z", "fr")]
    rows = np.array([[1, 0], [0.9, 0.436], [0.9, -0.436]], dtype=np.float32)
    settings = replace(PLAIN, floor=0.3, background=Background(same_language=0.88))
    assert [(one.left, one.right) for one in ties(documents, rows, settings)] == [(0, 2)]


def test_shared_names_and_numbers_bring_reports_nearer() -> None:
    texts = ("in Kaltenbach, where 296 people", "near Kaltenbach, with 296 dead", "it was quiet")
    documents = [replace(report(str(at), "x"), text=text) for at, text in enumerate(texts)]
    documents.append(replace(report("3", "x"), text="another thing entirely"))
    rows = np.eye(4, dtype=np.float32) * 0.8 + 0.2
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    apart = {(one.left, one.right): one.closeness for one in ties(documents, rows, PLAIN)}
    nearer = replace(PLAIN, names=0.2)
    tied = {(one.left, one.right): one.closeness for one in ties(documents, rows, nearer)}
    assert tied[0, 1] == pytest.approx(apart[0, 1] + 0.2, abs=1e-6)
    assert tied[2, 3] == pytest.approx(apart[2, 3], abs=1e-6)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The town of Kaltenbach was hit.", {"kaltenbach"}),
        ("Kaltenbach was hit. The town sleeps.", set()),
        ("killed 1,296 people", {"#1296"}),
        ("1.296 personen, 1 296 personnes", {"#1296"}),
        ("من ٢٩٦ شخصا", {"#296"}),
        ("૨૯૬ लोग २९६", {"#296"}),
        ("5 people", set()),
        ("в град Пловдив вчера", {"пловдив"}),
        ("\ud800 \x00 ²³ ⑤", set()),
    ],
)
def test_names_and_numbers_are_found_in_every_script(text: str, found: set[str]) -> None:
    assert names(Document(id="a", text=text, language="en")) == found


def test_rows_of_names_are_of_length_one_or_nothing() -> None:
    rows = weighted([frozenset({"a", "b"}), frozenset({"a"}), frozenset()])
    assert np.asarray((rows @ rows.T).diagonal()).tolist() == pytest.approx([1, 1, 0])


def test_each_beginning_is_encoded_once_and_kept(tmp_path: Path) -> None:
    documents, kept = stories(3, 3), tmp_path / "v.npz"
    encoder = Counting()
    first = vectors(documents, encoder, kept)
    assert encoder.encoded == 3
    assert np.array_equal(vectors([*documents, report("n", "n")], encoder, kept)[:-1], first)
    assert encoder.encoded == 4
    vectors(documents, Counting("another"), kept)
    assert vectors([], encoder).shape[0] == 0


def test_a_broken_file_of_vectors_is_named(tmp_path: Path) -> None:
    kept = tmp_path / "v.npz"
    kept.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match="delete it"):
        vectors(stories(1, 2), Counting(), kept)


def test_a_lead_is_title_and_text_and_no_longer_than_it_may_be() -> None:
    made = replace(report("a", "x" * 5000), title="Title")
    assert lead(made).startswith("Title\nxxx")
    assert len(lead(made)) == LEAD


@given(st.permutations(range(12)))
def test_the_order_of_documents_changes_no_event(order: list[int]) -> None:
    documents = stories(3, 4, days_apart=1)
    rows = vectors(documents, Counting())
    shuffled = [documents[place] for place in order]
    assert cluster(shuffled, rows[order], PLAIN) == cluster(documents, rows, PLAIN)


@pytest.mark.parametrize("count", [20, 200])
def test_many_events_are_not_joined_because_they_are_many(count: int) -> None:
    draw = np.random.default_rng(0)
    centres = np.repeat(draw.normal(size=(count, 384)), 5, axis=0)
    rows = centres + draw.normal(size=centres.shape)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    documents = [report(f"{at // 5:03d}-{at % 5}", "x") for at in range(len(rows))]
    found = cluster(documents, rows, PLAIN).events
    pure = [one for one in found if len({doc.id[:3] for doc in one.documents}) == 1]
    assert len(pure) >= 0.9 * count


def test_small_clusters_are_counted_by_reason() -> None:
    documents = [*stories(1, 3), report("y1", "y"), report("y2", "y"), report("z", "z")]
    found = cluster(
        documents, vectors(documents, Counting()), PLAIN, least_documents=2, least_languages=2
    )
    assert [len(one.documents) for one in found.events] == [3]
    assert found.left_out == {"fewer languages": 2, "alone": 1}


@pytest.mark.parametrize("count", [0, 1])
def test_none_and_one_document_are_no_event(count: int) -> None:
    documents = stories(1, count)
    assert cluster(documents, vectors(documents, Counting()), PLAIN).events == ()


TEXTS = (
    "A dam burst in the north on Sunday and 340 houses are under water, officials said.",
    "A dam has burst in the north; 340 houses are under water, officials said on Sunday.",
    "The ferry with 210 passengers ran aground near the island of Sandoval on Tuesday night.",
    "A ferry ran aground near the island of Sandoval on Tuesday night with 210 passengers.",
)


def verb(tmp_path: Path, *more: str) -> int:
    documents = [
        Document(id=str(at), text=text, language="en", published=BEGINNING)
        for at, text in enumerate(TEXTS)
    ]
    write_records(tmp_path / "documents.jsonl", documents)
    return run(["cluster", str(tmp_path / "documents.jsonl"), "--encoder", "hashed-ngrams",
                "--out", str(tmp_path / "events.jsonl"), *more])  # fmt: skip


def test_the_verb_writes_events_that_data_sets_are_made_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verb(tmp_path) == 0
    assert "2 events with 4 of 4 documents" in capsys.readouterr().out
    events = list(read_own_records(tmp_path / "events.jsonl", Event))
    assert [{one.id for one in event.documents} for event in events] in (
        [{"0", "1"}, {"2", "3"}],
        [{"2", "3"}, {"0", "1"}],
    )
    before = (tmp_path / "events.jsonl").read_bytes()
    assert verb(tmp_path) == 0
    assert (tmp_path / "events.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--days", "nan"), "--days"),
        (("--days", "-1"), "--days"),
        (("--neighbours", "0"), "--neighbours"),
        (("--encoder", "nano"), "did you mean"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], told: str
) -> None:
    assert verb(tmp_path, *more) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "events.jsonl").exists()


def test_two_documents_with_one_id_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(tmp_path / "d.jsonl", [report("a", "x"), report("a", "y")])
    assert run(["cluster", str(tmp_path / "d.jsonl"), "--out", str(tmp_path / "e.jsonl")]) == 2
    assert "d.jsonl: the id 'a' is there 2 times: rename or drop" in capsys.readouterr().err


def test_a_dry_run_encodes_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verb(tmp_path, "--dry-run") == 0
    assert "nothing written" in capsys.readouterr().out
    assert not (tmp_path / "events.jsonl").exists()
