"""TREC's files are read and written as trec_eval does it."""

from pathlib import Path

import pytest

pytest.importorskip("ir_measures", reason="needs the extra retrieval")

from globesumm.errors import DataError, UsageError
from retrieval.index import Hit
from retrieval.index.trec import measured, qrel_line, quoted, read_topics, run_lines, unquoted


def hit(document: str, rank: int, score: float) -> Hit:
    return Hit(document=document, language="en", rank=rank, score=score)


def test_both_forms_of_topics_are_read(tmp_path: Path) -> None:
    trec = tmp_path / "t.trec"
    trec.write_text(
        "<top>\n<num> Number: 301\n<title> International Organized\n  Crime\n\n<desc> D.\n</top>\n"
        "<top><num>302<title>Poliomyelitis &amp; Post-Polio</top><top><num>303</top>"
    )
    topics, rejected = read_topics(trec)
    assert topics == {"301": "International Organized Crime", "302": "Poliomyelitis & Post-Polio"}
    assert [one.where for one in rejected] == [f"{trec}: topic 3"]
    lines = tmp_path / "t.tsv"
    lines.write_text("q1\tземетресение в Мароко\n\nno tab\nq1\tagain\n", encoding="utf-8")
    topics, rejected = read_topics(lines)
    assert topics == {"q1": "земетресение в Мароко"}
    assert len(rejected) == 2


def test_a_file_without_topics_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("nothing here")
    with pytest.raises(DataError, match="holds no topic"):
        read_topics(tmp_path / "t")


def test_run_lines_have_six_fields_whatever_the_names() -> None:
    line = next(run_lines("q 1", [hit("a b%c", 1, 2.5)]))
    assert line == "q%201 Q0 a%20b%25c 1 2.500000 globesumm"
    assert len(line.split()) == 6
    assert unquoted(quoted("a b%c")) == "a b%c"
    assert qrel_line("q 1", "a", 1) == "q%201 0 a 1"


def test_measures_are_trec_evals(tmp_path: Path) -> None:
    # q1: relevant at ranks 2 and 3 of 3, one relevant not found; q2: nothing found.
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 b 1\nq1 0 c 1\nq1 0 x 1\nq2 0 z 1\n")
    run = {"q1": [hit("a", 1, 3.0), hit("b", 2, 2.0), hit("c", 3, 1.0)], "q2": [], "q3": []}
    found = {one.measure: one for one in measured(qrels, run, ["RR", "R@100", "P@3"])}
    assert found["RR"].value == pytest.approx(0.5 / 2)
    assert found["R@100"].value == pytest.approx((2 / 3) / 2)
    assert found["P@3"].value == pytest.approx((2 / 3) / 2)
    assert (found["RR"].n, found["RR"].expected) == (2, 3)


def test_an_unknown_measure_is_named(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 b 1\n")
    with pytest.raises(UsageError, match="no measure 'nDCC@10'"):
        measured(tmp_path / "q", {"q1": []}, ["nDCC@10"])


def test_judgements_of_other_topics_measure_nothing(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q9 0 b 1\n")
    with pytest.raises(UsageError, match="judges none of the 1 topics"):
        measured(tmp_path / "q", {"q1": []}, ["RR"])


@pytest.mark.parametrize(
    "line",
    [
        b"q1 0 d",
        b"q1 0 d 1 x",
        b"q1 0 d 1.5",
        b"q1 0 d nan",
        b"q1 0 d 99999999999999999999",
        "q1 0 d \u0661".encode(),
        b"\x00\xff\xfe\x80",
        b"q1 0 e 1\nq1 0 e 0",
    ],
)
def test_judgements_that_are_none_are_refused_with_their_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"q1 0 e 1\n" + line)
    with pytest.raises(DataError, match=r"qrels: line [23]"):
        measured(path, {"q1": [hit("d", 1, 2.0)]})


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_judgements_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(content)
    with pytest.raises(DataError, match="holds no judgement"):
        measured(path, {"q1": [hit("d", 1, 2.0)]})


def test_one_line_of_judgements_is_no_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("\ufeffq1 0 d 1", encoding="utf-8")
    assert [one.value for one in measured(path, {"q1": [hit("d", 1, 2.0)]}, ["RR"])] == [1.0]


@pytest.mark.parametrize(
    "name",
    ["nDCG@0", "nDCG@-5", "nDCG@1e9", "R@99999999999", "P(rel=0)@5", "P(rel=", "nDCG@", "",
     "alpha_nDCG@10", "__import__('os')"],
)  # fmt: skip
def test_a_measure_that_cannot_be_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 0 d 1\n")
    with pytest.raises(UsageError, match=r"no measure|cannot compute"):
        measured(path, {"q1": [hit("d", 1, 2.0)]}, [name])
