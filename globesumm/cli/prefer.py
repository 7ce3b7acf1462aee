"""A model tuned to prefer its own better drafts (DPO), round by round, and what that gave.

CONFIG is a file, or paper, rouge or tiny, which come with the package.  Each round draws drafts
of the training sides, has proxies rate them, makes pairs and trains; held-out pairs say what was
learnt.  The last model then summarizes the test sides.  The same command goes on where it was
stopped.

Examples:
  globesumm prefer paper --dry-run
  globesumm prefer mine.toml --out runs/tuned
  python -m baselines.preference.toy toy
  globesumm prefer tiny --model toy --out runs/tiny

"""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from globesumm.cli.main import DONE, DONE_WITH_FAILURES, REFUSED
from globesumm.cli.scores import print_form
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.progress import say

if TYPE_CHECKING:
    from baselines.perspectives.running import Outcome
    from baselines.perspectives.values import Topic
    from baselines.preference.apart import Split
    from baselines.preference.settings import Preference
    from baselines.preference.work import Work
    from globesumm.runs import Setting

FREE = ("machine", "device", "batch", "download", "rounds", "final")
"""Settings that may change from one command to the next: they decide no earlier result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG")
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument("--dry-run", action="store_true", help="say what it takes, and stop")
    parser.add_argument("--model", metavar="FOLDER", help="the base model (that of CONFIG)")
    parser.add_argument("--rounds", type=int, metavar="N", help="(those of CONFIG)")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda (the first GPU if any)")
    parser.add_argument(
        "--download", action="store_true", help="let the base model come from the hub"
    )
    parser.add_argument(
        "--format", choices=("table", "markdown", "latex", "tsv"), default="table", help="(table)"
    )


def run(options: argparse.Namespace) -> int:
    from baselines.preference.settings import load

    settings, home = load(options.config)
    settings = _changed(settings, options, home)
    topics = _topics(settings, settings.train, home)
    tests = _topics(settings, settings.test, home) if settings.test else None
    split = _split(settings, topics, tests)
    if options.dry_run:
        return _plan(settings, split)
    if options.out is None:
        raise UsageError("name the run folder to write to: --out RUN")
    return _carried_out(options, settings, split)


def _changed(settings: "Preference", options: argparse.Namespace, home: Path) -> "Preference":
    """The settings with what the command line says in their place, and paths found."""
    changes: dict[str, Any] = {}
    for name in ("model", "rounds", "device"):
        if (given := getattr(options, name)) is not None:
            changes[name] = given
    if options.download:
        changes["download"] = True
    if options.model is None and (home / settings.model).is_dir():
        changes["model"] = str(home / settings.model)
    if settings.prompts:
        changes["prompts"] = str(home / settings.prompts)
    try:
        return replace(settings, **changes)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _topics(settings: "Preference", sources: tuple[str, ...], home: Path) -> "list[Topic]":
    """The topics of `sources`; a file that CONFIG names lies from CONFIG on, or from here."""
    from globesumm.cli.perspective import SAMPLE, SAMPLES, topics_of

    found = [
        source
        if source == SAMPLES or source.startswith(SAMPLE) or not (home / source).exists()
        else str(home / source)
        for source in sources
    ]
    named = argparse.Namespace(
        sources=found, layout=settings.layout, by=settings.by, least=settings.least
    )
    topics, _ = topics_of(named)
    return topics


def _split(settings: "Preference", topics: "list[Topic]", tests: "list[Topic] | None") -> "Split":
    from baselines.preference.apart import Split, check_apart, split

    if tests is None:
        made = split(topics, settings.held_out or 0, settings.seed, settings.near)
    else:
        made = Split(train=tuple(topics), test=tuple(tests))
    # What was drawn apart is checked as what was given apart.
    check_apart(made.train, made.test, settings.near)
    for note in made.notes:
        say(note)
    return made


def _work(settings: "Preference", split: "Split", folder: Path) -> "Work":
    from baselines.preference.work import Work
    from globesumm.llm.adapters import is_adapter
    from globesumm.llm.model_files import model_folder
    from globesumm.prompts import Library

    base = model_folder(settings.model, settings.revision, download=settings.download)
    if is_adapter(base):
        raise UsageError(f"{settings.model} is an adapter: name the model to begin with")
    prompts = Library(Path(settings.prompts)) if settings.prompts else Library()
    return Work(settings=settings, folder=folder, base=base, split=split, prompts=prompts)


def _plan(settings: "Preference", split: "Split") -> int:
    from baselines.preference.planning import plan

    for line in plan(_work(settings, split, Path())):
        print(line)
    return DONE


def _carried_out(options: argparse.Namespace, settings: "Preference", split: "Split") -> int:
    from baselines.perspectives.methods import check_methods
    from baselines.preference import record, training
    from baselines.preference.rounds import carry_out
    from globesumm.records import write_record
    from globesumm.runs import Run

    training.require()
    check_methods(settings.final)
    work = _work(settings, split, options.out)
    run = Run.start(options.out, _decided(work))
    with run.alone():
        write_record(
            options.out / "split.json",
            {
                "train": [topic.id for topic in split.train],
                "test": [topic.id for topic in split.test],
            },
        )
        rounds = carry_out(work)
        outcome = _final(work) if settings.final else None
    print_form(record.table(rounds), options.format)
    last = work.model_of(settings.rounds)
    print(f"\nthe tuned model: transformers:{last}")
    if outcome is None:
        return DONE
    if outcome.stopped:
        return REFUSED
    return DONE_WITH_FAILURES if outcome.failed else DONE


def _decided(work: "Work") -> "dict[str, Setting]":
    """What decides the results, one setting a line, so that a difference is named."""
    from globesumm.records import to_json, to_plain
    from globesumm.runs import digest

    plain = to_plain(work.settings)
    plain["training"].pop("checkpoint_steps")
    decided: dict[str, Setting] = {
        "kind": "preference",
        "train data": digest(work.split.train),
        "test data": digest(work.split.test),
        "model files": _files(work.base),
    }
    for name, value in plain.items():
        if name not in (*FREE, "train", "test"):
            simple = value is None or isinstance(value, str | int | float | bool)
            decided[name] = value if simple else to_json(value)
    setting = work.setting
    decided["prompts_used"] = work.prompts.references([setting.prompt])
    return decided


def _files(folder: Path) -> str:
    """What the base model's files are known by: names, sizes, and the configuration's text."""
    from globesumm.runs import digest

    sizes = sorted((path.name, path.stat().st_size) for path in folder.glob("*.safetensors"))
    return digest([sizes, (folder / "config.json").read_text(encoding="utf-8")])


def _final(work: "Work") -> "Outcome":
    """The test sides summarized by the last model, in a run folder that every verb can read."""
    from baselines.perspectives.values import each_side, event_of_side
    from baselines.preference.final import summarizing
    from globesumm.runs import Run

    settings = work.settings
    folder = work.folder / f"after-round-{settings.rounds:02d}"
    run = Run.start(
        folder,
        {
            "kind": "perspectives",
            "model": work.name_of(settings.rounds),
            "methods": ",".join(settings.final),
        },
    )
    with run.alone(), ExitStack() as within:
        run.write_events([event_of_side(topic, side) for topic, side in each_side(work.split.test)])
        outcome = summarizing(work, run, within)
    say(
        f"{folder}: {counted(outcome.made, 'summary')} made, {outcome.kept} kept, "
        f"{outcome.failed} failed"
    )
    return outcome
