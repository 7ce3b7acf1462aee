"""Failed summaries: what kind of failure each is, and when there are too many of them."""

from collections import Counter

from annotation.author import StepError
from globesumm.config import Limits
from globesumm.errors import GlobeSummError
from globesumm.llm.errors import BadAnswer, ModelError
from globesumm.runs import Failure
from globesumm.values import Event

UNUSABLE = "UnusableAnswer"
"""Answers came, yet none that could be read as what was asked for."""

NO_TEXT = "NoText"
"""No document of the event has text, so there was nothing to ask."""

NO_REFERENCE = "NoReference"
"""The event has no reference in the language written, which the oracle needs."""

MISSING = (NO_TEXT, NO_REFERENCE)
"""What the data lack: recorded as missing, but nothing failed, so it ends no run."""

UNEXPECTED = "Unexpected"
"""An error that this program did not foresee; its own name follows."""

UNNAMED = "Unnamed"
"""A failure of an earlier version, which kept no kind."""

LEAST_FOR_A_SHARE = 20


def failure(recipe: str, event: str, error: Exception) -> Failure:
    """What is kept of `error`: its kind, and where a model failed, what was asked and said."""
    if not isinstance(error, StepError):
        reason = str(error)
        if not isinstance(error, GlobeSummError):
            reason = f"{type(error).__name__}: {error} (at {_place(error)})"
        return Failure(recipe=recipe, event=event, reason=reason, kind=kind_of(error))
    cause, answer = error.__cause__, error.answer
    if answer is None and isinstance(cause, BadAnswer):
        # Not an answer at all, yet what the server sent tells what it was.
        answer = cause.raw
    return Failure(
        recipe=recipe,
        event=event,
        reason=str(error),
        prompt=tuple((said.role, said.content) for said in error.messages),
        answer=answer,
        kind=kind_of(error),
    )


def no_text(recipe: str, event: Event) -> Failure:
    """Why `event` has no summary by any recipe: what became of its documents."""
    told = [*event.notes]
    told += [f"{one.id}: {note}" for one in event.documents for note in one.notes]
    count = len(event.documents)
    held = f"none of its {count} documents has text" if count else "it has no document"
    reason = f"event {event.id!r} cannot be summarized: {held}"
    if told:
        reason = f"{reason} ({'; '.join(told[:20])})"
    return Failure(recipe=recipe, event=event.id, reason=reason, kind=NO_TEXT)


def kind_of(error: Exception) -> str:
    """The short name that failures are counted by."""
    if isinstance(error, StepError):
        cause = error.__cause__
        if isinstance(cause, ModelError):
            return type(cause).__name__
        return "ContextOverrun" if cause is None else UNUSABLE
    if isinstance(error, GlobeSummError):
        return type(error).__name__
    return f"{UNEXPECTED}:{type(error).__name__}"


def _place(error: Exception) -> str:
    """File and line where `error` arose."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return "an unknown place"
    return f"{place.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{place.tb_lineno}"


class Tally:
    """Finished and failed summaries of the whole grid, those of earlier runs included."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.finished = 0
        self.kinds: Counter[str] = Counter()

    @property
    def failed(self) -> int:
        """Failed summaries; those that the data cannot have are none, since nothing failed."""
        return sum(self.kinds.values()) - self.skipped

    @property
    def skipped(self) -> int:
        """Summaries that there cannot be, since the data lack what they need (`MISSING`)."""
        return sum(self.kinds[kind] for kind in MISSING)

    def too_many(self) -> str | None:
        """Why the failures end the run, or None."""
        failed, limits = self.failed, self._limits
        shown = ", ".join(
            f"{kind} {count}" for kind, count in self.kinds.most_common() if kind not in MISSING
        )
        advice = "find out why, then raise the limit, or take them up again with --retry-failed"
        if limits.failures is not None and failed and failed >= limits.failures:
            return f"{failed} summaries failed ({shown}), the limit of failures: {advice}"
        ended, share = failed + self.finished, limits.failed_share
        if share is not None and failed and ended >= LEAST_FOR_A_SHARE and failed >= share * ended:
            return (
                f"{failed} of {ended} summaries failed ({shown}), as much as failed_share = "
                f"{share:g} allows: {advice}"
            )
        return None
