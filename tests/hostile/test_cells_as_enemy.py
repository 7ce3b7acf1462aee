"""Names in tables that a spreadsheet would carry out."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.text.cells import sheet_cell
from metrics.printed import Table as Printed
from retrieval.dataset.tables import Table as Counted

FORMULAS = [
    '=HYPERLINK("http://a.example","x")',
    "=1+1",
    "+1+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    " =1+1",
    "\t=1+1",
    "＝1+1",
    "%0a=1",
    "|calc",
]
PLAIN = ["", "-", "+", "12", "-12.5", "+0.3", "-1e-5", "-3%", ".5", "Reuters", "a=b", "–", "3-4"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert sheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_plain_names_stay_as_they_are(text: str) -> None:
    assert sheet_cell(text) == text


@given(st.text())
def test_a_cell_is_a_number_or_no_formula(text: str) -> None:
    cell = sheet_cell(text)
    assert cell in {text, f"'{text}"}
    if cell.lstrip()[:1] in {"=", "@"}:
        assert len(cell.lstrip()) == 1


@pytest.mark.parametrize("name", FORMULAS)
def test_no_table_we_write_holds_one(name: str) -> None:
    printed = Printed(
        header=(name, name),
        rows=((name, name),),
        notes=(),
        number_header=(name, name),
        numbers=((name, "-1"),),
    )
    counted = Counted(name="t", title=name, header=(name, "n"), rows=((name, "-1"),))
    for written in (printed.tsv(), counted.tsv()):
        for row in csv.reader(io.StringIO(written), delimiter="\t", quoting=csv.QUOTE_NONE):
            begins = ("=", "+", "-", "@", "|")
            assert all(cell == "-1" or not cell.startswith(begins) for cell in row)
