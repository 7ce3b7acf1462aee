"""What a step of the method keeps, by questions answered from its result (GlobeSumm, table 3).

  xquad   KIS against a summary and a longer one, CLP against translation, on files in the layout
          of SQuAD, one a language: FILE (xquad.de.json.gz) or LANGUAGE=FILE

Methods: summarize, extend, kis (in the paragraph's language), translate, clp (into --target),
and text (the paragraph as it is, not in the paper).  The same command goes on where it was
stopped; another --rule asks nothing again.

Examples:
  globesumm probe xquad xquad/*.json.gz --model gpt-4o-mini --out runs/probe --dry-run
  globesumm probe xquad de=a.json en=b.json --model qwen3:8b --paragraphs 40 --out runs/probe

"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import target_language
from globesumm.cli.main import DONE, DONE_WITH_FAILURES, REFUSED
from globesumm.cli.modelling import (
    add_model_options,
    author,
    opened,
    spent,
    unopened,
    watching,
    with_model,
)
from globesumm.errors import UnknownName, UsageError
from globesumm.finite import counted
from globesumm.llm.errors import LimitReached
from globesumm.progress import say
from globesumm.records import to_json, write_records, write_text

if TYPE_CHECKING:
    from annotation.author import Author
    from baselines.studies.xquad import Answered, Condensed, Planned, Setup
    from baselines.studies.xquad_data import Questions
    from baselines.studies.xquad_tables import Marker
    from globesumm.runs import Setting

PROBES = {"xquad": "questions about paragraphs in many languages"}

CONTEXTS, ANSWERS, PAGE = "contexts.jsonl", "answers.jsonl", "probe.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=", ".join(PROBES))
    parser.add_argument("files", nargs="+", metavar="FILE", help="questions, one file a language")
    parser.add_argument("--out", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")
    parser.add_argument("--methods", metavar="A,B", help="some of them (all but text)")
    parser.add_argument("--target", default="en", metavar="CODE", help="translated to (en)")
    parser.add_argument("--paragraphs", type=int, metavar="N", help="the first of each file")
    parser.add_argument("--questions", type=int, metavar="N", help="the first of each paragraph")
    parser.add_argument("--words", type=int, default=60, metavar="N", help="of a summary (60)")
    parser.add_argument(
        "--extended-words", type=int, default=150, metavar="N", help="of a longer one (150)"
    )
    parser.add_argument("--rule", default="contains", metavar="NAME", help="contains or exact")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(0)")
    add_model_options(parser)


def run(options: argparse.Namespace) -> int:
    from baselines.studies.xquad import plan
    from baselines.studies.xquad_data import cut, read_questions
    from baselines.studies.xquad_rules import RULES
    from globesumm.runs import Run

    if options.name not in PROBES:
        raise UnknownName("probe", options.name, PROBES)
    if options.rule not in RULES:
        raise UnknownName("rule", options.rule, RULES)
    if not options.model:
        raise UsageError("name the model that condenses and answers: --model NAME")
    setup = _setup(options)
    whole = [read_questions(source) for source in options.files]
    languages = [one.language for one in whole]
    if twice := next((one for one in languages if languages.count(one) > 1), None):
        raise UsageError(f"two files are in {twice!r}: leave one out")
    if lost := sum(one.left_out for one in whole):
        say(f"left out, without a text or an answer: {counted(lost, 'question')}")
    files = cut(whole, options.paragraphs, options.questions)
    planned = plan(files, setup)
    if options.dry_run:
        _print_plan(planned, files)
        return DONE
    if options.out is None:
        raise UsageError("name the run folder to write to: --out RUN")
    with unopened(options) as nobody:
        decided = _decided(options, files, setup, author(options, nobody, options.seed))
    folder = Run.start(options.out, decided)
    with folder.alone():
        return _carried_out(options, files, setup, sum(one.calls for one in planned))


def _setup(options: argparse.Namespace) -> "Setup":
    from baselines.studies.xquad import CONDITIONS, DEFAULT, Setup

    names = DEFAULT
    if options.methods is not None:
        names = tuple(dict.fromkeys(one.strip() for one in options.methods.split(",")))
    if unknown := next((one for one in names if one not in CONDITIONS), None):
        raise UnknownName("method", unknown, CONDITIONS)
    for name in ("paragraphs", "questions", "words", "extended_words", "at_once"):
        value = getattr(options, name)
        if value is not None and value < 1:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is {value}: give a number from 1 up")
    return Setup(
        conditions=names,
        target=target_language(options.target),
        summary_words=options.words,
        extended_words=options.extended_words,
    )


def _decided(
    options: argparse.Namespace, files: "Sequence[Questions]", setup: "Setup", writer: "Author"
) -> "dict[str, Setting]":
    """What decides the answers; how they are marked may change from one run to the next."""
    from baselines.studies.xquad import prompts_of
    from globesumm.runs import digest

    decided: dict[str, Setting] = {
        "kind": f"probe {options.name}",
        "languages": " ".join(one.language for one in files),
        "data": digest(files),
        "setup": to_json(setup),
        "model": writer.model.name,
        "decoding": to_json(writer.decoding),
        "structured": writer.structured,
        "prompts": prompts_of(writer, setup),
    }
    if writer.bounds:
        decided["bounded"] = to_json(writer.bounds)
    return decided


def _print_plan(planned: "Sequence[Planned]", files: "Sequence[Questions]") -> None:
    paragraphs = sum(len(one.paragraphs) for one in files)
    questions = sum(len(held.questions) for one in files for held in one.paragraphs)
    print(
        f"{counted(len(files), 'language')}, {counted(paragraphs, 'paragraph')}, "
        f"{counted(questions, 'question')}"
    )
    for one in planned:
        print(f"{one.condition:<12} {one.step:<10} {one.calls:>8}")
    print(counted(sum(one.calls for one in planned), "call"))
    print("exact while every answer can be used and no two texts come out alike")


def _carried_out(
    options: argparse.Namespace, files: "Sequence[Questions]", setup: "Setup", calls: int
) -> int:
    from annotation.plan import counter
    from baselines.studies.xquad import carry_out
    from baselines.studies.xquad_tables import Marker, Tally, page, tallied

    marker, tally = Marker(files, setup, options.rule), Tally()
    stopped: str | None = None
    with ExitStack() as within:
        model = within.enter_context(opened(options, options.out / "calls.sqlite"))
        model.check()
        writer = with_model(author(options, model, options.seed), model)
        count, counted = counter(model), model.count_tokens(())
        within.callback(lambda: say(f"this time: {spent(model.totals)}"))
        within.enter_context(watching(model, calls))
        made = tallied(
            carry_out(files, setup, writer, at_once=options.at_once), marker, count, tally
        )
        try:
            _store(options.out, made, marker)
        except LimitReached as error:
            stopped = str(error)
    settings = [
        ("model", options.model),
        ("languages", " ".join(one.language for one in files)),
        ("paragraphs and questions", _counted(files)),
        ("words of summaries", f"{setup.summary_words}, extended {setup.extended_words}"),
        ("tokens", "estimated by script" if counted is None else "the model's tokenizer"),
        ("translated questions", _accepted(marker, setup)),
    ]
    text = page(tally, files, setup, settings, options.rule).markdown()
    write_text(options.out / PAGE, text)
    print(text, end="")
    if stopped:
        say(f"stopped: {stopped}")
        return REFUSED
    return DONE_WITH_FAILURES if tally.failed.total() else DONE


def _store(
    out: Path, made: "Iterable[tuple[Condensed, Sequence[Answered]]]", marker: "Marker"
) -> None:
    """Keep every text and answer; where it is stopped, earlier files stay as they were."""
    contexts: list[Condensed] = []

    def answers() -> Iterator[dict[str, object]]:
        for condensed, answered in made:
            contexts.append(condensed)
            for one in answered:
                yield {
                    "language": one.language,
                    "question": one.question,
                    "method": one.condition,
                    "answer": one.answer,
                    "right": marker.right(one),
                    "reason": one.reason,
                }

    write_records(out / ANSWERS, answers())
    write_records(out / CONTEXTS, contexts)


def _counted(files: "Sequence[Questions]") -> str:
    paragraphs = {len(one.paragraphs) for one in files}
    questions = {sum(len(held.questions) for held in one.paragraphs) for one in files}
    shown = ["-".join(map(str, sorted({min(of), max(of)}))) for of in (paragraphs, questions)]
    return f"{shown[0]} and {shown[1]} a language"


def _accepted(marker: "Marker", setup: "Setup") -> str:
    if marker.has_target:
        return f"right in the question's language or in {setup.target}"
    return f"right in the question's language only: there is no file in {setup.target}"
