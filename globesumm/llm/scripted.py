"""A model whose answers are written down beforehand: for tests, documentation and dry runs."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.llm.errors import BadAnswer, ModelError
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.records import read_records
from globesumm.values import Rejected

Script = Callable[[Request], "str | Completion | ModelError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a script file: `answer` is given where `pattern` is found in the last message.

    In the answer ``$key`` stands for the first digits of the request's key, so that different
    requests get different answers; ``$name`` for what the pattern's group of that name matched
    (escaped, where the answer is JSON); ``$$`` for a dollar.
    """

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
    def read(cls, path: Path | str, *, context_window: int | None = None) -> "Scripted":
        """A script in JSON Lines of `Line`; the first pattern that is found gives the answer."""
        path = Path(path)
        lines: list[_Answer] = []
        for line in read_records(path, Line):
            if isinstance(line, Rejected):
                raise DataError(f"{line.where}: {line.reason}")
            lines.append(_Answer(line, path))

        def script(request: Request) -> str | ModelError:
            found = (said for line in lines if (said := line.to(request)) is not None)
            answer = next(found, None)
            return BadAnswer(f"no line of {path.name} fits") if answer is None else answer

        return cls(script, f"scripted:{path.name}", context_window=context_window)

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


KEY_DIGITS = 8
"""Digits of a request's key that ``$key`` stands for."""


class _Answer:
    """One line of a script, ready to answer."""

    def __init__(self, line: Line, path: Path) -> None:
        try:
            self._pattern = re.compile(line.pattern, re.DOTALL)
        except re.error as error:
            raise UsageError(f"{path}: pattern {line.pattern!r}: {error}: correct it") from error
        self._template = Template(line.answer)
        known = ["key", *self._pattern.groupindex]
        if not self._template.is_valid():
            raise UsageError(f"{path}: answer {line.answer[:60]!r}: write '$$' for a dollar")
        for name in self._template.get_identifiers():
            if name not in known:
                raise UnknownName("variable", f"${name}", [f"${one}" for one in known], str(path))
        self._is_json = _is_json(line.answer)

    def to(self, request: Request) -> str | None:
        """The answer to `request`, or None where the pattern is not found."""
        found = self._pattern.search(request.messages[-1].content)
        if found is None:
            return None
        values = {name: text or "" for name, text in found.groupdict().items()}
        if self._is_json:
            values = {name: json.dumps(text)[1:-1] for name, text in values.items()}
        return self._template.substitute(values, key=request.key[:KEY_DIGITS])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _looked_up(table: Mapping[str, str]) -> Script:
    def script(request: Request) -> str | ModelError:
        for name in (request.messages[-1].content, request.key):
            if name in table:
                return table[name]
        return BadAnswer("the script has no answer to this request")

    return script
