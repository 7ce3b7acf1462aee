"""Names of outlets in the labels of sources: "(Reuters)", "AFP via Barron's"."""

import re

from globesumm.text.clean import clean

_LANGUAGE_REMARK = re.compile(r"(?<![\s,;])[\s,;]*+[(\[]?\bin [A-Z][a-z]+[)\]]?$")
_VIA = re.compile(r"^(?P<agency>.+?),?\s+(?:via|through)\s+(?P<outlet>.+)$", re.IGNORECASE)
_OUTER = ' \t\n()[]{},;:"“”„«»'
_MOST_WORDS = 8
_MOST_WORDS_BARE = 5
_LETTER = re.compile(r"[^\W\d_]")


def names_in(label: str) -> tuple[str | None, str | None]:
    """(outlet, agency) of a label; both None where it is empty.

    In "AFP via Barron's" AFP is the agency that wrote and Barron's the outlet that printed.
    """
    text = " ".join(clean(label).text.split()).strip(_OUTER)
    text = _LANGUAGE_REMARK.sub("", text).strip(_OUTER)
    via = _VIA.match(text)
    if via:
        return via["outlet"].strip(_OUTER) or None, via["agency"].strip(_OUTER) or None
    return text or None, None


def reads_as_outlet(label: str, *, in_parens: bool, at_end: bool) -> bool:
    """Whether a label names an outlet and is not a headline or part of the sentence.

    Names in brackets are taken for outlets anywhere; others only where a bullet ends.
    """
    text = label.strip(_OUTER)
    words = text.split()
    if not words or not _LETTER.search(text) or (text[-1] in ".?" and len(words) > 2):
        return False
    if in_parens:
        return len(words) <= _MOST_WORDS
    return at_end and len(words) <= _MOST_WORDS_BARE and not words[0][0].islower()
