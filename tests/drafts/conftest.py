"""A scripted model that drafts, criticises, debates and rates, and what it was asked."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from annotation.author import Author
from globesumm.llm.request import Completion, Request
from globesumm.llm.scripted import Scripted
from globesumm.values import Document, Event
from tests.annotation.conftest import Said, blocks, step_of

START = datetime(2023, 5, 1, tzinfo=UTC)
RATED = ("judged.coverage", "judged.faithfulness")


def event(texts: int = 3, *, name: str = "ferry") -> Event:
    """An event of English reports that have nothing in common but the ferry."""
    return Event(
        id=name,
        description="a ferry sinks",
        documents=tuple(
            Document(
                id=f"{name}{place}",
                text=f"The ferry {name} sank. Report {place} says that {place + 9} are missing.",
                language="en",
                published=START + timedelta(hours=place),
            )
            for place in range(texts)
        ),
    )


class Writer:
    """Answers every step.  `rate` gives the digit for a rating, from (prompt, summary shown)."""

    def __init__(
        self,
        rate: Callable[[str, str], Said] = lambda _prompt, _text: "3",
        drafts: Callable[[Request], Said] | None = None,
        critique: Said = "Say more about the crew.",
    ) -> None:
        self.asked: list[tuple[str, Request]] = []
        self.rate, self.drafts, self.critique = rate, drafts, critique

    def __call__(self, request: Request) -> Said:
        step = step_of(request)
        self.asked.append((step, request))
        mark = int(request.key[:12], 16)
        if step in RATED:
            return self.rate(step, blocks(request)[-1][1])
        if step in ("kis.default", "clp.default"):
            return json.dumps({"sentences": [f"a {mark}", f"b {mark}"]})
        if step == "pgp.where":
            places = [{"report": 1, "sentence": 1}]
            found = {"kind": "conflict", "sentences": places, "detail": str(mark)}
            return json.dumps({"issues": [found]})
        if step == "pgp.strategies":
            entry = {"conflict": 1, "cause": "update", "strategy": str(mark)}
            return json.dumps({"strategies": [entry]})
        if step == "drafts.critique":
            return self.critique if self.critique != "" else f"c {mark}"
        if self.drafts is not None and step != "drafts.revise":
            return self.drafts(request)
        return f"The text {mark} is one."

    def calls(self) -> Counter[tuple[str, str]]:
        """Distinct requests by model and prompt."""
        distinct = {(request.model, step, request.key) for step, request in self.asked}
        return Counter((model, step) for model, step, _ in distinct)

    def of(self, step: str) -> list[Request]:
        return [request for name, request in self.asked if name == step]

    def model(self, name: str = "writer") -> Scripted:
        return Scripted(self, name=name)

    def author(self, name: str = "writer") -> Author:
        return Author(model=self.model(name))


def whole(text: str, **told: object) -> Completion:
    """A whole answer."""
    return Completion(text=text, **told)  # type: ignore[arg-type]
