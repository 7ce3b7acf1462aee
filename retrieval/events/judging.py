"""Whether a report belongs to an event, by the paper's three criteria, as a model answers them.

A report is kept that describes the same event, is about its causes or consequences, or shows
another perspective on it (GlobeSumm, A.1).  Answers are read strictly: three lines, each with a
mark made from the whole question, which no text within it can foresee.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from globesumm.languages import LANGUAGES
from globesumm.prompts import Data
from globesumm.values import Document
from retrieval.events.asking import Asker, Question, Unusable
from retrieval.portal.values import PortalEvent

PROMPT = "relevance.default"
CRITERIA = ("same event", "cause or consequence", "another perspective")
"""The paper's three, in its order."""

_YES_OR_NO = re.compile(r"(yes|no)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was said of one document and one event; `relevant` is None where nothing usable was.

    The three criteria are None where they were not asked apart (people may say yes or no alone).
    `judge` is the model's name or a person's, `note` what a reader must know.
    """

    event: str
    document: str
    judge: str
    relevant: bool | None
    same_event: bool | None = None
    cause_or_consequence: bool | None = None
    perspective: bool | None = None
    note: str | None = None

    @property
    def met(self) -> tuple[str, ...]:
        """The criteria that were answered with yes."""
        answers = (self.same_event, self.cause_or_consequence, self.perspective)
        return tuple(name for name, yes in zip(CRITERIA, answers, strict=True) if yes)


def judge(
    pairs: Sequence[tuple[PortalEvent, Document]], asker: Asker, most_characters: int
) -> list[Verdict]:
    """The model's verdict on each (event, document); one that has no usable answer is unscored."""
    questions = [_question(event, document, asker, most_characters) for event, document in pairs]
    verdicts = []
    for (event, document), said in zip(pairs, asker.ask(questions, "relevance"), strict=True):
        answers = said.value or (None, None, None)
        cut = f"read up to character {most_characters}"
        is_cut = said.value is not None and len(document.text) > most_characters
        verdicts.append(
            Verdict(
                event=event.id,
                document=document.id,
                judge=asker.model.name,
                relevant=None if said.value is None else any(said.value),
                same_event=answers[0],
                cause_or_consequence=answers[1],
                perspective=answers[2],
                note=cut if is_cut else said.reason,
            )
        )
    return verdicts


def _question(
    event: PortalEvent, document: Document, asker: Asker, most_characters: int
) -> Question[tuple[bool, bool, bool]]:
    row = LANGUAGES.get(document.language)
    day = f"{document.published:%Y-%m-%d}" if document.published else "of an unknown day"
    label = f"report in {row.name if row else 'an unknown language'}, {day}"
    description = f"{event.date}: {event.description}"
    report = f"{document.title or ''}\n\n{document.text[:most_characters]}".strip()
    digest = sha256(f"{description}\0{report}".encode("utf-8", "backslashreplace")).hexdigest()
    mark = f"verdict-{digest[:6]}"
    content = asker.prompts[PROMPT].render(
        description=Data(label="description", text=description),
        report=Data(label=label, text=report),
        mark=mark,
    )
    return Question(content, partial(_read, mark=mark))


def _read(answer: str, *, mark: str) -> tuple[bool, bool, bool]:
    """Three lines, ``MARK 1: yes`` and so on, and nothing else."""
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if len(lines) != len(CRITERIA):
        raise Unusable(f"the answer has {len(lines)} lines and not three")
    answers = []
    for number, line in enumerate(lines, start=1):
        head, colon, said = line.partition(":")
        if not colon or head.strip() != f"{mark} {number}":
            raise Unusable(f"line {number} does not begin with {mark} {number} and a colon")
        if not (found := _YES_OR_NO.fullmatch(said.strip())):
            raise Unusable(f"line {number} says neither yes nor no")
        answers.append(found[1].lower() == "yes")
    return answers[0], answers[1], answers[2]
