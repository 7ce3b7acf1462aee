"""The pages on ranking and on known truth: their Python runs, their commands exist."""

import doctest
import re
from pathlib import Path

import pytest

from globesumm.cli.main import VERBS, Parser
from metrics import METRICS
from metrics.truth import Subject, check, compose, shipped
from metrics.truth.tables import check_table

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("ranking.md", "known-truth.md")


@pytest.mark.parametrize("name", PAGES)
def test_the_python_on_the_page_gives_what_it_says(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks
    for number, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, {}, f"block {number}", name, 0)
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_on_the_page_can_be_read(name: str) -> None:
    import importlib

    page = (DOCS / name).read_text(encoding="utf-8")
    lines = [line.split("#")[0] for line in re.findall(r"^globesumm (.+)$", page, re.MULTILINE)]
    assert lines
    for line in lines:
        verb, *arguments = line.split()
        assert verb in VERBS
        parser = Parser(prog=verb)
        importlib.import_module(f"globesumm.cli.{verb}").add_arguments(parser)
        parser.parse_args(arguments)


@pytest.mark.parametrize("name", METRICS)
def test_every_installed_metric_is_in_the_table_of_the_check(name: str) -> None:
    page = (DOCS / "known-truth.md").read_text(encoding="utf-8")
    metric = METRICS[name]()
    for column in metric.columns:
        own = column.name if column.name.startswith(metric.name) else f"{name}: {column.name}"
        assert f"| {own} " in page or f"| {column.name} " in page or f"{own} " in page


def test_the_table_of_the_check_is_what_the_shipped_texts_give() -> None:
    """A text that is changed asks for the table to be made again."""
    page = (DOCS / "known-truth.md").read_text(encoding="utf-8").replace("**", "")
    subject = Subject(name="length", metric=METRICS["length"]())
    rows = list(check([subject], compose(shipped())[0], lambda one: one.kind))
    for row in check_table(rows).rows:
        assert f"| {' | '.join(row)} |" in page
