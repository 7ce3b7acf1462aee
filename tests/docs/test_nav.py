"""Every page is reached: it stands in the site's menu and in llms.txt, and the site builds."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import DOCS, ROOT, links

LLMS = ROOT / "llms.txt"
MADE = {"reference/commands.md"}
"""Pages that the build makes itself."""

WRITTEN = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}


def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return settings


def _named(rows: Any) -> Iterator[str]:
    if isinstance(rows, str):
        yield rows
    else:
        for row in rows.values() if isinstance(rows, dict) else rows:
            yield from _named(row)


def test_every_page_stands_once_in_the_menu() -> None:
    named = list(_named(_settings()["nav"]))
    missing = sorted(WRITTEN - set(named))
    assert not missing, f"add to nav in mkdocs.yml, under the fitting heading: {missing}"
    gone = sorted(set(named) - WRITTEN - MADE)
    assert not gone, f"take out of nav in mkdocs.yml: {gone}"
    assert len(named) == len(set(named))


def test_every_page_stands_in_llms_txt() -> None:
    named = {link.target.removeprefix("docs/") for link in links(LLMS)}
    missing = sorted(WRITTEN - named)
    assert not missing, (
        "add to llms.txt, under the fitting heading, a line "
        f"'- [Name](docs/PAGE.md): what it is about' for: {missing}"
    )


def test_llms_txt_has_the_form_of_its_convention() -> None:
    first, *rest = LLMS.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    text = [line for line in rest if line]
    assert text[0].startswith("> ")
    sections = [line for line in text if line.startswith("#")]
    assert all(line.startswith("## ") for line in sections)
    begun = text.index(sections[0])
    for line in text[begun:]:
        assert line in sections or re.fullmatch(r"- \[[^\]]+\]\([^)]+\)(: .+)?", line), line
    for link in links(LLMS):
        assert (ROOT / link.target).is_file(), f"llms.txt names {link.target}, which is not there"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does it."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = "\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO"))
    assert done.returncode == 0, told
    return folder


@pytest.mark.slow
def test_the_site_holds_every_page_and_asks_nothing_of_other_hosts(site: Path) -> None:
    assert {str(page.relative_to(site).with_suffix(".md")) for page in site.rglob("*.html")} == (
        WRITTEN | MADE | {"404.md"}
    )
    loaded = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)"
    )
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not loaded.findall(text), page
        assert "googletagmanager" not in text


@pytest.mark.slow
def test_the_reference_has_docstrings_and_the_commands_their_help(site: Path) -> None:
    values = (site / "reference" / "values.html").read_text(encoding="utf-8")
    assert "globesumm.values.Document" in values
    assert "paragraphs are" in values
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "usage: globesumm summarize" in commands
    assert "usage: globesumm label new" in commands


@pytest.mark.slow
def test_words_are_found_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index")
    assert "Krippendorff" in index


@pytest.mark.slow
def test_machines_find_every_page_as_it_was_written(site: Path) -> None:
    for link in links(site / "llms.txt"):
        assert (site / link.target).is_file(), link.target
    for page in WRITTEN:
        assert (site / page).read_bytes() == (DOCS / page).read_bytes()
