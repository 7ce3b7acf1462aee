"""Contracts over every row of every word list, and agreement on translated news."""

import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from globesumm.text.details import (
    details,
    differences,
    month_languages,
    negation_languages,
    number_word_languages,
    weekday_languages,
)
from globesumm.text.details.measures import MEASURES

GLOBESUMM = "fr bg sv hi it hu nl pt ru ar ro da mk tr uk ca pl ko el fi es cs de he sq en".split()  # noqa: SIM905 (26 codes read better in a line)
FOLDER = files("globesumm").joinpath("data", "details")
CODES = sorted(
    file.name.removesuffix(".toml") for file in FOLDER.iterdir() if file.name != "all.toml"
)

NEGATED_AND_AFFIRMED = {
    "en": ("He did not resign.", "He resigned."),
    "fr": ("Il n'a pas démissionné.", "Il a démissionné."),
    "de": ("Er trat nicht zurück.", "Er trat zurück."),
    "es": ("No dimitió.", "Dimitió ayer."),
    "it": ("Non si è dimesso.", "Si è dimesso."),
    "pt": ("Ele não renunciou.", "Ele renunciou."),
    "ca": ("No va dimitir.", "Va dimitir."),
    "ro": ("Nu a demisionat.", "A demisionat."),
    "sq": ("Ai nuk dha dorëheqjen.", "Ai dha dorëheqjen."),
    "nl": ("Hij trad niet af.", "Hij trad af."),
    "sv": ("Han avgick inte.", "Han avgick."),
    "da": ("Han trådte ikke tilbage.", "Han trådte tilbage."),
    "no": ("Han gikk ikke av.", "Han gikk av."),
    "ru": ("Он не ушёл в отставку.", "Он ушёл в отставку."),
    "uk": ("Він не пішов у відставку.", "Він пішов у відставку."),
    "bg": ("Той не подаде оставка.", "Той подаде оставка."),
    "mk": ("Тој не поднесе оставка.", "Тој поднесе оставка."),
    "pl": ("Nie podał się do dymisji.", "Podał się do dymisji."),
    "cs": ("Neodstoupil z funkce.", "Odstoupil z funkce v neděli."),
    "el": ("Δεν παραιτήθηκε.", "Παραιτήθηκε."),
    "he": ("הוא לא התפטר.", "הוא התפטר."),
    "ar": ("لم يستقل الوزير.", "استقال الوزير."),
    "fa": ("او استعفا نکرد.", "او استعفا کرد."),
    "hi": ("उन्होंने इस्तीफा नहीं दिया।", "उन्होंने इस्तीफा दिया।"),
    "hu": ("Nem mondott le.", "Lemondott tegnap."),
    "fi": ("Hän ei eronnut.", "Hän erosi."),
    "tr": ("Bakan istifa etmedi.", "Bakan istifa etti."),
    "zh": ("他没有辞职。", "他辞职了。"),
    "ja": ("彼は辞任しなかった。", "彼は辞任した。"),
    "ko": ("그는 사임하지 않았다.", "그는 사임했다."),
    "th": ("เขาไม่ลาออก", "เขาลาออก"),
    "vi": ("Ông ấy không từ chức.", "Ông ấy từ chức."),
}


def table(code: str) -> dict[str, Any]:
    return tomllib.loads(FOLDER.joinpath(f"{code}.toml").read_text(encoding="utf-8"))


def forms(words: str) -> list[str]:
    return [word.strip().replace("*", "") for word in words.split("|") if word.strip()]


def test_all_globesumm_languages_have_every_list() -> None:
    for languages in (
        negation_languages(), number_word_languages(), month_languages(), weekday_languages(),
    ):  # fmt: skip
        assert set(GLOBESUMM) <= languages
    for code in (*GLOBESUMM, "zh", "ja", "th", "vi", "no"):
        assert details("", code).notes == (), code


