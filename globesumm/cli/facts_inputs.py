"""What the steps of ``globesumm facts`` open and read."""

import argparse
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from globesumm.cli.inputs import name_rejected
from globesumm.cli.judging import MODEL_JUDGE, chosen_entailer, open_judge
from globesumm.cli.main import DONE
from globesumm.errors import UsageError
from globesumm.progress import say
from globesumm.records import read_own_records, write_record
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.entailment import Remembering
    from metrics.facts.asking import Asker
    from metrics.facts.judge import FactJudge
    from metrics.facts.records import Candidate
    from metrics.facts.sources import Source

T = TypeVar("T")


def open_asker(options: argparse.Namespace, within: ExitStack) -> "Asker":
    from globesumm.llm.answer_bounds import Bounds
    from globesumm.llm.request import Decoding
    from metrics.facts.asking import Asker
    from metrics.facts.memory import Memory

    # Only summaries may be wanted at another temperature; judges are always asked at 0.
    decoding = Decoding(
        temperature=getattr(options, "temperature", 0.0),
        max_tokens=getattr(options, "max_tokens", None),
        seed=0,
    )
    options.out.mkdir(parents=True, exist_ok=True)
    model = open_judge(options, within, options.out / "calls.sqlite")
    if model is None:
        raise UsageError(f"facts {options.action} asks a model: name it with --judge MODEL")
    memory = Memory(options.out / "verdicts.sqlite")
    within.callback(memory.close)
    return Asker(
        model,
        decoding=decoding,
        memory=memory,
        most_at_once=options.at_once,
        batch=options.batch,
        run=options.run,
        bounds=Bounds.parse(bounded) if (bounded := getattr(options, "bounded", None)) else None,
    )


def open_fact_judge(options: argparse.Namespace, within: ExitStack) -> "FactJudge":
    from metrics.facts.judge import FactJudge

    return FactJudge(asker=open_asker(options, within), piece_words=options.piece_words)


def open_entailer(options: argparse.Namespace, within: ExitStack) -> "Remembering":
    """The entailer of the options, whose verdicts stay in the folder."""
    from metrics.entailment import Remembering

    asked = options.entailer == MODEL_JUDGE
    judge = open_judge(options, within, options.out / "calls.sqlite") if asked else None
    entailer = chosen_entailer(options, judge)
    return within.enter_context(Remembering(entailer, options.out / "verdicts_nli.sqlite"))


def given_sources(path: Path) -> "tuple[list[Source], bool]":
    from metrics.facts.sources import Source, read_sources

    return _read(read_sources(path), Source, path, "source")


def given_summaries(path: Path) -> "tuple[list[Candidate], bool]":
    from metrics.facts.records import Candidate, read_candidates

    return _read(read_candidates(path), Candidate, path, "summary")


def _read(
    found: Iterable[T | Rejected], kind: type[T], path: Path, what: str
) -> tuple[list[T], bool]:
    good: list[T] = []
    rejected: list[Rejected] = []
    for one in found:
        if isinstance(one, Rejected):
            rejected.append(one)
        elif isinstance(one, kind):
            good.append(one)
    name_rejected(rejected)
    if not good:
        raise UsageError(
            f"{path} holds no {what} that can be read; "
            "globesumm facts --help says what a line holds"
        )
    return good, bool(rejected)


def earlier_summaries(path: Path) -> "list[Candidate]":
    from metrics.facts.records import Candidate

    return list(read_own_records(path, Candidate)) if path.exists() else []


def made_before(folder: Path, name: str, kind: type[T], step: str) -> list[T]:
    path = folder / name
    if not path.exists():
        raise UsageError(f"{folder} holds no {name}: globesumm facts {step} makes it")
    return list(read_own_records(path, kind))


def note_judge(folder: Path, step: str, identity: str) -> None:
    write_record(folder / f"judge_{step}.json", {"judge": identity})


def check_isolation(judges: list[str], candidates: "list[Candidate]") -> None:
    from metrics.facts.pipeline import violations

    for line in violations(judges, {one.system for one in candidates}):
        say(f"warning: {line}")


def planned(line: str) -> int:
    print(f"would ask: {line}; what is stored already is not asked again")
    return DONE
