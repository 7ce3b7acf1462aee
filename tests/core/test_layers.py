"""The import layers leave nothing out: a module in no layer could import anything unseen."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]


def layered() -> set[str]:
    lines = CONTRACT["contracts"][0]["layers"]
    return {name.strip() for line in lines for name in line.split("|")}


def test_every_module_of_the_package_is_in_a_layer() -> None:
    package = ROOT / "globesumm"
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    assert {f"globesumm.{name}" for name in modules} <= layered()


def test_every_root_package_is_in_a_layer() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == set(CONTRACT["root_packages"])
    assert packages - {"globesumm"} <= layered()


def test_the_package_itself_imports_nothing() -> None:
    tree = ast.parse((ROOT / "globesumm" / "__init__.py").read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


@pytest.mark.parametrize("package", CONTRACT["root_packages"])
def test_no_module_is_longer_than_300_lines(package: str) -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / package).rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
