"""The method as tables: which stages a pipeline has, and which merge a prompting is.

`Method` puts one cell of the grid together.  The stages before the merge, and those of a round's
summary, may have other authors than the merge: a study that compares models only on the last
step shares all others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.author import Author
from annotation.merges import DirectMerge, ProtocolMerge
from annotation.merges.writing import Writing, once
from annotation.protocol import protocol
from annotation.schemas import Context, Merge
from annotation.stages import STAGES, WritingStage, prepare, stages
from globesumm.errors import UnknownName
from globesumm.values import Passage, Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSteps:
    """Stages of each document before the first merge, and of each summary before the next."""

    prepare: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    about: str


PIPELINES: Mapping[str, PipelineSteps] = {
    "none": PipelineSteps(about="documents as they are"),
    "translate-summarize": PipelineSteps(prepare=("translate",), about="each document translated"),
    "summarize-translate": PipelineSteps(
        prepare=("summarize_source", "translate"),
        about="each document summarized in its own language, and that translated",
    ),
    "kis": PipelineSteps(
        prepare=("kis",), carry=("kis",), about="each document split into key information"
    ),
    "kis-clp": PipelineSteps(
        prepare=("kis", "clp"),
        carry=("kis",),
        about="each document split into key information, and that put into the target language",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptingSteps:
    """How a model is asked for a summary: the merge, and the steps it asks in."""

    make: Callable[..., DirectMerge | ProtocolMerge]
    steps: Mapping[str, str]
    about: str


PROMPTINGS: Mapping[str, PromptingSteps] = {
    "direct": PromptingSteps(
        make=DirectMerge, steps={"summary": "direct.two"}, about="summarized outright by a model"
    ),
    "protocol": PromptingSteps(
        make=ProtocolMerge,
        steps={"where": "pgp.where", "strategies": "pgp.strategies", "summary": "pgp.summary"},
        about="issues found and settled by the protocol first, by a model",
    ),
}

RECURRENT = ("crs",)
"""Schemas whose rounds hand something on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One recipe carried out by models: `prepare` for documents, `merge` for the schema."""

    recipe: Recipe
    merge: Merge
    name: str
    through: tuple[WritingStage, ...]

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        author: Author,
        preparing: Author | None = None,
        carrying: Author | None = None,
        writing: Writing = once,
    ) -> "Method":
        """`recipe` with `author`, who writes the summaries in the way of `writing`.

        The stages before the merge are by `preparing` and those of what each round hands on by
        `carrying`, where one is given.  Raises `UnknownName` for a pipeline or prompting that is
        in no table here.
        """
        pipeline, prompting = steps_of(recipe)
        carry = pipeline.carry if recipe.schema in RECURRENT else ()
        carried = stages(carry, carrying or author)
        merge = prompting.make(author=author, carry=carried, writing=writing)
        through = stages(pipeline.prepare, preparing or author)
        name = merge.name
        if through and preparing and preparing.model.name != name:
            name = f"{name} after {preparing.model.name}"
        return cls(recipe=recipe, merge=merge, name=name, through=through)

    def prepare(
        self, passages: Sequence[Passage], context: Context, *, at_once: int = 8
    ) -> list[Passage]:
        """Each passage after the pipeline's stages; see `annotation.stages.prepare`."""
        return prepare(passages, self.through, context, at_once=at_once)


def steps_of(recipe: Recipe) -> tuple[PipelineSteps, PromptingSteps]:
    """The rows that `recipe` names."""
    if recipe.pipeline not in PIPELINES:
        raise UnknownName("pipeline", recipe.pipeline, PIPELINES)
    if recipe.prompting not in PROMPTINGS:
        raise UnknownName("prompting", recipe.prompting, PROMPTINGS)
    return PIPELINES[recipe.pipeline], PROMPTINGS[recipe.prompting]


def references(recipe: Recipe, author: Author) -> str:
    """The prompts and the protocol that `recipe` uses, each with its digest, for the record."""
    pipeline, prompting = steps_of(recipe)
    names = {STAGES[stage].prompt for stage in (*pipeline.prepare, *pipeline.carry)}
    names |= {*prompting.steps.values(), "direct.many", "direct.two", "retry.default"}
    shown = author.prompts.references(names)
    return f"{shown} {protocol().reference}" if recipe.prompting == "protocol" else shown
