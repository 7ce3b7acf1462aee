"""One writing task a side: zero-shot, as the perspective paper asks (section 4, appendix A).

The writer sees the documents of every side, or those of the side to be summarized alone
(PoliSum's mixed and single perspective); the summary is one sentence, as in the paper, or a
paragraph.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from annotation.author import Question
from annotation.passages import in_order
from annotation.schemas import passages
from annotation.window import Step
from baselines.drafts.base import Task
from baselines.perspectives.values import Side, Topic, event_of_side, side_id
from globesumm.errors import UnknownName, UsageError
from globesumm.languages import LANGUAGES, parse
from globesumm.llm.request import Message
from globesumm.prompts import Data, Library, language_name
from globesumm.values import Event, Passage

Shown = Literal["both", "own"]
Length = Literal["sentence", "paragraph"]

SHOWN: Mapping[Shown, str] = {
    "both": "the documents of every side (the perspective paper; PoliSum's mixed perspective)",
    "own": "the documents of the side alone (PoliSum's single perspective)",
}

WORDS: Mapping[Length, int] = {"sentence": 50, "paragraph": 120}
"""Most words where nothing else is asked for; the paper's sentences have 37 to 44 on average."""

STEP = "perspective"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is asked of the writer; `max_words` None: as `WORDS` says."""

    shown: Shown = "both"
    length: Length = "sentence"
    target: str = "en"
    max_words: int | None = None

    def __post_init__(self) -> None:
        if self.shown not in SHOWN:
            raise UnknownName("choice of documents", self.shown, SHOWN)
        if self.length not in WORDS:
            raise UnknownName("length", self.length, WORDS)
        object.__setattr__(self, "target", parse(self.target))
        if self.max_words is not None and self.max_words < 1:
            raise UsageError(f"max_words is {self.max_words}: give a number of words from 1 up")

    @property
    def words(self) -> int:
        """The most words a summary may have."""
        return WORDS[self.length] if self.max_words is None else self.max_words

    @property
    def prompt(self) -> str:
        """The prompt's name."""
        return f"perspective.{self.length}"

    def recipe(self, method: str) -> str:
        """What summaries by `method` are filed under: ``perspective.both.sentence.rerank``."""
        return f"perspective.{self.shown}.{self.length}.{method}"


def task_of(topic: Topic, side: Side, setting: Setting, prompts: Library) -> Task:
    """The task of summarizing `side`; proxies hold drafts against its own documents alone."""
    sides = (side, *topic.others(side)) if setting.shown == "both" else (side,)
    shown = [one for held in sides for one in _passages(topic, held)]
    prompt = prompts[setting.prompt]
    names = Data(label="topic, and the names of the sides", text=_names(topic, sides))
    labels = _labels(sides)

    def messages(passages_shown: Sequence[Passage]) -> tuple[Message, ...]:
        documents = tuple(
            Data(label=labels[passage.documents[0]], text=passage.text)
            for passage in passages_shown
        )
        text = prompt.render(
            topic=names,
            documents=documents,
            max_words=setting.words,
            target=language_name(setting.target),
        )
        return (Message("user", text),)

    own = tuple(in_order(side.documents))
    return Task(
        id=side_id(topic, side),
        documents=own,
        originals=own,
        step=Step(
            question=Question(
                step=STEP, about=side_id(topic, side), prompt=prompt, text_in=setting.target
            ),
            messages=messages,
        ),
        passages=tuple(shown),
        target=setting.target,
        max_words=setting.words,
        event=event_of_side(topic, side),
    )


def _passages(topic: Topic, side: Side) -> list[Passage]:
    event = Event(id=topic.id, description=topic.topic, documents=side.documents)
    return [one for one in passages(event) if one.sentences]


def _names(topic: Topic, sides: Sequence[Side]) -> str:
    named = (f"Side {_letter(place)}: {side.name}" for place, side in enumerate(sides))
    return "\n".join((f"Topic: {topic.topic}", *named))


def _labels(sides: Sequence[Side]) -> dict[str, str]:
    """What stands above each document: only what we know ourselves, no text of others."""
    return {
        document.id: f"side {_letter(at)}, document {place} of {len(side.documents)}, "
        f"in {_language(document.language)}"
        for at, side in enumerate(sides)
        for place, document in enumerate(in_order(side.documents), 1)
    }


def _letter(place: int) -> str:
    """A, B, … Z, AA, AB, … for 0, 1, …"""
    ahead, last = divmod(place, len(ascii_uppercase))
    return (_letter(ahead - 1) if ahead else "") + ascii_uppercase[last]


def _language(code: str) -> str:
    row = LANGUAGES.get(code)
    return row.name if row else "an unknown language"
