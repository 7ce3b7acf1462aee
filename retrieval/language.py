"""Which language a text is in, decided the same way every time.

Script first (a text in Greek letters needs no statistics), then the alphabets of languages
that share a script, then langdetect with a fixed seed over the languages that remain.  A long
text that looks like a language outside the candidates is never put under its neighbour.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex

from globesumm.errors import UnknownName
from globesumm.languages import GLOBESUMM, LANGUAGES, UNKNOWN, parse, scripts_of

CANDIDATES = (*GLOBESUMM, "zh", "ja", "fa", "th", "vi", "no")
"""The languages tried first where the caller names none."""

FEWEST_LETTERS = 15
"""Below this many letters the language is unknown, unless the script belongs to one alone."""

FEW_LETTERS = 20
"""Below this many letters the language is unknown unless detection is confident."""

LETTERS_FOR_OUTSIDERS = 100
"""From this many letters on, languages outside the candidates are considered, and a detection
that is not confident means that the text is in none that could be detected."""

FEWEST_LETTERS_OF_OWN_SCRIPT = 5

LETTERS_TO_OVERRULE = 200
"""From this many letters on, a confident detection counts for more than the page's tag."""

CONFIDENT = 0.9

LETTERS_READ = 3000
"""Only so many characters are judged: more would cost time and change nothing."""

SEED = 0

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

_NO_WORDS = regex.compile(r"https?://\S+|\S+@\S+|[\p{N}\p{P}\p{S}]+")


@dataclass(frozen=True, slots=True)
class Detection:
    """`language` (``"und"`` if unknown), its probability (0 to 1) and the letters it rests on.

    `outsider` is what the text looks like where that is none of the candidates.
    """

    language: str
    probability: float
    letters: int
    outsider: str | None = None

    @property
    def confident(self) -> bool:
        """Whether this may overrule what the page says."""
        return self.letters >= LETTERS_TO_OVERRULE and self.probability >= CONFIDENT


def detect(text: str, candidates: Iterable[str] | None = None) -> Detection:
    """The language of `text` among `candidates` (any spelling of a code in the table).

    Without `candidates`, `CANDIDATES` are tried first, and a text of `LETTERS_TO_OVERRULE` or
    more may be in any language of the table.  Raises `UnknownName` for a candidate that is not
    in the table.
    """
    wanted = CANDIDATES if candidates is None else tuple(parse(code) for code in candidates)
    words = " ".join(_NO_WORDS.sub(" ", text[: 4 * LETTERS_READ]).split())[:LETTERS_READ]
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
        best, probability = _best(words, None)
        if best != UNKNOWN and best not in wanted and probability >= CONFIDENT:
            found = Detection(best, probability, letters)
            return found if candidates is None and best in LANGUAGES else _other(best, letters)
    if not possible:
        return unknown
    best, probability = _best(words, tuple(sorted(possible)))
    if probability < CONFIDENT and not FEW_LETTERS <= letters < LETTERS_FOR_OUTSIDERS:
        return unknown
    return Detection(best, probability, letters)


def settle(
    declared: str | None, found: Detection, text: str, prior: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The language to work with, and notes on why, from the declared table code and the text.

    The text beats the tag where detection is confident, or where the declared language is not
    written in the text's script; otherwise the declared language stands, and so does one that
    detection does not know, since its texts would be put under a neighbour.
    """
    if found.outsider and found.outsider != declared:
        return UNKNOWN, (f"language: {found.outsider!r} by the text, which is no candidate",)
    if declared is None:
        return found.language, ("language: unknown",) if found.language == UNKNOWN else ()
    if found.language in {UNKNOWN, declared}:
        return declared, ()
    script = leading_script(scripts_of(text[:LETTERS_READ]))
    could_be_found = declared in map(_code, _factory().get_lang_list())
    if (found.confident and could_be_found) or script not in LANGUAGES[declared].scripts:
        return found.language, (f"language: declared {declared!r}, by the text another",)
    return declared, (f"language: declared {declared!r}, though the text looks otherwise",)


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


def _best(words: str, among: tuple[str, ...] | None) -> tuple[str, float]:
    """The likeliest of the table codes `among` (None: all there are) and its probability."""
    from langdetect.lang_detect_exception import LangDetectException

    detector = _factory().create()
    if among is not None:
        prior = {name: 1.0 for name in _factory().get_lang_list() if _code(name) in among}
        if not prior:
            return UNKNOWN, 0.0
        detector.set_prior_map(prior)
    detector.append(words)
    try:
        ranked = detector.get_probabilities()
    except LangDetectException:
        return UNKNOWN, 0.0
    totals: dict[str, float] = {}
    for row in ranked:
        totals[_code(row.lang)] = totals.get(_code(row.lang), 0.0) + float(row.prob)
    best = min(totals.items(), key=lambda item: (-item[1], item[0]), default=(UNKNOWN, 0.0))
    return best[0], min(best[1], 1.0)


def _code(name: str) -> str:
    """The table's code for a langdetect name (``zh-cn`` → ``zh``)."""
    return name.partition("-")[0]


@cache
def _factory() -> Any:
    """Our own detector factory: the library's is shared, unseeded and in directory order.

    An interrupted load leaves nothing behind; the next call loads anew.
    """
    import langdetect
    from langdetect.detector_factory import DetectorFactory
    from langdetect.utils.lang_profile import LangProfile

    factory = DetectorFactory()
    folder = Path(langdetect.__file__).parent / "profiles"
    profiles = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    # The library's own loading takes every exception, an interrupt too, for a broken profile.
    for index, path in enumerate(profiles):
        profile = LangProfile(**json.loads(path.read_text(encoding="utf-8")))
        factory.add_profile(profile, index, len(profiles))
    factory.set_seed(SEED)
    return factory
