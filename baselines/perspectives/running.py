"""Methods carried out on sides: planned, stored, and resumed from what is there.

A summary's file means that it is done; every call to a model lies in the run's call store, so
that what a killed run had bought is not bought again.  What fails is recorded with its reason,
the rest goes on, and the same command tries it again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from annotation.author import Author, StepError
from baselines.account import Account, Ended, account
from baselines.drafts.base import DraftMethod, Made, Task
from baselines.drafts.record import STEP
from baselines.grid.uses import read_uses, write_uses
from baselines.perspectives.methods import drawing_of, takes_model, together
from baselines.perspectives.tasks import Setting, task_of
from baselines.perspectives.values import Side, Topic, each_side, side_id
from globesumm.config import Drafts
from globesumm.llm.errors import LimitReached
from globesumm.llm.recording import Use, recording
from globesumm.prompts import Library
from globesumm.runs import Failure, Run
from globesumm.text.words import count_words
from globesumm.values import Round, Summary

NO_MODEL = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call of `carry_out` did, in summaries; `stopped` says which cap ended it."""

    made: int
    kept: int
    failed: int
    left: int
    stopped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What carries the work out: methods by name, who writes (None: no model), and how."""

    methods: dict[str, DraftMethod]
    setting: Setting
    author: Author | None
    drafts: Drafts = field(default_factory=Drafts)
    at_once: int = 8

    @property
    def model(self) -> str:
        """Who is named as the writer."""
        return self.author.model.name if self.author else NO_MODEL


@dataclass(frozen=True, slots=True)
class _Job:
    method: str
    topic: Topic
    side: Side


def carry_out(
    run: Run,
    topics: Sequence[Topic],
    running: Running,
) -> Outcome:
    """Summarize every side of `topics` by every method that has not yet.

    A cap on calls, tokens or spend ends the
    work between calls.  Raises what concerns all summaries alike (`UsageError`: no server, no
    key); hold `Run.alone` around it.
    """
    jobs = [
        _Job(name, topic, side) for name in running.methods for topic, side in each_side(topics)
    ]
    waiting = [
        one
        for one in jobs
        if not run.summary_path(
            running.setting.recipe(one.method), side_id(one.topic, one.side)
        ).exists()
    ]
    made = failed = 0
    stopped: str | None = None
    queue = iter(waiting)
    with ThreadPoolExecutor(running.at_once, thread_name_prefix="side") as pool:
        flying: set[Future[bool]] = set()
        try:
            while True:
                while stopped is None and len(flying) < running.at_once:
                    job = next(queue, None)
                    if job is None:
                        break
                    flying.add(pool.submit(_carried_out, run, job, running))
                if not flying:
                    break
                ended, flying = wait(flying, return_when=FIRST_COMPLETED)
                for one in ended:
                    try:
                        good = one.result()
                    except LimitReached as error:
                        stopped = str(error)
                        continue
                    made, failed = made + good, failed + (not good)
        finally:
            # An error that concerns all, or Ctrl-C: what has not begun is not begun.
            for one in flying:
                one.cancel()
    left = len(waiting) - made - failed
    return Outcome(
        made=made, kept=len(jobs) - len(waiting), failed=failed, left=left, stopped=stopped
    )


def _carried_out(run: Run, job: _Job, running: Running) -> bool:
    """Whether the summary could be made; it is written, or its failure is."""
    prompts = running.author.prompts if running.author else Library()
    task = task_of(job.topic, job.side, running.setting, prompts)
    with recording() as uses:
        return _kept(run, job, running, task, uses)


def _kept(run: Run, job: _Job, running: Running, task: Task, uses: Sequence[Use]) -> bool:
    """What `uses` holds is noted before its summary or failure is."""
    recipe, name = running.setting.recipe(job.method), side_id(job.topic, job.side)
    try:
        made = _made(task, running, job.method)
    except StepError as error:
        cause = error.__cause__
        write_uses(run, recipe, name, uses)
        run.write_failure(
            Failure(
                recipe=recipe,
                event=name,
                reason=str(error),
                prompt=tuple((one.role, one.content) for one in error.messages),
                answer=error.answer,
                kind=type(cause).__name__ if cause else None,
            )
        )
        return False
    write_uses(run, recipe, name, uses)
    run.write_summary(_summary(task, made, recipe, name, running.model))
    return True


def asked(run: Run, topics: Sequence[Topic], running: Running) -> Account:
    """What every side of `topics` asked by every method, beside what was planned for it."""
    planned: Counter[str] = Counter()
    sure: Counter[str] = Counter()
    ended: list[Ended] = []
    asking = [name for name in running.methods if takes_model([name])]
    sides = list(each_side(topics))
    for topic, side in sides:
        done, name = [], side_id(topic, side)
        for method in asking:
            recipe = running.setting.recipe(method)
            finished = run.summary_path(recipe, name).exists()
            done += [method] if finished else []
            if finished or run.failure_path(recipe, name).exists():
                ended.append(Ended(finished=finished, uses=read_uses(run, recipe, name)))
        planned.update(together(asking, running.drafts).steps)
        sure.update(together(done, running.drafts).steps)
    return account(planned, sure, ended, len(asking) * len(sides))


def _made(task: Task, running: Running, name: str) -> Made:
    method = running.methods[name]
    if running.author is None:
        # Lead asks nobody; whoever does was refused before anything began.
        alone: Callable[[Task, None], Made] = method  # type: ignore[assignment]
        return alone(task, None)
    return method(task, drawing_of(running.author, running.drafts, running.at_once))


def _summary(task: Task, made: Made, recipe: str, name: str, model: str) -> Summary:
    answer = made.answer
    text = answer.value.items[0]
    documents = tuple(one.id for one in task.documents)
    words = count_words(text, task.target)
    notes = [*answer.value.notes, *answer.notes, *answer.server_notes]
    if words > task.max_words:
        notes.append(f"{words} words, more than the {task.max_words} asked for")
    beside = {f"{STEP}.{key}": value for key, value in answer.beside.items()}
    only = Round(
        index=1,
        documents=documents,
        added=documents,
        summary=text,
        answers={STEP: answer.text, **beside},
        notes=tuple(dict.fromkeys(notes)),
    )
    return Summary(
        event=name,
        recipe=recipe,
        model=model,
        target=task.target,
        text=text,
        rounds=(only,),
        notes=task.event.notes if task.event else (),
    )
