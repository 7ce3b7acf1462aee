"""The table of verbs, and what is the same for each: help, errors as one line, exit status."""

import argparse
import importlib
import importlib.util
import io
import logging
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from globesumm import __version__
from globesumm.cli.examples import add_examples
from globesumm.errors import GlobeSummError, UnknownName, UsageError
from globesumm.progress import end_lines, say
from globesumm.unfinished import sweep_beside

VERBS = {
    "demo": "the sample events from raw pages to a scored report, offline",
    "fetch": "the pages of a list of addresses, kept as WARC and turned into documents",
    "duplicates": "documents without their near-duplicates, wire copies marked",
    "read": "pages, feeds, tables or texts into documents.jsonl",
    "gdelt": "GDELT 2.0 for a window of time into tables, every quarter-hour accounted for",
    "portal": "events of Wikipedia's Current Events Portal, with names in other languages",
    "index": "documents into a BM25 index, one for each language",
    "search": "an index in one language, by words or TREC topics",
    "events": "the portal's events with verified reports in many languages, from a config file",
    "dataset": "a data set from events: checked, split, counted, with its data card",
    "cluster": "events from one's own documents, told in several languages",
    "brief": "one event in one view: what happened, who agrees, who contradicts whom; watched",
    "summarize": "documents of an event into a chronological summary with its conflicts",
    "label": "people's judgements: projects, the pages to judge on, agreement and results",
    "annotate": "every prefix of every event of a data set, in the published GlobeSumm layout",
    "grid": "every recipe x model of an experiment file: planned, paid once, resumed, compared",
    "drafts": "why a draft was taken: all drafts of a run, with what each proxy said",
    "perspective": "what each side of a topic says, by any method, scored",
    "prefer": "a model tuned to prefer its better drafts (DPO), round by round, resumed",
    "probe": "what a step of the method keeps, by questions answered from its result",
    "score": "metrics on a run, or on any system's summaries",
    "facts": "completeness, conciseness and faithfulness of summaries, fact by fact",
    "meta": "whether a metric's values agree with people's judgements",
    "rank": "methods by Bradley-Terry abilities from their scores on the same documents",
    "compare": "the cells of a grid or run, beside one another and beside the paper",
    "bias": "which languages of its sources a summary draws on, and whether that is chance",
    "entail": "how well an entailer does on labelled pairs, within and across languages",
    "cite": "which sentences of which documents each sentence of a summary rests on",
    "ledger": "every conflict over the rounds: who says what, why, and what became of it",
    "report": "the HTML report of a run, made from the run folder alone",
    "export": "a run as Inspect's logs, or as a data set for the Hugging Face hub",
    "recipes": "the summarizing recipes and what each needs",
    "metrics": "what each metric measures, and which order known summaries rightly",
    "calls": "call stores: list, export, merge, prune",
    "doctor": "what this machine has, and what to install for what",
    "completion": "the script by which bash, zsh or fish completes this command",
    "study": "measured results on public data sets (--data PATH)",
}
"""Verb to one line of help; each is a module beside this one with `add_arguments` and `run`."""

DONE, DONE_WITH_FAILURES, REFUSED, INTERRUPTED = 0, 1, 2, 130

SIBLINGS = ("annotation", "baselines", "metrics", "retrieval")


class Parser(argparse.ArgumentParser):
    """argparse whose complaints are this project's errors."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        self.register("type", Path, _path)
        self._chosen: Parser | None = None
        self._given: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse; what an action leaves over is told with the options of that action."""
        self._given = list(sys.argv[1:] if args is None else args)
        found, rest = super().parse_known_args(args, namespace)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # argparse has no other name for it
                self._chosen = action.choices.get(str(getattr(found, action.dest, None)))
        return found, rest

    def error(self, message: str) -> NoReturn:
        prefix = "unrecognized arguments: "
        if message.startswith(prefix):
            self._refuse(message.removeprefix(prefix).split()[0], self._chosen or self)
        if message.startswith("the following arguments are required") and not self._chosen:
            # What is missing may be there under a name that nobody knows.
            for word in takewhile(lambda one: one != "--", self._given):
                if (
                    word.startswith("--")
                    and word.partition("=")[0] not in self._option_string_actions
                ):
                    self._refuse(word, self)
        raise UsageError(f"{self.prog}: {message} (see {self.prog} --help)")

    @staticmethod
    def _refuse(word: str, asked: "Parser") -> NoReturn:
        options = [option for action in asked._actions for option in action.option_strings]  # noqa: SLF001  # of the same class
        raise UnknownName("option", word.partition("=")[0], options, where=asked.prog)


