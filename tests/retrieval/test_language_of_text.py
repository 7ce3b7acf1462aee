"""The language of a text: script, alphabet, statistics, and what the page said."""

import json
import os
from pathlib import Path

import pytest

from globesumm.errors import UnknownName
from globesumm.languages import GLOBESUMM, LANGUAGES, UNKNOWN
from retrieval.language import ALPHABETS, CANDIDATES, Detection, declared_code, detect, settle
from retrieval.language_models import by_langdetect, known_share

TEXTS = {
    "en": "The bridge over the river closed on Monday after engineers found cracks in it.",
    "de": "Die Brücke über den Fluss wurde am Montag gesperrt, weil zwei Pfeiler Risse bekamen.",
    "da": "Broen over floden blev lukket mandag, efter at ingeniører fandt revner i pillerne.",
    "no": "Broen over elven ble stengt mandag etter at ingeniører fant sprekker i to av pilarene.",
    "ru": "Мост через реку закрыли в понедельник, после того как инженеры нашли трещины в опорах.",
    "uk": "Міст через річку закрили в понеділок, після того як інженери знайшли тріщини в опорах.",
    "bg": "Мостът над реката беше затворен в понеделник, след като инженери откриха пукнатини.",
    "mk": "Мостот над реката беше затворен во понеделникот откако инженерите најдоа пукнатини.",
    "el": "Η γέφυρα πάνω από τον ποταμό έκλεισε τη Δευτέρα.",
    "he": "הגשר מעל הנהר נסגר ביום שני לאחר שמהנדסים מצאו סדקים.",
    "ar": "أغلق الجسر فوق النهر يوم الاثنين بعد أن عثر المهندسون على شقوق في عمودين.",
    "fa": "پل روی رودخانه روز دوشنبه پس از آنکه مهندسان در دو ستون ترک پیدا کردند بسته شد.",
    "ko": "기술자들이 두 기둥에서 균열을 발견한 후 월요일에 강 위의 다리가 폐쇄되었다.",
    "ja": "技術者が二本の橋脚に亀裂を見つけたため、川に架かる橋は月曜日に閉鎖された。",
    "zh": "工程師在兩根橋墩上發現裂縫後，河上的大橋於星期一關閉，市長表示維修需要六週。",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_is_put_under_its_language(code: str) -> None:
    assert detect(TEXTS[code]).language == code


@pytest.mark.parametrize("code", TEXTS)
def test_the_answer_is_the_same_every_time(code: str) -> None:
    assert len({detect(TEXTS[code]) for _ in range(3)}) == 1


def test_the_probabilities_are_langdetects_own_to_the_last_digit() -> None:
    from retrieval import language_models

    factory = language_models._factory()
    for among in (None, ("fr", "en", "de", "it"), ("ru", "uk", "zh"), ("ja",)):
        for text in TEXTS.values():
            own = factory.create()
            if among is not None:
                chosen = [one for one in factory.get_lang_list() if one.partition("-")[0] in among]
                own.set_prior_map(dict.fromkeys(chosen, 1.0))
            own.append(text)
            expected: dict[str, float] = {}
            for row in own.get_probabilities():
                code = row.lang.partition("-")[0]
                expected[code] = min(expected.get(code, 0.0) + row.prob, 1.0)
            assert by_langdetect(text, among) == expected


@pytest.mark.parametrize(
    "text", ["", "   ", "12:30 – 3:1", "!?…", "😀😀", "ok", "http://a.example/path", "US-UK 4:2"]
)
def test_text_without_enough_letters_is_unknown(text: str) -> None:
    assert detect(text).language == UNKNOWN


def test_a_script_of_one_language_needs_few_letters() -> None:
    assert detect("( 웃음 ) CA : 실패하는군요 . 안타깝네요 .").language == "ko"
    assert detect("Ναι, βέβαια").language == "el"


def test_candidates_are_kept_and_outsiders_are_named() -> None:
    assert detect(TEXTS["no"], ["da", "de"]).language in {"da", UNKNOWN}
    found = detect(TEXTS["de"] * 4, ["en", "fr"])
    assert (found.language, found.outsider) == (UNKNOWN, "de")
    with pytest.raises(UnknownName):
        detect("text", ["klingonese"])


def test_a_language_outside_the_usual_ones_is_found_in_longer_text() -> None:
    croatian = (
        "Most preko rijeke zatvoren je u ponedjeljak nakon što su inženjeri otkrili pukotine. "
    )
    assert detect(croatian * 3).language == "hr"


@pytest.mark.parametrize(
    "text",
    [
        "Мост праз раку закрылі ў панядзелак пасля таго, як інжынеры знайшлі расколіны.",
        "Дүйсенбіде өзен үстіндегі көпір инженерлер екі тіректен жарықтар тапқаннан кейін жабылды.",
    ],
)
def test_cyrillic_of_another_alphabet_is_not_put_under_a_neighbour(text: str) -> None:
    assert detect(text).language == UNKNOWN


def test_alphabets_belong_to_languages_of_the_table() -> None:
    assert set(ALPHABETS) <= set(LANGUAGES)
    assert set(CANDIDATES) <= set(LANGUAGES)
    for letters in ALPHABETS.values():
        assert len(set(letters)) == len(letters)


@pytest.mark.parametrize(
    ("declared", "text", "settled"),
    [
        ("en", TEXTS["de"] * 4, "de"),
        ("en", TEXTS["de"], "en"),
        ("en", TEXTS["he"], "he"),
        ("de", "Kurz.", "de"),
        (None, "Kurz.", UNKNOWN),
        (None, TEXTS["de"], "de"),
        ("sr", TEXTS["mk"] * 4, "sr"),
    ],
)
def test_long_text_beats_the_tag_and_short_text_does_not(
    declared: str | None, text: str, settled: str
) -> None:
    language, notes = settle(declared, detect(text), text)
    assert language == settled
    assert bool(notes) == (
        settled == UNKNOWN
        or detect(text).language not in {UNKNOWN, settled}
        or declared not in {None, settled}
    )


def test_an_outsider_is_not_worked_with_under_another_name() -> None:
    found = Detection(UNKNOWN, 0.0, 500, outsider="de")
    assert settle("en", found, TEXTS["de"])[0] == UNKNOWN
    assert settle("de", found, TEXTS["de"])[0] == "de"


@pytest.mark.parametrize(
    ("tag", "code", "noted"),
    [
        ("pt-BR", "pt", False),
        ("iw", "he", False),
        ("xx-klingon", None, True),
        ("", None, False),
        (None, None, False),
        ("und", None, False),
    ],
)
def test_declared_tags_become_codes_of_the_table(
    tag: str | None, code: str | None, *, noted: bool
) -> None:
    found, notes = declared_code(tag)
    assert (found, bool(notes)) == (code, noted)


def web_texts() -> dict[str, str]:
    root = os.environ.get("GLOBESUMM_DATA")
    path = Path(root or "") / "langid" / "nnet_lang_id_test_strings.json"
    if not root or not path.is_file():
        pytest.skip("GLOBESUMM_DATA with langid is absent")
    samples: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    samples["he"] = samples.pop("iw")
    return samples


@pytest.mark.parametrize(
    ("letters", "right"),
    # Measured: all as pinned here, and not one is put under a wrong language at any length.
    [(None, 26), (200, 26), (60, 26), (40, 25), (20, 20)],
)
def test_web_text_in_the_26_languages_is_found(letters: int | None, right: int) -> None:
    samples = web_texts()
    found = {code: detect(samples[code][:letters]).language for code in GLOBESUMM}
    assert sum(found[code] == code for code in GLOBESUMM) >= right
    assert {code: one for code, one in found.items() if one not in {code, UNKNOWN}} == {}


@pytest.mark.parametrize("letters", [20, 40, 60, 200, None])
def test_with_what_gdelt_said_all_26_are_right_at_any_length(letters: int | None) -> None:
    samples = {code: text[:letters] for code, text in web_texts().items()}
    settled = {code: settle(None, detect(samples[code]), samples[code], code) for code in GLOBESUMM}
    assert {code: one for code, one in settled.items() if one != (code, ())} == {}


def test_200_characters_overrule_every_wrong_prior() -> None:
    long = {code: text[:200] for code, text in web_texts().items() if len(text) >= 200}
    cases = [(code, prior) for code in GLOBESUMM if code in long for prior in GLOBESUMM]
    assert len(cases) >= 17 * 26
    for code, prior in cases:
        for declared in (None, prior):
            language, notes = settle(declared, detect(long[code]), long[code], prior)
            assert language == code, (code, prior)
            assert bool(notes) == (prior != code)


def test_a_script_overrules_a_prior_however_short_the_text() -> None:
    assert settle(None, detect("Ναι, βέβαια"), "Ναι, βέβαια", "en")[0] == "el"
    assert settle("tr", detect(TEXTS["ko"]), TEXTS["ko"], "tr")[0] == "ko"


@pytest.mark.parametrize(
    ("prior", "declared", "settled"),
    [
        ("da", "no", "no"),
        ("no", "da", "no"),
        ("da", "sv", "da"),
        ("da", None, "da"),
        ("no", None, "no"),
    ],
)
def test_of_short_text_two_of_three_accounts_decide_then_the_prior(
    prior: str, declared: str | None, settled: str
) -> None:
    assert detect(TEXTS["no"]).language == "no"
    assert settle(declared, detect(TEXTS["no"]), TEXTS["no"], prior)[0] == settled


def test_languages_only_the_second_opinion_knows_are_not_put_under_a_neighbour() -> None:
    samples = web_texts()
    for code in ("eu", "eo", "ga", "mg", "mt", "st", "uz", "yo", "zu", "la", "ht", "ha"):
        found = detect(samples[code])
        assert found.language in {code, UNKNOWN}
        assert code in {found.language, found.outsider}


def test_shares_of_known_triples_tell_a_language_from_noise() -> None:
    samples = web_texts()
    for code in ("de", "fr", "pl", "ru", "el", "tr"):
        share = known_share(samples[code], code)
        assert share is not None
        assert 0.58 < share <= 1.0
        noise = "".join(chr(ord(char) + 1) if char.isalpha() else char for char in samples[code])
        assert (known_share(noise, None) or 0.0) < 0.33
    assert known_share("", "de") is None
    assert known_share("some text", "zu") is None


def test_an_interrupt_while_profiles_load_stays_one_and_the_next_call_loads_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from langdetect.detector_factory import DetectorFactory

    from retrieval import language_models

    whole, calls = DetectorFactory.add_profile, []

    def interrupted(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        whole(*arguments)

    language_models._factory.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(DetectorFactory, "add_profile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            detect(TEXTS["en"])
    assert detect(TEXTS["en"]).language == "en"
    assert len(language_models._factory().get_lang_list()) > 50


@pytest.mark.parametrize("code", ["bg", "da", "de", "en", "mk", "ru", "uk"])
def test_a_stated_language_that_one_model_finds_is_not_looked_for_by_the_slow_one(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{TEXTS[code]} " * 4
    unaided = detect(text)

    def asked(*_: object) -> dict[str, float]:
        raise AssertionError("langdetect was asked")

    monkeypatch.setattr("retrieval.language.by_langdetect", asked)
    monkeypatch.setattr("retrieval.language_models.by_langdetect", asked)
    found = detect(text, said=(None, code))
    assert found.language == unaided.language == code
    assert found.confident


def test_a_language_that_was_stated_wrongly_changes_nothing_in_what_is_found() -> None:
    for code in ("bg", "de", "en", "ru"):
        text = f"{TEXTS[code]} " * 4
        for said in ("fr", "mk", "uk", "ar"):
            assert detect(text, said=(said,)) == detect(text)
