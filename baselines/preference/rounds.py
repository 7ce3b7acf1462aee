"""Rounds of preference tuning carried out one after the other, each stage kept once it is done.

::

    RUN/run.json                    the settings that decide the results
    RUN/split.json                  which topics train and which test
    RUN/calls.sqlite                every draft and every rating, bought once
    RUN/round-00/round.json         the base model on the test sides
    RUN/round-00/pairs.jsonl        the held-out pairs
    RUN/round-01/drafts.jsonl       drafts of the training sides with what proxies say of them
    RUN/round-01/pairs.jsonl        the pairs made of them
    RUN/round-01/checkpoints/       while it trains
    RUN/round-01/model/             the adapter, or the whole model, that it ends with
    RUN/round-01/round.json         what held afterwards on the test sides: the round is done
    RUN/after-round-01/             a run folder: the test sides summarized by that model

A process that is killed leaves finished stages, calls and checkpoints; the same command goes on.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from baselines.drafts.base import Task
from baselines.preference import drafting, pairs, sequences, training
from baselines.preference.drafting import SideDrafts
from baselines.preference.estimate import trained_parameters
from baselines.preference.libraries import release
from baselines.preference.model_sizes import parameters_of, stored_dtype
from baselines.preference.pairs import Pair, Paired
from baselines.preference.record import HeldOut, RoundRecord
from baselines.preference.room import bytes_of_round, check_room
from baselines.preference.sequences import Likelihood
from baselines.preference.work import Work, reranking, served
from globesumm.errors import UsageError
from globesumm.llm.model_files import load_model
from globesumm.llm.tokenizers import load_tokenizer
from globesumm.progress import say
from globesumm.records import read_own_records, read_record, write_record, write_records

DRAFTS, PAIRS, ROUND = "drafts.jsonl", "pairs.jsonl", "round.json"
LIKELIHOODS = "likelihoods.jsonl"


def carry_out(work: Work) -> list[RoundRecord]:
    """Every round that is not done yet; returns all of them, the base model's first.

    Raises `UsageError` where a round makes no pair, the disk has no room, or training fails;
    `StepError` where a judge's server cannot be reached.
    """
    numbers = range(1, work.settings.rounds + 1)
    return [_before(work), *(_round(work, number) for number in numbers)]


def _before(work: Work) -> RoundRecord:
    """The base model on the test sides: drafts, the pairs that are held out, their likelihoods."""
    place = work.place(0)
    if (place / ROUND).exists():
        return read_record(place / ROUND, RoundRecord)
    say("round 0: the base model on the test sides")
    sides = _drafts(work, place / DRAFTS, work.tasks("test"), 0, 0)
    made = _paired(work, sides, work.tasks("test"))
    write_records(place / PAIRS, made.pairs)
    found = _likelihoods(work, 0, made.pairs)
    write_records(place / LIKELIHOODS, found)
    held = HeldOut(accuracy=sequences.accuracy(found, found), drafts=drafting.means(sides))
    record = RoundRecord(round=0, held_out=held, none=made.none)
    write_record(place / ROUND, record)
    return record


def _round(work: Work, number: int) -> RoundRecord:
    place, settings = work.place(number), work.settings
    if (place / ROUND).exists():
        return read_record(place / ROUND, RoundRecord)
    source = number - 1 if settings.draw_from == "tuned" else 0
    tasks = work.tasks("train")
    say(f"round {number} of {settings.rounds}: {settings.drafts.n} drafts of {len(tasks)} sides")
    sides = _drafts(work, place / DRAFTS, tasks, source, number)
    made = _paired(work, sides, tasks)
    if not made.pairs:
        raise UsageError(
            f"round {number} makes no pair of {len(tasks)} sides, so there is nothing to learn: "
            f"{made.told() or 'there is no side'}. Other proxies, more drafts or a higher "
            "temperature may tell drafts apart"
        )
    write_records(place / PAIRS, made.pairs)
    say(f"round {number}: training on {len(made.pairs)} pairs")
    trained = _trained(work, number, made.pairs, tasks)
    held = _held_out(work, number)
    record = RoundRecord(
        round=number,
        held_out=held,
        drew=work.name_of(source),
        drafts=drafting.means(sides),
        pairs=len(made.pairs),
        none=made.none,
        trained=trained,
    )
    write_record(place / ROUND, record)
    if held.accuracy.rewarded is not None:
        say(
            f"round {number}: the chosen text is rewarded more in {held.accuracy.rewarded:.1%} of "
            f"{held.accuracy.pairs} held-out pairs"
        )
    return record


def _drafts(
    work: Work, path: Path, tasks: Sequence[Task], source: int, number: int
) -> list[SideDrafts]:
    """The drafts in `path`, drawn from the model of round `source` if they are not there yet.

    Rounds draw with seeds of their own: from one model they would else draw the same.
    """
    if path.exists():
        return list(read_own_records(path, SideDrafts))
    settings = work.settings
    with ExitStack() as within:
        rerank = reranking(work, within)
        model = within.enter_context(served(work, source))
        sides = drafting.draw(
            model,
            tasks,
            rerank,
            prompts=work.prompts,
            max_tokens=settings.writing.max_tokens,
            temperature=settings.drafts.temperature,
            top_p=settings.drafts.top_p,
            seed=settings.seed * 1000 + number,
            at_once=settings.batch,
        )
    release()
    write_records(path, sides)
    return sides


def _paired(work: Work, sides: Sequence[SideDrafts], tasks: Sequence[Task]) -> Paired:
    """The pairs of `sides` that are short enough to train on."""
    made = pairs.joined([pairs.pair(side.task, side.drafts, work.settings.pairs) for side in sides])
    tokenizer, longest = load_tokenizer(str(work.base)), _longest(work)
    by_id = {task.id: task for task in tasks}
    kept = []
    for one in made.pairs:
        held = _row(tokenizer, by_id[one.task], one)
        sizes = [len(sequences.tokens(tokenizer, held, which)) for which in ("chosen", "rejected")]
        if longest is None or max(sizes) <= longest:
            kept.append(one)
    lost = len(made.pairs) - len(kept)
    none = {**made.none, pairs.TOO_LONG: lost} if lost else made.none
    return replace(made, pairs=tuple(kept), none=none)


def _longest(work: Work) -> int | None:
    window = parameters_of(work.base)["window"] or None
    wanted = work.settings.training.max_tokens
    return min(wanted, window) if wanted and window else wanted or window


def _row(tokenizer: Any, task: Task, pair: Pair) -> dict[str, Any]:
    return sequences.row(tokenizer, task.step.messages(task.passages), pair)


def _trained(
    work: Work, number: int, made: Sequence[Pair], tasks: Sequence[Task]
) -> training.Trained:
    settings, place = work.settings, work.place(number)
    if not work.model_of(number).exists():
        facts = parameters_of(work.base)
        needed = bytes_of_round(
            facts["parameters"],
            trained_parameters(facts, settings.lora),
            adapter=settings.lora is not None,
        )
        check_room(place, needed, f"round {number}")
    tokenizer = load_tokenizer(str(work.base))
    by_id = {task.id: task for task in tasks}
    rows = [_row(tokenizer, by_id[one.task], one) for one in made]
    before = work.model_of(number - 1)
    hub = not Path(settings.model).is_dir()
    start = training.Start(
        folder=before,
        base=work.base,
        base_name=settings.model if hub else str(work.base.resolve()),
        base_revision=(settings.revision or work.base.name) if hub else None,
        reference=before if settings.reference == "previous" else work.base,
    )
    return training.train(start, rows, place, settings, number)


def _held_out(work: Work, number: int) -> HeldOut:
    before = work.place(0)
    held = list(read_own_records(before / PAIRS, Pair))
    base = list(read_own_records(before / LIKELIHOODS, Likelihood))
    found = _likelihoods(work, number, held)
    drafts = None
    if work.settings.score_held_out:
        path = work.place(number) / "held-out.jsonl"
        drafts = drafting.means(_drafts(work, path, work.tasks("test"), number, 0))
    return HeldOut(accuracy=sequences.accuracy(found, base), drafts=drafts)


def _likelihoods(work: Work, number: int, held: Sequence[Pair]) -> list[Likelihood]:
    """How likely the model after round `number` finds each pair."""
    if not held:
        return []
    tokenizer = load_tokenizer(str(work.base))
    by_id = {task.id: task for task in work.tasks("test")}
    rows = [_row(tokenizer, by_id[one.task], one) for one in held]
    model = load_model(work.model_of(number), work.settings.device, stored_dtype(work.base))
    chosen, rejected = (
        [sequences.tokens(tokenizer, one, which) for one in rows] for which in _BOTH
    )
    found = sequences.likelihoods(model, chosen, rejected)
    del model
    release()
    return found


_BOTH = ("chosen", "rejected")
