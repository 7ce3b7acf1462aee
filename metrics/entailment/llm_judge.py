"""Entailment as judged by an instruction-following model."""

import re
from collections.abc import Sequence
from hashlib import sha256

from globesumm.errors import UsageError
from globesumm.llm.bounded import complete_all
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Decoding, Message, Model, Request
from globesumm.prompts import Data, Library
from metrics.entailment.base import Entailer, Hypothesis, Verdict
from metrics.entailment.chunks import chunks

PROMPT = "entailment.judge"
_WORDS_A_CHUNK = 1500
_YES_OR_NO = re.compile(r"\W*(yes|no)\W*\Z", re.IGNORECASE)


class LLMJudge(Entailer):
    """Asks a model one question a pair: 1 for yes, 0 for no; the highest over pieces counts.

    A reply that is neither is no value, with its beginning as the reason, and so is a call
    that fails.  Texts are fenced as data, and a valid answer bears a mark made from the whole
    question, which no text within it can foresee.
    """

    def __init__(
        self,
        model: Model,
        *,
        languages: frozenset[str] | None = None,
        prompts: Library | None = None,
        chunk_words: int = _WORDS_A_CHUNK,
        most_at_once: int = 8,
        most_tokens: int = 64,
    ) -> None:
        self.languages = languages
        self._model, self._chunk_words, self._most = model, chunk_words, most_at_once
        self._prompt = (prompts or Library())[PROMPT]
        self._decoding = Decoding(temperature=0.0, max_tokens=most_tokens, seed=0)

    @property
    def identity(self) -> str:
        return f"llm-judge/{self._model.name}/{self._prompt.reference}/chunk{self._chunk_words}w"

    @property
    def requires(self) -> tuple[str, ...]:
        return (f"model {self._model.name}",)

    def lasting(self, verdict: Verdict) -> bool:
        """Only answers last: a failed call may succeed the next time."""
        return verdict.value is not None

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        """1.0 for yes and 0.0 for no."""
        from globesumm.text.words import count_words

        pieces = chunks(
            premise, language, self._chunk_words, lambda text: count_words(text, language)
        )
        marks, requests = [], []
        for hypothesis in hypotheses:
            for piece in pieces.texts:
                mark, request = self._asked(piece, hypothesis.text)
                marks.append(mark)
                requests.append(request)
        answers = complete_all(self._model, requests, most_at_once=self._most)
        read = [
            _Answer.of(answer if isinstance(answer, ModelError) else answer.text, mark)
            for answer, mark in zip(answers, marks, strict=True)
        ]
        each = len(pieces.texts)
        return [
            _verdict(read[first : first + each], pieces.note) for first in range(0, len(read), each)
        ]

    def _asked(self, premise: str, hypothesis: str) -> tuple[str, Request]:
        digest = sha256(f"{premise}\0{hypothesis}".encode()).hexdigest()
        mark = f"verdict-{digest[:6]}"
        content = self._prompt.render(
            text=Data(label="text", text=premise),
            statement=Data(label="statement", text=hypothesis),
            mark=mark,
        )
        return mark, Request(
            model=self._model.name,
            messages=(Message("user", content),),
            decoding=self._decoding,
        )


class _Answer:
    """One reply as yes (1), no (0) or why it is neither."""

    def __init__(self, value: float | None, reason: str | None = None) -> None:
        self.value, self.reason = value, reason

    @classmethod
    def of(cls, reply: str | ModelError, mark: str) -> "_Answer":
        if isinstance(reply, ModelError):
            if isinstance(reply, UsageError):
                raise reply
            return cls(None, f"the judge gave no answer: {reply}")
        _, found, behind = reply.rpartition(mark)
        said = _YES_OR_NO.match(behind if found else reply)
        if said is None or reply.count(mark) > 1:
            start = " ".join(reply.split())[:60]
            return cls(None, f"the judge said neither yes nor no: {start!r}")
        return cls(float(said[1].lower() == "yes"))


def _verdict(answers: Sequence[_Answer], note: str | None) -> Verdict:
    """Yes if any piece is a yes; otherwise every piece must have been answered."""
    values = [answer.value for answer in answers if answer.value is not None]
    failed = next((answer.reason for answer in answers if answer.value is None), None)
    if failed and 1.0 not in values:
        return Verdict(value=None, chunks=len(answers), reason=failed)
    return Verdict(value=max(values), chunks=len(answers), note=note)
