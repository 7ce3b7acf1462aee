"""Negation of what a sentence says, by word lists and, for suffixing languages, patterns.

Out of scope: pairs of opposites ("alive" and "dead") and negative prefixes ("unsafe").
"""

from globesumm.text.details.model import Span
from globesumm.text.details.reading import Reading

NEAR = 8
"""Tokens within which a second negative word is part of the same double form."""


def read_negations(reading: Reading, folded: str, offsets: list[int] | None) -> list[Span]:
    """The places that negate, each double form ("ne … pas", "nikdo … ne-") once."""
    exempt: set[int] = set()
    for place in range(len(reading.tokens)):
        mark = reading.marks[place].get("exempt")
        if mark:
            exempt.update(range(place, place + mark[2]))
    found: list[tuple[int, int]] = []
    tokens = reading.tokens
    for place, token in enumerate(tokens):
        if place in exempt:
            continue
        mark = reading.marks[place].get("negation")
        pattern = reading.lexicon.negation
        if mark:
            found.append((place, place + mark[2]))
        elif pattern and token.kind == "w" and pattern.search(token.text):
            found.append((place, place + 1))
    blocked = [
        (match.start(), match.end())
        for match in (reading.lexicon.exempt.finditer(folded) if reading.lexicon.exempt else ())
    ]
    if offsets is not None:
        blocked = [(offsets[start], offsets[end]) for start, end in blocked]
    spans: list[Span] = []
    last = -NEAR - 1
    for start, end in found:
        first, final = tokens[start].start, tokens[end - 1].end
        if any(low <= first < high for low, high in blocked):
            continue
        if start - last > NEAR:
            spans.append(Span(written=reading.text[first:final], start=first, end=final))
        last = end - 1
    return spans
