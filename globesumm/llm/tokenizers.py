"""Counting prompt tokens with the model's own tokenizer and chat template."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.errors import excerpt
from globesumm.llm.pretrained import named, opened
from globesumm.llm.request import Message


class Counter:
    """Counts with a tokenizer in a folder, or under a hub name that is in the local cache."""

    def __init__(self, source: str) -> None:
        self._tokenizer = load_tokenizer(source)

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the prompt that `messages` make, the answer's opening included."""
        return len(prompt_tokens(self._tokenizer, messages))


def load_tokenizer(source: str, revision: str | None = None) -> Any:
    """The tokenizer at `source`, without the network; raises `UsageError` where there is none."""
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingPackage("transformers", "counting tokens", "models") from error
    try:
        name, stated = named(source)
        return opened(AutoTokenizer, name, revision=stated or revision)
    except UsageError:
        raise
    except Exception as error:
        place = "in the folder" if Path(source).is_dir() else "in the local cache under the name"
        raise UsageError(
            f"no tokenizer {place} {source!r}: name another with --tokenizer"
        ) from error


def prompt_tokens(
    tokenizer: Any, messages: Sequence[Message], options: dict[str, Any] | None = None
) -> list[int]:
    """The token ids of a chat prompt, ending where the answer begins; see `prompt_text`."""
    text = prompt_text(tokenizer, messages, options)
    if has_chat_template(tokenizer):
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return list(tokenizer(text)["input_ids"])


def prompt_text(
    tokenizer: Any, messages: Sequence[Message], options: dict[str, Any] | None = None
) -> str:
    """A chat prompt as text.

    A tokenizer without a chat template gets the messages one after the other, each under its
    role; base models then still have something to continue.  Raises `UsageError` where the
    template is broken or refuses the conversation, as some do one with a system's turn.
    """
    if has_chat_template(tokenizer):
        turns = [{"role": m.role, "content": readable(m.content)} for m in messages]
        try:
            return str(
                tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True, **(options or {})
                )
            )
        except Exception as error:
            reason = excerpt(str(error), 200)
            raise UsageError(
                f"the model's chat template makes no prompt of this conversation ({reason})"
            ) from error
    return "\n\n".join(f"{m.role}: {readable(m.content)}" for m in messages) + "\n\nassistant:"


def readable(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def has_chat_template(tokenizer: Any) -> bool:
    """Whether the template, not the tokenizer, puts in the tokens that begin a prompt."""
    return bool(getattr(tokenizer, "chat_template", None))
