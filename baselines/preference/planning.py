"""What ``--dry-run`` prints: the model's size, memory, time and calls of a whole run."""

from collections.abc import Iterator, Sequence

from baselines.drafts.base import Task
from baselines.drafts.proxies import asking, check_proxies
from baselines.perspectives.methods import check_methods, planned
from baselines.preference.estimate import Estimate, Sizes, estimate, pairs_a_side
from baselines.preference.model_sizes import parameters_of, stored_dtype
from baselines.preference.room import bytes_of_round, sized
from baselines.preference.work import Work
from globesumm.llm.tokenizers import load_tokenizer, prompt_tokens

_WORDS_TO_TOKENS = 1.5
"""Tokens of an answer for each word that it may have; English has about 1.3."""

_MOST_COUNTED = 200
"""Sides whose prompts are counted; the others are taken to be as long."""


def plan(work: Work) -> Iterator[str]:
    """The lines of the plan; nothing is drawn, and no weights are read."""
    settings = work.settings
    check_proxies(settings.drafts.proxies)
    check_methods(settings.final)
    facts = parameters_of(work.base)
    sizes = _sizes(work)
    stored = stored_dtype(work.base)
    asked = len(asking(settings.drafts.proxies))
    found = estimate(settings, facts, sizes, stored=stored, asked=asked)
    yield (
        f"train: {len(work.split.train)} topics, {sizes.train_sides} sides; "
        f"test: {len(work.split.test)} topics, {sizes.test_sides} sides; "
        "no report in both"
    )
    share = found.trained / found.parameters
    yield (
        f"model: {settings.model}, {found.parameters:,} parameters ({stored}), "
        f"{found.trained:,} trained ({share:.2%})"
    )
    yield (
        f"prompts of {sizes.prompt_tokens:.0f} tokens on average, {sizes.longest_tokens} at most "
        f"with an answer of {sizes.answer_tokens:.0f}"
    )
    yield from _rounds(work, found)
    yield from _memory(work, found)
    yield from _time(work, found)
    disk = bytes_of_round(found.parameters, found.trained, adapter=settings.lora is not None)
    yield f"disk: {sized(disk)} while a round trains, its model is kept"


def _sizes(work: Work) -> Sizes:
    tokenizer = load_tokenizer(str(work.base))
    train, test = work.tasks("train"), work.tasks("test")
    counted = [_prompt(tokenizer, task) for task in train[:_MOST_COUNTED]]
    words = work.setting.words
    answer = min(work.settings.writing.max_tokens, _WORDS_TO_TOKENS * words)
    return Sizes(
        train_sides=len(train),
        test_sides=len(test),
        prompt_tokens=sum(counted) / len(counted),
        answer_tokens=answer,
        longest_tokens=round(max(counted) + answer),
        pairs_a_side=pairs_a_side(work.settings),
    )


def _prompt(tokenizer: object, task: Task) -> int:
    return len(prompt_tokens(tokenizer, task.step.messages(task.passages)))


def _rounds(work: Work, found: Estimate) -> Iterator[str]:
    settings, how = work.settings, work.settings.training
    yield (
        f"rounds: {settings.rounds}, each at most {found.steps_a_round} steps of {how.batch} pairs "
        f"({settings.pairs.rule}), beta {how.beta:g}, learning rate {how.learning_rate:g}, "
        f"{how.divergence}, drawn from the {settings.draw_from} model"
    )
    for name, count in found.calls.items():
        if count:
            yield f"calls: {count:,} {name}"
    last = [planned(name, settings.drafts) for name in settings.final]
    sides = sum(len(topic.sides) for topic in work.split.test)
    if last:
        count = sides * sum(one.calls + one.rated for one in last)
        yield f"calls: {count:,} for the last model's summaries ({', '.join(settings.final)})"


def _memory(work: Work, found: Estimate) -> Iterator[str]:
    machine = work.settings.machine
    parts: Sequence[str] = [f"{name} {sized(size)}" for name, size in found.memory.items() if size]
    fits = "fits" if found.gib <= machine.memory_gib else "does NOT fit"
    yield (
        f"memory while training: {found.gib:.1f} GiB ({', '.join(parts)}, and a tenth); {fits} "
        f"{machine.name} with {machine.memory_gib:g} GiB"
    )


def _time(work: Work, found: Estimate) -> Iterator[str]:
    parts = ", ".join(f"{name} {_hours(hours)}" for name, hours in found.hours.items())
    yield (
        f"time: {_hours(sum(found.hours.values()))} on one {work.settings.machine.name} ({parts}); "
        "a judge's time is its server's"
    )


def _hours(hours: float) -> str:
    return f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"
