"""A judge that follows plain rules, so that what it must say is known beforehand.

A key fact is a turn or line of the source that holds a number or one of the words of `MATTERS`
and asks nothing.  A summary's facts are its clauses.  A text states a
fact if all the fact's words stand in it.
"""

import json
import re
from collections import Counter

from globesumm.llm.request import Completion, Request
from globesumm.llm.scripted import Scripted

MATTERS = re.compile(
    r"\d|broke|thursday|warranty|hurt|allergic|rest|approves|begins|gratis|paga", re.IGNORECASE
)
BLOCK = re.compile(r"^(~{8,}) (\w+(?: \w+)*)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"answer-[0-9a-f]{8}")


class RuleJudge(Scripted):
    """Counts what it is asked by prompt; `spoil` may change a reply before it goes out."""

    def __init__(self, name: str = "rules", window: int | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        super().__init__(self._answer, name, context_window=window)

    def spoil(self, reply: str) -> str:
        return reply

    def _answer(self, request: Request) -> str | Completion:
        question = request.messages[0].content
        blocks = {label: text for _, label, text in BLOCK.findall(question)}
        mark = MARK.search(question.rsplit("~~~~~~~~", 1)[-1])
        if mark is None:
            self.asked["summarize"] += 1
            return str(blocks["source"].splitlines()[-1].partition(": ")[2])
        said = self._said(question, blocks)
        return self.spoil(json.dumps({mark[0]: said}))

    def _said(self, question: str, blocks: dict[str, str]) -> list[object]:
        facts = [line.partition(". ")[2] for line in blocks.get("facts", "").splitlines()]
        source = blocks.get("source", blocks.get("summary", ""))
        if "key facts: what a good summary" in question:
            self.asked["extract"] += 1
            lines = [line.partition(": ")[2] or line for line in source.splitlines()]
            return [line for line in lines if MATTERS.search(line) and "?" not in line]
        if "keep only what is key" in question:
            self.asked["review"] += 1
            return [
                {"fact": n, "keep": "March" not in fact, "reason": "it is past"}
                for n, fact in enumerate(facts, 1)
            ]
        if "Take the summary apart" in question:
            self.asked["decompose"] += 1
            return clauses(source)
        if "sentences of the summary that state it" in question:
            self.asked["match"] += 1
            lines = [line.partition(". ")[2] for line in blocks["summary"].splitlines()]
            self.pairs.update((fact, blocks["summary"]) for fact in facts)
            return [
                {
                    "fact": n,
                    "sentences": [m for m, line in enumerate(lines, 1) if states(line, fact)],
                }
                for n, fact in enumerate(facts, 1)
            ]
        self.asked["vote" if "said to stand in the summary" in question else "verify"] += 1
        text = blocks.get("source") or blocks["summary"]
        self.pairs.update((fact, text) for fact in facts)
        return [
            {"fact": n, "evidence": "", "supported": states(text, fact)}
            for n, fact in enumerate(facts, 1)
        ]


def clauses(text: str) -> list[object]:
    return [part.strip(" .") for part in re.split(r"[;.](?:\s|$)", text) if part.strip(" .")]


def states(text: str, fact: str) -> bool:
    """Whether every word of the fact stands in the text."""
    return words(fact) <= words(text)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
