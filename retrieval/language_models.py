"""Two statistical opinions on the language of a text, each the same every time.

langdetect (55 languages, seeded) knows which letter triples a language has and is sure of
itself on short text when it should not be; py3langid (140 languages) errs less there.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import exp, sqrt
from pathlib import Path
from typing import Any

import regex

from globesumm.languages import UNKNOWN

LETTERS_FOR_OUTSIDERS = 100
"""From this many letters on, languages outside the candidates are considered, and a detection
that is not confident means that the text is in none that could be detected."""

WEIGHT_OF_SECOND = 0.7
"""The share of py3langid in the two opinions on a text of less than `LETTERS_FOR_OUTSIDERS`
letters, where langdetect is often sure and wrong (20 characters: 16 % against 7 %)."""

LETTERS_READ = 480
"""Only so many characters are judged, half from the start and half from the middle: more would
cost time and change nothing, and a report may begin with a quotation in another language."""

SEED = 0

_LONG = 300
_TRIALS = 2
"""On more than `_LONG` characters langdetect draws so often (else 7 times): it is slow, and the
26 languages are told apart from 60 characters on."""

_KIN = {"arz": "ar", "ary": "ar", "hbo": "he", "grc": "el", "nn": "no", "wuu": "zh", "yue": "zh"}
"""Names by which py3langid tells kinds of one language apart."""

_NO_WORDS = regex.compile(r"https?://\S+|\S+@\S+|[\p{N}\p{P}\p{S}]+")


def words_of(text: str) -> str:
    """What of `text` is judged: words without numbers, signs and addresses."""
    if len(text) <= 2 * LETTERS_READ:
        return _words(text, LETTERS_READ)
    middle = len(text) // 2
    half = LETTERS_READ // 2
    return f"{_words(text[:LETTERS_READ], half)} {_words(text[middle:], half)}"


def _words(text: str, most: int) -> str:
    return " ".join(_NO_WORDS.sub(" ", text[: 4 * most]).split())[:most]


def opinion(words: str, among: tuple[str, ...]) -> tuple[str, float, str | None]:
    """The likeliest of the codes `among`, its probability, and what py3langid alone says.

    The probability is the two opinions' weighted mean, or that of the one which knows any of
    the languages.
    """
    one, other = by_langdetect(words, among), by_py3langid(words, among)
    if not one and not other:
        return UNKNOWN, 0.0, None
    if not other or not one:
        best, probability = likeliest(one or other)
        return best, probability, None
    weight = WEIGHT_OF_SECOND if len(words) < LETTERS_FOR_OUTSIDERS else 0.5
    both = {
        code: (1 - weight) * one.get(code, 0.0) + weight * other.get(code, 0.0)
        for code in {*one, *other}
    }
    return *likeliest(both), likeliest(other)[0]


def by_langdetect(words: str, among: tuple[str, ...] | None) -> dict[str, float]:
    """The probabilities by langdetect of the table codes `among` (None: all there are)."""
    from langdetect.lang_detect_exception import LangDetectException

    detector = _detector()(_factory())
    if len(words) > _LONG:
        detector.n_trial = _TRIALS
    if among is not None:
        prior = {name: 1.0 for name in _factory().get_lang_list() if _code(name) in among}
        if not prior:
            return {}
        detector.set_prior_map(prior)
    detector.append(words)
    try:
        ranked = detector.get_probabilities()
    except LangDetectException:
        return {}
    totals: dict[str, float] = {}
    for row in ranked:
        totals[_code(row.lang)] = min(totals.get(_code(row.lang), 0.0) + float(row.prob), 1.0)
    return totals


def by_py3langid(words: str, among: tuple[str, ...] | None) -> dict[str, float]:
    """The probabilities by py3langid of the table codes `among` (None: all there are).

    They are its scores through a softmax of temperature √bytes, as the library itself makes
    probabilities, over the languages asked for.
    """
    scores = {
        name: score
        for name, score in _scores(words)
        if among is None or _KIN.get(name, name) in among
    }
    if not scores:
        return {}
    highest, temperature = max(scores.values()), sqrt(len(words.encode()) or 1)
    weights = {name: exp((score - highest) / temperature) for name, score in scores.items()}
    whole = sum(weights.values())
    totals: dict[str, float] = {}
    for name, weight in weights.items():
        code = _KIN.get(name, name)
        totals[code] = totals.get(code, 0.0) + weight / whole
    return totals


def likeliest(probabilities: Mapping[str, float]) -> tuple[str, float]:
    """The likeliest code; of equals the first in the alphabet."""
    return min(probabilities.items(), key=lambda item: (-item[1], item[0]), default=(UNKNOWN, 0.0))


@cache
def known_to_langdetect(code: str) -> bool:
    return code in map(_code, _factory().get_lang_list())


def known_share(text: str, language: str | None) -> float | None:
    """The share (0 to 1) of the letter triples of `text` that a language's profile knows.

    `language` is a table code, or None for the best of all; the profiles are langdetect's.
    None if it has no profile, or if there is no triple.
    """
    words = words_of(text.casefold())
    triples = [words[start : start + 3] for start in range(len(words) - 2)]
    names = [_code(name) for name in _factory().get_lang_list()]
    columns = [place for place, name in enumerate(names) if language in {None, name}]
    if not columns or not triples:
        return None
    profiles: dict[str, tuple[float, ...]] = _factory().word_lang_prob_map
    rows = [profiles[triple] for triple in triples if triple in profiles]
    return max(sum(row[place] > 0 for row in rows) for place in columns) / len(triples)


@lru_cache(maxsize=4)
def _scores(words: str) -> tuple[tuple[str, float], ...]:
    """The score by py3langid of every language it knows; the same text is asked about twice."""
    return tuple(_identifier().rank(words))


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


def _code(name: str) -> str:
    """The table's code for a langdetect name (``zh-cn`` → ``zh``)."""
    return name.partition("-")[0]


@cache
def _detector() -> Any:
    """The detector of langdetect, which spends no time on languages that are no candidates.

    Their probability is 0 and stays 0, whatever it is multiplied by, so the others come out to
    the last digit as they would; its two inmost loops are most of its time.
    """
    from langdetect.detector import Detector

    class Quick(Detector):  # type: ignore[misc]  # langdetect has no types
        def __init__(self, factory: Any) -> None:
            super().__init__(factory)
            self.places: Sequence[int] = range(len(self.langlist))

        def set_prior_map(self, prior_map: Mapping[str, float]) -> None:
            super().set_prior_map(prior_map)
            self.places = [place for place, share in enumerate(self.prior_map) if share]

        def _update_lang_prob(self, prob: list[float], word: str, alpha: float) -> bool:
            shares = self.word_lang_prob_map[word]
            weight = alpha / self.BASE_FREQ
            for place in self.places:
                prob[place] *= weight + shares[place]
            return True

        def _normalize_prob(self, prob: list[float]) -> float:
            whole = sum(prob)
            for place in self.places:
                prob[place] /= whole
            return max(prob)

    return Quick


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
    # Tuples of numbers are not looked through at every garbage collection, these many lists are.
    factory.word_lang_prob_map = {
        gram: tuple(shares) for gram, shares in factory.word_lang_prob_map.items()
    }
    return factory
