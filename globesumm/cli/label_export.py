"""Items and labels for other tools: JSON Lines, CSV, TSV or Label Studio's JSON.

jsonl has items and labels, and label-studio tasks with annotations and predictions; both come
back by globesumm label import exactly.  csv and tsv have the labels alone, with cells that no
spreadsheet takes for formulas.  Every label is there with its id, the version of its item, who,
when and how long; those that were taken back or replaced say so.  Beside label-studio's tasks the
labelling interface of each kind is written as FILE.KIND.xml: a project there has one interface, so
export kind by kind.

Examples:
  globesumm label export study --out study.jsonl
  globesumm label export study --format csv --out labels.csv
  globesumm label export study --kind matching --format label-studio --out tasks.json

"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from globesumm.cli.main import DONE
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.records import write_text
from globesumm.unfinished import place_beside

FORMS = ("jsonl", "csv", "tsv", "label-studio")
PLAIN = ("jsonl", "label-studio")
"""Forms for programs; the others begin with a mark by which spreadsheets know Unicode."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--format", choices=FORMS, help="(by the ending of FILE)")
    parser.add_argument("--kind", metavar="KIND", help="of label-studio: tasks of this kind alone")


def form_of(path: Path, stated: str | None) -> str:
    """The form of a file, by its ending where it is not stated."""
    endings = {".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".json": "label-studio"}
    if stated is None and path.suffix.lower() not in endings:
        raise UsageError(f"{path}: name its form with --format {'|'.join(FORMS)}")
    return stated or endings[path.suffix.lower()]


def run(options: argparse.Namespace) -> int:
    from annotation.labels.exchange import flat, jsonl, label_studio
    from annotation.labels.exchange.studio_interface import interface, most_documents
    from annotation.labels.exchange.whole import as_it_is_now
    from annotation.labels.kinds import kind_of
    from annotation.labels.project import Project

    form = form_of(options.out, options.format)
    if options.kind and form != "label-studio":
        raise UsageError("--kind goes with --format label-studio: other forms hold everything")
    kind = kind_of(options.kind).name if options.kind else None
    with as_it_is_now(Project.open(options.project).store) as store:
        with _written(options.out, "utf-8" if form in PLAIN else "utf-8-sig") as stream:
            if form == "jsonl":
                stream.writelines(f"{line}\n" for line in jsonl.lines(store))
            elif form == "label-studio":
                stream.writelines(label_studio.chunks(store, kind))
            else:
                flat.write(store, stream, form)
        if form == "label-studio":
            for name in sorted({one.kind for one in store.items(kind)}):
                path = options.out.with_name(f"{options.out.stem}.{name}.xml")
                write_text(path, interface(name, most_documents(store)))
                print(f"{path}: the labelling interface of {name}")
        where, values = ("WHERE kind = ?", (kind,)) if kind else ("", ())
        counts = [
            store.connection.execute(f"SELECT count(*) FROM {table} {where}", values).fetchone()[0]  # noqa: S608  # constant parts
            for table in ("items", "labels")
        ]
    print(f"{options.out}: {counted(counts[0], 'item')}, {counted(counts[1], 'label')}")
    return DONE


@contextmanager
def _written(out: Path, encoding: str) -> Iterator[IO[str]]:
    """A stream whose content becomes the file `out` when it ends well, and nothing otherwise."""
    out = out.resolve() if out.is_symlink() else out
    if out.exists() and not out.is_file():
        raise UsageError(f"{out} is no regular file: name another to write to")
    with place_beside(out) as part:
        with part.open("w", encoding=encoding, newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(0o644)
        part.replace(out)
