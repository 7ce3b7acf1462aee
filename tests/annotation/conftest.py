"""A scripted model that plays its part in every step, and events to summarize."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from annotation.author import Author
from annotation.pipelines import Method
from annotation.schemas import Context, chronological, passages, single_turn
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion, Request
from globesumm.llm.scripted import Scripted
from globesumm.prompts import shipped_prompts
from globesumm.values import Document, Event, Recipe, Round

START = datetime(2023, 9, 8, 22, 11, tzinfo=UTC)

Said = str | Completion | ModelError


def document(
    name: str, hours: int | None = 0, language: str = "en", text: str | None = None
) -> Document:
    published = None if hours is None else START + timedelta(hours=hours)
    usual = f"The ferry {name} sank at night. Nine people of {name} are missing."
    return Document(
        id=name, text=usual if text is None else text, language=language, published=published
    )


def event(*documents: Document) -> Event:
    return Event(id="ferry", description="A ferry sinks", documents=documents)


def step_of(request: Request) -> str:
    """The name of the prompt that the request's last message was made from."""
    last = request.messages[-1].content
    return next(
        name
        for name, prompt in shipped_prompts().items()
        if name != "retry.default" and _is_made_from(prompt.content.decode().strip(), last)
    )


def _is_made_from(prompt: str, text: str) -> bool:
    place = 0
    for fixed in re.split(r"\$\w+", prompt):
        place = text.find(fixed, place)
        if place < 0:
            return False
        place += len(fixed)
    return True


def blocks(request: Request, message: int = -1) -> list[tuple[str, str]]:
    """(label, text) of what stands between fences in one message, by default the last."""
    content = request.messages[message].content
    found = re.finditer(r"(?ms)^(~{8,}) ([^\n]*)\n(.*?)\n\1$", content)
    return [(block[2], block[3]) for block in found]


class Cast:
    """Answers by step and keeps every request.  `answers` replace what a step usually says.

    A list of answers is given one after the other, the last one for ever.
    """

    def __init__(self, answers: dict[str, Said | list[Said] | Callable[[Request], Said]]) -> None:
        self.requests: list[tuple[str, Request]] = []
        self.answers = answers

    @property
    def steps(self) -> list[str]:
        return [step for step, _ in self.requests]

    def of(self, step: str) -> list[Request]:
        return [request for name, request in self.requests if name == step]

    def __call__(self, request: Request) -> Said:
        step = step_of(request)
        self.requests.append((step, request))
        answer = self.answers.get(step)
        if callable(answer):
            return answer(request)
        if isinstance(answer, list):
            return answer.pop(0) if len(answer) > 1 else answer[0]
        return self._usual(step, request) if answer is None else answer

    def _usual(self, step: str, request: Request) -> str:
        count = len(self.of(step))
        if step == "kis.default":
            return json.dumps({"sentences": [f"Fact {count} is one.", f"Fact {count} is two."]})
        if step == "clp.default":
            lines = blocks(request)[0][1].splitlines()
            return "\n".join(f"{n}. Put over {count}, {n}." for n in range(1, len(lines) + 1))
        if step == "pgp.where":
            places = [{"report": 1, "sentence": 1}, {"report": 2, "sentence": 2}]
            issue = {"kind": "conflict", "sentences": places, "detail": f"toll {count}"}
            return json.dumps({"issues": [issue]})
        if step == "pgp.strategies":
            entry = {"conflict": 1, "cause": "update", "strategy": f"Take the later, {count}."}
            return json.dumps({"strategies": [entry]})
        if step == "translate.default":
            return f"The translated ferry {count} sank. Many are missing."
        return f"Summary {count} of the ferry. It sank."


def author(cast: Cast, window: int | None = None, **settings: Any) -> Author:
    return Author(model=Scripted(cast, context_window=window), **settings)


def carry_out(
    happening: Event, recipe: str, writing: Author, *, target: str = "en", max_words: int = 250
) -> list[Round]:
    """The rounds of `recipe`, with everything but the models real."""
    schema, pipeline, prompting = recipe.split(".")
    method = Method.of(Recipe(schema=schema, pipeline=pipeline, prompting=prompting), writing)
    context = Context(event=happening, target=target, max_words=max_words)
    inputs = method.prepare(passages(happening), context, at_once=1)
    run = single_turn if schema == "sts" else chronological
    return list(run(inputs, method.merge, context))
