"""Text whose letters are words of no language.

Some outlets send subscribers' text to everyone with its letters moved along the alphabet or
shuffled within the words.  It looks like text to everything that counts characters.
"""

from collections.abc import Sequence

from globesumm.languages import scripts_of
from retrieval.language import leading_script
from retrieval.language_models import known_share

FEWEST_LETTERS = 200

OF_NO_LANGUAGE = 0.33
"""Share of letter triples below which text is in none of the known languages.  Measured: texts
in 26 languages have 0.58 and more in their own (Korean and Hindi apart, see below); with every
letter moved by one, at most 0.26 in any."""

NOT_IN_ITS_OWN = 0.38
"""Share of letter triples below which text is not in the language that two accounts give it.
Measured: with the letters of each word shuffled 0.13 to 0.42, in Romanian and Catalan 0.6."""

READABLE = 0.58
"""Share of letter triples that a text in one of its languages has at least."""

ALPHABETS = frozenset({"Latn", "Cyrl", "Grek", "Hebr"})
"""Scripts with few enough letters for triples to tell."""


def cipher_share(text: str, languages: Sequence[str]) -> float | None:
    """The share (0 to 1) of letter triples of `text` that some language knows, if too small.

    `languages` are those that the text itself, the page or its finder say it is in.  Both the
    whole and its latter half are looked at, since the first lines are often left readable.
    None if the text is no cipher, too short, or in a script where triples do not tell.
    """
    for part in (text, text[len(text) // 2 :]):
        scripts = scripts_of(part[:1000])
        if scripts.total() < FEWEST_LETTERS or leading_script(scripts) not in ALPHABETS:
            continue
        own = 0.0
        for language in languages:
            own = max(own, known_share(part, language) or 0.0)
            if own >= READABLE:
                break
        else:
            best = known_share(part, None) or 0.0
            if best < OF_NO_LANGUAGE:
                return best
            if len(languages) == 1 and 0.0 < own < NOT_IN_ITS_OWN and best < READABLE:
                return own
    return None
