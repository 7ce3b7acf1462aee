"""Tables of a real run folder: a small grid carried out with a scripted model that judges too."""

import json
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from baselines.tables import write_tables
from baselines.tables.comparing import KINDS, Compared
from baselines.tables.overview import overview
from baselines.tables.slices import AFTER, BEFORE, UNKNOWN
from globesumm.cli import main
from globesumm.config import Experiment, load
from globesumm.records import read_record, to_json, write_records
from globesumm.runs import Failure, Run
from globesumm.values import ConflictCause, Document, Event, Issue, IssueKind, Score, Statement
from metrics.printed import MISSING, Table

FACTS = '{"sentences": ["A fire broke out.", "Crews came ($key)."]}'
SAYS = r"nothing else: (?P<mark>verdicts-\w+)"
SCRIPT = {
    "into its key facts": FACTS,
    f"Fire 0 .*{SAYS}": "$mark: [1]",
    f"Fire [12] .*{SAYS}": "$mark: [-1]",
    "Write one summary of the event": "A fire broke out at one. Crews sent engines ($key).",
}
"""What the model says to a request in which the pattern is found."""

DAY = datetime(2023, 6, 1, tzinfo=UTC)
SPREAD = ("one", "two", "three", "four")
"""Words, so that no two reports are alike."""


def event(number: int, languages: str) -> Event:
    """An event of four reports in some languages, on the first of a month, with one conflict."""
    documents = tuple(
        Document(
            id=f"{number}-{place}",
            text=f"Fire {number} began at {SPREAD[place]}. Crews sent {SPREAD[number]} engines.",
            language=language,
            published=DAY + timedelta(days=30 * number, hours=place),
        )
        for place, language in enumerate(languages.split())
    )
    statements = tuple(
        Statement(document=one.id, index=1, language=one.language, text=one.text.split(". ")[0])
        for one in documents[:2]
    )
    return Event(
        id=f"fire-{number}",
        description=f"Fire {number}",
        documents=documents,
        date=DAY + timedelta(days=30 * number) if number else None,
        references=(f"Fire {number} broke out at one. Crews sent {SPREAD[number]} engines.",),
        conflicts=(
            Issue(
                kind=IssueKind.CONFLICT,
                statements=statements,
                cause=tuple(ConflictCause)[number % 2],
            ),
        ),
    )


