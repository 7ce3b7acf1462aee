"""``globesumm meta``: agreement with people, and what bad lines and requests get."""

import json
from pathlib import Path

import pytest

from globesumm.cli import main

Row = dict[str, object]


def row(document: str, system: str, metric: float | None, truth: object) -> Row:
    return {"document": document, "summary": f"{document}-{system}", "system": system,
            "metric": metric, "truth": truth}  # fmt: skip


def written(path: Path, *rows: object) -> str:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return str(path)


GRADED = [
    row(document, system, metric, metric * 5 + number)
    for number, document in enumerate("xyz")
    for system, metric in (("a", 0.1), ("b", 0.5), ("c", 0.9))
]


def measures(said: str) -> dict[tuple[str, str], dict[str, object]]:
    *rows, _ = [json.loads(line) for line in said.splitlines()]
    return {(one["level"], one["name"]): one for one in rows}


def test_every_measure_at_every_level_is_printed_with_its_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", written(tmp_path / "m.jsonl", *GRADED), "--format", "jsonl"]) == 0
    found = measures(capsys.readouterr().out)
    kinds = ("spearman", "kendall", "pearson")
    assert set(found) == {
        *((level, kind) for level in ("pooled", "summary", "system") for kind in kinds),
        ("summary", "winrate (ties half)"),
    }
    for level in ("summary", "system"):
        for kind in kinds:
            one = found[level, kind]
            assert (one["value"], one["low"], one["high"]) == pytest.approx((1, 1, 1))
            assert (one["n"], one["expected"]) == (3, 3)
    assert found["pooled", "spearman"]["n"] == 9


def test_the_last_line_says_how_it_was_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["meta", written(tmp_path / "m.jsonl", *GRADED), "--format", "jsonl", "--seed", "3"])
    about = json.loads(capsys.readouterr().out.splitlines()[-1])["about"]
    assert (about["rows"], about["documents"], about["systems"]) == (9, 3, 3)
    assert (about["ties"], about["better"], about["seed"]) == ("half", "higher", 3)


@pytest.mark.parametrize(("ties", "expected"), [("half", 0.75), ("wrong", 0.5), ("skip", 1.0)])
def test_ties_count_in_the_winrate_as_asked(
    ties: str, expected: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row("x", "a", 1, 1), row("x", "b", 2, 2), row("y", "a", 1, 1), row("y", "b", 1, 2)]
    path = written(tmp_path / "m.jsonl", *rows)
    assert main(["meta", path, "--ties", ties, "--format", "jsonl"]) == 0
    winrate = measures(capsys.readouterr().out)["summary", f"winrate (ties {ties})"]
    assert winrate["value"] == expected


def test_a_metric_that_is_better_low_is_turned_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "m.jsonl", *GRADED)
    assert main(["meta", path, "--better", "lower", "--format", "jsonl"]) == 0
    assert measures(capsys.readouterr().out)["system", "pearson"]["value"] == pytest.approx(-1)


def test_truths_of_yes_and_no_get_balanced_accuracy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = (("x", "a", 0.9, 1), ("x", "b", 0.2, 1), ("y", "a", 0.1, 0), ("y", "b", 0.3, 0))
    rows = [{**row(d, s, metric, truth), "truth": truth == 1} for d, s, metric, truth in values]
    path = written(tmp_path / "m.jsonl", *rows)
    for more, expected in (
        ([], 0.75),
        (["--threshold", "0.15"], 0.75),
        (["--threshold", "0.25"], 0.5),
    ):
        assert main(["meta", path, "--format", "jsonl", *more]) == 0
        found = measures(capsys.readouterr().out)["pooled", "balanced accuracy"]["value"]
        assert found == expected


@pytest.mark.parametrize("form", ["table", "markdown", "tsv", "jsonl"])
def test_bad_lines_are_named_and_counted_and_the_rest_goes_on(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = ["no json", {**GRADED[0], "metric": "high"}, {"document": "x"}, GRADED[0]]
    path = written(tmp_path / "m.jsonl", *GRADED, "", *bad)
    assert main(["meta", path, "--format", form]) == 1
    said = capsys.readouterr()
    for line in (11, 12, 13, 14):
        assert f"m.jsonl:{line}: " in said.err
    assert "was on a line before" in said.err
    if form == "jsonl":
        about = json.loads(said.out.splitlines()[-1])["about"]
        assert (about["rows"], about["rejected"]) == (9, 4)
    else:
        assert "9 judged summaries of 3 documents by 3 systems; 4 lines could not be read" in (
            said.out
        )
        assert said.out.splitlines()[0].startswith(("level", "| level"))


@pytest.mark.parametrize(
    "odd",
    [
        '{"document": "q", "summary": "1", "system": "s", "metric": NaN, "truth": 1}',
        '{"document": "q", "summary": "1", "system": "s", "metric": 1, "truth": 1e999}',
        '{"document": "q", "summary": "1", "system": "s", "metric": null, "truth": 2}',
        r'{"document":"\ud800","summary":"","system":"\u001b[31m","metric":1e308,"truth":-1e308}',
    ],
)
def test_odd_values_give_no_nan_and_stay_in_the_denominator(
    odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "m.jsonl", *GRADED, odd)
    assert main(["meta", path, "--format", "jsonl"]) == 0
    said = capsys.readouterr().out
    assert "NaN" not in said
    assert "Infinity" not in said
    assert measures(said)["pooled", "spearman"]["expected"] == 10
    assert main(["meta", path]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_what_is_not_defined_is_a_dash_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", written(tmp_path / "m.jsonl", row("x", "a", 1, 2))]) == 0
    said = capsys.readouterr().out
    assert "–" in said
    assert "pooled spearman: one side is constant" in said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--ties", "halves"], "invalid choice: 'halves'"),
        (["--resamples", "0"], "--resamples is 0"),
        (["--seed", "-1"], "--seed is -1"),
        (["--threshold", "nan"], "--threshold is nan"),
        (["--threshold", "0.5"], "--threshold is for judgements of 0 and 1"),
        (["--tise", "half"], "unknown option '--tise'"),
    ],
)
def test_a_wrong_request_is_told_in_one_line(
    more: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", written(tmp_path / "m.jsonl", *GRADED), *more]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize("content", ["", "\n\n", "nonsense\n", "[]\n"])
def test_a_file_without_a_row_ends_with_2(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(content)
    assert main(["meta", str(path)]) == 2
    assert "holds no judged summary" in capsys.readouterr().err
    assert main(["meta", str(tmp_path / "nowhere")]) == 2
    assert "nowhere: cannot be read" in capsys.readouterr().err
