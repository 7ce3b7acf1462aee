"""How the text of a merge's summary is had: by one call, or by whatever takes that call's place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from annotation.answers import Answer, text_reader
from annotation.author import Asked, Author
from annotation.schemas import Context
from annotation.window import Step, ask_within
from globesumm.values import Issue, Passage, Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a merge found before it writes; nothing for one that does not look."""

    issues: tuple[Issue, ...] = ()
    strategies: tuple[Strategy, ...] = ()


class Writing(Protocol):
    """Makes a summary of the passages `told` with the question in `step`.

    Raises `annotation.author.StepError` where it cannot.
    """

    def __call__(
        self, author: Author, step: Step, told: Sequence[Passage], context: Context, found: Found
    ) -> Asked[Answer]: ...


def once(
    author: Author, step: Step, told: Sequence[Passage], context: Context, found: Found
) -> Asked[Answer]:
    """One answer, taken as it is."""
    del found
    read = text_reader(context.target)
    return ask_within(author, step, told, lambda _: read)
