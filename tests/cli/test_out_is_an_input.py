"""No verb writes over what it reads, whatever name the file goes by."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from globesumm.cli.main import VERBS, parser_of, run

TEXT = '{"id": "a", "text": "The bridge of Vale fell on 3 May.", "language": "en"}\nnot JSON\n'


def files_to_write() -> Iterator[tuple[str, ...]]:
    """The verbs, with their actions, that have one input by position and write a file."""

    def walked(parser: argparse.ArgumentParser, *name: str) -> Iterator[tuple[str, ...]]:
        metavar, inputs = None, 0
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for one, inside in action.choices.items():
                    yield from walked(inside, *name, one)
            elif "--out" in action.option_strings:
                metavar = str(action.metavar)
            elif not action.option_strings:
                inputs += 1
        if metavar and metavar.startswith(("FILE", "SOURCES")) and inputs == 1:
            yield name

    for verb in VERBS:
        yield from walked(parser_of(verb), verb)


VERBS_OF_FILES = sorted(files_to_write())


def test_the_verbs_that_write_a_file_are_found() -> None:
    assert {("read",), ("duplicates",), ("cluster",)} <= set(VERBS_OF_FILES)


@pytest.mark.parametrize("verb", VERBS_OF_FILES, ids=" ".join)
@pytest.mark.parametrize("by", ["its name", "a link", "another path"])
def test_a_file_that_is_read_is_not_written_over(
    verb: tuple[str, ...], by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "mine.jsonl"
    given.write_text(TEXT, encoding="utf-8")
    out = given
    if by == "a link":
        out = tmp_path / "link.jsonl"
        out.symlink_to(given)
    elif by == "another path":
        (tmp_path / "deep").mkdir()
        out = tmp_path / "deep" / ".." / "mine.jsonl"
    assert run([*verb, str(given), "--out", str(out)]) == 2
    assert given.read_text(encoding="utf-8") == TEXT
    said = capsys.readouterr().err
    if "required" not in said:
        assert "name another" in said
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        {"mine.jsonl", out.name}
    )
