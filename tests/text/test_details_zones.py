"""One moment told in two zones is no conflict; two times of one zone are."""

import tomllib
from datetime import UTC, datetime
from importlib.resources import files

import pytest

from globesumm.text.details import Clock, details, differences

FOLDER = files("globesumm").joinpath("data", "details")
RAW = {
    file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
    for file in FOLDER.iterdir()
}
LOCAL = "The earthquake struck at 21:47 local time."

# Each tells 23:11 local time and the same moment elsewhere.
TWICE = [
    ("ar", "وقع الزلزال الساعة 23:11 بالتوقيت المحلي، 01:11 بتوقيت مكة"),
    ("da", "Jordskælvet ramte klokken 23.11 lokal tid, klokken 00.11 dansk tid."),
    ("de", "Das Beben begann um 23.11 Uhr Ortszeit (0.11 Uhr MESZ)."),
    ("de", "Das Beben begann um 23.11 Uhr Ortszeit, um 0.11 Uhr am Samstag deutscher Zeit."),
    ("de", "Das Beben begann um 23.11 Uhr Ortszeit, um 1.11 Uhr Moskauer Zeit."),
    ("el", "Σημειώθηκε στις 23:11 τοπική ώρα, δηλαδή στη 01:11 του Σαββάτου ώρα Ελλάδας."),
    ("el", "Σημειώθηκε στις 23:11 τοπική ώρα, 01:11 ώρα Κύπρου."),
    ("en", "It struck at 23:11 local time, 01:11 on Saturday, Greek time."),
    ("en", "It struck at 23:11 local time, 18:11 New York time."),
    ("en", "It struck at 23:11 local time (00:11 in Madrid)."),
    ("en", "It struck at 23:11 local time, 00:11 on Saturday in Madrid."),
    ("en", "It struck at 11:11 p.m. local time (2211 GMT)."),
    ("es", "Ocurrió a las 23:11 hora local, las 00:11 del sábado, hora peninsular."),
    ("es", "Ocurrió a las 23:11 hora local, las 00:11 del sábado en la España peninsular."),
    ("es", "Ocurrió a las 23:11 hora local, las 17:11 hora de Panamá."),
    ("fi", "Maa järisi klo 23.11 paikallista aikaa, klo 1.11 Suomen aikaa."),
    ("fr", "Il a eu lieu à 23h11, heure locale, soit 0h11 heure de Paris."),
    ("fr", "Il a eu lieu à 23h11 heure locale (0h11, heure française)."),
    ("he", "הרעש התרחש בשעה 23:11 שעון מקומי, 01:11 שעון ישראל"),
    ("hu", "A földrengés helyi idő szerint 23:11-kor, magyar idő szerint 00:11-kor volt."),
    ("it", "È avvenuto alle 23:11 ora locale, le 00:11 di sabato ora italiana."),
    ("ja", "地震は現地時間8日23時11分、日本時間9日7時11分に起きた。"),
    ("nl", "De beving was om 23.11 uur lokale tijd, om 0.11 uur Nederlandse tijd."),
    ("pl", "Wstrząs nastąpił o 23:11 czasu lokalnego, o 0:11 czasu polskiego."),
    ("pt", "Ocorreu às 23:11 hora local, 19:11 no horário de Brasília."),
    ("ro", "S-a produs la 23:11 ora locală, 01:11 ora României."),
    ("ru", "Это было в 23:11 по местному времени, в 01:11 по московскому времени."),
    ("ru", "Это было в 23:11 по местному времени, в 00:11 по парижскому времени."),
    ("sv", "Det skedde klockan 23.11 lokal tid, klockan 00.11 svensk tid."),
    ("tr", "Deprem yerel saatle 23:11'de, TSİ 01:11'de oldu."),
    ("uk", "Це було о 23:11 за місцевим часом, о 01:11 за Києвом."),
    ("zh", "地震发生在当地时间8日23时11分，北京时间9日6时11分。"),
]


def compared(clock: Clock) -> bool:
    return clock.zone is None and clock.place is None


