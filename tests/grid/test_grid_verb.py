"""The verb grid, in process: what the plan says is what is then asked, and nothing twice."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.ledger import Asked, Ledger, Roles
from annotation.plan import counter
from annotation.symbolic import Symbolic, Told
from baselines.grid.uses import JUDGED_USES
from baselines.recipes import needs_model, parse_recipe, recipes
from globesumm import config
from globesumm.cli import main
from globesumm.cli.experiment_events import read_events
from globesumm.llm.call_store import CallStore
from globesumm.llm.request import Request
from globesumm.prompts import Library, shipped_prompts

SCRIPT = config.shipped()["smoke"].with_suffix(".jsonl")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def globesumm(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command; exit status, stdout, stderr."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def written(folder: Path, text: str, name: str = "mine") -> Path:
    """An experiment file beside a copy of the script."""
    folder.mkdir(exist_ok=True)
    shutil.copy(SCRIPT, folder / "script.jsonl")
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


SMALL = """
inputs = ["sample:titan-submersible"]
recipes = ["crs.kis-clp.protocol", "sts.kis.direct", "crs.none.lead"]
metrics = ["rouge"]
[slice]
documents = 3
[[models]]
name = "script"
model = "scripted:script.jsonl"
"""


def calls_made(said: str) -> int:
    found = re.search(r"^this time: (\d+) calls", said, re.MULTILINE)
    assert found, said
    return int(found[1])


def calls_planned(said: str) -> tuple[int, int]:
    """Calls for summaries, and those of judges at most."""
    summaries = re.search(r"^(\d+) calls for summaries", said, re.MULTILINE)
    judges = re.search(r"^at most (\d+) calls of judges", said, re.MULTILINE)
    assert summaries, said
    return int(summaries[1]), int(judges[1]) if judges else 0


def scripted(name: str, folder: Path) -> Path:
    """A shipped experiment with scripted models, on four documents of a sample event."""
    folder.mkdir()
    table, lines, served = "", [], 0
    for line in config.shipped()[name].read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            table = line
        if line.startswith("metrics = ") and not table:
            line = 'metrics = ["rouge"]'  # noqa: PLW2901
        if table in ("[[models]]", "[[helpers]]") and line.startswith(("base_url", "model = ")):
            if line.startswith("model = "):
                served += 1
                shutil.copy(SCRIPT, folder / f"script{served}.jsonl")
                lines.append(f'model = "scripted:script{served}.jsonl"')
            continue
        lines.append(line)
    text = "\n".join(['inputs = ["sample:titan-submersible"]', *lines, "[slice]", "documents = 4"])
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["paper-table5", "ablation", "scale"])
def test_as_many_calls_are_made_as_the_dry_run_counts(
    name: str, tmp_path: Path, globesumm: Run
) -> None:
    path, out = scripted(name, tmp_path / "configs"), tmp_path / "run"
    status, said, _ = globesumm("grid", path, "--dry-run")
    assert status == 0
    assert not out.exists()
    planned, judging = calls_planned(said)
    status, table, told = globesumm("grid", path, "--out", out)
    assert status == 0, told
    assert calls_made(told) == planned + judging
    for recipe in config.load(str(path)).recipes:
        assert recipe in table
    status, again, told = globesumm("grid", path, "--out", out)
    assert (status, calls_made(told)) == (0, 0)
    assert again == table


def asked_of(store: Path) -> dict[str, list[Request]]:
    """Requests in a store by model."""
    found: dict[str, list[Request]] = {}
    for call in CallStore(store, read_only=True).answers():
        found.setdefault(call.request.model, []).append(call.request)
    return found


def test_a_model_judges_omissions_as_often_as_planned(tmp_path: Path, globesumm: Run) -> None:
    judged = SMALL + '[[judges]]\nmodel = "script"\nmetrics = ["nic", "cre"]\n'
    judged = judged.replace('metrics = ["rouge"]', "metrics = []")
    path, out = written(tmp_path, judged), tmp_path / "run"
    planned, judging = calls_planned(globesumm("grid", path, "--dry-run")[1])
    status, table, told = globesumm("grid", path, "--out", out)
    assert status == 0
    assert judging > 20
    assert calls_made(told) == planned + judging
    assert "nic|entailer:llm-judge/scripted:script.jsonl" in table
    assert calls_made(globesumm("grid", path, "--out", out)[2]) == 0
    # What judges said is in use too: what was bought for scores is never pruned as unused.
    assert "0 answers and 0 failed" in globesumm("calls", "prune", out, "--unused", "--dry-run")[1]
    (out / JUDGED_USES).unlink()
    assert calls_made(globesumm("grid", path, "--out", out)[2]) == 0
    assert "0 answers and 0 failed" in globesumm("calls", "prune", out, "--unused", "--dry-run")[1]


def test_a_cap_that_stops_judges_is_told_and_the_same_command_goes_on(
    tmp_path: Path, globesumm: Run
) -> None:
    judged = SMALL + '[[judges]]\nmodel = "script"\nmetrics = ["cre"]\n'
    free, out = written(tmp_path, judged), tmp_path / "run"
    planned, judging = calls_planned(globesumm("grid", free, "--dry-run")[1])
    assert judging > 1
    capped = written(tmp_path, f"{judged}[limits]\ncalls = {planned + 1}\nat_once = 1\n", "capped")
    status, table, told = globesumm("grid", capped, "--out", out)
    assert status == 2
    assert f"stopped: the cap of {planned + 1} calls" in told
    assert "crs.kis-clp.protocol" in table
    status, _, told = globesumm("grid", free, "--out", out)
    assert (status, calls_made(told)) == (0, judging - 1)


PREPARING = ("kis.default", "clp.default", "translate.default", "summarize.source")


def test_the_scale_study_prepares_once_by_the_one_model_for_it(
    tmp_path: Path, globesumm: Run
) -> None:
    path, out = scripted("scale", tmp_path / "configs"), tmp_path / "run"
    assert globesumm("grid", path, "--out", out)[0] == 0
    beginnings = {
        name: shipped_prompts()[name].content.decode().split("$fence).")[1].split("$")[0][-60:]
        for name in PREPARING
    }
    assert len(set(beginnings.values())) == 4
    experiment = config.load(str(path))
    preparing = experiment.rows[experiment.presteps.model or ""].asked_as
    by_model = asked_of(out / "calls.sqlite")
    assert len(by_model) == 5
    for model, requests in by_model.items():
        for start in beginnings.values():
            prepared = [r for r in requests if start in r.messages[0].content]
            assert bool(prepared) == (model == preparing), (model, start)


def test_a_changed_prompt_is_refused_by_name_and_a_fork_asks_only_what_it_affects(
    tmp_path: Path, globesumm: Run
) -> None:
    path, out = written(tmp_path, SMALL), tmp_path / "run"
    assert globesumm("grid", path, "--out", out)[0] == 0
    prompts = tmp_path / "prompts"
    (prompts / "pgp").mkdir(parents=True)
    own = shipped_prompts()["pgp.where"].content.replace(b"point out", b"name")
    (prompts / "pgp" / "where.md").write_bytes(own)
    changed = written(tmp_path, f'prompts = "prompts"\n{SMALL}', "changed")
    status, _, told = globesumm("grid", changed, "--out", out)
    assert status == 2
    assert "prompt pgp.where" in told
    assert "pgp.summary" not in told
    assert "--fork" in told
    fork = tmp_path / "fork"
    status, _, told = globesumm("grid", changed, "--out", out, "--fork", fork)
    assert status == 0
    assert calls_made(told) == affected(path, changed)
    assert calls_made(globesumm("grid", changed, "--out", fork)[2]) == 0


def affected(before: Path, after: Path) -> int:
    """Calls that the second experiment makes and the first does not, by symbols."""
    ledger, count = Ledger(), counter()
    made = []
    for path in (before, after):
        experiment = config.load(str(path))
        (happening,), _ = read_events(experiment.inputs)
        from baselines.grid.slices import Slicing

        (happening,) = Slicing(experiment.slice).cut([happening])
        prompts = Library(Path(experiment.prompts)) if experiment.prompts else Library()
        symbolic = Symbolic("en", experiment.max_words, prompts, count, ledger)
        roles = Roles.of(Asked(label="script", identity="script"))
        for recipe in map(parse_recipe, experiment.recipes):
            if needs_model(recipe):
                symbolic.carry_out(Told(happening, count), recipe, roles)
        made.append(len(ledger.calls))
    assert 0 < made[1] - made[0] < made[0]
    return made[1] - made[0]


def test_a_replay_needs_nothing_but_the_calls(tmp_path: Path, globesumm: Run) -> None:
    path, out = written(tmp_path, SMALL), tmp_path / "run"
    _, table, _ = globesumm("grid", path, "--out", out)
    (tmp_path / "script.jsonl").unlink()
    again = tmp_path / "again"
    status, replayed, told = globesumm("grid", path, "--out", out, "--fork", again, "--replay")
    assert (status, calls_made(told)) == (0, 0)
    assert replayed == table
    for one in sorted((out / "parts").glob("*/summaries/*/*.json")):
        other = again / one.relative_to(out)
        assert other.read_bytes() == one.read_bytes()


def test_a_replay_or_a_fork_of_nothing_is_refused_and_leaves_nothing(
    tmp_path: Path, globesumm: Run
) -> None:
    path, out = written(tmp_path, SMALL), tmp_path / "run"
    status, _, told = globesumm("grid", path, "--out", out, "--replay")
    assert (status, "holds no calls to answer from" in told) == (2, True)
    status, _, told = globesumm("grid", path, "--out", out, "--fork", tmp_path / "new")
    assert (status, "holds no run" in told) == (2, True)
    assert not out.exists()
    assert not (tmp_path / "new").exists()


def test_only_the_cells_named_are_made_and_the_others_are_named_as_missing(
    tmp_path: Path, globesumm: Run
) -> None:
    path, out = written(tmp_path, SMALL), tmp_path / "run"
    status, table, _ = globesumm("grid", path, "--out", out, "--only", "crs.none.*")
    assert status == 0
    assert not list((out / "parts").glob("script*/summaries/*/*.json"))
    assert "sts.kis.direct" in table
    status, _, told = globesumm("grid", path, "--out", out, "--only", "crs.none.leed")
    assert status == 2
    assert "did you mean 'crs.none.lead'" in told
    assert globesumm("grid", path, "--out", out)[0] == 0
    assert list((out / "parts").glob("script*/summaries/*/*.json"))


def test_a_cap_stops_the_grid_and_the_same_command_goes_on(tmp_path: Path, globesumm: Run) -> None:
    capped = written(tmp_path, f"{SMALL}\n[limits]\ncalls = 5\nat_once = 1\n", "capped")
    free, out = written(tmp_path, SMALL), tmp_path / "run"
    status, _, told = globesumm("grid", capped, "--out", out)
    assert status == 2
    assert "cap of 5 calls" in told
    assert calls_made(told) == 5
    plan = globesumm("grid", free, "--dry-run", "--out", out)[1]
    planned, _ = calls_planned(plan)
    assert re.search(r"holds \d+ summar(y|ies) and 5 answers, which are not asked for again", plan)
    status, _, told = globesumm("grid", free, "--out", out)
    assert (status, calls_made(told)) == (0, planned - 5)


def test_documents_past_the_window_fail_by_name_and_are_taken_up_with_another_policy(
    tmp_path: Path, globesumm: Run
) -> None:
    narrow = SMALL.replace("script.jsonl", 'script.jsonl"\ncontext = 2100\nsize = "1')
    recipes = 'recipes = ["sts.none.protocol", "sts.kis-clp.protocol"]'
    narrow = re.sub("recipes = .*", recipes, narrow).replace("documents = 3", "documents = 8")
    refusing = written(tmp_path, f'{narrow}\n[decoding]\noverrun = "refuse"\n', "refusing")
    trimming = written(tmp_path, f'{narrow}\n[decoding]\noverrun = "trim"\n', "trimming")
    out = tmp_path / "run"
    assert "estimated to be too long" in globesumm("grid", refusing, "--dry-run")[1]
    status, table, told = globesumm("grid", refusing, "--out", out)
    assert status == 1
    assert "ContextOverrun" in told
    assert "sts.none.protocol" in table
    status, _, told = globesumm("grid", trimming, "--out", out)
    assert (status, calls_made(told)) == (1, 0)
    status, _, told = globesumm("grid", trimming, "--out", out, "--retry-failed")
    assert status == 0, told
    (made,) = out.glob("parts/*/summaries/sts.none.protocol/*.json")
    (made_whole,) = out.glob("parts/*/summaries/sts.kis-clp.protocol/*.json")
    assert "of each document to fit the context window" in made.read_text(encoding="utf-8")
    assert "of each document to fit" not in made_whole.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (SMALL.replace("sample:titan-submersible", "sample:titanic"), "titan-submersible"),
        (SMALL.replace('inputs = ["sample:titan-submersible"]', ""), "no documents"),
        (SMALL.replace("[[models]]", "[[helpers]]"), "add a row [[models]]"),
        (f'{SMALL}\nrecipes = ["crs.none.lead"]\n', "which takes no model"),
        (SMALL.replace('name = "script"', 'name = "No-Model"'), "a name of its own"),
        (SMALL.replace('["rouge"]', '["rouge", "cre"]'), "cre"),
        (SMALL.replace("sample:titan-submersible", "**x/*"), "no pattern of a file's name"),
        (SMALL.replace('["rouge"]', '["rougue"]'), "did you mean 'rouge'"),
        (SMALL.replace("documents = 3", 'ids = ["x"]'), "unknown event id 'x'"),
        (SMALL + '[[judges]]\nmodel = "script"\nmetrics = ["red"]\n', "unknown metric 'red'"),
        (SMALL + '[[judges]]\nentailer = "lexical"\nmetrics = ["cre"]\n', "judged by a model"),
        (SMALL + '[[judges]]\nentailer = "lexical"\nmetrics = ["nic"]\n', "name nic-lexical among"),
        (SMALL + '[[judges]]\nentailer = "tru"\nmetrics = ["nic"]\n', "did you mean 'true'"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_is_made(
    text: str, complaint: str, tmp_path: Path, globesumm: Run
) -> None:
    path, out = written(tmp_path, text), tmp_path / "run"
    status, _, told = globesumm("grid", path, "--out", out)
    assert status == 2
    assert complaint in told
    assert not out.exists()


@pytest.mark.slow
def test_the_smoke_grid_ends_with_the_whole_table(tmp_path: Path, globesumm: Run) -> None:
    out = tmp_path / "smoke"
    planned, judging = calls_planned(globesumm("grid", "smoke", "--dry-run")[1])
    status, table, told = globesumm("grid", "smoke", "--out", out)
    assert status == 0, told
    assert planned < calls_made(told) <= planned + judging
    for recipe in recipes():
        assert re.search(rf"^{re.escape(str(recipe))} ", table, re.MULTILINE)
    assert "missing" not in table
    status, again, told = globesumm("grid", "smoke", "--out", out)
    assert (status, calls_made(told)) == (0, 0)
    assert again == table
