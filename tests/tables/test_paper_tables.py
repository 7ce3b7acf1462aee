"""The paper's numbers, put in as scores, come out as its tables; its misprints are corrected."""

import difflib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.tables.findings import Found, Verdict, findings
from baselines.tables.grid_table import percent
from baselines.tables.layouts import layout, layouts
from baselines.tables.paper import TABLES, misprint_notes, paper
from baselines.tables.paper_tables import FINDINGS, paper_table
from baselines.tables.published_layouts import layout_table
from globesumm.cli import main
from globesumm.errors import UsageError
from metrics.printed import MISSING, Table
from metrics.published import CHANGE, Result, average, misprints, results

GOLDEN = Path(__file__).parent / "golden" / "paper.md"


def printed(table: Table, label: str, model: str, measure: str) -> str:
    """The cell of a row's label below a model's measure, without regard to its schema."""
    column = next(
        place
        for place, head in enumerate(table.full_header())
        if head.startswith(f"{model} {measure} ")
    )
    return next(row[column] for row in table.rows if row[1] == label)


def label_of(one: Result) -> str:
    if one.prompting == CHANGE:
        return "Δ = Protocol.Avg − Direct.Avg"
    if one.pipeline != "*":
        return f"{one.pipeline}.Avg"
    if one.prompting == "*":
        return f"{one.schema}.Avg"
    return f"{one.schema} + {one.prompting}.Avg" if one.table in (5, 11) else f"{one.prompting}.Avg"


@pytest.mark.parametrize("number", TABLES)
def test_every_printed_cell_stands_in_its_layout(number: int) -> None:
    table = layout_table(number, paper(number))
    cells = [one for one in results(number) if not one.is_average]
    for one in cells:
        column = next(
            place
            for place, head in enumerate(table.full_header())
            if head.startswith(f"{one.model} {one.measure} ")
        )
        row = next(
            row
            for row in table.rows
            if row[:2] == (one.schema, f"{one.pipeline} + {one.prompting}")
        )
        assert row[column] == f"{one.value:.2f}"
    assert not any(MISSING in row[2:] for row in table.rows)


@pytest.mark.parametrize("number", TABLES)
def test_averages_are_those_of_the_rows(number: int) -> None:
    table = layout_table(number, paper(number))
    for one in results(number):
        if one.is_average:
            found = printed(table, label_of(one), one.model, one.measure)
            assert found == percent(average(one) / 100)


@pytest.mark.parametrize("number", [5, 11])
def test_the_main_tables_come_out_as_printed(number: int) -> None:
    table = layout_table(number, paper(number))
    apart = [
        abs(float(printed(table, label_of(one), one.model, one.measure)) - one.value)
        for one in results(number)
        if one.is_average
    ]
    # A third decimal was lost when the rows were printed.
    assert max(apart) < 0.0101
    assert sum(difference > 0.001 for difference in apart) <= 3


def test_every_misprint_is_noted_below_its_table() -> None:
    for number in TABLES:
        notes = paper_table(str(number)).notes
        for one in misprints(number):
            assert any(
                one.printed.model in note
                and f" {one.printed.measure} " in note
                and f"{one.printed.value:.2f}" in note
                and f"{one.computed:.2f}" in note
                for note in notes
            )
    assert sum("misprint: Protocol.Avg" in note for note in paper_table("10").notes) == 9
    assert any("-4.96" in note for note in paper_table("9").notes)
    assert misprint_notes(5) == ()


def test_the_change_of_table_9_is_the_one_its_rows_give() -> None:
    table = paper_table("9")
    change = "Δ = Protocol.Avg − Direct.Avg"
    found = [
        printed(table, change, f"Llama-2-{size}-chat-hf", "NIC") for size in ("7b", "13b", "70b")
    ]
    assert found == ["10.63", "5.01", "3.77"]


def test_the_best_of_each_column_is_bold_and_averages_do_not_compete() -> None:
    table = paper_table("5")
    averages = {place for place, row in enumerate(table.rows) if row[1].endswith(".Avg")}
    assert not {row for row, _ in table.best} & averages
    assert {column for _, column in table.best} == set(range(2, 14))
    gpt_nic = table.full_header().index("GPT-3.5-turbo-16k NIC ↓")
    assert [table.rows[row][gpt_nic] for row, column in table.best if column == gpt_nic] == [
        "70.09"
    ]


