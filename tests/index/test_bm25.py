"""Documents are found by what they say, in their own language, within their days."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra retrieval")

from globesumm.errors import RunMismatch, UnknownName, UsageError
from globesumm.values import Document
from retrieval.index import Bm25, Index, Window, analyses


def document(name: str, text: str, language: str, day: int | None = 10) -> Document:
    published = datetime(2023, 9, day, 12, tzinfo=UTC) if day else None
    return Document(
        id=name, text=text, language=language, title=f"title {name}", published=published
    )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    made = Index(tmp_path_factory.mktemp("index"))
    made.add(
        [
            document("a", "Земетресението разруши къщите в Мароко", "bg", 9),
            document("b", "Министърът говори в парламента за бюджета", "bg", 11),
            document("c", "Земетресение удари Турция", "bg", None),
            document("d", "The earthquake destroyed houses", "en"),
        ]
    )
    return made


def names(hits: list[object]) -> list[str]:
    return [getattr(hit, "document") for hit in hits]  # noqa: B009


def test_an_inflected_form_finds_its_document(index: Index) -> None:
    hits = index.search("земетресение в Мароко", "bg")
    assert hits[0].document == "a"
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_a_query_may_be_as_long_as_a_report(index: Index) -> None:
    words = " ".join(f"word{number}" for number in range(5000))
    hits = index.search(f"{words} earthquake", "en")
    assert [hit.document for hit in hits] == ["d"]
    window = Window(since=date(2023, 9, 1), until=date(2023, 9, 30))
    assert index.search(f"{words} earthquake", "en", window=window) == hits


def test_a_window_keeps_other_days_and_undated_documents_out(index: Index) -> None:
    window = Window(since=date(2023, 9, 8), until=date(2023, 9, 9))
    assert names(list(index.search("земетресение", "bg", window=window))) == ["a"]
    wider = Window(since=date(2023, 9, 8), until=date(2023, 9, 9), undated=True)
    assert set(names(list(index.search("земетресение", "bg", window=wider)))) == {"a", "c"}


def test_many_queries_give_what_each_gives_alone(index: Index) -> None:
    asked = {"1": "земетресение", "2": "бюджет", "3": "нищо подобно"}
    many = dict(index.search_many(asked, "bg", Bm25(k=2)))
    assert many == {name: index.search(text, "bg", Bm25(k=2)) for name, text in asked.items()}


def test_the_document_comes_back_as_it_was(index: Index) -> None:
    hit = index.search("earthquake", "en")[0]
    assert index.document(hit) == document("d", "The earthquake destroyed houses", "en")


def test_a_language_without_an_analyzer_is_named_and_the_rest_is_indexed(tmp_path: Path) -> None:
    made = Index(tmp_path)
    result = made.add([document("x", "Jó", "xx"), document("y", "Good", "en")])
    assert result.added == {"en": 1}
    assert [one.kind for one in result.rejected] == ["no-analyzer"]
    with pytest.raises(UnknownName):
        made.search("x", "tlh")


def test_adding_again_adds_only_what_is_new(tmp_path: Path) -> None:
    made = Index(tmp_path)
    first = [document(f"{n}", f"report number {n}", "en") for n in range(5)]
    assert made.add([*first, first[0]]).added["en"] == 5
    again = made.add([*first, document("new", "a new report", "en")])
    assert (again.added["en"], again.known["en"]) == (1, 5)
    assert len(made.searcher("en")) == 6
    assert made.search("new", "en")[0].document == "new"


def test_an_index_made_with_another_analyzer_is_refused(tmp_path: Path) -> None:
    made = Index(tmp_path)
    made.add([document("y", "Good", "en")])
    path = tmp_path / "en" / "analysis.json"
    path.write_text(path.read_text().replace("DefaultEnglishAnalyzer", "FrenchAnalyzer"))
    with pytest.raises(RunMismatch, match="analyzer"):
        Index(tmp_path).search("good", "en")


def test_an_index_cut_short_before_its_first_commit_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "en" / "lucene").mkdir(parents=True)
    (tmp_path / "en" / "lucene" / "_0.fdt").write_bytes(b"half")
    made = Index(tmp_path)
    assert made.add([document("y", "Good", "en")]).added["en"] == 1


def test_searching_what_was_cut_short_before_its_first_commit_says_so(tmp_path: Path) -> None:
    made = Index(tmp_path)
    made.add([document("y", "Good", "en")])
    for path in (tmp_path / "en" / "lucene").glob("segments_*"):
        path.unlink()
    with pytest.raises(UsageError, match=r"no finished index in en: .*repeat the command"):
        Index(tmp_path).search("good", "en")


def test_a_language_that_is_not_indexed_is_named_with_those_that_are(index: Index) -> None:
    with pytest.raises(UsageError, match="no index in fr: it has bg, en"):
        index.search("x", "fr")


@pytest.mark.parametrize("language", sorted(analyses()))
def test_days_and_hostile_text_work_in_every_language(language: str, tmp_path: Path) -> None:
    made = Index(tmp_path)
    hostile = '") OR *:* AND (\x00\ud800 <b>2023</b> ' + "word " * 50
    made.add([document("a", hostile + "Marrakesh", language, 9), document("b", "x", language, 20)])
    window = Window(since=date(2023, 9, 9), until=date(2023, 9, 9))
    assert names(list(made.search("Marrakesh", language, window=window))) == ["a"]
    assert made.search('"*:*" ) \x00 \ud800', language) is not None


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"k": 0}, "k is 0"), ({"b": 1.5}, "b is 1.5"), ({"k1": -1.0}, "k1 is -1")],
)
def test_a_setting_out_of_range_is_named(settings: dict[str, float], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Bm25(**settings)  # type: ignore[arg-type]
