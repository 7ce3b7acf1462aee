"""Every message of an error that ends a command says what to do, as far as its text stands here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

REMEDY = re.compile(
    r"\b(give|name|choose|takes?|leave|delete|repeat|use|writes?|makes?|install|add|correct|set|says?|"
    r"state|start|see|put|read|run|try|keep|remove|drop|call|wait|free|ask|lower|raise|restore|"
    r"rename|widen|needs?|must|compare|fetches|fills|builds?|does|has to|between|from|is for|"
    r"are for|belongs?|goes|with|knows?|known|there is|supports|instead|first|already|only|alone|"
    r"it has|did you mean|globesumm \w+)\b|--\w",
    re.IGNORECASE,
)
"""What to do, or what is allowed; the table of wrong uses looks more closely."""

PASSED_ON = re.compile(
    r"\{[^}]*(error|reason|message|note|advice|hint|why|_none|_nothing|_mismatch)[^}]*\}"
)
"""Another message, told as it is or with its place before it."""


OF_RECORDS = {
    "annotation/labels/project.py",  # which words another's message
    "globesumm/llm/scripted.py",
    "retrieval/portal/stage.py",  # days and records of many, listed by name
    "retrieval/warc.py",
}
"""What these say of a place in a file is passed on, or goes into a list, not to the end."""


def texts(package: str, raised: str = "UsageError") -> Iterator[tuple[str, str]]:
    """Where each error of the kind `raised` is, and what it says."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
                and node.exc.func.id == raised
            ):
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                yield where, " ".join(map(said, node.exc.args))


def said(node: ast.expr) -> str:
    """The text of an expression; what is put in stands in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else said(part)
            for part in node.values
        )
    return f"{{{ast.unparse(node)}}}"


@pytest.mark.parametrize(
    "package", ["globesumm", "retrieval", "annotation", "baselines", "metrics"]
)
def test_a_usage_error_says_what_to_do_or_what_is_allowed(package: str) -> None:
    silent = {
        where: text
        for where, text in texts(package)
        if not REMEDY.search(re.sub(r"\{[^}]*\}", "", text)) and not PASSED_ON.search(text)
    }
    assert silent == {}


@pytest.mark.parametrize(
    "package", ["globesumm", "retrieval", "annotation", "baselines", "metrics"]
)
def test_what_is_wrong_with_a_whole_file_is_told_with_what_to_do(package: str) -> None:
    told = {
        where: text
        for where, text in texts(package, "DataError")
        if re.match(r"\{(path|run\.folder)\}", text) and where.partition(":")[0] not in OF_RECORDS
    }
    silent = {
        where: text
        for where, text in told.items()
        if not REMEDY.search(re.sub(r"\{[^}]*\}", "", text))
        and not re.search(r"\{(AGAIN|CORRECT|_mismatch\()|\bneeded\b|\bexport as\b", text)
    }
    assert silent == {}


def test_a_message_without_advice_would_be_found() -> None:
    assert not REMEDY.search("x is no folder")
    assert REMEDY.search("x is no folder: name another")
