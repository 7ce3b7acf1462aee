"""Any method of drafts in the place of a merge's one call (`annotation.merges.writing.Writing`).

Whatever comes before the summary (where the issues are, how conflicts are settled) is asked
once; drafts are drawn of the summary alone, and what the round hands on is made of the one taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.answers import Answer
from annotation.author import Asked, Author
from annotation.merges.writing import Found
from annotation.schemas import Context
from annotation.window import Step
from baselines.drafts.base import DraftMethod, Task
from baselines.drafts.drawing import Drawing
from baselines.drafts.methods import make_method
from baselines.drafts.proxies import Judging
from baselines.recipes import Drafting
from globesumm.values import Document, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """`method` as a way of writing; drafts are drawn at `temperature` and `top_p`."""

    method: DraftMethod
    temperature: float = 0.7
    top_p: float | None = None
    most_at_once: int = 8

    @property
    def signature(self) -> str:
        """Everything that decides which text is taken."""
        nucleus = "" if self.top_p is None else f", top_p {self.top_p:g}"
        return f"{self.method.signature}; drawn at temperature {self.temperature:g}{nucleus}"

    def __call__(
        self, author: Author, step: Step, told: Sequence[Passage], context: Context, found: Found
    ) -> Asked[Answer]:
        drawing = Drawing(
            author=author,
            temperature=self.temperature,
            top_p=self.top_p,
            most_at_once=self.most_at_once,
        )
        return self.method(task_of(step, told, context, found), drawing).answer


def task_of(step: Step, told: Sequence[Passage], context: Context, found: Found) -> Task:
    """The summary of one merge as a task; drafts are held against all documents so far."""
    sources = [passage for passage in context.sources or told if passage.sentences]
    covered = {name for passage in sources for name in passage.documents}
    return Task(
        id=f"{context.event.id} round {context.index}",
        documents=tuple(map(_document, sources)),
        step=step,
        passages=tuple(told),
        originals=tuple(one for one in context.event.documents if one.id in covered),
        target=context.target,
        max_words=context.max_words,
        event=context.event,
        issues=found.issues,
        strategies=found.strategies,
        index=context.index,
    )


def _document(passage: Passage) -> Document:
    """A prepared document under its own name, in the language it was put into."""
    return Document(id="+".join(passage.documents), text=passage.text, language=passage.language)


def drafted(name: str, author: Author, drafting: Drafting) -> Drafted:
    """The method called `name` as a way of writing, with who rates drafts.

    Raises what `baselines.drafts.methods.make_method` raises.
    """
    settings = drafting.settings
    judging = drafting.judging or Judging(
        model=author.model,
        prompts=author.prompts,
        reasoning=author.decoding.reasoning,
        enforced=author.structured,
        most_at_once=drafting.most_at_once,
    )
    return Drafted(
        method=make_method(name, settings, judging),
        temperature=settings.temperature,
        top_p=settings.top_p,
        most_at_once=drafting.most_at_once,
    )
