"""From a summary's answer to a round: its sentences, what is carried on, every raw answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.answers import Answer
from annotation.author import Asked
from annotation.schemas import Context
from annotation.stages import WritingStage
from globesumm.text import sentences
from globesumm.text.words import count_words
from globesumm.values import Issue, Passage, Round, Sentence, Strategy

ONE_REPORT = "only one report has text: there was nothing to compare"


NO_REPORT = "no report has text so far"


def untold(passages: Sequence[Passage], context: Context) -> Round:
    """The round of passages without a sentence: no call, and an empty summary that says why."""
    documents = tuple(dict.fromkeys(name for passage in passages for name in passage.documents))
    return Round(
        index=context.index,
        documents=documents,
        added=documents,
        summary="",
        inputs=tuple(passages),
        carry=Passage(documents=documents, language=context.target, sentences=()),
        notes=(NO_REPORT,),
    )


def about(context: Context) -> str:
    """How errors name the round."""
    return f"round {context.index} of event {context.event.id!r}"


def with_text(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that hold a sentence; empty ones stay in the round's count alone."""
    return [passage for passage in passages if passage.sentences]


def ended(
    passages: Sequence[Passage],
    context: Context,
    asked: Mapping[str, Asked[Any]],
    carry: Iterable[WritingStage],
    *,
    issues: tuple[Issue, ...] = (),
    strategies: tuple[Strategy, ...] = (),
    notes: Iterable[str] = (),
) -> Round:
    """The round that ends with the summary in ``asked["summary"]``, after the stages of `carry`.

    ``Round.answers`` gets, by step, the raw answer (``where``), the prompt's reference
    (``where.prompt``), and an answer that was unusable before it (``where.rejected``).
    """
    answer: Asked[Answer] = asked["summary"]
    text = answer.value.items[0]
    documents = tuple(dict.fromkeys(name for passage in passages for name in passage.documents))
    carried = Passage(
        documents=documents,
        language=context.target,
        sentences=tuple(
            Sentence(text=sentence, language=context.target)
            for sentence in sentences.split(text, context.target)
        ),
        steps=("summary",),
    )
    every = dict(asked)
    for stage in carry:
        written = stage.write(carried, context)
        carried = written.passage
        if written.asked:
            every[stage.name] = written.asked
    told = [*notes, *(f"summary: {note}" for note in answer.value.notes)]
    told += [note for one in every.values() for note in (*one.notes, *one.server_notes)]
    told += [note for note in carried.notes if note not in told]
    words = count_words(text, context.target)
    if words > context.max_words:
        told.append(f"the summary has {words} words, more than {context.max_words}")
    return Round(
        index=context.index,
        documents=documents,
        added=documents,
        summary=text,
        issues=issues,
        strategies=strategies,
        inputs=tuple(passages),
        carry=carried,
        answers=_answers(every),
        notes=tuple(dict.fromkeys(told)),
    )


def _answers(asked: Mapping[str, Asked[Any]]) -> dict[str, str]:
    answers: dict[str, str] = {}
    for step, one in asked.items():
        answers[step] = one.text
        answers[f"{step}.prompt"] = one.prompt
        if one.rejected is not None:
            answers[f"{step}.rejected"] = one.rejected
        answers |= {f"{step}.{name}": text for name, text in one.beside.items()}
    return answers
