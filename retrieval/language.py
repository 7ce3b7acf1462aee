"""Which language a text is in, decided the same way every time.

Script first (a text in Greek letters needs no statistics), then the alphabets of languages
that share a script, then two statistical opinions over the languages that remain: langdetect
with a fixed seed and, independent of it, py3langid.  A long text that looks like a language
outside the candidates is never put under its neighbour.  What whoever pointed at the text said
(GDELT, for instance) decides where the text is too short to.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from globesumm.errors import UnknownName
from globesumm.languages import GLOBESUMM, LANGUAGES, UNKNOWN, parse, scripts_of
from retrieval.language_models import (
    LETTERS_FOR_OUTSIDERS,
    by_langdetect,
    by_py3langid,
    known_share,
    known_to_langdetect,
    likeliest,
    opinion,
    words_of,
)

CANDIDATES = (*GLOBESUMM, "zh", "ja", "fa", "th", "vi", "no")
"""The languages tried first where the caller names none."""

FEWEST_LETTERS = 15
"""Below this many letters the language is unknown, unless the script belongs to one alone."""

FEW_LETTERS = 28
"""Below this many letters the language is unknown unless the opinions are nearly sure."""

NEARLY_SURE = 0.65
LIKELY = 0.5
"""Probability, of the two opinions together, from which a language is named: below
`FEW_LETTERS`, and above.  Measured on every piece of texts in 26 languages: of 20 characters a
fifth stays unknown and one of 223 is wrong, of 40 all are named and none of 107 is wrong."""

FEWEST_LETTERS_OF_OWN_SCRIPT = 5

LETTERS_TO_OVERRULE = 140
"""From this many letters on (200 characters of text), a confident detection counts for more
than the page's tag or what pointed at the page."""

CONFIDENT = 0.9

