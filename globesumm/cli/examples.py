"""The examples in the help of verbs and actions: read from it, and added where an action has none.

A verb's stand in the docstring of its module, below ``Examples:``; those of actions without a
module of their own in ``globesumm/data/examples.toml``.
"""

import argparse
import re
import textwrap
import tomllib
from collections.abc import Iterator
from importlib import resources

WIDTH = 98


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of all actions below a parser, outermost first."""
    for action in parser._actions:  # noqa: SLF001  # argparse has no other name for it
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in action.choices.values():
                yield below
                yield from actions(below)


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Give each action below `parser` the examples that the table holds for it."""
    told = dict(_told(parser))
    if not told:
        return
    path = resources.files("globesumm") / "data" / "examples.toml"
    table: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8"))
    for one in actions(parser):
        one.description = one.description or told[one.prog]
        held = table.get(one.prog.removeprefix("globesumm "), [])
        if held:
            lines = "\n".join(map(_folded, held))
            one.epilog = f"Examples:\n{lines}"
            one.formatter_class = argparse.RawDescriptionHelpFormatter


def _told(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """The command of each action below a parser, and its line of help as a sentence."""
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for line in action._choices_actions:  # noqa: SLF001
                below, told = action.choices[line.dest], line.help or ""
                yield below.prog, f"{told[:1].upper()}{told[1:]}."
                yield from _told(below)


def _folded(line: str) -> str:
    """Long commands go on in a further line, begun with an option."""
    pieces = re.split(r" (?=--)", line)
    folded = [pieces[0]]
    for piece in pieces[1:]:
        if len(folded[-1]) + len(piece) + 7 <= WIDTH:
            folded[-1] += f" {piece}"
        else:
            folded.append(piece)
    return textwrap.indent("\n    ".join(folded), "  ")
