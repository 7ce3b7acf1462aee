"""``globesumm entail``: any entailer on labelled pairs, within and across languages."""

import gzip
import json
from pathlib import Path

import pytest

from globesumm.cli import main

ROWS = {
    "en": [
        ("Five people died on Monday.", "Five people died.", "entailment"),
        ("The dam burst at noon.", "The dam burst.", "entailment"),
        ("The dam burst at noon.", "Nobody saw the minister there.", "neutral"),
        ("Five people died on Monday.", "All of them came home unhurt.", "contradiction"),
    ],
    "fr": [
        ("Cinq personnes sont mortes lundi.", "Cinq personnes sont mortes.", "entailment"),
        ("Le barrage a cédé à midi.", "Le barrage a cédé.", "entailment"),
        ("Le barrage a cédé à midi.", "Personne ne vit le ministre ailleurs.", "neutral"),
        ("Cinq personnes sont mortes lundi.", "Tous rentrèrent indemnes.", "contradiction"),
    ],
}


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    for language, rows in ROWS.items():
        text = "".join("\t".join(row) + "\n" for row in rows)
        (tmp_path / f"dev-{language}.tsv.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def records(said: str) -> dict[tuple[str, str], dict[str, object]]:
    found = [json.loads(line) for line in said.splitlines()]
    return {(one["premise_language"], one["hypothesis_language"]): one for one in found}


def test_the_lexical_stand_in_is_right_within_and_silent_across_languages(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["entail", str(pairs), "--entailer", "lexical", "--format", "jsonl"]) == 1
    found = records(capsys.readouterr().out)
    assert list(found) == [("en", "en"), ("en", "fr"), ("fr", "en"), ("fr", "fr")]
    assert found["en", "en"]["balanced_accuracy"] == 1.0
    assert found["fr", "fr"]["rate_contradiction"] == 0.0
    assert (found["en", "fr"]["n"], found["en", "fr"]["expected"]) == (0, 4)
    assert found["en", "fr"]["auc"] is None
    assert "in one language" not in str(found["en", "en"]["reason"])
    assert "the hypothesis in fr" in str(found["en", "fr"]["reason"])


def test_the_table_names_a_stand_in_as_one_and_counts_every_pair(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["entail", "--data", str(pairs), "--entailer", "lexical", "--format", "markdown"]
    assert main([*arguments, "--pairs", "within", "--languages", "fr,en"]) == 0
    said = capsys.readouterr().out
    assert "| fr | fr | 4/4 | 100.0 | 0.0 | 100.0 | 100.0 |" in said
    assert said.index("| fr |") < said.index("| en |")
    assert "a stand-in that compares words, no model of entailment" in said


def test_rows_are_drawn_by_the_seed_and_are_the_same_in_every_language(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from globesumm.cli.entail import drawn
    from metrics.entailment.labelled import read_xnli

    rows = read_xnli(pairs)
    some = drawn(rows, 2, 3)
    places = {code: [rows[code].index(row) for row in some[code]] for code in rows}
    assert places["en"] == places["fr"]
    assert len(set(places["en"])) == 2
    assert drawn(rows, 9, 0) == rows
    more = ["--size", "2", "--seed", "3", "--entailer", "lexical", "--pairs", "within"]
    main(["entail", str(pairs), *more])
    assert "2 rows a combination of languages (seed 3)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--entailer", "lexicl"], "unknown entailer 'lexicl': did you mean 'lexical'?"),
        (["--languages", "en,de"], "for de"),
        (["--size", "0"], "--size is 0"),
        (["--entailer", "alignscore"], "it needs the authors' package"),
        (["--entailer", "judge"], "name it with --judge MODEL"),
        (["--entailer", "vector", "--precision", "int8"], "has no weights of its own"),
        (["--threshold", "7"], "--threshold is 7.0"),
        (["--languages", "en", "--pairs", "across"], "needs two languages"),
        (["--against", "fp32"], "compares another --precision"),
        (["--base-url", "http://127.0.0.1:1"], "name it with --judge"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    more: list[str], said: str, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["entail", str(pairs), *more]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_a_folder_that_is_none_and_a_row_that_is_none_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["entail", str(tmp_path / "nowhere")]) == 2
    assert "is no folder" in capsys.readouterr().err
    (tmp_path / "dev-en.tsv").write_text("a\tb\tperhaps\n")
    assert main(["entail", str(tmp_path)]) == 2
    assert "dev-en.tsv:1" in capsys.readouterr().err
