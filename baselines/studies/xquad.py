"""The component study: questions answered from condensed or translated paragraphs.

KIS is held against a summary and a longer summary, and CLP against translation: each is put in
the paragraph's place, the same model answers the questions from it, and the answers' accuracy
says how much can still be understood (GlobeSumm, 3.2, table 3 and B.2).  Whether the paper asks
in the paragraph's or the target language is not stated; here a question stays as its file has
it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from annotation.answers import text_reader
from annotation.author import Author, StepError, Unusable
from annotation.author import Question as Asking
from annotation.passages import passages
from annotation.schemas import Context
from annotation.stages import STAGES, WritingStage
from baselines.studies.xquad_data import Paragraph, Question, Questions
from globesumm.llm.request import Message
from globesumm.prompts import Data, language_name
from globesumm.values import Document, Passage
from globesumm.values import Event as Happening


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a paragraph goes through: a stage of the method, or with none a prompt of the probe.

    `label` and `group` are the paper's; `extended` takes the longer length.
    """

    label: str
    group: str
    stage: str | None = None
    into_target: bool = False
    extended: bool = False


KIS, CLP, PLAIN = "KIS vs. Summarize", "CLP vs. Translate", "as it is"

CONDITIONS: Mapping[str, Condition] = {
    "text": Condition(label="Text", group=PLAIN),
    "summarize": Condition(label="Summarize", group=KIS, stage="summarize_source"),
    "extend": Condition(label="Summarize-Extend", group=KIS, extended=True),
    "kis": Condition(label="KIS", group=KIS, stage="kis"),
    "translate": Condition(label="Translate", group=CLP, stage="translate", into_target=True),
    "clp": Condition(label="CLP", group=CLP, stage="clp", into_target=True),
}
"""Conditions by name; ``text`` leaves the paragraph as it is and is not in the paper."""

