"""``globesumm metrics check``, ``style`` and ``points`` as they are called."""

import json
from pathlib import Path

import pytest

from globesumm.cli.main import run

Captured = pytest.CaptureFixture[str]
FAST = ["--metrics", "rouge,length", "--languages", "en-en,de-en", "--resamples", "20"]


def test_the_check_prints_a_table_within_and_one_across_languages(capsys: Captured) -> None:
    assert run(["metrics", "check", *FAST]) == 0
    out = capsys.readouterr().out
    assert out.index("- within one language: 138") < out.index("- across languages: 23")
    assert "rouge1_r ↑" in out
    assert "the candidate is in en, its references in de" in out


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv", "jsonl"])
def test_every_form_of_output_holds_every_column(form: str, capsys: Captured) -> None:
    assert run(["metrics", "check", *FAST, "--format", form, "--each", "6"]) == 0
    out = capsys.readouterr().out
    assert "compression" in out
    if form == "jsonl":
        lines = [json.loads(line) for line in out.splitlines()]
        assert lines[0]["spearman"]["coverage"].keys() == {"value", "low", "high", "n", "note"}
        assert {line["orders_rightly"] for line in lines[:-1]} <= {
            "neither",
            "coverage",
            "both",
            "not known",
        }
        assert "nic" not in lines[-1]["about"]["unavailable"]


def test_metrics_that_were_not_run_are_named_with_what_they_need(capsys: Captured) -> None:
    assert run(["metrics", "check", "--metrics", "length,llm-coverage", "--resamples", "9"]) == 0
    assert "not run: llm-coverage: needs an instruction-following model" in capsys.readouterr().out


def test_a_dry_run_says_what_would_be_judged_and_asks_nothing(capsys: Captured) -> None:
    calls = ["--judge", "one,two", "--base-url", "http://127.0.0.1:9/v1", "--dry-run"]
    assert run(["metrics", "check", "--languages", "en-en", *calls]) == 0
    out = capsys.readouterr().out
    assert out.startswith("138 summaries of 6 articles: en-en 138\n")
    assert "llm-faithfulness (two): 138 calls at most" in out


REFUSED = {
    "an unknown metric": ["--metrics", "rogue"],
    "a metric that says nothing here": ["--metrics", "cre"],
    "an unknown pair of languages": ["--languages", "en-de"],
    "a judge that nothing asks": ["--metrics", "rouge", "--judge", "m"],
    "an entailer that nothing asks": ["--metrics", "rouge", "--entailer", "true"],
    "an entailer that asks no model": ["--entailer", "judge"],
    "a stand-in that is checked anyway": ["--entailer", "lexical"],
    "a server without a model": ["--base-url", "http://127.0.0.1:9"],
    "no resample": ["--resamples", "0"],
    "no file": ["--articles", "/no/such/file.jsonl"],
    "both truths": ["--articles", "a", "--labels", "b"],
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_checked_is_refused_with_the_reason(what: str, capsys: Captured) -> None:
    assert run(["metrics", "check", *REFUSED[what]]) == 2
    assert capsys.readouterr().err.startswith("globesumm: ")


def test_the_list_of_metrics_takes_no_name_beside_an_action() -> None:
    assert run(["metrics", "--name", "red", "check"]) == 2


def test_own_articles_are_checked_and_bad_lines_named(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "mine.jsonl"
    lines = [
        {
            "id": f"a{place}",
            "language": "en",
            "excerpts": [f"Ship {place} sank.", f"Captain {place} swam."],
            "points": {
                "en": {
                    "keys": [f"Vessel {place} went down.", f"Skipper {place} reached land."],
                    "other": [f"Harbour {place} is safe."],
                }
            },
        }
        for place in range(3)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines) + "{}\n", encoding="utf-8")
    saved = tmp_path / "known.jsonl"
    arguments = [
        "--articles",
        str(path),
        "--metrics",
        "rouge",
        "--save",
        str(saved),
        "--resamples",
        "9",
    ]
    assert run(["metrics", "check", *arguments, "--by", "none"]) == 1
    told = capsys.readouterr()
    assert "mine.jsonl:4" in told.err
    assert "all: 15 summaries of 3 articles (composed)" in told.out
    assert len(saved.read_text(encoding="utf-8").splitlines()) == 15
    assert run(["metrics", "points", str(saved), "--known"]) == 0
    assert "1.200 ± 0.748 (15/15)" in capsys.readouterr().out


def test_peoples_labels_take_the_place_of_the_composed_truth(
    tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "people.jsonl"
    source = "one two three four five six"
    lines = [
        {
            "article": f"a{place % 3}",
            "source": source,
            "summary": " ".join(source.split()[: place // 3 + 1]),
            "language": "en",
            "coverage": place // 3,
        }
        for place in range(12)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert (
        run(["metrics", "check", "--labels", str(path), "--metrics", "rouge", "--resamples", "50"])
        == 0
    )
    out = capsys.readouterr().out
    assert "(people's labels)" in out
    row = next(line for line in out.splitlines() if line.startswith("rouge1_r"))
    assert row.split()[2] == "1.00"
    assert " coverage " in row


def test_how_methods_write_is_a_table_and_a_picture(tmp_path: Path, capsys: Captured) -> None:
    pytest.importorskip("matplotlib")
    source = "The ferry sank off the island on Monday and twelve people died."
    texts = {"copy": source, "own": "On Monday a dozen lives were lost when the ferry sank."}
    candidates = tmp_path / "c.jsonl"
    candidates.write_text(
        "".join(
            json.dumps(
                {
                    "id": f"d{place}",
                    "candidate": text,
                    "language": "en",
                    "documents": [source],
                    "recipe": method,
                }
            )
            + "\n"
            for method, text in texts.items()
            for place in range(2)
        ),
        encoding="utf-8",
    )
    arguments = ["--metrics", "abstractiveness,length", "--format", "jsonl"]
    assert run(["score", "--candidates", str(candidates), *arguments]) == 0
    scores = tmp_path / "scores.jsonl"
    scores.write_text(capsys.readouterr().out, encoding="utf-8")
    for name in ("a.svg", "b.svg"):
        assert run(["metrics", "style", str(scores), "--plot", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    out = capsys.readouterr().out
    assert "12.000 ± 0.000 (2/2)" in out  # density of the copy: one fragment of twelve words
    assert out.splitlines()[0].split()[:2] == ["method", "words"]
    scores.write_text('{"method": "a", "document": "d", "score": 1}\n', encoding="utf-8")
    assert run(["metrics", "style", str(scores)]) == 2


def test_verdicts_give_points_included_omitted_and_made_up(
    tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "verdicts.jsonl"
    lines = [
        {"id": "a", "system": "s", "key_facts": [[1], [], [1, 2]], "sentences": 2,
         "supported": [True, False]},
        {"id": "b", "system": "s", "key_facts": [[], [], []], "sentences": 1,
         "supported": [True, None]},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert run(["metrics", "points", str(path)]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[1::4] == ["1.000", "2.000", "1.000"]
    assert row.split()[4::4] == ["(2/2)", "(2/2)", "(1/2)"]
    assert run(["metrics", "points", str(path), "--format", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[1])["hallucinated"] is None
