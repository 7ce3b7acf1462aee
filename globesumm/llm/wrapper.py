"""What every model around another model shares: all but `complete` goes straight through."""

from collections.abc import Sequence

from globesumm.llm.request import Completion, Message, Model, Request


class Wrapper:
    """A model that adds something to the one `inside`."""

    def __init__(self, inside: Model) -> None:
        self.inside = inside

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inside!r})"

    @property
    def name(self) -> str:
        return self.inside.name

    @property
    def context_window(self) -> int | None:
        return self.inside.context_window

    def count_tokens(self, messages: Sequence[Message]) -> int | None:
        return self.inside.count_tokens(messages)

    def complete(self, request: Request, /) -> Completion:
        return self.inside.complete(request)

    def facts(self) -> dict[str, str]:
        return self.inside.facts()

    def close(self) -> None:
        self.inside.close()

    def stop_waiting(self) -> None:
        """Let calls that wait before another attempt fail now, because the work is ending."""
        if isinstance(self.inside, Wrapper):
            self.inside.stop_waiting()
