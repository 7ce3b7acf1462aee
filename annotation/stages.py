"""What one document goes through before the merge, and a summary before the next round.

- ``kis``: key information split, the text as short self-contained sentences in its own language;
- ``clp``: cross-lingual prompting, such a list in the target language, sentence by sentence;
- ``translate``: the text in the target language;
- ``summarize_source``: a summary in the text's own language.

(GlobeSumm, 2.3, A.2 and C.1.)  What is in the target language already is neither translated nor
put to ``clp``, and a passage without a sentence goes through unchanged; both cost no call.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from annotation.answer_forms import list_form, scripts_for
from annotation.answers import Answer, list_reader, text_reader
from annotation.author import Asked, Author, Question
from annotation.reports import body
from annotation.schemas import Context
from annotation.threads import in_threads
from annotation.window import Step, ask_within
from globesumm.errors import UnknownName
from globesumm.llm.request import Message
from globesumm.prompts import Data, language_name
from globesumm.text import sentences
from globesumm.text.words import count_words
from globesumm.values import Passage, Sentence, Statement

OF_THE_SUMMARY = " of the summary"
"""Behind a stage's name in plans, where it makes of a summary what a round hands on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageKind:
    """One row of the table: the prompt, what it calls the text, which values it takes."""

    prompt: str
    text: str
    values: tuple[str, ...]
    listed: bool
    into_target: bool
    about: str


STAGES: Mapping[str, StageKind] = {
    "kis": StageKind(
        prompt="kis.default",
        text="document",
        values=("language",),
        listed=True,
        into_target=False,
        about="key information split: short self-contained sentences in the source language",
    ),
    "clp": StageKind(
        prompt="clp.default",
        text="list",
        values=("language", "target"),
        listed=True,
        into_target=True,
        about="cross-lingual prompting: the list in the target language",
    ),
    "translate": StageKind(
        prompt="translate.default",
        text="text",
        values=("language", "target"),
        listed=False,
        into_target=True,
        about="the text in the target language",
    ),
    "summarize_source": StageKind(
        prompt="summarize.source",
        text="document",
        values=("language", "max_words"),
        listed=False,
        into_target=False,
        about="a summary in the source language",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a stage made, and how; `asked` is None where no call was needed."""

    passage: Passage
    asked: Asked[Answer] | None = None


@dataclass(frozen=True, slots=True)
class WritingStage:
    """A stage of `STAGES`, carried out by `author`; raises `StepError` where that fails."""

    name: str
    author: Author

    def __post_init__(self) -> None:
        if self.name not in STAGES:
            raise UnknownName("stage", self.name, STAGES)

    def __call__(self, passage: Passage, context: Context) -> Passage:
        return self.write(passage, context).passage

    def write(self, passage: Passage, context: Context) -> Written:
        """`passage` after this stage, with the raw answer beside it."""
        kind = STAGES[self.name]
        if not passage.sentences or (kind.into_target and passage.language == context.target):
            return Written(passage=passage)
        language = context.target if kind.into_target else passage.language
        prompt = self.author.prompts[kind.prompt]
        known = {
            "language": language_name(passage.language),
            "target": language_name(context.target),
            "max_words": str(context.max_words),
        }
        values = {name: known[name] for name in kind.values}

        def messages(shown: Sequence[Passage]) -> tuple[Message, ...]:
            data = Data(label=kind.text, text=body(shown[0]))
            return (Message("user", prompt.render(**{kind.text: data}, **values)),)

        like = "" if kind.into_target else passage.text
        read = (list_reader if kind.listed else text_reader)(language, like)
        schema = None
        if kind.listed:
            scripts = scripts_for(language, like)
            schema = list_form(_most_items(passage, kind), self.author.bounds, scripts)
        question = Question(
            step=self.name,
            about=_about(passage),
            prompt=prompt,
            schema=schema,
            text_in=None if kind.listed else language,
            planned_as=f"{self.name}{OF_THE_SUMMARY}" if passage.steps[:1] == ("summary",) else "",
        )
        asked = ask_within(
            self.author, Step(question=question, messages=messages), [passage], lambda _: read
        )
        texts = list(asked.value.items)
        if not kind.listed:
            texts = sentences.split(texts[0], language)
        return Written(passage=_result(passage, texts, language, self.name, asked), asked=asked)


def stages(names: Iterable[str], author: Author) -> tuple[WritingStage, ...]:
    """The stages called `names`, all by one author."""
    return tuple(WritingStage(name, author) for name in names)


def prepare(
    passages: Sequence[Passage],
    through: Sequence[WritingStage],
    context: Context,
    *,
    at_once: int = 8,
) -> list[Passage]:
    """Each passage after all of the stages `through`, in order; `at_once` passages at a time.

    The first failure is raised; passages not yet begun are then left alone.  Where `THREADS` are
    set they are used, and `at_once` is theirs to decide.
    """

    def one(passage: Passage) -> Passage:
        for stage in through:
            passage = stage(passage, context)
        return passage

    if not through:
        return list(passages)
    return in_threads([partial(one, passage) for passage in passages], at_once)


def _most_items(passage: Passage, kind: StageKind) -> int:
    """A list put over is about as long as it was; a fact takes a few words at least."""
    count = len(passage.sentences)
    if kind.into_target:
        return 2 * count
    return max(2 * count, count_words(passage.text, passage.language) // _WORDS_OF_A_FACT)


_WORDS_OF_A_FACT = 5


def _about(passage: Passage) -> str:
    if len(passage.documents) == 1:
        return f"document {passage.documents[0]!r}"
    return f"the summary of {len(passage.documents)} documents up to {passage.documents[-1]!r}"


def _result(
    before: Passage, texts: Sequence[str], language: str, name: str, asked: Asked[Answer]
) -> Passage:
    kind = STAGES[name]
    notes = [*asked.value.notes]
    paired = kind.into_target and len(texts) == len(before.sentences)
    if kind.into_target and not paired:
        notes.append(f"{len(before.sentences)} sentences in, {len(texts)} out")
    if kind.into_target and list(texts) == [sentence.text for sentence in before.sentences]:
        notes.append("the answer repeats the text: nothing was translated")
    made = tuple(
        Sentence(
            text=text,
            language=language,
            statements=before.sentences[place].statements
            if paired
            else _spoken(before, place + 1, language, text),
        )
        for place, text in enumerate(texts)
    )
    return replace(
        before,
        language=language,
        sentences=made,
        steps=(*before.steps, name),
        notes=(*before.notes, *asked.notes, *(f"{name}: {note}" for note in notes)),
    )


def _spoken(before: Passage, index: int, language: str, text: str) -> tuple[Statement, ...]:
    """A sentence that stands for one document is its statement; a summary's rests on unknown."""
    if len(before.documents) != 1:
        return ()
    document = before.documents[0]
    return (Statement(document=document, index=index, language=language, text=text),)
