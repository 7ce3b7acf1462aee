"""``globesumm bias``: from a run or a file to tables and plots, with an entailer of known rule."""

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.runs import PARTS, Failure, Run, alone
from globesumm.values import Document, Event, Summary
from metrics.bias.items import of_runs, read_items
from metrics.entailment import Entailer, Hypothesis, Verdict, presets

RECIPE = "sts.none.extractive"


class Marks(Entailer):
    """Entails what shares a mark like #7 with the premise, whatever the language."""

    stand_in = "lexical"

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    @property
    def identity(self) -> str:
        return "marks"

    def judge(
        self, premise: str, _language: str, hypotheses: Sequence[Hypothesis]
    ) -> list[Verdict]:
        held = set(re.findall(r"#\d+", premise))
        return [
            Verdict(value=float(bool(held & set(re.findall(r"#\d+", one.text)))))
            for one in hypotheses
        ]


@pytest.fixture(autouse=True)
def marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presets, "STAND_INS", {"vector": Marks, "lexical": Marks})


def event(name: str) -> Event:
    texts = {"en": "Fact #1. Fact #2.", "fr": "Fact #3.", "he": "Fact #9."}
    return Event(
        id=name,
        description=name,
        documents=tuple(
            Document(id=f"{name}-{code}", text=text, language=code) for code, text in texts.items()
        ),
    )


def summary(name: str, *, recipe: str = RECIPE, model: str = "m") -> Summary:
    text = "Says #1. Says #2. Says #3. Says #4."
    return Summary(event=name, recipe=recipe, model=model, target="en", text=text, rounds=())


def made(folder: Path, *names: str, recipe: str = RECIPE, model: str = "m") -> Run:
    run = Run.start(folder, {"seed": 0})
    run.write_events([event(name) for name in names])
    for name in names:
        run.write_summary(summary(name, recipe=recipe, model=model))
    return run


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["language"]: row for row in csv.DictReader(file)}


def test_a_run_becomes_tables_and_plots_beside_it_with_the_values_computed_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "run", "one", "two", "three")
    assert main(["bias", str(run.folder), "--permutations", "49"]) == 0
    said = capsys.readouterr()
    found = rows(run.folder / "bias" / f"report-{RECIPE}.csv")
    assert float(found["en"]["score"]) == pytest.approx(0.5)
    assert float(found["fr"]["norm"]) == pytest.approx(0.25 / 0.75, abs=1e-6)
    assert float(found["he"]["score"]) == 0.0
    assert found["en"]["documents"] == "3"
    suffixes = {path.suffix for path in (run.folder / "bias").iterdir()}
    assert {".csv", ".md", ".tex", ".png", ".svg", ".sqlite"} <= suffixes
    assert "a stand-in that compares words, no model of entailment" in said.out
    assert "not calibrated in en, fr, he" in said.out
    assert "events" in said.err


def test_a_plan_counts_pairs_and_judges_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "run", "one", "two")
    assert main(["bias", str(run.folder), "--dry-run"]) == 0
    assert f"{RECIPE}: 2 events, 6 documents of 16 words, 24 pairs" in capsys.readouterr().out
    assert not (run.folder / "bias").exists()


@pytest.mark.parametrize("out", [None, "bias", "../apart"])
def test_a_second_process_is_refused_and_changes_nothing(
    tmp_path: Path, out: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "run", "one")
    where = ["--out", str(run.folder / out)] if out else []
    command = ["bias", str(run.folder), "--permutations", "9", *where]
    assert main(command) == 0
    held = tmp_path / "apart" if out == "../apart" else run.folder
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with alone(held):
        assert main(command) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("globesumm: another process is working in ")
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", ["bias", "score", "cite", "ledger", "brief"])
def test_given_a_grid_a_verb_names_its_parts_where_the_summaries_are(
    tmp_path: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = made(tmp_path / "grid")
    part = made(tmp_path / "grid" / PARTS / "m--en", "one")
    others: dict[str, list[list[str]]] = {
        "bias": [[], [str(part.folder), "--dry-run"]],
        "score": [["--metrics", "rouge"]],
    }
    for more in others.get(verb, [[]]):
        assert main([verb, str(grid.folder), *more]) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert "is a grid" in said
        assert "RUN/parts/PART" in said
        assert str(part.folder) in said


def test_runs_of_different_events_make_one_system_and_rivals_stand_apart(tmp_path: Path) -> None:
    first = made(tmp_path / "a", "one")
    second = made(tmp_path / "b", "two")
    rival = made(tmp_path / "c", "one")
    other = made(tmp_path / "d", "one", model="n")
    assert list(of_runs([first, second])) == [RECIPE]
    assert list(of_runs([first, rival])) == [f"{RECIPE} in a", f"{RECIPE} in c"]
    assert list(of_runs([first, other])) == [f"{RECIPE} m", f"{RECIPE} n"]
    assert of_runs([first], ["crs.none.lead"]) == {}


def test_a_failed_summary_is_named_and_changes_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "run", "one", "two")
    run.write_failure(Failure(recipe=RECIPE, event="three", reason="it was empty"))
    assert main(["bias", str(run.folder), "--permutations", "9"]) == 1
    assert (
        "not in the report: sts.none.extractive on three: it was empty" in capsys.readouterr().err
    )


