"""Every option that a text of the programs names exists, and in the verb that it is said of."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.cli.main import VERBS
from tests.cli_help.test_error_texts import ROOT, said
from tests.cli_help.test_examples import HELPED

PACKAGES = ("globesumm", "retrieval", "annotation", "baselines", "metrics")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]")
COMMAND = re.compile(r"globesumm ([a-z]+)((?: [^\n`;,)]*)?)")

OPTIONS: dict[str, set[str]] = {verb: set() for verb in VERBS}
for _command, _parser in HELPED.items():
    if len(_command.split()) > 1:
        OPTIONS[_command.split()[1]] |= {
            one for action in _parser._actions for one in action.option_strings
        }
"""The options of each verb, those of its actions with them."""

OF_OTHERS = {
    "globesumm/cli/completion.py": {"--version"},  # of globesumm without a verb
    "globesumm/cli/main.py": {"--version"},
    "globesumm/cli/export.py": {"--log-dir"},  # inspect view
    "globesumm/cli/inspect_tasks.py": {"--model-role"},  # inspect eval
    "baselines/exports/inspect_eval.py": {"--model-role"},
    "globesumm/shards/cluster.py": {"--nthreads", "--scheduler-file"},  # dask
    "globesumm/shards/slurm.py": {"--test-only"},  # sbatch
}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Each text of a module; what is put into one stands in braces."""
    parts: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(one) for one in ast.walk(node)} - {id(node)}
        if id(node) not in parts and (
            isinstance(node, ast.JoinedStr)
            or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        ):
            yield node.lineno, said(node)


def verb_of(path: Path) -> str | None:
    """The verb whose module this is, or of an action or part of which."""
    name = path.stem.split("_")[0]
    return name if path.parent.name == "cli" and name in OPTIONS else None


def strange(path: Path) -> Iterator[tuple[int, str]]:
    """(line, option) for each option that a text names and that is not there."""
    known = set().union(*OPTIONS.values()) | OF_OTHERS.get(str(path.relative_to(ROOT)), set())
    verb = verb_of(path)
    for line, text in texts(path):
        for option in OPTION.findall(text):
            if option not in known:
                yield line, option
            elif verb and option != text and option not in OPTIONS[verb]:
                # Then the text must say whose it is.
                named = [one for one in OPTIONS if re.search(rf"\b{one}\b", text)]
                if not any(option in OPTIONS[one] for one in named) and option not in (
                    OF_OTHERS.get(str(path.relative_to(ROOT)), ())
                ):
                    yield line, option
        for command, rest in COMMAND.findall(text):
            for option in OPTION.findall(rest):
                if command in OPTIONS and option not in OPTIONS[command]:
                    yield line, f"globesumm {command} {option}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_option_that_a_text_names_exists_in_the_verb_it_is_said_of(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}": option
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, option in strange(path)
    }
    assert found == {}


def test_options_that_are_nowhere_or_of_another_verb_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.cli_help.test_options_named.ROOT", tmp_path)
    path = tmp_path / "cli" / "brief_more.py"
    path.parent.mkdir()
    path.write_text(
        'say("--retrie asks again")\n'
        'say(f"{n} failed: --retry asks again")\n'
        'say(f"globesumm fetch SOURCE --retry asks {n} again")\n'
        'say(f"globesumm fetch SOURCE --watch asks {n} again")\n'
        'say("give --watch")\n',
        encoding="utf-8",
    )
    assert list(strange(path)) == [
        (1, "--retrie"),
        (2, "--retry"),
        (4, "globesumm fetch --watch"),
    ]
