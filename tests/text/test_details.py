"""Numbers, times, dates, weekdays and negation in single sentences, and their comparison."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.text.details import (
    Bound,
    Difference,
    Kind,
    details,
    differences,
    negation_languages,
)


def numbers(sentence: str, language: str) -> list[tuple[str, Decimal, str | None]]:
    found = details(sentence, language).quantities
    return [(quantity.kind.value, quantity.amount, quantity.unit) for quantity in found]


def only(sentence: str, language: str) -> Decimal:
    (found,) = details(sentence, language).quantities
    return found.amount


def differ(left: str, one: str, right: str, other: str) -> list[str]:
    return [str(item) for item in differences(details(left, one), details(right, other))]


@pytest.mark.parametrize(
    ("written", "language", "value"),
    [
        ("1.037 Menschen", "de", "1037"),
        ("6,8 Meter", "de", "6.8"),
        ("1,037 people", "en", "1037"),
        ("1\u00a0037 personnes", "fr", "1037"),
        ("1\u202f037 personnes", "fr", "1037"),
        ("1 037 человек", "ru", "1037"),
        ("1'037 Menschen", "de", "1037"),
        ("1’037 Menschen", "de", "1037"),
        ("1,00,000 लोग", "hi", "100000"),
        ("१,०३७ लोग", "hi", "1037"),
        ("١٬٠٣٧ شخصا", "ar", "1037"),
        ("٣٫٥ أشخاص", "ar", "3.5"),
        ("１０３７人", "ja", "1037"),
        ("10,000 άνθρωποι", "el", "10000"),
        ("6.800 kilos de arroz", "es", "6800"),
        ("1.234.567,5 Menschen", "de", "1234567.5"),
        ("5 1/2 people", "en", "5.5"),
        ("3 लाख लोग", "hi", "300000"),
        ("2 करोड़ लोग", "hi", "20000000"),
        ("5 लाख 20 हजार लोग", "hi", "520000"),
        ("3万5000人", "zh", "35000"),
        ("1.2亿人", "zh", "120000000"),
        ("1억2천만 명", "ko", "120000000"),
        ("5 Mio. Menschen", "de", "5000000"),
        ("2,5 млн человек", "ru", "2500000"),
        ("300 mil milhões de pessoas", "pt", "300000000000"),
        ("three hundred and twenty-five people", "en", "325"),
        ("fünfundzwanzig Menschen", "de", "25"),
        ("deux cent cinquante-trois personnes", "fr", "253"),
        ("خمسة وعشرون شخصا", "ar", "25"),
        ("עשרים וחמישה אנשים", "he", "25"),
        ("двести сорок один человек", "ru", "241"),
        ("huszonöt ember", "hu", "25"),
        ("femogtyve personer", "da", "25"),
        ("two million people", "en", "2000000"),
    ],
)
def test_a_number_reads_by_its_language_and_shape(written: str, language: str, value: str) -> None:
    assert only(written, language) == Decimal(value)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("COVID-19 and the F-16 at the G20 summit", "en"),
        ("Call 0800 789321 or see https://example.org/2021/5 now", "en"),
        ("Ring +44 800 789321", "en"),
        ("Remembering 9/11 and 7/7", "en"),
        ("Der Airbus A380 und COVID-19", "de"),
        ("बी०सी० ने कहा", "hi"),
    ],
)
def test_digits_of_names_codes_and_addresses_are_no_quantities(
    sentence: str, language: str
) -> None:
    plain = [q for q in details(sentence, language).quantities if not q.soft]
    assert [q.written for q in plain if q.written != "789321"] == []


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("$1.5 million", "en", ("money", "1500000", "USD")),
        ("2,5 Mio. Euro", "de", ("money", "2500000", "EUR")),
        ("5 millones de euros", "es", ("money", "5000000", "EUR")),
        ("5 млн долларов", "ru", ("money", "5000000", "USD")),
        ("12 million US dollars", "en", ("money", "12000000", "USD")),
        ("₹50 crore", "en", ("money", "500000000", "INR")),
        ("6,8 %", "fr", ("percent", "6.8", None)),
        ("yüzde 5", "tr", ("percent", "5", None)),
        ("%5", "tr", ("percent", "5", None)),
        ("百分之5", "zh", ("percent", "5", None)),
        ("8 miles", "en", ("measure", "8", "m")),
        ("30 °C", "fr", ("measure", "30", "°C")),
        ("3 часа", "bg", ("measure", "3", "s")),
    ],
)
def test_money_percentages_and_measures_have_their_unit(
    sentence: str, language: str, expected: tuple[str, str, str | None]
) -> None:
    kind, amount, unit = expected
    assert numbers(sentence, language) == [(kind, Decimal(amount), unit)]


@pytest.mark.parametrize(
    ("sentence", "language", "minutes"),
    [
        ("at 23:11", "en", 1391),
        ("at 11.11 pm", "en", 1391),
        ("à 23h11", "fr", 1391),
        ("um 23 Uhr", "de", 1380),
        ("at 0850 GMT", "en", 530),
        ("kl. 8.50", "da", 530),
        ("kello 8.50", "fi", 530),
        ("в 8:50 утра", "ru", 530),
        ("下午3点", "zh", 900),
        ("午後3時15分", "ja", 915),
        ("오후 3시", "ko", 900),
        ("सुबह 8 बजे", "hi", 480),
        ("الساعة 8:50 صباحا", "ar", 530),
        ("בשעה 8:50", "he", 530),
        ("στις 8.50 π.μ.", "el", 530),
        ("saat 8.50", "tr", 530),
    ],
)
def test_a_time_of_day_reads_as_minutes(sentence: str, language: str, minutes: int) -> None:
    (clock,) = details(sentence, language).clocks
    assert clock.minutes == minutes


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("on July 7, 2005", "en"),
        ("on 7 July 2005", "en"),
        ("on 7/7/2005", "en"),
        ("le 7 juillet 2005", "fr"),
        ("am 7. Juli 2005", "de"),
        ("am 07.07.2005", "de"),
        ("el 7 de julio de 2005", "es"),
        ("7 июля 2005 года", "ru"),
        ("7. července 2005", "cs"),
        ("7. heinäkuuta 2005", "fi"),
        ("2005. július 7-én", "hu"),
        ("7 Temmuz 2005'te", "tr"),
        ("٧ يوليو/تموز ٢٠٠٥", "ar"),
        ("ב-7 ביולי 2005", "he"),
        ("7 जुलाई 2005 को", "hi"),
        ("2005年7月7日", "zh"),
        ("2005年7月7日", "ja"),
        ("2005년 7월 7일에", "ko"),
        ("ngày 7 tháng 7 năm 2005", "vi"),
        ("7 กรกฎาคม 2548", "th"),
        ("7ης Ιουλίου 2005", "el"),
        ("2005-07-07", "sv"),
    ],
)
def test_one_day_reads_the_same_in_every_language(sentence: str, language: str) -> None:
    found = details(sentence, language)
    assert [day.resolved for day in found.days] == [date(2005, 7, 7)]
    assert found.quantities == ()


def test_weekdays_and_yesterday_are_dated_by_the_publication() -> None:
    published = datetime(2005, 7, 8, 12, tzinfo=UTC)
    found = details("It happened on Thursday, that is yesterday, 7 July.", "en", published)
    assert {day.resolved for day in found.days} == {date(2005, 7, 7)}


def test_a_date_and_a_weekday_of_the_same_day_do_not_differ() -> None:
    published = datetime(2005, 7, 8, 12, tzinfo=UTC)
    dated = details("Bombs went off on 7 July.", "en", published)
    assert differences(dated, details("Bomben explodierten am Donnerstag.", "de", published)) == ()
    (wrong,) = differences(dated, details("Bomben explodierten am Freitag.", "de", published))
    assert wrong.kind is Kind.DATE


@pytest.mark.parametrize(
    ("left", "one", "right", "other", "expected"),
    [
        ("296 people died.", "en", "Погибли 632 человека.", "ru", ["number: 296 / 632"]),
        ("It rose 6.8%.", "en", "Es stieg um 7 Prozent.", "de", ["percent: 6.8 % / 7 %"]),
        ("It cost $5 million.", "en", "Costó 6 millones de dólares.", "es",
         ["money: 5000000 USD / 6000000 USD"]),
        ("At 23:11 it shook.", "en", "Um 23.15 Uhr bebte es.", "de", ["time: 23:11 / 23:15"]),
        ("He spoke on Tuesday.", "en", "Il a parlé jeudi.", "fr", ["weekday: Tue / Thu"]),
        ("He left on 7 July.", "en", "Er ging am 8. Juli.", "de", ["date: --07-07 / --07-08"]),
        ("On Thursday, July 8, 2005", "en", "Jeudi 7 juillet 2005", "fr",
         ["date: 2005-07-08 / 2005-07-07"]),
        ("On Friday, July 7, 2005", "en", "Jeudi 7 juillet 2005", "fr", ["weekday: Fri / Thu"]),
        ("He did not resign.", "en", "Er trat zurück.", "de", ["negation: negated / affirmed"]),
        ("52 were killed and 700 injured.", "en", "Hubo 52 muertos y 800 heridos.", "es",
         ["number: 700 / 800"]),
        ("At least 37 people died.", "en", "52 people died.", "en", ["number: ≥37 / 52"]),
        ("10 km away", "en", "à 12 miles", "fr", ["measure: 10 km / 12 mile"]),
    ],
)  # fmt: skip
def test_a_contradicting_detail_is_a_difference(
    left: str, one: str, right: str, other: str, expected: list[str]
) -> None:
    assert differ(left, one, right, other) == expected


@pytest.mark.parametrize(
    ("left", "one", "right", "other"),
    [
        ("more than 2,000 people", "en", "2 012 personnes", "fr"),
        ("about 2,000 people", "en", "2 012 человек", "ru"),
        ("more than 1,000 people", "en", "1.037 Menschen", "de"),
        ("1.2 million people", "en", "1.234.567 Menschen", "de"),
        ("100 km away", "en", "à 62 miles", "fr"),
        ("at 11:11", "en", "um 23:11 Uhr", "de"),
        ("at 8:50 BST", "en", "à 7h50 GMT", "fr"),
        ("at 8:50 BST", "en", "à 10h50", "fr"),
        ("52 people died.", "en", "Es gab 52 Tote und 700 Verletzte.", "de"),
        ("twelve people", "en", "12 Menschen", "de"),
        ("It cost $5 million.", "en", "Es kostete 4 Millionen Euro.", "de"),
        ("in July 2005", "en", "am 7. Juli", "de"),
        ("Nobody ever came.", "en", "Personne n'est jamais venu.", "fr"),
        ("52 people", "en", "Nobody counted.", "xx"),
        ("7 killed", "en", "12 injured", "en"),
    ],
)
def test_compatible_or_onesided_details_are_no_difference(
    left: str, one: str, right: str, other: str
) -> None:
    assert differ(left, one, right, other) == []


def test_a_language_without_lists_is_named_and_never_taken_for_affirmative() -> None:
    found = details("Nobody counted 52.", "xx")
    assert found.negations is None
    assert found.negated is None
    assert any("negation" in note and "xx" in note for note in found.notes)
    assert "xx" not in negation_languages()
    assert [quantity.amount for quantity in found.quantities] == [52]


def test_double_negation_counts_once() -> None:
    for sentence, language in (
        ("Il n'a pas parlé.", "fr"),
        ("Nikdo nic neřekl.", "cs"),
        ("Никто не пришёл.", "ru"),
    ):
        negations = details(sentence, language).negations
        assert negations is not None
        assert len(negations) == 1, sentence


def test_qualifiers_set_the_bound() -> None:
    bounds = {
        "at least 52 people": Bound.AT_LEAST,
        "about 52 people": Bound.ABOUT,
        "fewer than 52 people": Bound.AT_MOST,
        "52 people": Bound.EXACT,
    }
    for sentence, bound in bounds.items():
        (quantity,) = details(sentence, "en").quantities
        assert quantity.bound is bound


def test_a_range_is_one_quantity() -> None:
    (quantity,) = details("10–15 people", "en").quantities
    assert (quantity.value, quantity.high) == (Decimal(10), Decimal(15))
    assert differ("10–15 people", "en", "12 Menschen", "de") == []


@pytest.mark.parametrize(
    "text",
    [
        "", "\0", "\ud800 52", "5" * 5000, "1.2.3.4.5", "٫", "' ' '", "7 " * 9000,
        "e\u0301" * 50 + " 52", "1" + "," * 300,
    ],
)  # fmt: skip
def test_hostile_text_is_read_without_error(text: str) -> None:
    for language in ("en", "fr", "ar", "zh", "tr", "xx", "../x"):
        found = details(text, language)
        assert differences(found, found) == ()


def test_a_sentence_too_long_is_noted() -> None:
    assert any("characters were read" in note for note in details("a " * 20_000, "en").notes)


def test_offsets_point_at_what_was_written() -> None:
    sentence = "Cafe\u0301: \u200fكما قتل ٥٢ شخصا يوم ٧ يوليو ٢٠٠٥"
    found = details(sentence, "ar")
    for span in (*found.quantities, *found.days, *found.clocks):
        assert sentence[span.start : span.end] == span.written
    assert [quantity.written for quantity in found.quantities] == ["٥٢"]


CONVENTIONS = {
    "en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "ru": ("\u00a0", ","),
    "es": (".", ","), "he": (",", "."), "ar": ("٬", "٫"), "cs": (" ", ","), "hi": (",", "."),
    "zh": (",", "."), "it": (".", ","), "tr": (".", ","), "ko": (",", "."), "el": (".", ","),
}  # fmt: skip


@settings(deadline=None)
@given(
    st.sampled_from(sorted(CONVENTIONS)),
    st.integers(2100, 10**12),
    st.integers(0, 99),
)
def test_a_number_formatted_by_its_language_reads_back(
    language: str, whole: int, cents: int
) -> None:
    group, decimal = CONVENTIONS[language]
    written = f"{whole:,}".replace(",", group) + (f"{decimal}{cents:02}" if cents else "")
    expected = Decimal(whole) + Decimal(cents) / 100
    (quantity,) = details(f"({written})", language).quantities
    assert quantity.amount == expected


WORDS = st.sampled_from(
    [
        "at least", "52", "700", "1,037", "people", "killed", "injured", "on", "7", "July", "2005",
        "Thursday", "Friday", "not", "$5", "million", "6.8", "%", "km", "10", "12:30", "pm",
        "about", "two", "three", "hundred", "and", ",", ".", "-", "yesterday", "more than",
    ]
)  # fmt: skip
SENTENCES = st.lists(WORDS, max_size=14).map(" ".join)
PUBLISHED = st.sampled_from([None, datetime(2005, 7, 8, 12, tzinfo=UTC)])


@settings(deadline=None)
@given(SENTENCES, SENTENCES, PUBLISHED)
def test_differences_are_symmetric(left: str, right: str, published: datetime | None) -> None:
    one, other = details(left, "en", published), details(right, "en", published)

    def key(item: Difference) -> str:
        return repr(item)

    there = sorted((item.swapped() for item in differences(one, other)), key=key)
    assert there == sorted(differences(other, one), key=key)


@settings(deadline=None)
@given(SENTENCES, PUBLISHED)
def test_a_sentence_never_differs_from_itself(sentence: str, published: datetime | None) -> None:
    found = details(sentence, "en", published)
    assert differences(found, found) == ()


@settings(deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "fr", "ar", "he", "hi", "zh", "tr", "fi"]))
def test_any_text_agrees_with_itself_and_keeps_its_offsets(text: str, language: str) -> None:
    found = details(text, language)
    assert differences(found, found) == ()
    for span in (*found.quantities, *found.days, *found.clocks, *(found.negations or ())):
        assert text[span.start : span.end] == span.written


@pytest.mark.parametrize("limit", [date.min, date.max])
@pytest.mark.parametrize(
    "sentence",
    [
        "It happened yesterday.",
        "It happens today.",
        "It happens tomorrow.",
        "It fell on 1 January.",
        "It fell on 31 December.",
        *(f"It fell on {day}." for day in ("Monday", "Tuesday", "Wednesday", "Thursday")),
        *(f"It fell on {day}." for day in ("Friday", "Saturday", "Sunday")),
    ],
)
def test_a_day_beyond_the_calendar_is_found_and_not_resolved(limit: date, sentence: str) -> None:
    published = datetime(limit.year, limit.month, limit.day, tzinfo=UTC)
    (day,) = details(sentence, "en", published).days
    assert day.resolved is None or abs((day.resolved - limit).days) < 366
    assert differences(details(sentence, "en", published), details(sentence, "en")) == ()


@given(published=st.datetimes(timezones=st.just(UTC)), language=st.sampled_from(["en", "de", "ja"]))
@settings(max_examples=60, deadline=None)
def test_no_publication_date_stops_the_reading(published: datetime, language: str) -> None:
    for sentence in ("Monday, yesterday, 29 February, tomorrow", "Montag, gestern", "昨日、月曜日"):
        details(sentence, language, published)
