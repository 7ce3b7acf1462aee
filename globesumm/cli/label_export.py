"""Items and labels for other tools: JSON Lines, CSV, TSV or Label Studio's JSON.

jsonl has items and labels, and label-studio tasks with annotations and predictions; both come
back by globesumm label import exactly.  csv and tsv have the labels alone, with cells that no
spreadsheet takes for formulas.  Every label is there with its id, the version of its item, who,
when and how long; those that were taken back or replaced say so.

Examples:
  globesumm label export study --out study.jsonl
  globesumm label export study --format csv --out labels.csv
  globesumm label export study --format label-studio --out tasks.json

"""

import argparse
from pathlib import Path

from globesumm.cli.main import DONE
from globesumm.errors import UsageError

FORMS = ("jsonl", "csv", "tsv", "label-studio")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--format", choices=FORMS, help="(by the ending of FILE, else jsonl)")


def form_of(path: Path, stated: str | None) -> str:
    """The form of a file, by its ending where it is not stated."""
    endings = {".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".json": "label-studio"}
    if stated is None and path.suffix.lower() not in endings:
        raise UsageError(f"{path}: name its form with --format {'|'.join(FORMS)}")
    return stated or endings[path.suffix.lower()]


def run(options: argparse.Namespace) -> int:
    from annotation.labels.exchange import flat, jsonl, label_studio
    from annotation.labels.project import Project

    form = form_of(options.out, options.format)
    store = Project.open(options.project).store
    if options.out.exists() and not options.out.is_file():
        raise UsageError(f"{options.out} is no regular file: name another to write to")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    part = options.out.with_name(f".{options.out.name}.part")
    plain = form in ("jsonl", "label-studio")
    encoding = "utf-8" if plain else "utf-8-sig"
    try:
        with part.open("w", encoding=encoding, newline="") as stream:
            if form == "jsonl":
                stream.writelines(f"{line}\n" for line in jsonl.lines(store))
            elif form == "label-studio":
                stream.writelines(label_studio.chunks(store))
            else:
                flat.write(store, stream, form)
        part.replace(options.out)
    finally:
        part.unlink(missing_ok=True)
    labels = store.connection.execute("SELECT count(*) FROM labels").fetchone()[0]
    print(f"{options.out}: {store.count()} items, {labels} labels")
    return DONE
