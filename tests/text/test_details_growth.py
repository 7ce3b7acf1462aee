"""What a number grew to is that number; "up to" it is a bound only where nothing grew."""

import tomllib
from decimal import Decimal
from importlib.resources import files

import pytest

from globesumm.text.details import Bound, details, differences

FOLDER = files("globesumm").joinpath("data", "details")
GROWTH = {
    file.name.removesuffix(".toml"): raw
    for file in FOLDER.iterdir()
    if "growth" in (raw := tomllib.loads(file.read_text(encoding="utf-8")))
}

GROWN = [
    ("ar", "ارتفعت حصيلة القتلى إلى 296 شخصا"),
    ("ar", "ارتفع عدد القتلى حتى 296 شخصا"),
    ("bg", "Броят на загиналите нарасна до 296 души"),
    ("ca", "La xifra de morts ha pujat fins a 296 persones"),
    ("cs", "Počet obětí stoupl na 296"),
    ("cs", "Počet obětí vzrostl až na 296"),
    ("da", "Antallet af døde er steget op til 296"),
    ("de", "Die Zahl der Toten ist auf 296 gestiegen"),
    ("el", "Οι νεκροί ανήλθαν σε 296"),
    ("el", "Ο αριθμός των νεκρών αυξήθηκε στους 296"),
    ("el", "Ο αριθμός των νεκρών ανέβηκε μέχρι τους 296"),
    ("en", "The toll rose to 296"),
    ("en", "The toll has gone up to 296"),
    ("es", "La cifra de muertos subió a 296"),
    ("es", "La cifra de muertos ascendió hasta 296"),
    ("es", "La cifra de muertos asciende a 296"),
    ("es", "La cifra de muertos ha subido hasta los 296"),
    ("fa", "شمار کشته‌ها تا ۲۹۶ نفر افزایش یافت"),
    ("fr", "Le bilan est porté à 296 morts"),
    ("fr", "Le bilan est passé à 296 morts"),
    ("fr", "Le bilan est monté jusqu'à 296 morts"),
    ("he", "מספר ההרוגים עלה עד 296"),
    ("it", "Il bilancio è salito a 296 morti"),
    ("it", "Il bilancio è salito fino a 296 morti"),
    ("ja", "死者は296人に増えた"),
    ("ko", "사망자가 296명으로 늘었다"),
    ("mk", "Бројот на загинати порасна до 296"),
    ("nl", "Het aantal doden liep op tot 296"),
    ("nl", "Het aantal doden is tot 296 gestegen"),
    ("no", "Tallet på døde har gått opp til 296"),
    ("pl", "Liczba ofiar wzrosła do 296"),
    ("pl", "Do 296 wzrosła liczba ofiar"),
    ("pt", "O número de mortos subiu para 296"),
    ("pt", "O número de mortos chegou a 296"),
    ("pt", "O número de mortos subiu até 296"),
    ("ro", "Numărul morților a crescut până la 296"),
    ("ru", "Число погибших выросло до 296"),
    ("ru", "Число погибших возросло до 296 человек"),
    ("ru", "Число погибших увеличилось до 296"),
    ("ru", "Число погибших увеличилось на 20, до 296"),
    ("ru", "Число погибших достигло 296"),
    ("ru", "До 296 человек выросло число погибших"),
    ("ru", "Число погибших сократилось до 296"),
    ("sq", "Numri i të vdekurve u rrit deri në 296"),
    ("sv", "Antalet döda har gått upp till 296"),
    ("tr", "Ölü sayısı 296'ya yükseldi"),
    ("uk", "Кількість загиблих зросла до 296"),
    ("uk", "Число загиблих зросло до 296 людей"),
    ("uk", "Кількість загиблих збільшилася до 296"),
    ("vi", "Số người chết tăng lên 296"),
    ("zh", "死亡人数升至296人"),
    ("zh", "死亡人数上升到296人"),
]
UP_TO = [
    ("ar", "حتى 296 شخصا"),
    ("bg", "В залата имаше до 296 души"),
    ("bg", "Цените нараснаха, а в залата имаше до 296 души"),
    ("ca", "Hi caben fins a 296 persones"),
    ("da", "Der er plads til op til 296 personer"),
    ("de", "Es waren bis zu 296 Menschen"),
    ("de", "Die Zahl kann auf bis zu 296 steigen"),
    ("el", "Χωράει μέχρι 296 άτομα"),
    ("en", "It holds up to 296 people"),
    ("es", "Caben hasta 296 personas"),
    ("es", "Hasta 296 personas subieron al barco"),
    ("fa", "تا ۲۹۶ نفر در کشتی بودند"),
    ("fr", "Il accueille jusqu'à 296 personnes"),
    ("he", "יש מקום עד 296 אנשים"),
    ("it", "Può ospitare fino a 296 persone"),
    ("mk", "Има место до 296 луѓе"),
    ("nl", "Er is plaats voor tot 296 mensen"),
    ("no", "Det er plass til opp til 296 personer"),
    ("pl", "Mieści do 296 osób"),
    ("pt", "Cabem até 296 pessoas"),
    ("ro", "Încap până la 296 de persoane"),
    ("ru", "Он вмещает до 296 человек"),
    ("ru", "Цены выросли, в лагере живут до 296 человек"),
    ("ru", "Дети в возрасте до 296 дней"),
    ("sq", "Ka vend deri në 296 njerëz"),
    ("sv", "Den rymmer upp till 296 personer"),
    ("uk", "Він вміщує до 296 людей"),
    ("uk", "Може вмістити до 296 осіб"),
]


