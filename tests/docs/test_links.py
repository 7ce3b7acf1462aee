"""What the pages point at is there: files, headings, pictures, commands and their options."""

import argparse
import importlib
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from globesumm.cli.main import VERBS, Parser
from tests.docs.pages import ROOT, anchors, code, commands, links, pages

SCRIPT = re.compile(r"(?:python|pytest)[^|;&]*? ((?:tests|docs)/[\w/.-]+)")

LARGEST = 400_000
"""Bytes of a picture."""

PAGES = pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT)))

ELSEWHERE = frozenset(
    {
        "--port", "--n_ctx", "--interrupt_requests", "--model", "--chat-template", "--name",
        "--width",
    }
)  # fmt: skip
"""Options of other programs, beside those of ours."""


@cache
def parsers(verb: str) -> dict[str, argparse.ArgumentParser]:
    """The parser of a verb under "", and those of its actions."""
    module = importlib.import_module(f"globesumm.cli.{verb}")
    parser = Parser(prog=f"globesumm {verb}", allow_abbrev=False)
    module.add_arguments(parser)
    found: dict[str, argparse.ArgumentParser] = {"": parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


@PAGES
def test_every_relative_link_and_heading_is_there(page: Path) -> None:
    missing = []
    for link in links(page):
        parts = urlsplit(link.target)
        if parts.scheme or parts.netloc:
            continue
        target = page if not parts.path else page.parent / unquote(parts.path)
        if not target.exists():
            missing.append(f"line {link.line}: {link.target} is not there")
        elif parts.fragment and target.suffix == ".md" and parts.fragment not in anchors(target):
            missing.append(f"line {link.line}: {link.target} is no heading of {target.name}")
    assert not missing


@PAGES
def test_every_link_to_elsewhere_is_an_address_of_the_web(page: Path) -> None:
    elsewhere = [urlsplit(link.target) for link in links(page)]
    wrong = [
        parts.geturl()
        for parts in elsewhere
        if (parts.scheme or parts.netloc)
        and not (parts.scheme in {"http", "https"} and "." in (parts.hostname or ""))
    ]
    assert not wrong


@PAGES
def test_every_picture_is_described_and_of_a_size_to_be_sent(page: Path) -> None:
    for link in links(page):
        if link.picture:
            picture = page.parent / unquote(link.target)
            assert picture.suffix in {".png", ".svg"}
            assert 0 < picture.stat().st_size <= LARGEST, f"{picture} is too large"


def test_no_picture_lies_about_unused() -> None:
    shown = {
        (page.parent / unquote(link.target)).resolve()
        for page in pages()
        for link in links(page)
        if link.picture
    }
    there = {path for ending in ("png", "svg") for path in (ROOT / "docs").rglob(f"*.{ending}")}
    assert there <= shown


@PAGES
def test_every_command_named_has_its_verb_and_its_options(page: Path) -> None:
    wrong = []
    for line, (first, *rest) in commands(page):
        verb = first.rstrip(".,:)")
        if "|" in verb or verb.isupper():
            continue
        if verb not in VERBS:
            wrong.append(f"line {line}: globesumm {verb} is no verb")
            continue
        known = parsers(verb)
        named = next((word for word in rest if word in known), "")
        for word in rest:
            option = word.split("=")[0].rstrip(".,:;)…")
            if option.startswith("--") and option not in options(known[named]):
                wrong.append(f"line {line}: globesumm {verb} {named} has no {option}")
    assert not wrong


def test_every_option_that_is_named_alone_is_one_of_some_verb() -> None:
    every = {
        option for verb in VERBS for parser in parsers(verb).values() for option in options(parser)
    }
    wrong = [
        f"{page.relative_to(ROOT)}, line {line}: {text}"
        for page in pages()
        for line, text in code(page)
        if text.startswith("--") and text.split()[0].split("=")[0] not in every | ELSEWHERE
    ]
    assert not wrong


@PAGES
def test_every_script_named_is_there(page: Path) -> None:
    told = [(line, found) for line, text in code(page) for found in SCRIPT.findall(text)]
    wrong = [f"line {line}: {name}" for line, name in told if not (ROOT / name).exists()]
    assert not wrong


def test_commands_are_found_where_pages_show_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Take `globesumm bias RUN --dry-run`, or:\n\n```\nglobesumm label \\\n  new study --kind x"
        "   # globesumm no\nA=1 globesumm grid x | globesumm rank -\n```\n"
    )
    found = [words for _, words in commands(page)]
    assert found == [
        ["bias", "RUN", "--dry-run"],
        ["label", "new", "study", "--kind", "x"],
        ["grid", "x"],
        ["rank", "-"],
    ]


def test_a_heading_has_the_name_that_the_site_gives_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One: `two` (three)\n\n## Same\n\n## Same\n\nSetext\n------\n")
    assert anchors(page) == {"one-two-three", "same", "same_1", "setext"}