def test_the_order_of_the_cells_changes_no_number() -> None:
    for number in TABLES:
        held = paper(number)
        turned = replace(held, cells=tuple(reversed(held.cells)))
        assert layout_table(number, turned) == layout_table(number, held)


@pytest.mark.parametrize("number", TABLES)
def test_the_latex_of_a_table_compiles_without_letters_that_tex_lacks(number: int) -> None:
    body = paper_table(str(number)).latex().split("\n%")[0]
    assert body.isascii()
    assert body.count("{") == body.count("}")
    assert body.count("$") % 2 == 0
    widths = {line.count(" & ") for line in body.splitlines() if line.endswith(r" \\")}
    groups = r"\multicolumn" in body
    assert len(widths) == 1 + groups


def test_layouts_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError, match="choose 5, 6, 8, 9, 10, 11"):
        layout(7)
    assert set(layouts()) == set(TABLES)


def found_of(name: str) -> list[Found]:
    held = {5: paper(5), 6: paper(6), 9: paper(9)}
    return [one for one in findings(held) if one.id == name]


def test_what_is_said_of_chatglm_under_crs_overstates_the_table() -> None:
    verdicts = {one.measure: one.verdict for one in found_of("chatglm-under-crs")}
    assert verdicts == {
        "R-L ↑": Verdict.HOLDS,
        "Red ↓": Verdict.FAILS,
        "NIC ↓": Verdict.HOLDS,
        "CRE ↑": Verdict.FAILS,
    }
    notes = paper_table(FINDINGS).notes
    assert any("Red ↓ 33.61 → 32.62 (better)" in note for note in notes)
    assert any("CRE ↑ 54.89 → 54.91 (better)" in note for note in notes)


def test_crs_worsens_the_conflicts_of_chatglm_against_the_sentence_on_all_models() -> None:
    verdicts = {one.model: one.verdict for one in found_of("crs-conflict")}
    assert verdicts["Chatglm3-6b-32k"] is Verdict.FAILS
    assert {verdicts[name] for name in verdicts if "Chat" not in name} == {Verdict.HOLDS}
    assert any("CRE ↑ 56.34 → 54.90 (worse)" in note for note in paper_table(FINDINGS).notes)


def test_the_findings_on_omission_and_on_the_protocol_under_crs_hold_throughout() -> None:
    for name in ("crs-omission", "protocol-under-crs", "scale"):
        assert {one.verdict for one in found_of(name)} == {Verdict.HOLDS}
    assert len(found_of("protocol-under-crs")) == 8


def test_the_largest_llama_is_better_with_the_protocol_in_conflicts_alone() -> None:
    verdicts = {one.measure: one.verdict for one in found_of("protocol-at-scale")}
    assert verdicts == {
        "R-L ↑": Verdict.FAILS,
        "NIC ↓": Verdict.FAILS,
        "CRE ↑": Verdict.HOLDS,
    }


def test_what_the_paper_prints_no_number_for_is_not_computable() -> None:
    for name in ("perspectives", "languages"):
        (one,) = found_of(name)
        assert one.verdict is Verdict.NONE
        assert one.why


def test_the_papers_tables_are_the_reviewed_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """To accept a change: read the difference, then run with GLOBESUMM_ACCEPT=1 and commit."""
    assert main(["compare", "--paper", "--format", "markdown"]) == 0
    now = capsys.readouterr().out
    if os.environ.get("GLOBESUMM_ACCEPT"):
        GOLDEN.write_text(now, encoding="utf-8")
    reviewed = GOLDEN.read_text(encoding="utf-8")
    difference = "\n".join(
        difflib.unified_diff(reviewed.splitlines(), now.splitlines(), "reviewed", "now", "", "", 0)
    )
    assert not difference, f"review this, then accept with GLOBESUMM_ACCEPT=1:\n{difference}"
