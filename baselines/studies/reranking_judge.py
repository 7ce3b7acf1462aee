"""A judge that goes by a rule: it reads the prompts of LLM-Coverage and LLM-Faithfulness.

It stands where a model would and sees what a model would see, the sources and the summary of the
prompt.  Its rule is to look for figures: a statement counts as told where its figure is, whatever
is said of it, so that it is fooled by a point turned into its opposite.
"""

import regex

from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted

NAME = "rule:figures"

_BLOCK = regex.compile(r"^(~{8,}) (?P<label>[^\n]*)\n(?P<text>.*?)\n\1$", regex.M | regex.S)
_FIGURE = regex.compile(r"\d+")


def rule_judge() -> Scripted:
    """A model that answers with a rating from 1 to 5."""
    return Scripted(_answer, NAME)


def _answer(request: Request) -> str:
    sources: set[str] = set()
    summary: set[str] = set()
    for block in _BLOCK.finditer(request.messages[-1].content):
        figures = set(_FIGURE.findall(block["text"]))
        if block["label"].startswith("source"):
            sources |= figures
        elif block["label"] == "summary":
            summary |= figures
    both = len(sources & summary)
    covers = "how completely" in request.messages[-1].content
    asked = len(sources) if covers else len(summary)
    share = both / asked if asked else 0.0
    return str(1 + round(4 * share))
