"""Recipes: the tables, their names, and what a wrong name is told."""

import pytest

from annotation.pipelines import PIPELINES
from baselines.recipes import (
    DEFAULT,
    MODEL_ALIASES,
    PROMPTINGS,
    SCHEMAS,
    describe,
    needs_model,
    parse_recipe,
    recipes,
)
from globesumm.errors import UnknownName
from globesumm.values import Recipe


@pytest.mark.parametrize("recipe", recipes(), ids=str)
def test_every_recipe_is_found_again_by_its_name(recipe: Recipe) -> None:
    assert parse_recipe(str(recipe)) == recipe
    assert parse_recipe(f" {str(recipe).upper()} ") == recipe


def test_recipe_names_are_distinct_and_described() -> None:
    rows = describe()
    assert len({row.name for row in rows}) == len(rows) == len(recipes())
    assert all(row.about for row in rows)


def test_every_prompting_names_only_pipelines_that_exist_and_is_used() -> None:
    for name, prompting in PROMPTINGS.items():
        assert set(prompting.pipelines) <= set(PIPELINES), name
        assert any(recipe.prompting == name for recipe in recipes())


def test_offline_recipes_exist_under_both_schemas() -> None:
    names = {str(recipe) for recipe in recipes()}
    offline = {
        f"{schema}.none.{way}"
        for schema in SCHEMAS
        for way in ("extractive", "lead", "random", "oracle")
    }
    assert offline <= names


def test_twenty_recipes_take_a_model_and_eight_do_not() -> None:
    asking = [recipe for recipe in recipes() if needs_model(recipe)]
    assert (len(asking), len(recipes()) - len(asking)) == (20, 8)


def test_the_model_extractive_stands_for_the_default_recipe() -> None:
    assert str(parse_recipe("extractive")) == DEFAULT == "crs.none.extractive"
    for target in MODEL_ALIASES.values():
        assert str(parse_recipe(target)) == target


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("crs.none.extractiv", "crs.none.extractive"),
        ("crs.non.lead", "crs.none.lead"),
        ("sts.random", "sts.none.random"),
    ],
)
def test_an_unknown_recipe_is_told_the_nearest_one(wrong: str, right: str) -> None:
    with pytest.raises(UnknownName, match="unknown recipe") as caught:
        parse_recipe(wrong)
    assert caught.value.nearest == right


@pytest.mark.parametrize("wrong", ["", ".", "...", "crs.none", "\ud800", "x" * 10_000])
def test_what_is_no_recipe_at_all_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(UnknownName):
        parse_recipe(wrong)
