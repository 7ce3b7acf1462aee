"""What the tests run with is pinned whole, and the pins fit what the project asks for."""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import chain
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.lock import BY_THEMSELVES, LOCK, PINNED, ROOT, WHERE, extras

HERE: dict[str, str] = {
    "python_version": "3.11",
    "python_full_version": "3.11.0",
    "sys_platform": "linux",
    "platform_machine": "x86_64",
    "platform_system": "Linux",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
    "os_name": "posix",
}
"""The environment that the lock is for, wherever this test runs."""

NOT_PINNED = {"globesumm", "pip"}
OF_A_GPU = re.compile(r"^(nvidia-|cuda-|triton$)")
"""What torch's builds for a GPU bring, which the tests' build for the processor lacks."""


def pins() -> dict[str, str]:
    """name -> version of both files of constraints."""
    lines = chain.from_iterable(f.read_text(encoding="utf-8").splitlines() for f in (PINNED, LOCK))
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in found}


def project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def wanted() -> list[str]:
    """Every line of requirements in pyproject.toml."""
    optional = project()["optional-dependencies"]
    return [*project()["dependencies"], *chain.from_iterable(optional[name] for name in extras())]


@pytest.mark.parametrize("line", wanted())
def test_what_the_project_asks_for_has_a_pin_that_fits(line: str) -> None:
    asked = Requirement(line)
    if canonicalize_name(asked.name) in NOT_PINNED:
        return
    if asked.marker is not None and not asked.marker.evaluate(HERE):
        return
    pinned = pins().get(canonicalize_name(asked.name))
    assert pinned is not None, f"{asked.name} has no pin: make lock"
    assert asked.specifier.contains(pinned), f"{asked} is not {pinned}: make lock"


def test_a_pin_holds_where_the_tests_ran_and_nowhere_else() -> None:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if not line.startswith("#")]
    assert len(found) > 150
    for one in found:
        assert one.marker is not None
        assert one.marker.evaluate(HERE)
        for other in ({"python_version": "3.12"}, {"sys_platform": "darwin"}):
            assert not one.marker.evaluate(HERE | other)
        (exact,) = one.specifier
        assert exact.operator == "=="
        assert "+" not in exact.version  # no build of one machine
    assert WHERE in lines[-1]
    assert len({canonicalize_name(one.name) for one in found}) == len(found)


def test_what_is_installed_without_its_dependencies_is_pinned_too() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"install .*--no-deps \$\(PINS\) ([\w-]+)", makefile))
    assert named == set(BY_THEMSELVES)
    assert named <= set(pins())


def test_what_a_pinned_package_needs_is_pinned_too() -> None:
    held, lacking, looked_at = pins(), [], 0
    for name, pinned in held.items():
        try:
            if version(name).partition("+")[0] != pinned or name in BY_THEMSELVES:
                continue
        except PackageNotFoundError:
            continue
        looked_at += 1
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker is not None and not needed.marker.evaluate(HERE | {"extra": ""}):
                continue
            key = canonicalize_name(needed.name)
            if OF_A_GPU.match(key) or key in NOT_PINNED:
                continue
            if key not in held:
                lacking.append(f"{name} needs {needed}, which has no pin")
            elif not needed.specifier.contains(held[key], prereleases=True):
                lacking.append(f"{name} needs {needed}, which is pinned to {held[key]}")
    assert not lacking, "\n".join(lacking)
    if looked_at < len(held) / 2 and sys.version_info[:2] != (3, 11):
        pytest.skip(f"{looked_at} of {len(held)} pinned packages are installed here")
    assert looked_at > len(held) / 2, "what is installed is not what is pinned: make lock"
