"""What `make docs` adds to the site: every verb's help as one page, and the pages for machines."""

import argparse
import importlib
import os
import shutil
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = "reference/commands.md"


def commands() -> str:
    """The page of all verbs, from their own parsers."""
    from globesumm.cli.main import VERBS

    os.environ["COLUMNS"] = "96"
    parts = ["# Commands", "What `globesumm VERB --help` prints, for every verb."]
    for verb, line in VERBS.items():
        module = importlib.import_module(f"globesumm.cli.{verb}")
        parser = argparse.ArgumentParser(
            prog=f"globesumm {verb}",
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(parser)
        parts += [f"## {verb}", line, f"```text\n{parser.format_help().strip()}\n```"]
        for action in parser._actions:  # noqa: SLF001  # argparse has no other name for it
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
                for name, below in action.choices.items():
                    parts += [f"### {verb} {name}", f"```text\n{below.format_help().strip()}\n```"]
    return "\n\n".join(parts) + "\n"


def on_files(files: Files, *, config: Any) -> Files:
    """The page of commands takes part in the build as if it lay beside the others."""
    files.append(File.generated(config, COMMANDS, content=commands()))
    return files


def on_post_build(*, config: Any) -> None:
    """`llms.txt` and what it lists, as written, each page beside its HTML."""
    site, pages = Path(config["site_dir"]), Path(config["docs_dir"])
    for name in ("llms.txt", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (site / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    for page in pages.rglob("*.md"):
        target = site / page.relative_to(pages)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
