"""Whether a page is a news report; if not, what it is."""

from dataclasses import dataclass

from globesumm.values import Document
from retrieval.page import Page


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a page is no report: a `kind` of `retrieval.kinds.KINDS`, and what showed it."""

    kind: str
    reason: str


def judge(page: Page, document: Document, *, fewest_letters: int) -> Verdict | None:
    """What `page` is instead of a news report, or None if it is one.

    `document` is what was extracted from it.
    """
    letters = sum(char.isalpha() for char in document.text)
    if letters < fewest_letters:
        return Verdict("too-short", f"{letters} letters of text, of at least {fewest_letters}")
    return None
