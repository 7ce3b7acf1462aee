"""What is remembered of a call that fails for good: its words, and not the place it failed at."""

import gc
import weakref

import pytest

from globesumm.llm.errors import (
    BadAnswer,
    ConnectionLost,
    CutOff,
    ModelError,
    Refused,
    RequestRefused,
)
from globesumm.llm.request import Completion, Usage
from globesumm.llm.work import Work

SAID = Completion(text="I cannot.", model="m", usage=Usage(prompt_tokens=1, completion_tokens=2))
LASTING = (Refused, CutOff, RequestRefused)


class Prompt:
    """Something large that the frame of a failing call holds."""


def fails(work: Work, kind: type[ModelError], held: "list[weakref.ref[Prompt]]") -> None:
    prompt = Prompt()
    held.append(weakref.ref(prompt))
    try:
        raise kind("it declined", SAID)
    except ModelError as error:
        error.add_note("seen twice")
        work.failed("key", error)


@pytest.mark.parametrize("kind", LASTING)
def test_what_is_remembered_says_the_same_and_holds_nothing_of_where_it_was_raised(
    kind: type[ModelError],
) -> None:
    work, held = Work(), list[weakref.ref[Prompt]]()
    fails(work, kind, held)
    gc.collect()
    assert held[0]() is None
    known = work.failure("key")
    assert type(known) is kind
    assert (str(known), known.completion) == ("it declined", SAID)
    assert known.__notes__ == ["seen twice"]
    assert known.__traceback__ is None


def test_raising_what_is_remembered_leaves_it_as_it_was() -> None:
    work = Work()
    fails(work, Refused, [])
    for _ in range(2):
        known = work.failure("key")
        assert known is not None
        with pytest.raises(Refused, match="it declined"):
            raise known
    again = work.failure("key")
    assert again is not None
    assert again.__traceback__ is None


@pytest.mark.parametrize("kind", [ConnectionLost, BadAnswer])
def test_what_may_succeed_later_is_not_remembered(kind: type[ModelError]) -> None:
    work = Work()
    fails(work, kind, [])
    assert work.failure("key") is None
