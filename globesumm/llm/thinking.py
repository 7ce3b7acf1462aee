"""Reasoning that a model writes into its answer, told apart from the answer."""

import re

_BLOCK = re.compile(
    r"\s*(?:<(?P<tag>think|thinking|thought|reasoning)>(?P<xml>.*?)</(?P=tag)>"
    r"|\[THINK\](?P<bracket>.*?)\[/THINK\])\s*",
    re.DOTALL | re.IGNORECASE,
)
_OPEN = re.compile(r"\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\])", re.IGNORECASE)
_CLOSE = re.compile(r"(?:</(?:think|thinking)>|\[/THINK\])\s*", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str | None, bool]:
    """(answer, reasoning or None, whether the reasoning ended) of a model's raw text.

    Only blocks at the start count.  A closing tag without an opening one ends reasoning whose
    opening tag the chat template wrote into the prompt (DeepSeek R1's does).  Reasoning that
    never ends leaves an empty answer and false.
    """
    thoughts: list[str] = []
    while block := _BLOCK.match(text):
        thoughts.append((block["xml"] or block["bracket"] or "").strip())
        text = text[block.end() :]
    if unended := _OPEN.match(text):
        return "", "\n\n".join([*thoughts, text[unended.end() :].strip()]), False
    close = None if thoughts else _CLOSE.search(text)
    if close and not _OPEN.search(text, 0, close.start()):
        thoughts.append(text[: close.start()].strip())
        text = text[close.end() :]
    joined = "\n\n".join(thought for thought in thoughts if thought)
    return text, (joined or None), True