@pytest.mark.parametrize("code", CODES)
def test_number_words_read_as_their_values(code: str) -> None:
    raw = table(code)
    for step, name, first in ((1, "small", 1), (10, "tens", 2)):
        for place, words in enumerate(raw[name], first):
            for word in forms(words):
                found = [int(quantity.amount) for quantity in details(word, code).quantities]
                assert found == [step * place], word


@pytest.mark.parametrize("code", CODES)
def test_every_month_name_reads_beside_a_day(code: str) -> None:
    raw = table(code)
    for name in ("months", "months_soft"):
        for month, words in enumerate(raw.get(name, ()), 1):
            for word in forms(words):
                sentence = f"{word} 17" if code in {"hu", "en"} else f"17 {word}"
                (day,) = details(sentence, code).days
                assert (day.month, day.day) == (month, 17), word


@pytest.mark.parametrize("code", CODES)
def test_every_weekday_name_reads(code: str) -> None:
    for weekday, words in enumerate(table(code)["weekdays"]):
        for word in forms(words):
            (day,) = details(word[0].upper() + word[1:], code).days
            assert day.weekday == weekday, word


@pytest.mark.parametrize("code", CODES)
def test_negation_is_told_from_affirmation(code: str) -> None:
    negated, affirmed = NEGATED_AND_AFFIRMED[code]
    assert details(negated, code).negated is True
    assert details(affirmed, code).negated is False
    (found,) = differences(details(negated, code), details(affirmed, code))
    assert found.kind.value == "negation"


@pytest.mark.parametrize("code", CODES)
def test_scales_bounds_and_units_are_well_formed(code: str) -> None:
    raw = table(code)
    assert set(raw["units"]) <= set(MEASURES)
    assert set(raw["bounds"]) <= {"about", "at_least", "at_most"}
    assert all(len(currency) == 3 and currency.isupper() for currency in raw["currencies"])
    assert all(int(scale) > 1 for scale in raw["scales"])
    for scale, words in raw["scales"].items():
        for word in forms(words):
            (quantity,) = details(f"7 {word}", code).quantities
            assert quantity.amount == 7 * int(scale), word


@pytest.mark.parametrize("code", CODES)
def test_names_of_months_and_weekdays_by_cldr_are_read(code: str) -> None:
    dates = pytest.importorskip("babel.dates")
    for context in ("format", "stand-alone"):
        for month, name in dates.get_month_names("wide", context, locale=code).items():
            day = details(f"{name} 17" if code in {"hu", "en"} else f"17 {name}", code).days
            if code == "vi":
                day = details(f"ngày 17 {name}", code).days
            if code in {"zh", "ja", "ko"}:
                assert [found.month for found in details(f"{name}17日", code).days] == [month]
            else:
                assert [found.month for found in day] == [month], name
        for weekday, name in dates.get_day_names("wide", context, locale=code).items():
            if code == "fa" and weekday == 5:
                continue  # A bare "shanbe" ends the names of other days: read only before a dot.
            found = details(name[0].upper() + name[1:], code).days
            assert [day.weekday for day in found] == [weekday], name


LANGUAGES = {"french": "fr", "czech": "cs", "greek": "el", "hebrew": "he", "arabic": "ar",
             "hindi": "hi"}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_translated_news_seldom_seems_to_contradict_its_source(name: str) -> None:
    root = os.environ.get("GLOBESUMM_DATA")
    if not root:
        pytest.skip("GLOBESUMM_DATA names no folder with the shared data")
    folder = Path(root) / "events" / "multiling2011" / "SourceTexts"
    pairs = differing = 0
    for english in sorted(folder.glob("*.english")):
        other = english.with_suffix(f".{name}")
        if not other.exists():
            continue
        left, right = (
            [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
            for path in (english, other)
        )
        if len(left) != len(right):
            continue
        for source, translation in zip(left, right, strict=True):
            pairs += 1
            found = differences(details(source, "en"), details(translation, LANGUAGES[name]))
            differing += any(item.kind.value != "negation" for item in found)
    assert pairs > 100
    assert differing / pairs < 0.04
