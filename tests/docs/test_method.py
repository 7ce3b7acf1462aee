"""The page that maps the papers to the code names only what is there, and every section."""

import dataclasses
import importlib
import re
from typing import Any

import pytest

from globesumm.cli.main import VERBS
from metrics import METRICS
from tests.docs.pages import DOCS, ROOT

PAGE = DOCS / "method.md"
ROWS = [
    line
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| section", "| silent", "| ---"))
]
PACKAGES = ("globesumm", "retrieval", "annotation", "baselines", "metrics")

SECTIONS = {
    "GlobeSumm": "1 2.1 2.2 2.3 2.4 3.1 3.2 4.1 4.2 4.3 5.1 5.2 5.3 5.4 6 A.1 A.2 B.1 B.2 C.1 C.2 "
    "C.3 D",
    "OmniCSEval": "1 2 3.1 3.2 3.3 4.1 4.2 5 6 A B C D.1 D.2 D.3 E F G H",
    "Perspectives": "1 2 3 3.1 3.2 4 4.1 5.1 5.2 6.1 6.2 A B C C.1 C.2",
}
"""The numbered sections of each paper; conclusions and statements carry nothing out."""


def _found(name: str) -> Any:
    """The module, attribute, or field of a class that a dotted name leads to; raises if none."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            held: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if dataclasses.is_dataclass(held) and part in {
                f.name for f in dataclasses.fields(held)
            }:
                return part
            held = getattr(held, part)
        return held
    raise ModuleNotFoundError(name)


def _is_there(name: str) -> bool:
    if name.startswith("globesumm "):
        return name.split()[1] in VERBS  # its options: tests/docs/test_links.py
    if "/" in name:
        return (ROOT / name).exists()
    if name.split(".", maxsplit=1)[0] in PACKAGES:
        try:
            _found(name)
        except (ModuleNotFoundError, AttributeError):
            return False
        return True
    return name in METRICS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_row_names_code_that_is_there(row: str) -> None:
    names = re.findall(r"`([^`]+)`", row)
    assert names, "a row without code"
    assert [name for name in names if not _is_there(name)] == []


def test_a_name_that_is_not_there_is_seen() -> None:
    assert _is_there("metrics.nic.Nic.base")
    for wrong in (
        "metrics.nic.Nic.bass",
        "metrics.nik",
        "configs/no.toml",
        "globesumm no",
        "red-no",
    ):
        assert not _is_there(wrong), wrong


@pytest.mark.parametrize("paper", SECTIONS)
def test_every_section_of_a_paper_has_a_row(paper: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (part,) = re.findall(rf"^## {paper}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    first = " ".join(
        line.split("|")[1] for line in part.split("###")[0].splitlines() if "|" in line
    )
    told = set(re.findall(r"(?<![\w.])(?:[A-H](?:\.\d)?|\d(?:\.\d)?)(?![\w.])", first))
    assert not [section for section in SECTIONS[paper].split() if section not in told]


def test_every_setting_that_is_said_to_be_fixed_is_a_place_in_the_code() -> None:
    fixed = [row for row in ROWS if "(fixed)" in row]
    assert fixed
    for row in fixed:
        assert re.search(r"`(?:[\w.]+|[\w/.-]+)` \(fixed\)", row), row
