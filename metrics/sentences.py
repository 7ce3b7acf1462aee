"""The sentences that a self-referenced metric compares, by a named rule."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import regex

from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from metrics.base import Candidate, joined, printable

Splitter = Callable[[str, str], list[str]]

_WORD = regex.compile(r"[\p{L}\p{N}]")


def _icu(text: str, language: str) -> list[str]:
    from globesumm.text.sentences import split

    return split(text, language)


def _lines(text: str, _language: str) -> list[str]:
    return text.splitlines()


SPLITTERS: Mapping[str, Splitter] = {"icu": _icu, "lines": _lines}
"""``icu``: this package's splitter; ``lines``: one sentence a line, as given."""


def splitter_name(split: str) -> str:
    """What stands for the rule in signatures: its name with the version that decides."""
    if split != "icu":
        return split
    from globesumm.text.sentences import SPLITTER

    return SPLITTER


@dataclass(frozen=True, slots=True)
class Sentences:
    """A candidate's sentences, or why they cannot be compared; `note` says what was left out."""

    texts: tuple[str, ...]
    refusal: str | None = None
    note: str | None = None


def sentences(candidate: Candidate, split: str, languages: Collection[str] | None) -> Sentences:
    """The sentences of `candidate` that hold a letter or digit.

    Sentences that come with the candidate are split further by the same rule, so that the rule
    alone decides; their languages are believed before the candidate's.  With `languages` given
    (those an encoder knows), one sentence in another refuses the whole candidate: a score over
    a part would not be comparable.  Fewer than two sentences are refused too, since nothing can
    repeat.
    """
    if candidate.sentences:
        stretches = [(s.text, s.language) for s in candidate.sentences]
    else:
        stretches = [(candidate.text, candidate.language)]
    found: list[tuple[str, str]] = []
    empty, note = 0, None
    for text, language in stretches:
        fixed, repaired = printable(text)
        note = note or repaired
        for sentence in SPLITTERS[split](fixed, language):
            if _WORD.search(sentence):
                found.append((sentence.strip(), language))
            else:
                empty += bool(sentence.strip())
    if empty:
        note = joined(note, f"{empty} without a letter or digit left out")
    texts = tuple(text for text, _ in found)
    other = [tongue for _, tongue in found if languages is not None and tongue not in languages]
    if other:
        known = ", ".join(sorted(languages or ()))
        tongues = ", ".join("unknown" if t == UNKNOWN else t for t in sorted(set(other)))
        return Sentences(
            texts,
            f"{len(other)} of {counted(len(texts), 'sentence')} in a language ({tongues}) that the "
            f"encoder does not know ({known} only)",
        )
    if len(texts) < 2:
        told = counted(len(texts), "sentence")
        return Sentences(texts, f"{told}: redundancy needs two", note)
    return Sentences(texts, None, note)