def bound_of_296(sentence: str, language: str) -> Bound:
    (bound,) = (q.bound for q in details(sentence, language).quantities if q.amount == 296)
    return bound


@pytest.mark.parametrize(("language", "sentence"), GROWN)
def test_a_number_that_something_grew_to_is_exact(language: str, sentence: str) -> None:
    assert bound_of_296(sentence, language) is Bound.EXACT


@pytest.mark.parametrize(("language", "sentence"), UP_TO)
def test_a_number_that_nothing_grew_to_stays_a_bound(language: str, sentence: str) -> None:
    assert bound_of_296(sentence, language) is Bound.AT_MOST


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("uk", "Кількість загиблих зросла до 2862, а поранених – до 296."),
        ("uk", "Кількість загиблих зросла до 2862, поранених — до 296."),
        ("ru", "Число погибших выросло до 2862, а раненых до 296."),
        ("pl", "Liczba ofiar wzrosła do 2862, a rannych do 296."),
        ("es", "Los muertos subieron hasta 2862 y los heridos hasta 296."),
    ],
)
def test_a_second_count_shares_the_verb_of_the_first(language: str, sentence: str) -> None:
    assert [q.bound for q in details(sentence, language).quantities] == [Bound.EXACT] * 2


@pytest.mark.parametrize(
    ("sentence", "bound"),
    [
        ("Число погибших выросло примерно до 296.", Bound.ABOUT),
        ("Число погибших выросло как минимум до 296.", Bound.AT_LEAST),
        ("Число погибших выросло максимум до 296.", Bound.AT_MOST),
    ],
)
def test_what_bounds_the_goal_bounds_the_number(sentence: str, bound: Bound) -> None:
    assert bound_of_296(sentence, "ru") is bound


def test_a_count_that_looks_like_a_year_stays_a_count_where_something_grew_to_it() -> None:
    found = details("Кількість загиблих у Марокко зросла до 2012.", "uk")
    assert [q.amount for q in found.quantities] == [Decimal(2012)]
    assert found.days == ()


def test_a_toll_that_grew_to_a_number_is_compared_by_that_number() -> None:
    left = details("Кількість загиблих зросла до 2862.", "uk")
    right = details("2497 people were killed.", "en")
    assert [str(one) for one in differences(left, right)] == ["number: 2862 / 2497"]


@pytest.mark.parametrize("code", sorted(GROWTH))
def test_words_of_growth_are_bounds_of_the_language_and_each_verb_is_read(code: str) -> None:
    raw = GROWTH[code]
    assert set(raw["growth"]) <= {"to", "verbs", "after", "and"}
    goals = {word.strip() for word in raw["growth"]["to"].split("|")}
    assert goals <= {word.strip() for word in raw["bounds"]["at_most"].split("|")}
    for goal in goals:
        shown = goal.replace(" ' ", "'")
        for verb in filter(None, raw["growth"].get("verbs", "").split("|")):
            said = verb.replace("*", "").replace(" ' ", "'")
            assert bound_of_296(f"{said} {shown} 296", code) is Bound.EXACT, verb
        for verb in filter(None, raw["growth"].get("after", "").split("|")):
            assert bound_of_296(f"{shown} 296 {verb.replace('*', '')}", code) is Bound.EXACT, verb
