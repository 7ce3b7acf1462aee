"""LLM-Coverage and LLM-Faithfulness: a model rates a text from 1 to 5 (perspective paper, 3.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from globesumm.errors import UnknownName, UsageError
from globesumm.llm.bounded import complete_all
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion, Decoding, Message, Model, Request
from globesumm.prompts import Data, Library
from globesumm.values import Document
from metrics.base import (
    Better,
    Candidate,
    Column,
    Description,
    Measured,
    Metric,
    Signature,
    joined,
    printable,
)
from metrics.judged.digits import (
    GRAMMAR,
    HIGHEST,
    LOWEST,
    MOST_RIVALS,
    Digit,
    expected_digit,
    read_digit,
)

Attribute = Literal["coverage", "faithfulness"]

RATINGS: Mapping[str, Attribute] = {
    "llm-coverage": "coverage",
    "llm-faithfulness": "faithfulness",
}
"""Names on the command line and in configurations."""

MOST_TOKENS = 16
"""Of a reply that is to be one digit; a model that thinks first needs more."""


@dataclass(frozen=True, slots=True)
class Rating(Metric):
    """A rating of one attribute by `model`, as a fraction: (rating − 1) / 4.

    With `weighted` the mean of the ratings by their token probabilities, where the server tells
    them.  `enforced` asks servers to keep the reply to one digit.  `chosen_by` are the recipes
    whose drafts were chosen by this same judge, so that their scores say so.
    """

    attribute: Attribute
    model: Model
    prompts: Library = field(default_factory=Library)
    decoding: Decoding = field(
        default_factory=lambda: Decoding(temperature=0.0, max_tokens=MOST_TOKENS, seed=0)
    )
    weighted: bool = False
    enforced: bool = True
    most_at_once: int = 8
    chosen_by: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.attribute not in get_args(Attribute):
            raise UnknownName("attribute", self.attribute, get_args(Attribute), "Rating")

    @property
    def name(self) -> str:
        return f"llm-{self.attribute}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name=self.name, better=Better.HIGHER, low=0.0, high=1.0),)

    @property
    def signature(self) -> Signature:
        prompt = self.prompts[self.prompt]
        return Signature.of(
            self.name,
            judge=self.model.name,
            prompt=prompt.reference,
            temperature=f"{self.decoding.temperature}",
            reasoning=f"{self.decoding.reasoning or 'default'}",
            reply="one-digit" if self.enforced else "free",
            score="probability-weighted" if self.weighted else "digit",
            v=1,
        )

    @property
    def prompt(self) -> str:
        """The prompt's name."""
        return f"judged.{self.attribute}"

    @property
    def requires(self) -> tuple[str, ...]:
        return ("the documents summarized", f"model {self.model.name}")

    def describe(self) -> Description:
        covers = self.attribute == "coverage"
        return Description(
            measures="how much of the sources' main points a text tells"
            if covers
            else "how far the sources support what a text says",
            formula="(rating − 1) / 4, the rating being a model's, from 1 to 5 with five levels "
            "described; weighted: sum(p(k) · k) / sum(p(k)) over the digits k instead",
            range="0 (rated 1) to 1 (rated 5); higher is better. The paper prints the rating: "
            "1 + 4 · value",
            empty="no source, an empty text, a reply that is not one digit from 1 to 5, and a "
            "call that failed: unscored with the reason, never a default",
            cost="one call for each text, whose prompt holds all sources",
            source="perspective paper (Ri et al., 2025), section 3.1 and figure 2; weights as in "
            "G-Eval (Liu et al., 2023)",
            difference="prompts in our own words; sources and text are fenced as data; the "
            "paper does not say how replies are read, here nothing but one digit counts",
            weak_spots="the judge's taste is the metric's: on the paper's test set LLM-Coverage "
            "orders 74 of 100 pairs rightly, LLM-Faithfulness about half (chance: 50); five "
            "values leave many ties, and judges like high ones",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        asked = [self._asked(candidate) for candidate in candidates]
        requests = [one for one in asked if isinstance(one, Request)]
        distinct = {request.key: request for request in requests}
        answers = dict(
            zip(
                distinct,
                complete_all(self.model, distinct.values(), most_at_once=self.most_at_once),
                strict=True,
            )
        )
        found: list[Mapping[str, Measured]] = []
        for candidate, one in zip(candidates, asked, strict=True):
            measured = Measured(None, one) if isinstance(one, str) else self.read(answers[one.key])
            if measured.value is not None and candidate.recipe in self.chosen_by:
                note = joined(measured.note, "the same judge chose this draft among others")
                measured = Measured(measured.value, note)
            found.append({self.name: measured})
        return found

    def request(self, sources: Sequence[Document], text: str) -> Request:
        """The question about `text` beside `sources`, each of which is shown once."""
        many = len(sources) > 1
        shown = tuple(
            Data(
                label=f"source {place} of {len(sources)}" if many else "source",
                text=printable(source.text)[0],
            )
            for place, source in enumerate(sources, 1)
        )
        content = self.prompts[self.prompt].render(
            sources=shown, summary=Data(label="summary", text=printable(text)[0])
        )
        return Request(
            model=self.model.name,
            messages=(Message("user", content),),
            decoding=self.decoding,
            grammar=GRAMMAR if self.enforced else None,
            top_logprobs=MOST_RIVALS if self.weighted else None,
        )

    def _asked(self, candidate: Candidate) -> Request | str:
        """The request, or why there is nothing to ask."""
        sources = [one for one in candidate.documents if one.text.strip()]
        if not sources:
            return "there is no source to hold it against"
        if not any(char.isalnum() for char in candidate.text):
            return "the text says nothing"
        return self.request(sources, candidate.text)

    def read(self, answer: Completion | ModelError) -> Measured:
        """The value in a judge's answer to `request`, or why there is none."""
        if isinstance(answer, ModelError):
            if isinstance(answer, UsageError):
                raise answer
            return Measured(None, f"the judge gave no answer: {answer}")
        digit: Digit = expected_digit(answer) if self.weighted else read_digit(answer.text)
        if digit.value is None:
            return Measured(None, digit.reason)
        shown = f"{digit.value:.3f}" if self.weighted else f"{digit.value:g}"
        note = joined(f"rated {shown} of {HIGHEST}", digit.note)
        return Measured((digit.value - LOWEST) / (HIGHEST - LOWEST), note)
