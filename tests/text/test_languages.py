"""Languages: every written form leads to one code, and none leads to two."""

import subprocess
import sys
import unicodedata

import pytest

from globesumm.errors import UnknownName
from globesumm.languages import GLOBESUMM, LANGUAGES, UNKNOWN, parse, script_of, scripts_of

# ISO 639-2 codes (T, then B where it differs), from the standard's published table.
ISO_639_2 = {
    "fr": "fra fre", "bg": "bul", "sv": "swe", "hi": "hin", "it": "ita", "hu": "hun",
    "nl": "nld dut", "pt": "por", "ru": "rus", "ar": "ara", "ro": "ron rum", "da": "dan",
    "mk": "mkd mac", "tr": "tur", "uk": "ukr", "ca": "cat", "pl": "pol", "ko": "kor",
    "el": "ell gre", "fi": "fin", "es": "spa", "cs": "ces cze", "de": "deu ger", "he": "heb",
    "sq": "sqi alb", "en": "eng", "zh": "zho chi", "ja": "jpn", "fa": "fas per", "th": "tha",
    "vi": "vie", "no": "nor", "sk": "slk slo", "is": "isl ice", "hy": "hye arm",
    "ka": "kat geo", "eu": "eus baq", "cy": "cym wel", "my": "mya bur", "ms": "msa may",
    "mi": "mri mao", "bo": "bod tib",
}  # fmt: skip


def test_the_26_languages_are_there_in_the_papers_order() -> None:
    assert len(GLOBESUMM) == len(set(GLOBESUMM)) == 26
    assert (GLOBESUMM[0], GLOBESUMM[-1]) == ("fr", "en")
    assert set(GLOBESUMM) <= set(LANGUAGES)
    assert list(LANGUAGES)[:26] == list(GLOBESUMM)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_written_form_of_a_language_means_it_and_no_other(code: str) -> None:
    language = LANGUAGES[code]
    assert language.code == code
    for written in (code, language.name, language.own_name, *language.aliases):
        for form in (
            written,
            written.upper(),
            f" {written} ",
            unicodedata.normalize("NFD", written),
        ):
            assert parse(form) == code


@pytest.mark.parametrize("code", LANGUAGES)
def test_direction_follows_the_usual_script(code: str) -> None:
    language = LANGUAGES[code]
    assert all(len(script) == 4 and script.istitle() for script in language.scripts)
    is_rtl = language.scripts[0] in {"Arab", "Hebr", "Thaa"}
    assert language.direction == ("rtl" if is_rtl else "ltr")
    assert script_of(language.own_name) in language.scripts


@pytest.mark.parametrize(("code", "iso"), ISO_639_2.items())
def test_terminological_and_bibliographic_codes_are_accepted(code: str, iso: str) -> None:
    assert {parse(three) for three in iso.split()} == {code}


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("iw", "he"), ("nb", "no"), ("nn", "no"), ("in", "id"), ("ji", "yi"), ("mo", "ro"),
        ("zh-cn", "zh"), ("zh-TW", "zh"), ("zh_Hant_HK", "zh"), ("pt-BR", "pt"),
        ("PT_br.UTF-8", "pt"), ("sr-Latn-RS", "sr"), ("arb_Arab", "ar"), ("de@euro", "de"),
        ("es-419", "es"), ("en-GB-oxendict", "en"), ("Chinese (Simplified)", "zh"),
        ("Norwegian Bokmål", "no"), ("DEUTSCH", "de"), ("Ελληνικά", "el"), ("Farsi", "fa"),
        ("und", UNKNOWN), ("un", UNKNOWN), ("unknown", UNKNOWN),
    ],
)  # fmt: skip
def test_tags_locales_and_names_are_read(written: str, code: str) -> None:
    assert parse(written) == code


@pytest.mark.parametrize(
    ("written", "nearest"), [("germn", "German"), ("portuguesee", "Portuguese"), ("frr", "fr")]
)
def test_an_unknown_language_is_refused_with_the_nearest(written: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as caught:
        parse(written)
    assert caught.value.nearest == nearest
    assert repr(written) in str(caught.value)


@pytest.mark.parametrize(
    "written", ["", " ", "-", "../x", "x-klingon", "english; drop", "\x00", "\ud800", "fr" * 10**6]
)
def test_nonsense_is_refused_in_one_short_line(written: str) -> None:
    with pytest.raises(UnknownName) as caught:
        parse(written)
    assert len(str(caught.value)) < 2500


def test_whatever_the_detector_returns_is_known() -> None:
    from langdetect.detector_factory import init_factory

    init_factory()
    from langdetect import detector_factory

    for code in detector_factory._factory.get_lang_list():
        assert parse(code) in LANGUAGES


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Новости BBC", "Cyrl"), ("東京 2023", "Hani"), ("これはニュースです", "Hira"),
        ("웃음 CA", "Hang"), ("שָׁלוֹם", "Hebr"), ("اردو", "Arab"), ("12:30 – 3:1", None), ("", None),
    ],
)  # fmt: skip
def test_the_script_is_that_of_most_letters(text: str, script: str | None) -> None:
    assert script_of(text) == script


def test_scripts_are_counted_in_letters() -> None:
    assert scripts_of("abc где 12, ж") == {"Latn": 3, "Cyrl": 4}


def test_importing_the_module_does_not_read_the_table() -> None:
    check = "import sys, globesumm.languages as l; sys.exit(l._table.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
