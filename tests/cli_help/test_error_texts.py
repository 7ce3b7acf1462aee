"""Every message of an error that ends a command says what to do, as far as its text stands here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

REMEDY = re.compile(
    r"\b(give|name|choose|take|leave|delete|repeat|use|writes?|makes?|install|add|correct|set|says?|"
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


def texts(package: str) -> Iterator[tuple[str, str]]:
    """Where each `UsageError` is raised, and what it says."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
                and node.exc.func.id == "UsageError"
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


def test_a_message_without_advice_would_be_found() -> None:
    assert not REMEDY.search("x is no folder")
    assert REMEDY.search("x is no folder: name another")
