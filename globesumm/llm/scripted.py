"""A model whose answers are written down beforehand: for tests, documentation and dry runs."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from globesumm.errors import DataError, UsageError
from globesumm.llm.errors import BadAnswer, ModelError
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.records import read_records
from globesumm.values import Rejected

Script = Callable[[Request], "str | Completion | ModelError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a script file: `answer` is given where `pattern` is found in the last message."""

    pattern: str
    answer: str


class Scripted:
    """Answers by a function, or by a table from the last message (or a request's key).

    A function may return a text, a whole `Completion`, or a `ModelError`, which is raised.  A
    request that the table does not hold raises `BadAnswer`.  Usage counts words, so that
    metering can be tried.
    """

    def __init__(
        self,
        script: Script | Mapping[str, str],
        name: str = "scripted",
        *,
        context_window: int | None = None,
    ) -> None:
        self.name = name
        self.context_window = context_window
        self._script = _looked_up(script) if isinstance(script, Mapping) else script

    @classmethod
    def read(cls, path: Path | str) -> "Scripted":
        """A script in JSON Lines of `Line`; the first pattern that is found gives the answer."""
        path = Path(path)
        lines: list[tuple[re.Pattern[str], str]] = []
        for line in read_records(path, Line):
            if isinstance(line, Rejected):
                raise DataError(f"{line.where}: {line.reason}")
            try:
                lines.append((re.compile(line.pattern, re.DOTALL), line.answer))
            except re.error as error:
                raise UsageError(f"{path}: pattern {line.pattern!r}: {error}") from error

        def script(request: Request) -> str | ModelError:
            last = request.messages[-1].content
            found = (answer for pattern, answer in lines if pattern.search(last))
            answer = next(found, None)
            return BadAnswer(f"no line of {path.name} fits") if answer is None else answer

        return cls(script, f"scripted:{path.name}")

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Words, as the usage of this model counts them."""
        return sum(len(message.content.split()) for message in messages)

    def complete(self, request: Request, /) -> Completion:
        answer = self._script(request)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        usage = Usage(
            prompt_tokens=self.count_tokens(request.messages),
            completion_tokens=len(answer.split()),
        )
        return Completion(text=answer, usage=usage, model=self.name, server="scripted")

    def facts(self) -> dict[str, str]:
        return {"backend": "scripted"}

    def close(self) -> None:
        """There is nothing to give back."""


def _looked_up(table: Mapping[str, str]) -> Script:
    def script(request: Request) -> str | ModelError:
        for name in (request.messages[-1].content, request.key):
            if name in table:
                return table[name]
        return BadAnswer("the script has no answer to this request")

    return script
