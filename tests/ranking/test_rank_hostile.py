"""Scores that are none, methods by the hundred, tables wider than a terminal."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from globesumm.cli.main import run
from globesumm.values import Rejected
from metrics.narrowed import WIDEST, text_within
from metrics.printed import Table
from metrics.ranking import Scored, Settings, rank, score_table
from metrics.ranking.outcomes import Outcomes, resamples
from metrics.ranking.scores import read_scores
from metrics.tables import bare, span


def _line(**more: object) -> str:
    return json.dumps({"method": "a", "document": "d1", "score": 1, **more})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (_line(score=float("nan")), "nan is no finite number"),
        (_line(score=float("inf")), "inf is no finite number"),
        (_line(score=1e308), "up to 1e+100 in size"),
        (_line(score=-1e101), "up to 1e+100 in size"),
        (_line(score=10**400), "up to 1e+100 in size"),
        (_line(score="3"), "a number is needed, or null"),
        (_line(score=True), "a number is needed, or null"),
        (_line(score=[1]), "a number is needed, or null"),
        (_line(method=" "), "names of its method and document"),
        (_line(document=""), "names of its method and document"),
        (
            json.dumps({"id": "d1", "metric": "red", "value": "0.5", "signature": "s"}),
            "a number is needed, or null",
        ),
    ],
)
def test_what_is_no_score_is_refused_by_its_line(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(f"{line}\n{_line(document='d2')}\n")
    found = list(read_scores(path))
    assert isinstance(found[0], Rejected)
    assert told in found[0].reason
    assert found[0].where.endswith(":1")
    assert isinstance(found[1], Scored)


@pytest.mark.parametrize("more", [[], ["--by-event"], ["--wins", "averages"]])
def test_the_largest_scores_taken_can_be_averaged_and_ranked(
    tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(
        "".join(
            f"{_line(method=method, document=f'd{place}', score=score, event=f'e{place % 2}')}\n"
            for method, score in (("up", 1e100), ("down", -1e100), ("between", 0))
            for place in range(6)
        )
    )
    assert run(["rank", str(path), *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["up", "between", "down"]


@pytest.mark.parametrize("size", [1e-15, 1.0, 1e90])
def test_averages_are_tied_by_rounding_whatever_the_size_of_scores(size: float) -> None:
    values = size * np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.2, 0.4]])
    table = Outcomes(values, wins="averages").tables(np.ones((1, 3)), np.random.default_rng(0))[0]
    assert table[0, 1] == table[1, 0] == 0.5
    assert table[2, 0] == table[2, 1] == 1


@pytest.mark.parametrize("sigma", [1e-6, 0.01, 1e6])
def test_sigma_changes_no_rank(sigma: float) -> None:
    noise = np.random.default_rng(2).normal(size=(3, 20))
    rows = [
        Scored(method=name, document=f"d{place}", score=float(noise[row, place] + row / 10))
        for row, name in enumerate("abc")
        for place in range(20)
    ]
    one = rank(score_table(rows), Settings(bootstrap=50))
    other = rank(score_table(rows), Settings(bootstrap=50, sigma=sigma))
    for left, right in zip(one.rows, other.rows, strict=True):
        assert (left.method, left.rank, left.rank_low, left.first) == (
            right.method,
            right.rank,
            right.rank_low,
            right.first,
        )
        assert right.ability == pytest.approx(sigma * (left.ability or 0))
    assert one.pairs == other.pairs


@pytest.mark.parametrize("sigma", ["nan", "inf", "0", "-1", "1e308", "1e-320"])
def test_a_scale_that_no_number_could_show_is_refused(tmp_path: Path, sigma: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(_line() + "\n")
    assert run(["rank", str(path), "--sigma", sigma]) == 2


def test_resamples_of_many_methods_come_in_blocks_that_fit_into_memory() -> None:
    blocks = list(resamples((6, 500), 100, np.random.default_rng(0)))
    assert max(len(block) for block in blocks) * 500 * 500 <= 1 << 22
    whole = np.concatenate(list(resamples((6, 2), 100, np.random.default_rng(0))))
    assert np.array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize(
    "written", [lambda v: span(v, v, v, scale=1), bare, lambda v: bare(v, 100)]
)
def test_no_table_of_scores_prints_minus_nothing(written: Callable[[float], str]) -> None:
    assert "-" not in written(-1e-9)
    assert "-" in written(-1.0)


def _table(columns: int, name: str = "method") -> Table:
    header = ("name", *(f"column {place}" for place in range(columns)))
    rows = tuple((f"{name} {row}", *(["1.000 [0.000, 2.000]"] * columns)) for row in range(3))
    return Table(
        header=header,
        rows=rows,
        notes=("a note " * 40,),
        number_header=header,
        numbers=rows,
        groups=tuple((f"title {place}", 2) for place in range(columns // 2)),
        best=frozenset({(1, columns)}),
    )


@pytest.mark.parametrize("columns", [2, 8, 20])
@pytest.mark.parametrize("name", ["method", "x" * 300, "=cmd()\x1b[31m"])
def test_a_table_for_a_terminal_stays_within_its_width_and_loses_no_column(
    columns: int, name: str
) -> None:
    table = _table(columns, name)
    text = text_within(table)
    assert max(map(len, text.splitlines())) <= WIDEST
    for place in range(columns):
        assert text.count(f"column {place}\n") + text.count(f"column {place} ") >= 1
    for number in range(columns // 2):
        assert f"title {number}" in text
    assert text.count("]*") == 1
    assert "\x1b" not in text
    assert " ".join(text.split()).count("a note") == 40
    # The end of a long name tells it from its neighbours.
    starts = [line[:60] for line in text.splitlines() if "2.000]" in line]
    assert len(starts) % 3 == 0
    assert sum(start.rstrip().split("  ")[0].endswith(" 2") for start in starts) == len(starts) / 3


def test_a_table_that_fits_is_printed_as_ever() -> None:
    table = Table(("name", "n"), (("a", "1"), ("b", "2")), ("short",), ("name", "n"), ())
    assert text_within(table) == table.text()


def test_rankings_and_pairs_of_many_methods_fit_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.jsonl"
    names = [f"{'long-' * 20}{place}" for place in range(12)]
    draw = np.random.default_rng(0)
    path.write_text(
        "".join(
            f"{_line(method=name, document=f'd{place}', score=float(draw.random()))}\n"
            for name in names
            for place in range(5)
        )
    )
    assert run(["rank", str(path), "--pairs", "--resamples", "20"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDEST
    assert out.count("won against") >= 12


def test_a_metric_asked_of_a_file_that_names_none_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(_line() + "\n")
    assert run(["rank", str(path), "--metric", "red"]) == 2
    assert "names no metric" in capsys.readouterr().err
