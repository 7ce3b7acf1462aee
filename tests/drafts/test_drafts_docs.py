"""The page on drafts and the shipped experiments say what there is."""

import re
from pathlib import Path

import pytest

from baselines.drafts.joint import JOINTS
from baselines.drafts.methods import METHODS, PROMPTS, settings_of
from baselines.drafts.proxies import PROXIES
from baselines.grid.cells import cells
from baselines.grid.plan import plan_grid
from baselines.grid.same_judge import same_judges
from baselines.recipes import parse_recipe
from globesumm import config
from globesumm.cli.main import VERBS
from globesumm.prompts import shipped_prompts
from tests.drafts.conftest import event

PAGE = Path(__file__).parents[2] / "docs" / "drafts.md"


def test_every_method_proxy_and_rule_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [name for name in (*METHODS, *PROXIES, *JOINTS) if f"`{name}`" not in page]
    assert not missing


def test_the_commands_recipes_and_settings_on_the_page_exist(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    verbs = set(re.findall(r"^globesumm (\w+)", page, re.MULTILINE))
    assert verbs
    assert verbs <= set(VERBS)
    for name in re.findall(r"\b(?:sts|crs)\.[a-z-]+\.[a-z]+\.[a-z0-9-]+", page):
        assert parse_recipe(name).drafts
    (shown,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "x.toml"
    path.write_text(shown + '[[helpers]]\nname = "Qwen2.5-14B-Instruct"\n', encoding="utf-8")
    assert config.load(str(path)).drafts.joint == "weighted"


def test_every_prompt_of_drafts_and_ratings_ships_and_is_told_of() -> None:
    shipped = {name for name in shipped_prompts() if name.startswith(("drafts.", "judged."))}
    assert shipped == set(PROMPTS)


@pytest.mark.parametrize("name", ["perspective-methods", "perspective-sweep"])
def test_the_shipped_experiments_have_the_papers_roles_apart(name: str) -> None:
    experiment = config.load(name)
    drafts = experiment.drafts
    assert [row.name for row in experiment.models] == ["Llama-3.1-8B-Instruct"]
    assert drafts.judge == "Qwen2.5-14B-Instruct"
    assert [judge.model for judge in experiment.judges] == ["Mistral-7B-Instruct-v0.3"]
    assert (drafts.n, drafts.rounds, drafts.agents) == (9, 3, 3)
    assert (drafts.same_judge, list(same_judges(experiment))) == ("refuse", [])


def test_the_sweep_has_every_point_of_the_papers_figure_4() -> None:
    experiment = config.load("perspective-sweep")
    drawn = {cell.recipe.drafts for cell in cells(experiment)}
    expected = {f"debate-{m}x{n}" for m in (3, 5, 7, 9) for n in range(2, 10)}
    expected |= {f"self-refine-{n}" for n in range(2, 19)}
    expected |= {"rerank-3", "rerank-9", "rerank-18", "rerank-rouge-9"}
    assert drawn == expected | {None}
    assert settings_of("debate-9x4", experiment.drafts).agents == 9
    plan = plan_grid(experiment, [event(3)])
    # One greedy summary; 18 drafts, which hold those of all others; what is said after them.
    asked = {row.step: row.calls for row in plan.rows if not row.at_most}
    assert asked["summary"] == 1 + 18
    assert asked["critique"] == asked["revise"] == 18
    assert asked["debate"] == 8 * (3 + 5 + 7 + 9)
