"""``globesumm rank`` as it is called: forms of input and output, and what is wrong with files."""

import json
from pathlib import Path

import pytest

from globesumm.cli.main import run
from globesumm.values import Score

Captured = pytest.CaptureFixture[str]


def written(path: Path, *lines: object) -> str:
    path.write_text(
        "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines), "utf-8"
    )
    return str(path)


def scored(documents: int = 12) -> list[dict[str, object]]:
    return [
        {"method": method, "document": f"d{place}", "score": float((place * step) % 7)}
        for method, step in (("one", 1), ("two", 2), ("three", 3))
        for place in range(documents)
    ]


def test_a_table_names_every_method_with_rank_interval_and_counts(
    tmp_path: Path, capsys: Captured
) -> None:
    assert run(["rank", written(tmp_path / "s.jsonl", *scored())]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == [
        "method",
        "rank",
        "ability",
        "first",
        "won",
        "n",
        "of",
        "N",
    ]
    assert out.count("12/12") == 3
    assert "3 methods, 12 documents; compared by score on each document" in out


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv"])
def test_every_form_of_table_holds_every_method(
    form: str, tmp_path: Path, capsys: Captured
) -> None:
    path = written(tmp_path / "s.jsonl", *scored())
    assert run(["rank", path, "--pairs", "--format", form]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("one", "two", "three"))


def test_lines_of_json_hold_methods_pairs_and_settings(tmp_path: Path, capsys: Captured) -> None:
    path = written(tmp_path / "s.jsonl", *scored())
    assert run(["rank", path, "--format", "jsonl", "--seed", "3"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["rank"] for line in lines[:3]] == sorted(line["rank"] for line in lines[:3])
    assert {"left", "right", "winrate", "above", "n"} == lines[3].keys()
    assert lines[-1]["about"]["settings"]["seed"] == 3


def test_the_scores_of_a_run_are_ranked_by_the_column_named(
    tmp_path: Path, capsys: Captured
) -> None:
    from globesumm.records import write_records

    write_records(
        tmp_path / "scores.jsonl",
        [
            Score(
                id=f"e{place}",
                metric=metric,
                value=value + place,
                signature=f"{metric}|v:1",
                recipe=recipe,
            )
            for recipe, value in (("crs.none.lead", 0.1), ("crs.none.direct", 0.2))
            for metric in ("rouge1", "red")
            for place in range(5)
        ],
    )
    assert run(["rank", str(tmp_path)]) == 2
    assert "several metrics" in capsys.readouterr().err
    assert run(["rank", str(tmp_path), "--metric", "rouge1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("crs.none.direct")
    assert run(["rank", str(tmp_path), "--metric", "red"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].startswith("crs.none.lead")
    assert "lower is better" in out
    assert run(["rank", str(tmp_path), "--metric", "red", "--better", "higher"]) == 2


def test_scores_of_two_signatures_are_not_ranked_together(tmp_path: Path, capsys: Captured) -> None:
    line = {"id": "e", "metric": "rouge1", "value": 0.5, "note": None}
    path = written(
        tmp_path / "s.jsonl",
        line | {"signature": "rouge|v:1", "recipe": "a"},
        line | {"signature": "rouge|v:2", "recipe": "b"},
    )
    assert run(["rank", path]) == 2
    assert "unequal signatures" in capsys.readouterr().err


def test_the_last_line_that_scoring_prints_is_no_score(tmp_path: Path, capsys: Captured) -> None:
    lines = [
        {"id": "e", "metric": "m", "value": value, "signature": "m|v:1", "recipe": recipe}
        for recipe, value in (("a", 0.5), ("b", 0.25))
    ]
    assert run(["rank", written(tmp_path / "s.jsonl", *lines, {"aggregate": []})]) == 0
    assert "refused" not in capsys.readouterr().err


BAD = {
    "no JSON": "{",
    "not an object": "[]",
    "NaN": '{"method": "one", "document": "x", "score": NaN}',
    "infinity": '{"method": "one", "document": "x", "score": 1e999}',
    "a boolean": '{"method": "one", "document": "x", "score": true}',
    "a word": '{"method": "one", "document": "x", "score": "high"}',
    "no document": '{"method": "one", "score": 1}',
    "a surplus key": '{"method": "one", "document": "x", "score": 1, "extra": 1}',
    "a second score": '{"method": "one", "document": "d0", "score": 1}',
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_line_is_refused_by_name_and_the_rest_goes_on(
    what: str, tmp_path: Path, capsys: Captured
) -> None:
    path = written(tmp_path / "s.jsonl", *scored(), BAD[what])
    assert run(["rank", path]) == 1
    told = capsys.readouterr()
    assert "s.jsonl:37" in told.err
    assert "1 line could not be read" in told.out


def test_null_scores_are_counted_with_their_reasons(tmp_path: Path, capsys: Captured) -> None:
    lines = [*scored(), {"method": "one", "document": "z", "score": None, "note": "timed out"}]
    assert run(["rank", written(tmp_path / "s.jsonl", *lines)]) == 0
    out = capsys.readouterr().out
    assert "12/13" in out
    assert "one: no score on 1 of 13: timed out (1)" in out
    assert "two: no score on 1 of 13: no line for this method and document (1)" in out


def test_a_file_without_a_score_is_refused(tmp_path: Path, capsys: Captured) -> None:
    assert run(["rank", written(tmp_path / "s.jsonl", "")]) == 2
    only = {"method": "one", "document": "z", "score": None}
    assert run(["rank", written(tmp_path / "s.jsonl", only)]) == 2
    assert run(["rank", str(tmp_path / "none.jsonl")]) == 2
    assert "nothing to rank" in capsys.readouterr().err


def test_one_method_alone_is_shown_without_a_rank(tmp_path: Path, capsys: Captured) -> None:
    assert run(["rank", written(tmp_path / "s.jsonl", *scored()[:12])]) == 1
    assert "there is nothing to rank it against" in capsys.readouterr().out


def test_the_plot_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = written(tmp_path / "s.jsonl", *scored())
    for name in ("a.svg", "b.svg", "c.png"):
        assert run(["rank", path, "--plot", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_names_from_data_cannot_steer_a_terminal(tmp_path: Path, capsys: Captured) -> None:
    lines = [
        {"method": name, "document": "d", "score": value}
        for name, value in (("\u001b[2Jred\u202e", 1), ("b|c\n# d", 2))
    ]
    assert run(["rank", written(tmp_path / "s.jsonl", *lines), "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert "\u001b" not in out
    assert "\u202e" not in out
    assert "b\\|c # d" in out


def test_several_scores_of_a_method_on_one_event_are_averaged_where_asked(
    tmp_path: Path, capsys: Captured
) -> None:
    lines = [
        {"id": f"{method}-{event} by {person}", "metric": "human_coverage", "recipe": method,
         "value": value, "signature": "human_coverage|judge:people|v:1", "event": event}
        for event in ("e1", "e2", "e3")
        for method, values in (("a", (0.2, 0.9, None)), ("b", (0.4, 0.4, 0.4)))
        for person, value in enumerate(values)
    ]  # fmt: skip
    path = written(tmp_path / "s.jsonl", *lines)
    assert run(["rank", path]) == 1
    assert "no document links these groups" in capsys.readouterr().out
    assert run(["rank", path, "--by-event"]) == 0
    row = capsys.readouterr().out.splitlines()[1].split()
    assert (row[0], row[-1]) == ("a", "3/3")
