"""Plots of leaderboards: which are drawn from what, and what is said where nothing is."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from globesumm.cli import main
from metrics.facts.leaderboard import board, published
from metrics.facts.plots import draw_plots
from metrics.facts.records import Candidate
from metrics.facts.sources import Part, Source
from metrics.facts.statistics import by_complexity
from metrics.facts.verdicts import Verdicts

PNG = b"\x89PNG"


def verdicts() -> list[Verdicts]:
    return [
        Verdicts(
            id=f"{scenario}-{n}", system=system, scenario=scenario,
            key_facts=((1,), (1,) if good else ()), sentences=1, supported=(True, good),
        )
        for system, good in (("thinker", True), ("$x^2$ <b>talker</b>\x07", False))
        for scenario in ("daily life", "meeting")
        for n in range(2)
    ]  # fmt: skip


def summaries() -> list[Candidate]:
    spent = {"daily life-0": 100, "daily life-1": 300, "meeting-0": 5000, "unjudged": 9}
    return [
        Candidate(id=name, system="thinker", summary="s", thinking_tokens=n)
        for name, n in spent.items()
    ]


def test_thinking_tokens_are_averaged_by_scenario_over_judged_summaries() -> None:
    rows = {row.system: row for row in board(verdicts(), summaries=summaries())}
    assert rows["thinker"].thinking_in == {"daily life": 200, "meeting": 5000}
    assert rows["thinker"].thinking == 1800
    assert rows["$x^2$ <b>talker</b>\x07"].thinking is None


def test_every_figure_is_drawn_where_its_data_is_and_alike_each_time(tmp_path: Path) -> None:
    rows = board(verdicts(), summaries=summaries())
    drawn, missing = draw_plots(rows, tmp_path / "new" / "a")
    assert [path.name for path in drawn] == [
        "deviation.png",
        "thinking_completeness.png",
        "thinking_conciseness.png",
        "thinking_faithfulness.png",
        "thinking_by_scenario.png",
    ]
    assert missing == []
    again, _ = draw_plots(rows, tmp_path / "b")
    for one, other in zip(drawn, again, strict=True):
        assert one.read_bytes().startswith(PNG)
        assert one.read_bytes() == other.read_bytes()


def test_the_published_table_gives_deviations_and_the_rest_is_named(tmp_path: Path) -> None:
    drawn, missing = draw_plots(published(), tmp_path)
    assert [path.name for path in drawn] == ["deviation.png"]
    assert len(missing) == 4
    assert missing[-1] == "thinking_by_scenario.png: no thinking tokens are recorded"


def test_scenarios_are_ordered_by_the_length_of_their_sources() -> None:
    def source(name: str, scenario: str, words: int, speakers: int) -> Source:
        part = Part(id=name, text="word " * words, language="en")
        return Source(id=name, parts=(part,), scenario=scenario, speakers=speakers)

    sources = [
        source("1", "short", 5, 9),
        source("2", "long", 50, 2),
        source("3", "long but few", 50, 1),
    ]
    assert by_complexity(sources) == ["long", "long but few", "short"]


def test_without_matplotlib_the_tables_are_printed_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.import_module

    def lacking(name: str, package: str | None = None) -> ModuleType:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("metrics.figures.import_module", lacking)
    command = ["facts", "leaderboard", "--published", "--plots", str(tmp_path)]
    assert main(command) == 0
    told = capsys.readouterr()
    assert "GPT-5" in told.out
    assert "note: no plots" in told.err
    assert "matplotlib" in told.err
    assert list(tmp_path.iterdir()) == []


def test_the_command_draws_beside_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.jsonl"
    lines = [
        {"id": v.id, "system": v.system, "scenario": v.scenario, "key_facts": v.key_facts}
        | {"sentences": v.sentences, "supported": v.supported}
        for v in verdicts()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["facts", "leaderboard", str(path)]
    assert main([*command, "--plots", str(tmp_path / "plots")]) == 0
    told = capsys.readouterr()
    assert "thinker" in told.out
    assert (tmp_path / "plots" / "deviation.png").exists()
    assert "not drawn: thinking_completeness.png" in told.err
    assert main([*command, "--sources", str(path)]) == 2
