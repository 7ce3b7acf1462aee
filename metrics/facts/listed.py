"""Lists of facts in a model's reply."""

from typing import Any

from metrics.base import printable
from metrics.facts.literals import Pairs
from metrics.facts.replies import Read, lists_behind

MOST_FACTS = 500
LONGEST_FACT = 2_000
"""Characters; what is longer is no atomic fact but a text copied whole."""

_TEXT_KEYS = frozenset({"fact", "keyfact", "text", "statement"})


def read_facts(reply: str, mark: str) -> Read[str]:
    """The facts behind `mark`, each once, in order; none at all is an answer too.

    Items are texts, or objects with one text.  An item without a word is unread, and so is a
    list of more than `MOST_FACTS`.
    """
    lists = lists_behind(reply, mark)
    if not lists:
        return Read(None, f"it holds no list behind {mark} that can be read")
    read = [_facts(one) for one in lists]
    if any(other != read[0] for other in read[1:]):
        return Read(None, f"it holds {len(read)} lists that differ")
    return read[0]


def _facts(given: Any) -> Read[str]:
    if not isinstance(given, list):
        return Read(None, "what stands there is no list")
    if len(given) > MOST_FACTS:
        return Read(None, f"it holds {len(given)} facts, more than {MOST_FACTS}")
    found: dict[str, None] = {}
    for item in given:
        texts = (
            [v for k, v in item.pairs if k.casefold().replace(" ", "") in _TEXT_KEYS]
            if isinstance(item, Pairs)
            else [item]
        )
        texts = [text for text in texts if isinstance(text, str)]
        if len(texts) != 1 or not any(char.isalnum() for char in texts[0]):
            return Read(None, f"{str(item)[:30]!r} is no fact")
        fact = " ".join(printable(texts[0])[0].split())
        if len(fact) > LONGEST_FACT:
            return Read(None, f"a fact of {len(fact)} characters is no atomic one")
        found[fact] = None
    return Read(tuple(found))
