"""What the rounds of one run share: settings, folders, names of models, and who is asked."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from baselines.drafts.base import Task
from baselines.drafts.methods import make_method
from baselines.drafts.proxies import Judging, asking, check_proxies
from baselines.drafts.rerank import Rerank
from baselines.perspectives.tasks import Setting, task_of
from baselines.perspectives.values import each_side
from baselines.preference import training
from baselines.preference.apart import Split
from baselines.preference.model_sizes import stored_dtype
from baselines.preference.settings import Preference
from globesumm.errors import UsageError
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.local_transformers import LocalTransformers
from globesumm.prompts import Library

CALLS = "calls.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Everything that the rounds of one run share; `base` is the folder of the base model."""

    settings: Preference
    folder: Path
    base: Path
    split: Split
    prompts: Library

    @property
    def setting(self) -> Setting:
        """What the writer is asked for."""
        writing = self.settings.writing
        return Setting(
            shown=writing.shown,
            length=writing.length,
            target=writing.target,
            max_words=writing.max_words,
        )

    def tasks(self, which: str) -> list[Task]:
        """The tasks of the sides to ``train`` or to ``test`` on."""
        topics = self.split.train if which == "train" else self.split.test
        return [
            task_of(topic, side, self.setting, self.prompts) for topic, side in each_side(topics)
        ]

    def place(self, number: int) -> Path:
        """The folder of round `number`."""
        return self.folder / f"round-{number:02d}"

    def model_of(self, number: int) -> Path:
        """The model after round `number`; 0 is the base model."""
        return self.base if number == 0 else self.place(number) / training.MODEL

    def name_of(self, number: int) -> str:
        """What the model after round `number` is called in calls and summaries."""
        return self.base_name if number == 0 else f"{self.base_name}+round-{number:02d}"

    @property
    def base_name(self) -> str:
        """The base model as it was named, a folder by its last part."""
        return Path(self.settings.model).name


def reranking(work: Work, within: ExitStack) -> Rerank:
    """How drafts are rated and ranked."""
    made = make_method("rerank", work.settings.drafts, judging_of(work, within))
    assert isinstance(made, Rerank)  # noqa: S101  (what that row makes)
    return made


def judging_of(work: Work, within: ExitStack) -> Judging | None:
    """Who rates where a proxy asks a model, its calls kept; raises `UsageError` without one."""
    settings = work.settings
    check_proxies(settings.drafts.proxies)
    if not (named := asking(settings.drafts.proxies)):
        return None
    if settings.judge is None:
        raise UsageError(f"the proxies {', '.join(named)} ask a model: name it in [judge]")
    judge = open_model(
        settings.judge.model,
        settings.judge.base_url,
        store=work.folder / CALLS,
        key_variable=settings.judge.key_variable,
    )
    within.enter_context(judge)
    return Judging(model=judge, prompts=work.prompts)


@contextmanager
def served(work: Work, number: int) -> Iterator[OpenedModel]:
    """The model after round `number`, in this process, its calls kept in the run's store."""
    settings = work.settings
    backend = LocalTransformers(
        str(work.model_of(number)),
        device=settings.device,
        dtype=stored_dtype(work.base),
        batch_size=settings.batch,
    )
    # Not the path, so that a run folder that is moved buys nothing twice.
    backend.name = work.name_of(number)
    with open_model(
        backend, store=work.folder / CALLS, most_at_once=max(settings.batch, 1)
    ) as model:
        yield model