ALPHABETS: Mapping[str, str] = {
    "ar": "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюяѝ",
    "fa": "ءآأؤئابةپتثجچحخدذرزژسشصضطظعغفقکكگلمنوهیيىۀ",
    "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}
"""The letters of languages that share a script and are easily taken for one another."""

_MOST_FOREIGN = 0.005
"""Share of letters outside the alphabet from which a long text is in another language."""

_OWN_SHARE = 0.62
"""Share of letter triples that most texts have in common with their own language's profile."""

_SURE = 0.97


@dataclass(frozen=True, slots=True)
class Detection:
    """`language` (``"und"`` if unknown), its probability (0 to 1) and the letters it rests on.

    `outsider` is what the text looks like where that is none of the candidates, and `second`
    the opinion of py3langid (None where it was not needed).
    """

    language: str
    probability: float
    letters: int
    outsider: str | None = None
    second: str | None = None

    @property
    def confident(self) -> bool:
        """Whether this may overrule what the page says: long, sure, and no second opinion."""
        return (
            self.letters >= LETTERS_TO_OVERRULE
            and self.probability >= CONFIDENT
            and self.second in {None, self.language}
        )


def detect(
    text: str, candidates: Iterable[str] | None = None, said: Sequence[str | None] = ()
) -> Detection:
    """The language of `text` among `candidates` (any spelling of a code in the table).

    `said` are table codes that others gave: where py3langid finds one of them in a text of
    `LETTERS_FOR_OUTSIDERS` letters and is sure, langdetect, which takes four times as long, is
    not asked for what would be a third opinion.

    Without `candidates`, `CANDIDATES` are tried first, and a text of `LETTERS_TO_OVERRULE` or
    more may be in any language of the table.  Raises `UnknownName` for a candidate that is not
    in the table.
    """
    wanted = CANDIDATES if candidates is None else tuple(parse(code) for code in candidates)
    words = words_of(text)
    scripts = scripts_of(words)
    letters = scripts.total()
    script = leading_script(scripts)
    unknown = Detection(UNKNOWN, 0.0, letters)
    if script is None or letters < FEWEST_LETTERS_OF_OWN_SCRIPT:
        return unknown
    sharing = [code for code, row in LANGUAGES.items() if _is_written_in(row.scripts, script)]
    if len(sharing) == 1:
        alone = sharing[0]
        known = alone in wanted or candidates is None
        return Detection(alone, 1.0, letters) if known else _other(alone, letters)
    if letters < FEWEST_LETTERS:
        return unknown
    possible = _by_alphabet([code for code in wanted if code in sharing], words, letters)
    if letters >= LETTERS_FOR_OUTSIDERS:
        likely, sure = likeliest(by_py3langid(words, None)) if any(said) else (UNKNOWN, 0.0)
        if likely in said and likely in possible and sure >= CONFIDENT:
            return Detection(likely, sure, letters)
        outsider, probability = _outsider(words, possible, wanted, letters)
        if outsider:
            found = Detection(outsider, probability, letters)
            known = candidates is None and outsider in LANGUAGES
            return found if known else _other(outsider, letters)
    if not possible:
        return unknown
    best, probability, second = opinion(words, tuple(sorted(possible)))
    enough = LIKELY if letters >= FEW_LETTERS else NEARLY_SURE
    if letters >= LETTERS_FOR_OUTSIDERS and second != best:
        enough = CONFIDENT
    if probability < enough:
        return Detection(UNKNOWN, 0.0, letters, second=second)
    return Detection(best, probability, letters, second=second)


def settle(
    declared: str | None, found: Detection, text: str, prior: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The language to work with, and notes on why.

    `declared` is the table code that the page stated and `prior` the one that whoever pointed
    at it gave.  The text beats both where detection is confident, or where neither is written
    in the text's script.  Otherwise what two of the three say stands, else `prior`, else
    `declared`; so does a language that detection does not know, since its texts would be put
    under a neighbour.
    """
    said = [code for code in (prior, declared) if code]
    if found.outsider and found.outsider not in said:
        return UNKNOWN, (f"language: {found.outsider!r} by the text, which is no candidate",)
    if found.outsider:
        return found.outsider, _differing(found.outsider, said, found, "by the text another")
    if not said:
        return found.language, ("language: unknown",) if found.language == UNKNOWN else ()
    if found.language != UNKNOWN:
        script = leading_script(scripts_of(words_of(text)))
        said = [code for code in said if script in LANGUAGES[code].scripts]
        unknown_to_it = [code for code in said if not known_to_langdetect(code)]
        if not said or (found.confident and not unknown_to_it) or found.language in said:
            said = [found.language]
    return said[0], _differing(
        said[0],
        [code for code in (prior, declared) if code],
        found,
        "though the text looks otherwise",
    )


def _differing(settled: str, said: Sequence[str], found: Detection, why: str) -> tuple[str, ...]:
    """A note if not everyone says `settled`."""
    others = [code for code in dict.fromkeys(said) if code != settled]
    if others:
        return (f"language: stated {' and '.join(map(repr, others))}, taken as {settled!r}",)
    if found.language not in {UNKNOWN, settled}:
        return (f"language: stated {settled!r}, {why}",)
    return ()


def declared_code(tag: str | None, how: str = "declared") -> tuple[str | None, tuple[str, ...]]:
    """The table code of a language `tag`, or None with a note if it is not there.

    `how` it came is said in the note.
    """
    if not tag or not tag.strip():
        return None, ()
    try:
        code = parse(tag)
    except UnknownName:
        return None, (f"language: {how} {tag[:40]!r}, which is not in the language table",)
    return (None if code == UNKNOWN else code), ()


def leading_script(scripts: Counter[str]) -> str | None:
    """The script that decides: the commonest, but kana make Han letters Japanese."""
    letters = scripts.total()
    for telling in ("Hira", "Kana", "Hang"):
        if letters and scripts[telling] / letters >= 0.1 and scripts["Latn"] / letters < 0.5:
            return telling
    return next((script for script, _ in scripts.most_common(1)), None)


def _is_written_in(scripts: Sequence[str], leading: str) -> bool:
    """Whether text in the `leading` script may be a language's; Han alone is not Japanese."""
    return scripts[0] == "Hani" if leading == "Hani" else leading in scripts


def _other(language: str, letters: int) -> Detection:
    return Detection(UNKNOWN, 0.0, letters, outsider=language)


def _by_alphabet(possible: Sequence[str], words: str, letters: int) -> list[str]:
    """`possible` without the languages whose alphabets fit the letters worse than another's."""
    counts = Counter(char for char in words.casefold() if char.isalpha())
    rates = {
        code: sum(n for char, n in counts.items() if char not in ALPHABETS[code] and char > "ʰ")
        / letters
        for code in possible
        if code in ALPHABETS
    }
    least = min(rates.values(), default=0.0)
    if least > _MOST_FOREIGN and least * letters >= 2:
        return [code for code in possible if code not in rates]
    return [code for code in possible if rates.get(code, 0.0) <= least + 0.005]


def _outsider(
    words: str, possible: Sequence[str], wanted: Sequence[str], letters: int
) -> tuple[str | None, float]:
    """A language beyond `wanted` that `words` are in, and how sure that is; else (None, 0).

    langdetect is asked only where py3langid, over all it knows, finds none of `possible`.  A
    language that only py3langid knows is believed where langdetect is not sure of another, or
    where the words have little in common with what it takes them for.
    """
    second, sure = likeliest(by_py3langid(words, None))
    if second in possible and sure >= CONFIDENT:
        return None, 0.0
    best, probability = likeliest(by_langdetect(words, None))
    unheard = second not in {UNKNOWN, *wanted} and not known_to_langdetect(second)
    if unheard and sure >= _SURE and letters >= LETTERS_TO_OVERRULE:
        share = known_share(words, best) or 0.0
        if probability < CONFIDENT or share < _OWN_SHARE:
            return second, sure
    if best not in {UNKNOWN, *wanted} and probability >= CONFIDENT:
        return best, probability
    return None, 0.0
