"""Whether an answer is whole.  One that is not is an error, never a completion."""

import re
import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources

from globesumm.llm.errors import BadAnswer, CutOff, Refused, excerpt
from globesumm.llm.request import Completion, Request, Usage, parsed


@cache
def patterns(table: str) -> dict[str, re.Pattern[str]]:
    """The regular expressions of one table of ``server_replies.toml``, each set as one."""
    text = resources.files("globesumm.llm").joinpath("server_replies.toml").read_text("utf-8")
    return {
        name: re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE | re.DOTALL)
        for name, patterns in tomllib.loads(text)[table].items()
    }


def whole(
    c: Completion, request: Request, *, refusal: str | None = None, ended: bool = True
) -> Completion:
    """`c` if it is a whole answer; raises `CutOff`, `Refused` or `BadAnswer` where it is not.

    `refusal` is what the server gave in place of an answer; `ended` says whether the reasoning
    written into the answer came to an end.
    """
    limit, used = request.decoding.max_tokens, c.usage and c.usage.completion_tokens
    finishes = patterns("finish")
    if refusal:
        refused = replace(c, text=c.text or refusal)
        raise Refused(f"the model refused: {excerpt(refusal, 120)}", refused)
    if finishes["refused"].search(c.finish):
        raise Refused(f"the answer was stopped by a filter ({c.finish})", c)
    if finishes["cut"].search(c.finish) or (c.finish == "unstated" and limit and used == limit):
        thought = c.usage and c.usage.reasoning_tokens
        share = f", {thought} of them reasoning" if thought else ""
        raise CutOff(
            f"the answer was cut off after {used if used is not None else 'unknown'} tokens{share} "
            f"(limit {limit or 'of the server'}): raise max_tokens or shorten the prompt",
            c,
        )
    if c.finish == "unstated":
        c = replace(c, notes=(*c.notes, "the server stated no finish reason"))
    elif not finishes["whole"].search(c.finish):
        raise BadAnswer(f"unexpected finish reason {excerpt(c.finish, 40)!r}", c)
    if not ended or not c.text.strip():
        what = "nothing but reasoning" if c.reasoning else "an empty text"
        raise BadAnswer(f"the answer is {what}", c)
    return c


def oddities(request: Request, answer: str, usage: Usage | None) -> list[str]:
    """Notes on what is not as it was asked for."""
    notes = []
    if usage is None:
        notes.append("no token usage was reported")
    if request.schema is not None and not isinstance(parsed(answer), dict | list):
        notes.append("a schema was asked for, yet the answer is not JSON")
    thought = usage.reasoning_tokens if usage else None
    budget = request.decoding.reasoning
    if thought and isinstance(budget, int) and thought > budget:
        notes.append(f"reasoning took {thought} tokens, more than its budget of {budget}")
    if thought and budget == "off":
        notes.append(f"reasoning was to be off, yet took {thought} tokens")
    return notes
