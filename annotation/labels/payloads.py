"""What is shown for an item of each kind.  All texts are data: pages print them, never as markup.

Sentence numbers are from 1, as people see them; places in a text count code points from 0.
"""

from dataclasses import dataclass

from globesumm.languages import UNKNOWN
from globesumm.values import ConflictCause, IssueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A running text; `note` is what stands small beside it (outlet, date)."""

    text: str
    language: str = UNKNOWN
    title: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A text as its sentences, which are shown numbered from 1."""

    sentences: tuple[str, ...]
    language: str = UNKNOWN
    title: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """Is `article` about the event of `query`?  (GlobeSumm, 2.2 and A.1)"""

    query: Text
    article: Text
    translation: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A model's finding between two lists that the gold has not, or its strategy for a conflict.

    `of` is ``"issue"`` or ``"strategy"``; `text` is what the model wrote.
    """

    kind: IssueKind
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    of: str = "issue"
    cause: ConflictCause | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issues:
    """Which redundancies, omissions and conflicts are between two lists?  (GlobeSumm, 3.1)

    With `review` the question is instead whether each of those predictions is right; the right
    ones that the gold has not are the FPP of B.1.
    """

    first: Listed
    second: Listed
    review: tuple[Prediction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFact:
    """Is `fact` key to the source?  (OmniCSEval, 3.3)

    `critique` is why the model's self-review rejected it.  `similar` are (part, sentence), both
    from 1, of the most similar quarter of the source, which is highlighted.
    """

    fact: Text
    source: tuple[Listed, ...]
    critique: str | None = None
    similar: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSupport:
    """Does the source support `fact` of a summary?  (OmniCSEval, 5 and F)"""

    fact: Text
    source: tuple[Listed, ...]
    similar: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Which sentences of `summary` state `fact`?  (OmniCSEval, F)

    `similarities` has one number a sentence, higher is more alike; `similar` are the numbers of
    the most similar sentences, which are highlighted.
    """

    fact: Text
    summary: Listed
    similarities: tuple[float, ...] = ()
    similar: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoints:
    """Which excerpts are key points, and which say the same?  (Perspective paper, 3.1 and 4.1)

    Without a `summary` only the documents are highlighted.  `question` is whose view or which
    matter the key points are of.
    """

    documents: tuple[Text, ...]
    summary: Text | None = None
    question: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which of two summaries is better?  Who wrote them is not in here."""

    a: Text
    b: Text
    source: tuple[Text, ...] = ()
    question: str | None = None