def _path(text: str) -> Path:
    """An empty path, of a shell variable that was never set, would mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty path names no file or folder")
    return Path(text)


def run(arguments: Sequence[str]) -> int:
    """Carry out ``globesumm ARGUMENTS`` and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a letter shows its number, and the rest goes on.
            stream.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.showwarning = _one_line
        return _guarded(list(arguments))


def _guarded(arguments: list[str]) -> int:
    try:
        return _dispatch(arguments)
    except GlobeSummError as error:
        end_lines()
        say(f"globesumm: {error}")
        return REFUSED
    except KeyboardInterrupt:
        end_lines()
        print("globesumm: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output (head, less) has left: there is no one to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else DONE_WITH_FAILURES
    except OSError as error:
        # A disk that is full, a folder that may not be written: nothing of ours is half there.
        end_lines()
        place = f"{error.filename}: " if error.filename else ""
        say(f"globesumm: {place}{error.strerror or error}; what was finished before is kept")
        return REFUSED


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(_overview())
        return DONE if arguments else REFUSED
    if arguments[0] in {"-V", "--version"}:
        print(f"globesumm {__version__}")
        return DONE
    verb = arguments[0]
    if verb not in VERBS:
        raise UnknownName("command", verb, VERBS)
    _check_siblings()
    # What it drops of a page it says on every page; what we refuse we name ourselves.
    logging.getLogger("trafilatura").setLevel(logging.ERROR)
    module = importlib.import_module(f"globesumm.cli.{verb}")
    options = parser_of(verb).parse_args(arguments[1:])
    if isinstance(out := getattr(options, "out", None), Path):
        _check_not_read(out, options)
        # Verbs that fill a folder sweep it themselves, once they have it for their own.
        sweep_beside(out)
    status: int = module.run(options)
    return status


def _check_not_read(out: Path, options: argparse.Namespace) -> None:
    """Raise a UsageError where the file to write is one to read: what it loses would be lost."""
    given = [value for name, value in vars(options).items() if name != "out"]
    read = [one for value in given for one in (value if isinstance(value, list) else [value])]
    for one in read:
        if isinstance(one, Path | str) and out.is_file() and _is_same(out, Path(one)):
            raise UsageError(f"--out {out} is the file that is read: name another file to write")


def _is_same(out: Path, other: Path) -> bool:
    try:
        return other.samefile(out)
    except (OSError, ValueError):
        # Most words of a command are no file's name.
        return False


def parser_of(verb: str) -> Parser:
    """The parser of a verb of `VERBS`; its description is the docstring of the verb's module."""
    module = importlib.import_module(f"globesumm.cli.{verb}")
    parser = Parser(
        prog=f"globesumm {verb}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    add_examples(parser)
    return parser


def _one_line(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as its reader needs it: without the place in our code that raised it."""
    say(f"warning: {message}")


def _overview() -> str:
    width = max(map(len, VERBS))
    rows = "\n".join(f"  {verb:<{width}}  {line}" for verb, line in VERBS.items())
    return (
        "usage: globesumm VERB [OPTIONS]\n\n"
        "One event told in many languages, turned into one faithful, measured summary.\n\n"
        f"verbs:\n{rows}\n\n"
        "globesumm VERB --help tells more; start with: globesumm demo\n"
        "results go to stdout, progress and warnings to stderr; "
        "exit 0 done, 1 done with failures, 2 told why not, 130 interrupted"
    )


def _check_siblings() -> None:
    """Another distribution's top-level ``metrics`` would silently take the place of ours."""
    home = Path(__file__).resolve().parents[2]
    for name in SIBLINGS:
        spec = importlib.util.find_spec(name)
        found = Path(spec.origin).resolve().parents[1] if spec and spec.origin else None
        if found != home:
            raise UsageError(
                f"the package {name!r} comes from {found or 'nowhere'} and not from {home}: "
                "another installed package uses that name; install globesumm in an environment "
                "of its own"
            )
