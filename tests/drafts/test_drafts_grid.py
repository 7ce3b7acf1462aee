"""Drafts in grids and runs: settings, judges kept apart, killed and resumed, told afterwards."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.author import Author
from baselines.experiment import settings
from baselines.grid.same_judge import chosen_by, same_judges
from baselines.grid.scoring import check_metrics
from baselines.grid.settings import grid_settings
from globesumm import config
from globesumm.cli import main
from globesumm.config import Drafts, Experiment, Judge, ModelRow
from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.llm.call_store import CallStore
from globesumm.prompts import Library, shipped_prompts
from globesumm.records import write_records
from tests.drafts.conftest import Writer, event
from tests.grid.conftest import Server, answering
from tests.grid.test_grid_kills import stored

METHODS = ("rerank", "rerank-rouge-2", "self-refine-1", "debate-3x2")


def setup(folder: Path, url: str, more: str = "") -> Path:
    """An experiment file with two events, all methods, a judge of drafts and one of results."""
    write_records(folder / "events.jsonl", [event(3), event(2, name="bus")])
    recipes = ["sts.none.direct", *(f"sts.none.direct.{name}" for name in METHODS)]
    recipes.append("crs.kis.protocol.rerank-2")
    path = folder / "drafted.toml"
    path.write_text(
        f"""
        inputs = ["events.jsonl"]
        recipes = {json.dumps(recipes)}
        metrics = ["alignment-lexical"]
        seed = 1
        models = [{{ name = "writer", base_url = "{url}" }}]
        helpers = [
            {{ name = "chooser", base_url = "{url}" }}, {{ name = "referee", base_url = "{url}" }},
        ]
        judges = [{{ model = "referee", metrics = ["llm-coverage", "llm-faithfulness"] }}]
        [drafts]
        n = 4
        judge = "chooser"
        stop = false
        {more}
        [limits]
        at_once = 4
        """,
        encoding="utf-8",
    )
    return path


def contents(run: Path) -> dict[str, bytes]:
    """Summaries, scores and what summaries rest on."""
    return {
        str(file.relative_to(run)): file.read_bytes()
        for kind in ("summaries", "uses")
        for file in sorted((run / "parts").glob(f"*/{kind}/*/*.json"))
    } | {
        str(file.relative_to(run)): file.read_bytes()
        for file in sorted((run / "parts").glob("*/scores.jsonl"))
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A grid carried out undisturbed, and what was said on the way."""
    folder = tmp_path_factory.mktemp("whole")
    with answering(folder / "server.log") as server:
        path = setup(folder, server.url)
        assert main(["grid", str(path), "--out", str(folder / "run")]) == 0
        (folder / "asked").write_text(json.dumps(server.asked))
    return folder / "run", str(folder)


