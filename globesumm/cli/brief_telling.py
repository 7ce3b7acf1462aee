"""A brief on the terminal and in files, and what of it is new."""

import argparse
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.brief_looking import Looked
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.errors import MissingPackage
from globesumm.finite import counted
from globesumm.progress import say, visible
from globesumm.records import write_record, write_text

if TYPE_CHECKING:
    from baselines.briefs import Brief
    from globesumm.report.briefs import Block


def check_forms(forms: Sequence[str]) -> None:
    """Raise `MissingPackage` before any work for a form that cannot be written here."""
    if "docx" in forms and importlib.util.find_spec("docx") is None:
        raise MissingPackage("python-docx", "writing DOCX", "docx")


def tell(options: argparse.Namespace, looked: Looked) -> int:
    """Write the forms asked for and print what there is to print; the exit status."""
    if looked.summary is None:
        for failure in looked.run.failures():
            say(f"failed: {failure.where}: {failure.reason}")
        say("there is no summary, so there is no brief; the same command tries again")
        return DONE_WITH_FAILURES
    from baselines.briefs import brief_of
    from globesumm.report.briefs import blocks, text

    brief = brief_of(looked.run, looked.event, looked.summary)
    shown = blocks(brief)
    for form in options.forms:
        if form != "text":
            path = looked.run.folder / _FILES[form]
            _write(form, path, brief, shown)
            print(visible(f"{form}: {path}"))
    if not looked.first:
        _say_new(looked, brief)
    if "text" in options.forms:
        if options.watch and not looked.first:
            if looked.added or looked.changed:
                print(visible(text(_news(looked, brief))))
        else:
            print(visible(text(shown)))
    say(f"run folder: {looked.run.folder}; next: globesumm report {looked.run.folder}")
    return DONE_WITH_FAILURES if looked.failed else DONE


def _say_new(looked: Looked, brief: "Brief") -> None:
    if not looked.added and not looked.changed:
        say("nothing new")
        return

    turned = [one for one in brief.turns if one.version == brief.version]
    before = [one for one in brief.corrections if one.version == brief.version - 1]
    told = [
        counted(len(looked.added), "new report"),
        counted(len(turned), "turn") + " of conflicts",
        counted(len(before), "correction"),
    ]
    say(f"version {brief.version}: {', '.join(told)}")


def _news(looked: Looked, brief: "Brief") -> "list[Block]":
    """What this look changed, as a brief of its own."""
    from globesumm.report.briefs.blocks import news

    return news(
        replace(
            brief,
            turns=tuple(one for one in brief.turns if one.version == brief.version),
            corrections=tuple(one for one in brief.corrections if one.version == brief.version - 1),
            sources=tuple(one for one in brief.sources if one.id in looked.added),
        )
    )


_FILES: Mapping[str, str] = {
    "markdown": "brief.md",
    "html": "brief.html",
    "json": "brief.json",
    "docx": "brief.docx",
}
"""Where each form is written within the run folder."""


def _write(form: str, path: Path, brief: "Brief", shown: "Sequence[Block]") -> None:
    from globesumm.report.briefs import markdown, write_docx, write_page

    writers: Mapping[str, Callable[[], None]] = {
        "markdown": lambda: write_text(path, markdown(shown)),
        "html": lambda: write_page(shown, path),
        "json": lambda: write_record(path, brief),
        "docx": lambda: write_docx(shown, path),
    }
    writers[form]()
