"""A count and its word agree in what people read: "1 conflict", "2 conflicts"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.finite import counted
from tests.cli_help.test_error_texts import ROOT

READ = (
    "globesumm/cli", "globesumm/report", "baselines/briefs", "baselines/citations",
    "baselines/ledger", "baselines/account.py", "metrics",
)  # fmt: skip
"""Where printed summaries and reports are worded."""

MANY = re.compile(r" (?!of |in )(?:[a-z]+ )?[a-z]+(?<![aiu])s\b(?! an?\b)")
COUNT = re.compile(r"\b(len|sum)\(|\b(count|expected|n|size|total)$")
"""What makes a count: how it is computed, or its name."""
KEPT = (
    "have a source",  # the demonstration's last lines: of all sentences of its summaries
    "events are related",  # in groups of two or more
    "became documents",  # "3 of 4 became documents": a verb stands between
    "} words  ",  # a column
    "pages or documents",  # worded for one page beside it
    *("more than ", "tokens, and ", "sentences against ", "} characters is "),  # beyond a limit
    *("different lists", "lists that differ", "} pieces", "} rows"),  # of several
)


def disagreeing(path: Path) -> Iterator[tuple[int, str]]:
    """(line, words) where a count of whatever size stands before a word in the plural."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    raised = {
        id(one) for node in ast.walk(tree) if isinstance(node, ast.Raise) for one in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr) or id(node) in raised:
            continue
        for one, after in zip(node.values, node.values[1:], strict=False):
            if isinstance(one, ast.FormattedValue) and isinstance(after, ast.Constant):
                told = ast.unparse(one.value)
                words = MANY.match(str(after.value))
                if not words or told.startswith("counted("):
                    continue
                # A count is often named by what it counts: {self.calls} calls.
                if COUNT.search(told) or told.rpartition(".")[2] in words[0].split():
                    yield node.lineno, f"{{{told}}}{str(after.value)[:40]}"


@pytest.mark.parametrize("place", READ)
def test_a_count_before_a_word_is_told_by_the_function_that_makes_both_agree(place: str) -> None:
    paths = sorted((ROOT / place).rglob("*.py")) or [ROOT / place]
    found = {
        f"{path.relative_to(ROOT)}:{line}": words
        for path in paths
        for line, words in disagreeing(path)
        if not any(kept in words for kept in KEPT)
    }
    assert found == {}


def test_a_count_of_unknown_size_before_a_plural_is_found(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('say(f"{len(entries)} conflicts: {path}")\n', encoding="utf-8")
    assert [line for line, _ in disagreeing(path)] == [1]


@pytest.mark.parametrize(
    ("count", "what", "told"),
    [
        (1, "conflict", "1 conflict"),
        (0, "conflict", "0 conflicts"),
        (2, "summary", "2 summaries"),
        (1, "summary", "1 summary"),
        (3, "day", "3 days"),
        (1, "key fact", "1 key fact"),
    ],
)
def test_words_agree_with_their_counts(count: int, what: str, told: str) -> None:
    assert counted(count, what) == told


def test_a_long_count_is_told_in_the_form_wanted() -> None:
    assert counted(12345, "byte", ",") == "12,345 bytes"
