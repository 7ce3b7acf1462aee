"""Print the script by which a shell completes verbs, actions, options and known names.

The script holds everything it needs: no Python starts at a press of TAB.  Print it again after
an update.

Examples:
  globesumm completion bash > ~/.local/share/bash-completion/completions/globesumm
  globesumm completion zsh > ~/.zfunc/_globesumm     # with fpath+=~/.zfunc before compinit
  globesumm completion fish > ~/.config/fish/completions/globesumm.fish

"""

import argparse
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from globesumm.cli.main import DONE, VERBS, Parser

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to read it")


def run(options: argparse.Namespace) -> int:
    import shtab

    print(shtab.complete(whole_parser(), shell=options.shell))
    return DONE


def whole_parser() -> Parser:
    """Every verb and action in one parser, for completion alone: each option knows its names."""
    import shtab

    parser = Parser(prog="globesumm", allow_abbrev=False)
    parser.add_argument("-V", "--version", action="store_true", help="the version")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for verb, line in VERBS.items():
        module = importlib.import_module(f"globesumm.cli.{verb}")
        # What a verb does stands in its line: shells show no more of it.
        module.add_arguments(verbs.add_parser(verb, help=line, description=line))
    known = _known_names()
    for action in every_action(parser):
        if action.choices is None and action.nargs != 0:
            if action.dest in known:
                action.choices = known[action.dest]
            elif action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    return parser


def every_action(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options and arguments of a parser and of all parsers below it."""
    found: list[argparse.Action] = []
    for action in parser._actions:  # noqa: SLF001  # argparse has no other name for it
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in action.choices.values():
                found += every_action(below)
        else:
            found.append(action)
    return found


def _known_names() -> Mapping[str, Sequence[str]]:
    """What may stand after an option, by the option's name."""
    from baselines.recipes import recipes
    from globesumm.languages import LANGUAGES
    from metrics.registry import METRICS

    return {
        "recipe": [str(recipe) for recipe in recipes()],
        "metrics": list(METRICS),
        "target": list(LANGUAGES),
    }