def test_a_grid_of_methods_asks_what_its_plan_says_and_nothing_twice(
    whole: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, folder = whole
    asked = json.loads((Path(folder) / "asked").read_text())
    assert len(asked) == len(set(asked))
    assert main(["grid", f"{folder}/drafted.toml", "--out", str(run), "--dry-run"]) == 0
    said = capsys.readouterr().out
    (summaries,) = (int(line.split()[0]) for line in said.splitlines() if "for summaries" in line)
    (judging,) = (int(line.split()[2]) for line in said.splitlines() if "at most" in line)
    store = CallStore(run / "calls.sqlite", read_only=True)
    calls = store.totals().calls
    store.close()
    assert calls == len(asked)
    assert summaries <= calls <= summaries + judging


@pytest.mark.slow
def test_a_grid_killed_anywhere_goes_on_and_ends_as_the_undisturbed_one(
    whole: tuple[Path, str], tmp_path: Path
) -> None:
    run, _ = whole
    with answering(tmp_path / "server.log", 0.005, 0.03) as server:
        path = setup(tmp_path, server.url)
        command = [sys.executable, "-m", "globesumm", "grid", str(path)]
        bought: list[tuple[int, set[str]]] = []
        for enough in (9, 40):
            process = subprocess.Popen(
                [*command, "--out", str(tmp_path / "run")],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while process.poll() is None and _arrived(server) < enough:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            bought.append((len(server.asked), stored(tmp_path / "run" / "calls.sqlite")))
        assert main(["grid", str(path), "--out", str(tmp_path / "run")]) == 0
        assert contents(tmp_path / "run") == contents(run)
        for moment, held in bought:
            # What was on the disk at a kill is never asked for again.
            assert not held & set(server.asked[moment:])


def _arrived(server: Server) -> int:
    return len(server.asked) if server.log.exists() else 0


def test_the_record_shows_why_a_draft_was_taken(
    whole: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = whole
    assert main(["drafts", str(run), "--recipe", "sts.none.direct.rerank", "--event", "bus"]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines[0] == "# bus by sts.none.direct.rerank (writer), round 1"
    assert "llm-coverage  llm-faithfulness  joint  rank" in said
    assert sum(line[:2].rstrip().rstrip("*").isdigit() for line in lines) == 4
    assert sum("*" in line[:3] for line in lines) == 1
    assert "- taken by: mean" in said
    assert main(["drafts", str(run), "--event", "bus", "--texts", "--format", "markdown"]) == 0
    assert "[4] The ferry" in capsys.readouterr().out
    assert main(["drafts", str(run), "--recipe", "sts.none.direct"]) == 2
    assert "no summary there has drafts" in capsys.readouterr().err


def test_a_comparison_counts_drafts_and_draws_scores_against_calls(
    whole: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = whole
    assert main(["compare", str(run), "--table", "drafts"]) == 0
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    assert rows["sts.none.direct.rerank"][2:5] == ["12.0", "2", "8"]
    assert rows["sts.none.direct.debate-3x2"][2:5] == ["6.0", "2", "12"]
    assert rows["sts.none.direct.self-refine-1"][2:5] == ["3.0", "2", "4"]
    assert (run / "plots" / "drafts-llm-coverage.svg").is_file()
    assert (run / "tables" / "drafts.md").is_file()


PLAIN = Experiment(
    recipes=("sts.none.direct", "sts.none.direct.rerank", "sts.none.direct.debate"),
    models=(ModelRow(name="one"), ModelRow(name="two")),
    helpers=(ModelRow(name="judge"), ModelRow(name="other", model="judge", reasoning="low")),
    judges=(Judge(model="judge", metrics=("llm-coverage", "llm-faithfulness")),),
)


def test_a_judge_that_chose_the_drafts_is_flagged_by_metric_and_recipe() -> None:
    same = replace(PLAIN, drafts=Drafts(judge="judge", proxies=("llm-coverage", "rouge")))
    (line,) = same_judges(same)
    assert "llm-coverage is judged by judge, which also chose the drafts of" in line
    assert "sts.none.direct.rerank:" in line
    row = same.rows["judge"]
    assert chosen_by(same, row, "llm-coverage") == {"sts.none.direct.rerank"}
    assert chosen_by(same, row, "llm-faithfulness") == frozenset()
    # Another row of the same model is the same judge.
    assert list(same_judges(replace(same, drafts=Drafts(judge="other"))))
    assert not list(same_judges(replace(PLAIN, drafts=Drafts(judge="two"))))


def test_a_writer_that_chooses_its_own_drafts_and_judges_is_flagged() -> None:
    judged = replace(PLAIN, judges=(Judge(model="one", metrics=("llm-coverage",)),))
    (line,) = same_judges(judged)
    assert "judged by one" in line
    # Another model writes and chooses too, so a score cannot say it of all.
    assert chosen_by(judged, judged.rows["one"], "llm-coverage") == frozenset()


def test_one_judge_for_both_can_be_refused() -> None:
    same = replace(PLAIN, drafts=Drafts(judge="judge"))
    check_metrics(same)
    with pytest.raises(UsageError, match="name another judge"):
        check_metrics(replace(same, drafts=Drafts(judge="judge", same_judge="refuse")))
    check_metrics(replace(PLAIN, drafts=Drafts(judge="two", same_judge="refuse")))


def test_what_decides_the_choice_decides_the_grid_and_nothing_else_of_the_table() -> None:
    events = [event(2)]

    def differing(**changes: object) -> set[str]:
        base = grid_settings(PLAIN, events)
        changed = replace(PLAIN, drafts=Drafts(**changes))  # type: ignore[arg-type]
        other = grid_settings(changed, events)
        return {name for name in base | other if base.get(name) != other.get(name)}

    assert differing(n=5) == {"drafts"}
    assert differing(judge="judge") == {"drafts_judge"}
    assert differing(same_judge="refuse") == set()
    undrafted = replace(PLAIN, recipes=("sts.none.direct",))
    assert not any("draft" in name for name in grid_settings(undrafted, events))


def test_another_prompt_of_a_method_makes_another_run(tmp_path: Path) -> None:
    own = tmp_path / "drafts" / "debate.md"
    own.parent.mkdir()
    own.write_bytes(shipped_prompts()["drafts.debate"].content + b"\nWrite plainly.\n")
    drafted = Experiment(recipes=("sts.none.direct.debate",))
    plain = Author(model=Writer().model())
    changed = replace(plain, prompts=Library(tmp_path))
    before, after = (settings(drafted, [event(2)], author) for author in (plain, changed))
    assert {name for name in before if before[name] != after[name]} == {"prompts"}


@pytest.mark.parametrize(
    ("table", "error", "said"),
    [
        ("n = 0", DataError, "n is 0: give a number from 1 to 100"),
        ("agents = 1", DataError, "agents is 1"),
        ("proxies = []", DataError, "proxies is empty"),
        ('proxies = ["rouge", "rouge"]', DataError, "holds 'rouge' twice"),
        ('joint = "best"', DataError, "joint"),
        ("temperature = -1", DataError, "temperature is -1"),
        ("weights = { rouge = 1 }", DataError, "none of the proxies"),
        ("weights = { llm-coverage = -1 }", DataError, "weights.llm-coverage is -1"),
        ('joint = "min"\nweights = { llm-coverage = 1 }', DataError, "no meaning"),
        ("guards = { llm-coverage = 0.1 }", DataError, "guards go with"),
        ('judge = "nobody"', UnknownName, "nobody"),
        ("draughts = 3", UnknownName, "draughts"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused_with_the_place(
    tmp_path: Path, table: str, error: type[Exception], said: str
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f"recipes = ['sts.none.lead']\n[drafts]\n{table}\n", encoding="utf-8")
    with pytest.raises(error, match=said.replace("(", r"\(")):
        config.load(str(path))


def test_a_run_of_one_model_draws_drafts_with_a_rater_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "documents.jsonl").write_text(
        "".join(
            json.dumps({"id": one.id, "text": one.text, "language": "en"}) + "\n"
            for one in event(3).documents
        )
    )
    with answering(tmp_path / "server.log") as server:
        command = [
            "summarize", str(tmp_path / "documents.jsonl"), "--out", str(tmp_path / "run"),
            "--model", "writer", "--base-url", server.url, "--recipe", "sts.none.direct.rerank",
            "--drafts", "3", "--rater", "chooser", "--draft-temperature", "0.9",
        ]  # fmt: skip
        assert main([*command, "--dry-run"]) == 0
        said = capsys.readouterr().out.splitlines()
        (line,) = (line for line in said if line.startswith("in all"))
        assert line.split()[2] == f"<={3 + 3 * 2}"
        assert main(command) == 0
        assert len(server.asked) == 9
        assert "this time: 9 calls" in capsys.readouterr().err
        assert main(command) == 0
        assert len(server.asked) == 9
        assert main([*command, "--joint", "min"]) == 2
        assert "drafts" in capsys.readouterr().err
        assert main(["drafts", str(tmp_path / "run")]) == 0


def test_a_file_of_candidates_is_rated_and_aligned_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "system.jsonl"
    line = {
        "id": "a",
        "candidate": "The ferry sank.",
        "references": [],
        "language": "en",
        "documents": ["The ferry sank on Monday.", "Nine are missing."],
    }
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "id": "b", "documents": []}))
    with answering(tmp_path / "server.log") as server:
        command = ["score", "--candidates", str(path), "--judge", "referee"]
        command += ["--base-url", server.url, "--entailer", "lexical", "--format", "jsonl"]
        assert main([*command, "--metrics", "llm-coverage,llm-faithfulness,alignment"]) == 0
        assert len(server.asked) == 2
        said = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
        scores = {(one["id"], one["metric"]): one for one in said if one.get("id")}
        assert 0 <= scores["a", "llm-coverage"]["value"] <= 1
        assert scores["a", "alignment-lexical"]["value"] is not None
        for name in ("llm-coverage", "llm-faithfulness", "alignment-lexical"):
            assert scores["b", name]["value"] is None
            assert scores["b", name]["note"] == "there is no source to hold it against"
        assert main([*command, "--metrics", "rouge,alignment"]) == 2
        assert "--judge is for CRE and ratings" in capsys.readouterr().err
        assert main(["score", "--candidates", str(path), "--metrics", "llm-coverage"]) == 2
        assert "named with --judge" in capsys.readouterr().err