def test_documents_in_a_language_that_the_entailer_does_not_read_are_unscored_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Marks, "languages", frozenset({"en", "fr"}))
    run = made(tmp_path / "run", "one", "two")
    assert main(["bias", str(run.folder), "--permutations", "9"]) == 1
    said = capsys.readouterr().out
    assert "it has no KIS+CLP text and is in he, and marks reads en, fr only (2)" in said
    assert rows(run.folder / "bias" / f"report-{RECIPE}.csv")["he"]["score"] == ""


def line(**changes: object) -> str:
    plain: dict[str, object] = {
        "event": "one",
        "candidate": "Says #1. Says #3.",
        "language": "en",
        "documents": [
            {"id": "a", "text": "Fact #1.", "language": "eng"},
            {"id": "b", "text": "Fact #2.", "language": "iw"},
        ],
    }
    return json.dumps(plain | changes)


def test_any_systems_summaries_are_reported_with_their_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(f"{line()}\n{line(event='two', recipe='theirs')}\n")
    out = str(tmp_path / "out")
    assert main(["bias", "--candidates", str(path), "--out", out, "--permutations", "9"]) == 0
    found = rows(tmp_path / "out" / "report-candidates.csv")
    assert float(found["en"]["score"]) == 0.5
    assert float(found["he"]["score"]) == 0.0
    assert (tmp_path / "out" / "systems.md").exists()
    assert "# theirs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (line(documents=[]), "it has no documents"),
        (line(language="klingonese"), "klingonese"),
        (line(documents=[{"id": "a", "text": "x", "language": "en"}] * 2), "have one id"),
        (line(), "was on a line before"),
        ("{", "JSON"),
        (line(documents="x"), "documents"),
    ],
)
def test_a_bad_line_is_rejected_by_name_and_the_rest_goes_on(
    bad: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(f"{line()}\n{bad}\n{line(event='last')}\n")
    first, second, third = read_items(path)
    assert said in getattr(second, "reason", "")
    assert isinstance(first, tuple)
    assert isinstance(third, tuple)


TOLD = {
    "english": "The {0} burst its banks on Monday. Twelve people of the {0} were rescued.",
    "french": "Le {0} a débordé lundi matin. Douze personnes du {0} ont été sauvées hier.",
}


@pytest.fixture
def translations(tmp_path: Path) -> Path:
    folder = tmp_path / "told"
    folder.mkdir()
    for topic in range(2):
        for number in range(2):
            for language, text in TOLD.items():
                marked = text.format(f"river #{topic}{number}")
                (folder / f"M00{topic}{number}.{language}").write_text(
                    f"A headline\n\nJanuary 1{number}, 2005\n\n{marked}\n"
                )
    return folder


def test_the_controlled_test_tells_reports_in_languages_drawn_by_lot(
    tmp_path: Path, translations: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["--controlled", str(translations), "--draws", "4", "--permutations", "49"]
    more = ["--recipe", "sts.none.lead", "--first", "3", "--out", str(out)]
    assert main(["bias", *arguments, *more]) == 0
    found = rows(out / "controlled-sts.none.lead.csv")
    assert set(found) == {"en", "fr"}
    assert sum(int(row["tellings"]) for row in found.values()) == 4 * 4
    assert (out / "controlled-sts.none.lead.svg").exists()
    said = capsys.readouterr().out
    assert "16 of 16 measured" in said
    assert "sentences of the summary that rest on a report; 4 tellings an event, first 3" in said
    assert "stand-in" not in said


def test_facts_kept_are_judged_by_the_entailer_in_one_language(
    tmp_path: Path, translations: Path
) -> None:
    out = tmp_path / "out"
    arguments = ["--controlled", str(translations), "--draws", "2", "--permutations", "9"]
    more = ["--recipe", "sts.none.lead", "--kept", "facts", "--out", str(out)]
    assert main(["bias", *arguments, *more]) == 0
    shares = [float(row["share"]) for row in rows(out / "controlled-sts.none.lead.csv").values()]
    assert all(0 < share <= 1 for share in shares)


def test_a_calibration_is_told_with_its_rates_and_names_what_is_an_upper_bound(
    tmp_path: Path, translations: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "run", "one", "two")
    main(["bias", str(run.folder), "--calibrate", str(translations), "--permutations", "9"])
    said = capsys.readouterr().out
    assert "calibrated on 4 translated reports of 2 events" in said
    assert re.search(r"en \d+% / 0%, fr \d+% / 0%; in en on a report's own sentences", said)
    assert "not calibrated in he" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a RUN folder"),
        (["nowhere"], "holds no run"),
        (["a", "--candidates", "b", "--out", "o"], "not both"),
        (["--candidates", "b"], "--out FOLDER"),
        (["a", "--draws", "0"], "--draws is 0"),
        (["a", "--permutations", "0"], "--permutations is 0"),
        (["a", "--controlled", "nowhere"], "nowhere is no folder"),
        (["a", "--entailer", "vectr"], "holds no run"),
    ],
)
def test_what_cannot_be_reported_is_said_in_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bias", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_without_translations_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "M0001.english").write_text("Headline\n\nJanuary 1, 2005\n\nOne report alone.\n")
    out = str(tmp_path / "out")
    assert main(["bias", "--controlled", str(tmp_path), "--out", out]) == 2
    assert "no report in two languages" in capsys.readouterr().err
