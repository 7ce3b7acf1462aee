"""The page on metrics names every metric, and what its Python says comes out."""

import doctest
import re
from pathlib import Path

from globesumm.cli.main import VERBS
from metrics import METRICS, NEEDS_MODEL

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_every_metric_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (*METRICS, *(row.name for row in NEEDS_MODEL)):
        assert f"`{name}`" in page


def test_the_python_on_the_page_gives_what_it_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks
    for number, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, {}, f"block {number}", str(PAGE), 0)
        assert doctest.DocTestRunner().run(test).failed == 0


def test_the_commands_on_the_page_name_verbs_and_files_that_exist() -> None:
    page = PAGE.read_text(encoding="utf-8")
    verbs = re.findall(r"^globesumm (\w+)", page, re.MULTILINE)
    scripts = re.findall(r"^python (\S+\.py)", page, re.MULTILINE)
    assert verbs
    assert set(verbs) <= set(VERBS)
    assert scripts
    assert all((PAGE.parents[1] / script).is_file() for script in scripts)