DEFAULT = ("summarize", "extend", "kis", "translate", "clp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What decides the calls; `target` is what paragraphs are translated to.

    `summary_words` and `extended_words` are the lengths asked for of the two summaries.
    """

    conditions: tuple[str, ...] = DEFAULT
    target: str = "en"
    summary_words: int = 60
    extended_words: int = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """One paragraph after one condition; `text` is None where that failed, and `reason` why."""

    language: str
    paragraph: int
    condition: str
    text: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question answered from one condensed paragraph; `answer` is None where that failed."""

    language: str
    question: str
    condition: str
    answer: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Distinct calls of one step of one condition."""

    condition: str
    step: str
    calls: int


Work = tuple[Paragraph, str]


def work_of(files: Sequence[Questions], setup: Setup) -> list[Work]:
    """Every paragraph with every condition that is not idle in its language."""
    return [
        (paragraph, name)
        for name in setup.conditions
        for one in files
        if not (CONDITIONS[name].into_target and one.language == setup.target)
        for paragraph in one.paragraphs
    ]


def plan(files: Sequence[Questions], setup: Setup) -> list[Planned]:
    """The distinct calls, exact while every answer can be used and no two texts come out alike."""
    texts: dict[str, set[tuple[str, str]]] = {}
    asked: dict[str, set[tuple[str, str, str]]] = {}
    for paragraph, name in work_of(files, setup):
        if name != "text":
            texts.setdefault(name, set()).add((paragraph.language, paragraph.context))
        asked.setdefault(name, set()).update(
            (paragraph.language, paragraph.context, one.text) for one in paragraph.questions
        )
    found = []
    for name in setup.conditions:
        if name in texts:
            found.append(Planned(condition=name, step="condense", calls=len(texts[name])))
        found.append(Planned(condition=name, step="answer", calls=len(asked.get(name, ()))))
    return found


def prompts_of(author: Author, setup: Setup) -> str:
    """References of every prompt that `setup` uses, for the record."""
    names = {"probe.answer", "retry.default"}
    for name in setup.conditions:
        stage = CONDITIONS[name].stage
        names |= {STAGES[stage].prompt} if stage else set()
        names |= {"probe.extend"} if CONDITIONS[name].extended else set()
    return author.prompts.references(names)


def carry_out(
    files: Sequence[Questions], setup: Setup, author: Author, *, at_once: int = 8
) -> Iterator[tuple[Condensed, list[Answered]]]:
    """Each paragraph with each condition, in order, `at_once` at a time.

    What a model fails at is kept with its reason and the rest goes on; what concerns all calls
    (a cap, no server: `UsageError`) is raised, and what was not begun is then left alone.
    """
    ending = Event()
    with ThreadPoolExecutor(max(1, at_once), thread_name_prefix="probe") as pool:
        waiting = [
            pool.submit(_one, paragraph, name, setup, author, ending)
            for paragraph, name in work_of(files, setup)
        ]
        try:
            for future in waiting:
                yield future.result()
        finally:
            ending.set()
            for future in waiting:
                future.cancel()


def _one(
    paragraph: Paragraph, name: str, setup: Setup, author: Author, ending: Event
) -> tuple[Condensed, list[Answered]]:
    def condensed(text: str | None, reason: str | None = None) -> Condensed:
        return Condensed(
            language=paragraph.language,
            paragraph=paragraph.place,
            condition=name,
            text=text,
            reason=reason,
        )

    try:
        text = _text(paragraph, name, setup, author)
    except StepError as error:
        reason = f"the paragraph could not be condensed: {error.reason}"
        answers = [_answered(paragraph, one, name, None, reason) for one in paragraph.questions]
        return condensed(None, error.reason), answers
    return condensed(text), [
        _answer(paragraph, one, name, text, author=author, target=setup.target)
        for one in paragraph.questions
        if not ending.is_set()
    ]


def _text(paragraph: Paragraph, name: str, setup: Setup, author: Author) -> str:
    """The paragraph after the condition `name`, as it is shown with a question."""
    condition = CONDITIONS[name]
    passage, context = _passage(paragraph, setup)
    if condition.stage is not None:
        return WritingStage(condition.stage, author)(passage, context).text
    if not condition.extended:
        return paragraph.context
    prompt = author.prompts["probe.extend"]
    message = prompt.render(
        language=language_name(paragraph.language),
        max_words=setup.extended_words,
        document=Data(label="text", text=paragraph.context),
    )
    asking = Asking(
        step="extend",
        about=f"paragraph {paragraph.name!r}",
        prompt=prompt,
        text_in=paragraph.language,
    )
    read = text_reader(paragraph.language, paragraph.context)
    return author.ask(asking, (Message("user", message),), read).value.items[0]


def _passage(paragraph: Paragraph, setup: Setup) -> tuple[Passage, Context]:
    document = Document(id=paragraph.name, text=paragraph.context, language=paragraph.language)
    event = Happening(id=paragraph.name, description="", documents=(document,))
    [passage] = passages(event)
    return passage, Context(event=event, target=setup.target, max_words=setup.summary_words)


def _answer(
    paragraph: Paragraph, question: Question, name: str, text: str, *, author: Author, target: str
) -> Answered:
    prompt = author.prompts["probe.answer"]
    message = prompt.render(
        text=Data(label="text", text=text), question=Data(label="question", text=question.text)
    )
    language = target if CONDITIONS[name].into_target else paragraph.language
    asking = Asking(
        step="answer", about=f"question {question.id!r}", prompt=prompt, text_in=language
    )
    try:
        said = author.ask(asking, (Message("user", message),), _read).value
    except StepError as error:
        return _answered(paragraph, question, name, None, error.reason)
    return _answered(paragraph, question, name, said)


def _answered(
    paragraph: Paragraph,
    question: Question,
    name: str,
    answer: str | None,
    reason: str | None = None,
) -> Answered:
    return Answered(
        language=paragraph.language,
        question=question.id,
        condition=name,
        answer=answer,
        reason=reason,
    )


def _read(text: str) -> str:
    """An answer as it was given, out of the quotes or the JSON object that some put around it."""
    said = text.strip()
    if said.startswith(("{", '"')):
        try:
            value = json.loads(said)
        except ValueError:
            value = said
        if isinstance(value, dict) and len(value) == 1:
            [value] = value.values()
        said = str(value).strip() if isinstance(value, str | int | float) else said
    if not any(letter.isalnum() for letter in said):
        raise Unusable("it holds no answer")
    return said
