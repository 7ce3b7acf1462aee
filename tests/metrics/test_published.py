"""The paper's tables: complete, equal to another's reading of them, misprints found."""

import json
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.languages import GLOBESUMM
from metrics.published import (
    CHANGE,
    average,
    documents_by_language,
    misprints,
    results,
    splits,
)


def test_the_language_table_sums_to_the_documents_of_the_splits() -> None:
    counts, parts = documents_by_language(), splits()
    assert set(counts) == set(GLOBESUMM)
    assert sum(counts.values()) == parts["total"]["documents"] == 4687
    for what in ("events", "documents", "summaries"):
        assert sum(parts[part][what] for part in ("train", "valid", "test")) == parts["total"][what]


@pytest.mark.parametrize("table", [5, 11])
def test_the_averages_of_the_main_tables_follow_from_their_rows(table: int) -> None:
    assert sum(one.is_average for one in results(table)) in (9 * 3 * 4, 9 * 3 * 3)
    assert misprints(table) == []


def test_all_protocol_averages_of_table_10_are_misprints() -> None:
    wrong = [one.printed for one in misprints(10) if one.printed.prompting == "Protocol"]
    assert len({(one.model, one.measure) for one in wrong}) == 9
    assert not [one for one in misprints(10) if one.printed.prompting == "Direct"]


def test_two_averages_of_table_9_are_misprints() -> None:
    wrong = {
        (one.printed.model[8:-8], one.printed.prompting, one.printed.measure)
        for one in misprints(9)
        if one.printed.prompting != CHANGE
    }
    assert wrong == {("7b", "Direct", "NIC"), ("70b", "Protocol", "NIC")}


def test_rows_that_stand_in_two_tables_agree() -> None:
    for left, right in ((5, 6), (11, 8), (5, 11), (9, 10)):
        cells = [
            {
                (one.schema, one.pipeline, one.prompting, one.model, one.measure): one.value
                for one in results(table)
                if not one.is_average
            }
            for table in (left, right)
        ]
        common = cells[0].keys() & cells[1].keys()
        assert common
        assert {key: cells[0][key] for key in common} == {key: cells[1][key] for key in common}


def test_a_cell_that_is_no_average_stands_for_itself() -> None:
    first = results(5)[0]
    assert average(first) == first.value == 19.86


def test_a_table_without_results_is_refused() -> None:
    with pytest.raises(UsageError, match="choose 5, 6"):
        results(7)


def test_the_figures_are_those_another_reader_took_from_the_paper(shared_data: Path) -> None:
    other = json.loads((shared_data / "metrics/globesumm-tables/tables.json").read_text())
    compared = 0
    for table in (5, 9, 10, 11):
        mine = {
            (one.schema, one.pipeline, one.prompting, one.model, one.measure): one.value
            for one in results(table)
            if not one.is_average
        }
        for row in other[f"table{table}"]:
            if " + " not in row["pipeline"] or ".Avg" in row["pipeline"]:
                continue
            pipeline, prompting = row["pipeline"].split(" + ")
            for model in (name for name in row if name not in ("schema", "pipeline")):
                for measure, value in row[model].items():
                    assert mine[row["schema"], pipeline, prompting, model, measure] == value
                    compared += 1
    assert compared == 144 + 72 + 54 + 108