@pytest.mark.parametrize(("language", "sentence"), TWICE)
def test_only_the_local_one_of_two_times_of_a_moment_is_held_against_a_local_time(
    language: str, sentence: str
) -> None:
    read = details(sentence, language)
    local, elsewhere = sorted(read.clocks, key=lambda clock: not compared(clock))
    assert local.minutes == 23 * 60 + 11
    assert compared(local)
    assert not compared(elsewhere)
    assert [str(one) for one in differences(read, details(LOCAL, "en"))] == ["time: 23:11 / 21:47"]
    for zone in ("local time", "GMT", "Tokyo time"):
        other = details(f"The earthquake struck at 23:11 local time (15:47 {zone}).", "en")
        assert all(one.left_value != "15:47" for one in differences(read, other))


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ("At 23:11 Greek time it shook.", "At 22:11 local time it shook.", []),
        ("At 23:11 Greek time it shook.", "At 22:11 GMT it shook.", []),
        ("At 23:11 Greek time it shook.", "At 22:10 Moscow time it shook.", []),
        ("At 23:11 Greek time it shook.", "At 22:10 Greek time it shook.", ["23:11 / 22:10"]),
        ("At 23:11 GMT it shook.", "At 0:11 CET it shook.", []),
        ("At 23:11 GMT it shook.", "At 1:11 CET it shook.", ["23:11 / 01:11"]),
        ("At 23:11 local time it shook.", "At 22:11 it shook.", ["23:11 / 22:11"]),
        ("From 5:00 local time to 9:00 it shook.", "From 5:00 to 8:00 it shook.",
         ["09:00 / 08:00"]),
        ("At 5:40 local time it shook, at 9:52 again.", "At 5:40 it shook, at 9:50 again.",
         ["09:52 / 09:50"]),
    ],
)  # fmt: skip
def test_times_are_compared_within_a_zone_or_between_known_ones(
    left: str, right: str, found: list[str]
) -> None:
    told = differences(details(left, "en"), details(right, "en"))
    assert [str(one) for one in told] == [f"time: {one}" for one in found]


@pytest.mark.parametrize(("month", "offset"), [(1, 120), (7, 180)])
def test_a_zone_with_summer_time_is_read_by_the_day(month: int, offset: int) -> None:
    sentence = "It struck at 23:11 Greek time."
    (clock,) = details(sentence, "en", datetime(2023, month, 8, tzinfo=UTC)).clocks
    assert (clock.zone, clock.place) == (offset, None)
    (undated,) = details(sentence, "en").clocks
    assert (undated.zone, undated.place) == (None, "Europe/Athens")
    # The day that the sentence names comes before the day of publication.
    published = datetime(2023, 12, 20, tzinfo=UTC)
    (told,) = details("It struck on 8 July 2023 at 23:11 Greek time.", "en", published).clocks
    assert told.zone == 180


def test_one_hour_in_two_known_zones_is_two_moments() -> None:
    published = datetime(2023, 6, 20, tzinfo=UTC)
    one = details("It was lost at 11:15 a.m. Newfoundland time.", "en", published)
    wrong = details("Se perdió a las 11.15 de la mañana, hora de Panamá.", "es", published)
    right = details("Se perdió a las 8.45 de la mañana, hora de Panamá.", "es", published)
    assert [str(found) for found in differences(one, wrong)] == ["time: 11:15-02:30 / 11:15-05:00"]
    assert differences(one, right) == ()


def test_a_zone_said_first_holds_for_the_later_times_of_the_sentence() -> None:
    read = details("北京时间18日20时开始下潜，1小时45分钟后，即21时45分，失去联系。", "zh")
    assert [clock.zone for clock in read.clocks] == [480, 480]
    panama = details("Se perdió a las 11.15 de la mañana, hora de Panamá.", "es")
    assert [str(one) for one in differences(panama, read)] == ["time: 11:15 / 20:00"]
    right = details("Se perdió a las 8.45 de la mañana, hora de Panamá.", "es")
    assert differences(right, read) == ()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Um 5.40 Uhr ist das Feuer ausgebrochen."),
        ("fr", "Le feu a pris à 5h40 est de la ville."),
        ("nl", "Om 5.40 uur met veel rook."),
        ("pl", "Statek wypłynął o 5:40 z portu."),
        ("es", "A las 5:40, hora de comer, empezó el fuego."),
    ],
)
def test_a_word_that_looks_like_a_zone_is_none(language: str, sentence: str) -> None:
    (clock,) = details(sentence, language).clocks
    assert compared(clock)


@pytest.mark.parametrize("code", sorted(RAW))
def test_every_zone_of_a_list_is_read_after_a_time(code: str) -> None:
    for key, words in RAW[code].get("zones", {}).items():
        for word in words.split("|"):
            shown = word.replace("*", "").replace(" ' ", "'").replace("_", "Panama")
            shown = shown.upper() if shown.isascii() and len(shown) <= 4 else shown
            (clock,) = details(f"23:11 {shown}", code).clocks
            assert (clock.zone is None and clock.place is None) is (key == "local"), word
            if key.lstrip("-").isdigit():
                assert clock.zone == int(key), word