CONFIG = """
inputs = ["events.jsonl"]
recipes = ["crs.none.direct", "sts.none.direct", "crs.kis.direct", "crs.none.lead"]
metrics = ["rouge", "nic-lexical"]
prefixes = true
currency = "EUR"

[[models]]
name = "cheap"
model = "scripted:says.jsonl"
size = "7B"
cutoff = 2023-06-30
input_per_million = 1.0
output_per_million = 2.0

[[judges]]
model = "cheap"
metrics = ["cre"]
"""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grid of four recipes on three events, as the verb makes it, tables and plots included."""
    folder = tmp_path_factory.mktemp("grid")
    events = [event(0, "en en fr de"), event(1, "en en fr en"), event(2, "en en en")]
    write_records(folder / "events.jsonl", events)
    lines = (json.dumps({"pattern": said, "answer": what}) for said, what in SCRIPT.items())
    (folder / "says.jsonl").write_text("\n".join(lines))
    (folder / "small.toml").write_text(CONFIG)
    assert main(["grid", str(folder / "small.toml"), "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture
def grid_folder(made: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def experiment_of(folder: Path) -> Experiment:
    return read_record(folder / "tables" / "experiment.json", Experiment)


def row(table: Table, *names: str) -> tuple[str, ...]:
    return next(row for row in table.rows if row[: len(names)] == names)


def test_every_table_is_written_in_every_form_and_named_in_the_index(made: Path) -> None:
    index = (made / "tables" / "index.md").read_text()
    for name in ("all", "table-6", "findings", "cost", "pairs", "contamination", "languages"):
        for suffix in ("md", "tex", "tsv"):
            assert (made / "tables" / f"{name}.{suffix}").stat().st_size
            assert f"({name}.{suffix})" in index
    assert "not made" not in index


def test_the_main_table_holds_every_cell(made: Path) -> None:
    table = write_tables(made, experiment_of(made))
    assert [row[:2] for row in table.rows] == [
        ("crs.none.lead", "(no model)"),
        ("sts.none.direct", "cheap"),
        ("crs.none.direct", "cheap"),
        ("crs.kis.direct", "cheap"),
    ]
    assert all(all(row) for row in table.rows)


def test_writing_tables_again_changes_no_byte(made: Path) -> None:
    before = {path: path.read_bytes() for path in sorted((made / "tables").iterdir())}
    plots = {path: path.read_bytes() for path in sorted((made / "plots").glob("*"))}
    write_tables(made, experiment_of(made))
    assert before == {path: path.read_bytes() for path in sorted((made / "tables").iterdir())}
    assert plots == {path: path.read_bytes() for path in sorted((made / "plots").glob("*"))}


def test_the_scores_are_those_of_the_run_folders(made: Path) -> None:
    held = Compared(made)
    part = Run(made / "parts" / "cheap--en")
    values = [
        one.value
        for one in part.scores()
        if one.metric == "rougeL" and one.recipe == "crs.none.direct"
    ]
    known = [value for value in values if value is not None]
    (mine,) = [
        one
        for one in held.results.cells
        if (str(one.recipe), one.metric) == ("crs.none.direct", "rougeL")
    ]
    assert mine.n == mine.expected == len(known) == 3
    assert mine.mean == pytest.approx(sum(known) / 3)


def test_a_failed_summary_is_named_and_stays_in_the_count(grid_folder: Path) -> None:
    part = Run(grid_folder / "parts" / "cheap--en")
    part.summary_path("crs.none.direct", "fire-1").unlink()
    part.write_failure(Failure(recipe="crs.none.direct", event="fire-1", reason="refused"))
    part.write_scores(
        [one for one in part.scores() if (one.recipe, one.event) != ("crs.none.direct", "fire-1")]
    )
    table = overview(Compared(grid_folder).results)
    assert all(cell.endswith("(2/3)") for cell in row(table, "crs.none.direct")[2:])
    assert any("no summary: refused" in note for note in table.notes)


def test_a_part_that_was_not_begun_is_named_missing(grid_folder: Path) -> None:
    shutil.rmtree(grid_folder / "parts" / "cheap--en")
    table = overview(Compared(grid_folder).results)
    assert set(row(table, "crs.none.direct")[2:]) == {MISSING}
    assert any("not made yet" in note for note in table.notes)


def test_a_grid_of_which_no_part_was_begun_shows_all_its_cells(grid_folder: Path) -> None:
    shutil.rmtree(grid_folder / "parts")
    held = Compared(grid_folder)
    assert len(held.results.asked) == 4
    table = write_tables(grid_folder, experiment_of(grid_folder))
    assert len(table.rows) == 4
    assert table.notes[0] == "no summary of any cell was scored yet"


def test_costs_alone_and_shares_add_up_to_the_store(made: Path) -> None:
    costs = Compared(made).costs
    with sqlite3.connect(made / "calls.sqlite") as store:
        (stored,) = store.execute("SELECT count(*) FROM answers").fetchone()
    assert costs.stored.calls == stored
    for figure in ("calls", "prompt_tokens", "completion_tokens", "cost"):
        shares = sum(getattr(one.share, figure) for one in costs.cells)
        total = getattr(costs.stored, figure)
        assert shares + getattr(costs.nobody, figure) == pytest.approx(total)
    cells = {str(one.recipe): one for one in costs.cells}
    # Judging four recipes on three events: calls of no summary, once for each different text.
    assert 1 <= costs.nobody.calls <= 12
    assert cells["sts.none.direct"].alone.calls == 3
    assert cells["crs.none.direct"].alone.calls == 3 + 3 + 2
    assert cells["crs.none.lead"].alone.calls == 0
    one = cells["crs.none.direct"].alone
    assert one.cost == pytest.approx((one.prompt_tokens + 2 * one.completion_tokens) / 1e6)
    table = KINDS["cost"].make(Compared(made))
    assert "EUR" in table.header
    assert table.rows[-1][0] == "(all stored answers)"


def test_the_conflicts_by_cause_come_from_the_judges_stored_answers(made: Path) -> None:
    causes, note = Compared(made).causes
    assert causes is not None
    assert causes.reasons == ()
    assert (causes.judged, causes.expected) == (12, 12)
    assert "judge:scripted:says.jsonl" in note
    assert set(causes.counts) == {"cheap", "(no model)"}
    # Three recipes; fires 1 and 2 go wrong, the one a matter of perspective, the other an update.
    counts = {one.cause: dict(one.counts)["cheap"] for one in causes.shares}
    assert counts == {ConflictCause.UPDATE: (3, 6), ConflictCause.PERSPECTIVE: (3, 6)}
    assert {one.share for one in causes.shares} == {0.5}


def test_without_the_store_verdicts_are_counted_as_missing(grid_folder: Path) -> None:
    (grid_folder / "calls.sqlite").unlink()
    causes, _ = Compared(grid_folder).causes
    assert causes is not None
    assert causes.judged == 0
    assert causes.reasons[0][1] == 12
    found = KINDS["findings"].make(Compared(grid_folder))
    assert row(found, "perspectives")[4] == "not computable"


def test_events_are_split_by_the_models_cutoff(made: Path) -> None:
    table = KINDS["contamination"].make(Compared(made))
    slices = {row[2] for row in table.rows}
    # The first event has no date of its own, and its first report is of the first of June.
    assert slices == {f"{BEFORE} (1)", f"{AFTER} (2)"}
    assert any("cheap: cutoff 2023-06-30" in note and "0 unknown" in note for note in table.notes)
    assert any("1 events without a date" in note for note in table.notes)
    assert not any(row[1] == "(no model)" for row in table.rows)


def test_a_model_without_a_stated_cutoff_is_unknown_not_clean(grid_folder: Path) -> None:
    (grid_folder / "tables" / "experiment.json").unlink()
    table = KINDS["contamination"].make(Compared(grid_folder))
    assert {row[2] for row in table.rows} == {f"{UNKNOWN} (3)"}
    assert any("no stated cutoff" in note for note in table.notes)


def test_scores_by_number_of_languages_cover_every_event_once(made: Path) -> None:
    table = KINDS["languages"].make(Compared(made))
    of_cell = {row[2]: row[3] for row in table.rows if row[0] == "crs.none.direct"}
    assert set(of_cell) == {"1", "2", "3"}
    assert all(text.endswith("(1/1)") for text in of_cell.values())


def test_prefixes_stand_by_documents_covered_and_say_how_many_events(grid_folder: Path) -> None:
    part = Run(grid_folder / "parts" / "cheap--en")
    lengths = {"fire-0": 4, "fire-1": 4, "fire-2": 3}
    final = [
        Score(id=e, metric="red", value=0.5, signature="red|v:1", event=e, recipe=r, round=n - 1)
        for e, n in lengths.items()
        for r in ("crs.none.direct", "crs.kis.direct")
    ]
    earlier = [
        Score(
            id=f"{e}#{k}",
            metric="red",
            value=None if (e, k) == ("fire-1", 1) else k / 10,
            signature="red|v:1",
            note="no" if (e, k) == ("fire-1", 1) else None,
            event=e,
            recipe="crs.none.direct",
            round=k,
        )
        for e, n in lengths.items()
        for k in range(1, n - 1)
    ]
    part.write_scores([*part.scores(), *final])
    write_records(part.folder / "prefix-scores.jsonl", earlier)
    table = KINDS["prefix"].make(Compared(grid_folder))
    assert table.header[3:] == ("red ↓",)
    held = {row[2]: row[3] for row in table.rows if row[0] == "crs.none.direct"}
    assert held == {
        "2": "10.00 [10.00, 10.00] (2/3)",
        "3": "30.00 [20.00, 50.00] (3/3)",
        "4": "50.00 [50.00, 50.00] (2/2)",
    }
    assert any("compare n before the means" in note for note in table.notes)


def test_a_grid_without_scores_of_prefixes_says_how_to_get_them(grid_folder: Path) -> None:
    for path in grid_folder.glob("parts/*/prefix-scores.jsonl"):
        path.unlink()
    table = KINDS["prefix"].make(Compared(grid_folder))
    assert table.rows == ()
    assert any("prefixes = true" in note for note in table.notes)


def test_every_line_of_the_paper_delta_says_what_differs(made: Path) -> None:
    table = KINDS["paper-delta"].make(Compared(made))
    # 12 recipes of Table 5 and 8 more of Table 6, four measures each.
    assert len(table.rows) == 80
    for line in table.rows:
        said = line[-1]
        assert "model cheap for GPT-3.5-turbo-16k" in said
        assert "3 events for 74; 11 documents for 942" in said
        assert "3 languages for 26" in said
        assert "temperature 0.0, there unstated" in said
    filled = [line for line in table.rows if line[6] != MISSING]
    assert {line[2] for line in filled} == {"R-L", "NIC", "CRE"}
    assert all("NIC by nic-lexical|" in line[-1] for line in filled if line[2] == "NIC")
    assert all("no R" in line[-1] for line in table.rows if line[2] == "Red")
    one = next(line for line in filled if line[1] == "sts.none.direct" and line[2] == "R-L")
    here, apart = float(one[6].split()[0]), float(one[7])
    assert one[5] == "17.60"
    assert here - 17.60 == pytest.approx(apart, abs=0.011)


def test_a_model_of_the_papers_own_is_held_against_itself(grid_folder: Path) -> None:
    held = Compared(grid_folder)
    from dataclasses import replace

    from baselines.tables.delta import delta_table
    from baselines.tables.results import Who

    vicuna = Who(model="lmsys/vicuna-7b-v1.5-16k")
    results = replace(
        held.results,
        who=(vicuna,),
        cells=tuple(replace(one, who=vicuna) for one in held.results.cells if one.who.model),
    )
    table = delta_table(results, held.setting)
    assert {line[3] for line in table.rows} == {"Vicuna-7b-v1.5-16k"}
    # Table 6 is of GPT-3.5 alone.
    assert {line[0] for line in table.rows} == {"5"}


def test_the_command_prints_any_table_in_any_form(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, kind in KINDS.items():
        for form in ("table", "markdown", "latex", "tsv"):
            assert main(["compare", str(made), "--table", name, "--format", form]) == 0
            said = capsys.readouterr().out
            assert said.startswith(f"# {kind.about}\n\n")
    assert main(["compare", str(made), "--table", "6", "--intervals"]) == 0
    assert "(3/3)" in capsys.readouterr().out


def test_the_command_writes_tables_for_a_plain_run_too(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = Run(made).events()
    run = Run.start(tmp_path / "plain", {"recipes": "crs.none.lead", "target": "en"})
    run.write_events(events)
    part = Run(made / "parts" / "no-model--en")
    for summary in part.summaries():
        run.write_summary(summary)
    run.write_scores(part.scores())
    assert main(["compare", str(run.folder), "--write"]) == 0
    held = capsys.readouterr()
    assert "crs.none.lead" in held.out
    assert "no recipe here takes one" not in held.err
    assert (run.folder / "tables" / "all.md").exists()
    assert not (run.folder / "tables" / "table-5.md").exists()
    assert main(["compare", str(run.folder), "--table", "5"]) == 2
    assert "no recipe here takes one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "name a RUN folder, or --paper"),
        (["compare", "nowhere"], "holds no run"),
        (["compare", "--paper", "--table", "7"], "unknown table '7'"),
        (["compare", "--paper", "--write"], "for a RUN"),
        (["compare", "RUN", "--table", "costs"], "did you mean 'cost'?"),
        (["compare", "RUN", "--config", "nosuch"], "unknown config"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(
    made: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(made) if one == "RUN" else one for one in arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_config_gives_prices_and_cutoffs_to_a_folder_without(grid_folder: Path) -> None:
    (grid_folder / "tables" / "experiment.json").unlink()
    assert Compared(grid_folder).costs.unpriced_models == ("scripted:says.jsonl",)
    (grid_folder.parent / "again.toml").write_text(CONFIG)
    held = Compared(grid_folder, load(str(grid_folder.parent / "again.toml")))
    assert held.costs.unpriced_models == ()
    assert held.costs.currency == "EUR"


def test_an_unpriced_model_has_no_cost_rather_than_none_to_pay(grid_folder: Path) -> None:
    (grid_folder / "tables" / "experiment.json").unlink()
    table = KINDS["cost"].make(Compared(grid_folder))
    one = row(table, "crs.none.direct")
    places = [place for place, head in enumerate(table.header) if head == "money"]
    assert [one[place] for place in places] == [MISSING, MISSING]
    assert one[-1] == MISSING
    assert any("no price is known of scripted:says.jsonl" in note for note in table.notes)


def test_the_plots_that_can_be_drawn_are_and_the_others_say_why(made: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    index = (made / "tables" / "index.md").read_text()
    for name in ("cost-rougeL", "conflicts"):
        for suffix in ("png", "svg"):
            assert (made / "plots" / f"{name}.{suffix}").stat().st_size > 1000
    assert "plot cost-rougeL: [cost-rougeL.png](../plots/cost-rougeL.png)" in index


def test_without_matplotlib_there_is_a_note_and_every_table(
    grid_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import metrics.figures

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(metrics.figures, "import_module", missing)
    shutil.rmtree(grid_folder / "plots", ignore_errors=True)
    write_tables(grid_folder, experiment_of(grid_folder))
    index = (grid_folder / "tables" / "index.md").read_text()
    assert "plot cost-rougeL: not drawn: a plot needs the package 'matplotlib'" in index
    assert not (grid_folder / "plots").exists()


def test_a_damaged_score_file_is_refused_with_its_place(grid_folder: Path) -> None:
    path = grid_folder / "parts" / "cheap--en" / "scores.jsonl"
    path.write_text('{"id": 3}\n')
    assert main(["compare", str(grid_folder)]) == 2


def test_a_metric_of_another_version_is_shown_with_a_note(grid_folder: Path) -> None:
    path = grid_folder / "parts" / "cheap--en" / "scores.jsonl"
    strange = Score(
        id="fire-0", metric="new-one", value=0.5, signature="new|v:1", event="fire-0",
        recipe="crs.none.direct",
    )  # fmt: skip
    with path.open("a") as file:
        file.write(to_json(strange) + "\n")
    table = overview(Compared(grid_folder).results)
    assert table.header[-1] == "new-one ↑"
    assert any("no metric of this version" in note for note in table.notes)
    assert json.loads(path.read_text().splitlines()[-1])["metric"] == "new-one"
