"""Sentences: boundaries where readers see them, and never a lost or invented character."""

import json
import os
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.languages import GLOBESUMM, LANGUAGES
from globesumm.text.sentences import SPLITTER, split

# Measured on the reference sentences; these floors may rise and never fall.
F1_FLOOR = 0.992
EXACT_FLOOR = 0.984

CASES: dict[str, list[list[str]]] = {
    "en": [
        ["1. The first fact.", "2. Apple Inc. grew in the U.S. on Jan. 5.", "3. He left."],
        ["He left at 5 p.m. on Monday.", "Mr. Lee (of Acme Co.) agreed.", "(He did not.)"],
        ["[Editor's note: yes.]", "Yahoo! is up.", "The cost is $3.5."],
        ["See example.com, e.g. here.", "He lived in the U.S.", "The war ended."],
        ["J. A. Smith met J.-P. Sartre.", "“Stop!” he said.", "Really?", "Yes…", "No."],
        ["They grew vitamin C.", "The rest was No. 5."],
    ],
    "fr": [["M. Dupont a dit : « Non ! » puis est parti.", "« Oui. »", "C’est le no. 5."]],
    "bg": [
        ["През 2025 г. цената нарасна с 4,5 %, т.е. до 30 лв.", "Според чл. 5, ал. 2 е така."],
        ["„Няма да приемем!“, каза г-н Д. Петров.", "Вярно ли е?", "Да."],
    ],
    "sv": [
        ["Bl.a. Volvo flyttar i okt. 2025.", "”Nej!” sade ministern.", "Enligt kap. 5 gäller det."]
    ],
    "hi": [["डॉ. शर्मा आए।", "क्या वे गए?", "“नहीं!” उन्होंने कहा।"]],
    "it": [["Il dott. A. Rossi è qui.", "«No!», ha detto l'on. Bianchi.", "Perché?"]],
    "hu": [["Az 5. cikk szerint igen.", "XIV. Lajos meghalt.", "Vége."]],
    "nl": [["Dhr. De Vries zei m.a.w. nee.", "‘Nee!’, zei hij."]],
    "pt": [["O Sr. Silva chegou às 10.30 com R$ 1.250,75.", "“Não!”, disse a Dra. Costa."]],
    "ru": [
        ["В 2025 г. цена выросла на 4,5 %, т. е. до 30 руб.", "«Нет!» — заявил И. И. Иванов."],
        ["А. С. Пушкин родился в г. Москве.", "Он ушёл…", "Потом вернулся."],
        ["Это было в 2025 г.", "Москва ждала."],
    ],
    "ar": [["قال د. أحمد ذلك.", "هل تعلم؟", "نعم... ربما."]],
    "ro": [["Dl. Popescu a plecat.", "„Nu!”, a spus el."]],
    "da": [["Den 3. Oktober kom H.C. Andersen.", "»Nej!« sagde han."]],
    "mk": [["Проф. А. Петров дојде.", "Дали е така?", "Не."]],
    "tr": [["Prof. Dr. A. Kaya 3. maddeyi okudu.", "“Hayır!” dedi bakan.", "Vergi artacak mı?"]],
    "uk": [["У 2025 р. ціна зросла.", "О. П. Шевченко мовчав.", "«Ні!» — сказав він."]],
    "ca": [["El Sr. Puig va arribar a les 10.30.", "«No!», va dir la Dra. Ros.", "Sí."]],
    "pl": [["Prof. Nowak przyszedł.", "„Nie!” – powiedział.", "W 2025 r. wzrośnie."]],
    "ko": [["물가가 4.5% 올랐다.", '"없다."라고 장관이 말했다.', "세금이 오를까?", "그는 떠났다."]],
    "el": [
        ["Ο κ. Παπαδόπουλος ήρθε στις 10.30 π.μ. με 5 ευρώ.", "Θα αυξηθεί ο Φ.Π.Α.;", "Όχι."],
        ["«Δεν το δεχόμαστε!» είπε ο υπουργός.", "Τι είναι;", "Ναι, π.χ. το 2025."],
    ],
    "fi": [
        ["Hinta nousi 3. lokakuuta, ts. eilen.", "”Ei!” sanoi ministeri.", "Esim. Nokia kasvoi."]
    ],
    "es": [
        ["El Sr. Gómez llegó a EE. UU. el 3 de oct. de 2023.", "¿Subirá el I.V.A. al 21,5 %?"],
        ["«¡No lo aceptaremos!», dijo la Dra. Ruiz.", "Según el art. 5, sí."],
    ],
    "cs": [
        ["Dne 3. října přišel Ing. Novák.", "„Ne!“ řekl.", "Vrátil se v roce 2020.", "Pak odešel."]
    ],
    "de": [
        ["Am 3. Oktober kam Dr. J. Müller nach St. Gallen, d.h. zu spät.", "Danach ging er."],
        ["Der 2. Weltkrieg endete am 8. Mai 1945.", "„Wir gehen!“, sagte er.", "»Nein!« rief sie."],
        [
            "Karl XVI. Gustaf zahlte ca. 1.250,75 Euro.",
            "Er kam 2020.",
            "Es waren 15.",
            "Die gingen.",
        ],
    ],
    "he": [['ד"ר כהן שילם 1,250.75 ש"ח.', '"לא נסכים!" אמר השר.', "א. ב. יהושע כתב.", "מה?"]],
    "sq": [["Z. Rama mbërriti.", "“Jo!”, tha dr. Hoxha.", "Po?"]],
    "fa": [["ساعت ۱۰.۳۰ رسید.", "آیا می‌آید؟", "«نه!» وزیر گفت."]],
    "no": [["Den 3. Oktober kom han.", "«Nei!» sa hun.", "Hvorfor?"]],
    "vi": [["TS. Nguyễn Văn A đã đến.", "Tại sao?", "Không."]],
    "ur": [["ڈاکٹر احمد آئے۔", "کیا ٹیکس بڑھے گا؟"]],
    "hy": [["Նա եկավ։", "Նա գնաց։"]],
}
UNSPACED: dict[str, list[list[str]]] = {
    "zh": [["价格上涨了4.5%，达到1250.75元。", "“我们不接受！”部长说。", "税会涨吗？", "他走了。"]],
    "ja": [
        [
            "価格は4.5％上がった。",
            "「受け入れられない。」と大臣は述べた。",
            "税金は？",
            "彼は去った。",
        ]
    ],
}
EVERY_CASE = [
    *((code, " ", case) for code, cases in CASES.items() for case in cases),
    *((code, "", case) for code, cases in UNSPACED.items() for case in cases),
]


@pytest.mark.parametrize(("language", "blank", "sentences"), EVERY_CASE)
def test_sentences_are_found_in_every_language(
    language: str, blank: str, sentences: list[str]
) -> None:
    assert split(blank.join(sentences), language) == sentences


# An abbreviation that may end a sentence, and what comes next: the two are two sentences.
ENDED = [
    ("en", "The boat sank at 5:40 a.m.", "Twelve people were killed."),
    ("en", "It was found at 7 p.m.", "Rescuers had searched for hours."),
    ("en", "It was found at 7 P.M.", "Divers went down at once."),
    ("en", "It was found at 7 p. m.", "Divers went down at once."),
    ("en", "It was found at five p.m.", "Mayor Ann Reyes thanked them."),
    ("en", "It was found at 7 p.m.", "Local residents cheered."),
    ("en", "It was found at 7 p.m.", "“We ran,” she said."),
    ("en", "They lost boats, nets, etc.", "Fishermen went home."),
    ("en", "He lives in the U.S.", "Officials did not say where."),
    ("en", "He lives in the U.S.", "Twelve others do too."),
    ("en", "The ferry is run by Halden Inc.", "Rescuers reached it."),
    ("en", "The ferry is run by Halden & Co.", "Dozens were hurt."),
    ("en", "The ferry is run by Halden Ltd.", "Three were hurt."),
    ("en", "It was said by John Hale Jr.", "Authorities agreed."),
    ("de", "Es fehlten Boote, Netze usw.", "Retter kamen spät."),
    ("de", "Es fehlten Boote, Netze u. ä.", "Die Retter kamen spät."),
    ("de", "Es fehlten Boote u.a.", "Zwölf Menschen starben."),
    ("de", "Das Schiff sank um 5.40 Uhr.", "Retter kamen spät."),
    ("de", "Es stammt von 300 v. Chr.", "Die Römer kamen später."),
    ("es", "Se hundió a las 5:40 a. m.", "Equipos de rescate llegaron."),
    ("es", "Se hundió a las 5:40 p.m.", "Murieron doce personas."),
    ("es", "Faltaban botes, redes, etc.", "Murieron doce personas."),
    ("es", "Vive en EE.UU.", "El barco se hundió."),
    ("es", "Vive en EE. UU.", "Doce personas murieron."),
    ("ca", "Faltaven barques, xarxes, etc.", "Pescadors van morir."),
    ("pt", "Afundou às 5:40 p.m.", "Morreram doze pessoas."),
    ("pt", "Faltavam barcos, redes etc.", "Morreram doze pessoas."),
    ("fr", "Il manquait des barques, etc.", "Douze personnes sont mortes."),
    ("fr", "Il manquait des barques, etc.", "Paris a promis une enquête."),
    ("fr", "Cela date de 300 av. J.-C.", "Les Romains vinrent plus tard."),
    ("it", "Mancavano barche, reti ecc.", "Morirono dodici persone."),
    ("ro", "Lipseau bărci, plase etc.", "Pescarii au murit."),
    ("nl", "Er waren geen boten, netten enz.", "Vissers kwamen om."),
    ("nl", "Het schip is van Halden B.V.", "De kapitein leeft."),
    ("sv", "Det saknades båtar, nät osv.", "Fiskare omkom."),
    ("da", "Der manglede både, net osv.", "Fiskere omkom."),
    ("no", "Det manglet båter, garn osv.", "Fiskere omkom."),
    ("fi", "Puuttui veneitä, verkkoja jne.", "Kalastajia kuoli."),
    ("cs", "Chyběly čluny, sítě apod.", "Rybáři zahynuli."),
    ("sk", "Chýbali člny, siete atď.", "Rybári zahynuli."),
    ("pl", "Brakowało łodzi, sieci itd.", "Rybacy zginęli."),
    ("hu", "Hiányzott csónak, háló stb.", "Halászok haltak meg."),
    ("sq", "Mungonin varka, rrjeta etj.", "Peshkatarët vdiqën."),
    ("ru", "Не было лодок, сетей и т. д.", "Рыбаки погибли."),
    ("ru", "Не было лодок, сетей и т.п.", "Рыбаки погибли."),
    ("ru", "Так было в 2020–2021 гг.", "Россия молчала."),
    ("uk", "Не було човнів, сіток і т. д.", "Рибалки загинули."),
    ("uk", "Не було човнів, сіток та ін.", "Рибалки загинули."),
    ("mk", "Немаше чамци, мрежи итн.", "Рибарите загинаа."),
    ("sr", "Није било чамаца, мрежа итд.", "Рибари су погинули."),
    ("hr", "Nije bilo čamaca, mreža itd.", "Ribari su poginuli."),
    ("el", "Βυθίστηκε στις 5:40 π.μ.", "Δώδεκα άνθρωποι σκοτώθηκαν."),
    ("el", "Βυθίστηκε στις 5:40 μ. μ.", "Διασώστες έφτασαν αμέσως."),
    ("el", "Έλειπαν βάρκες, δίχτυα κ.λπ.", "Ψαράδες πνίγηκαν."),
    ("ar", "غرقت قوارب وشباك إلخ.", "قتل اثنا عشر شخصا."),
    ("ar", "غرق القارب في الساعة 5 م.", "قتل اثنا عشر شخصا."),
    ("vi", "Thiếu thuyền, lưới v.v.", "Ngư dân đã chết."),
    ("id", "Tidak ada perahu, jala, dll.", "Nelayan tewas."),
    ("und", "It was found at 7 p.m.", "Divers went down."),
]
# The same abbreviations inside a sentence.
INSIDE = [
    ("en", "He left at 5 p.m. Monday for Rome."),
    ("en", "He left at 5 p.m. Sept. 5 for Rome."),
    ("en", "He left at 5 p.m. GMT for Rome."),
    ("en", "He left at 5 p.m. Eastern for Rome."),
    ("en", "He left at 5 p.m. Eastern Daylight Time for Rome."),
    ("en", "He left at 5 p.m. Newfoundland time for Rome."),
    ("en", "He left at 5 p.m. (Moscow time) for Rome."),
    ("en", "He left on the 5 p.m. Oslo train."),
    ("en", "He left at 5 p.m. and came back."),
    ("en", "The U.S. Navy searched."),
    ("en", "The U.S. President spoke."),
    ("en", "The U.S. Geological Survey measured it."),
    ("en", "Acme Inc. Chairman Ann Lee spoke."),
    ("en", "Martin Luther King Jr. Boulevard was closed."),
    ("es", "Salió a las 5 p. m. GMT hacia Roma."),
    ("es", "El presidente de EE. UU. Joe Biden habló."),
    ("es", "El presidente de EE.UU. Joe Biden habló."),
    ("de", "Er kam aus Frankfurt a.M. Hauptbahnhof zurück."),
    ("de", "Es kamen u.a. Vertreter der Stadt."),
    ("tr", "Almanya, Fransa vb. Avrupa ülkeleri katıldı."),
    ("ru", "Он жил на пр. Ленина в Москве."),
    ("el", "Έφυγε στις 5 μ.μ. Δευτέρα για Ρώμη."),
    ("ar", "قال م. أحمد ذلك."),
]


@pytest.mark.parametrize(("language", "first", "second"), ENDED)
def test_an_abbreviation_ends_a_sentence_where_the_next_word_begins_one(
    language: str, first: str, second: str
) -> None:
    assert split(f"{first} {second}", language) == [first, second]


@pytest.mark.parametrize(("language", "sentence"), INSIDE)
def test_an_abbreviation_ends_no_sentence_where_the_phrase_goes_on(
    language: str, sentence: str
) -> None:
    assert split(sentence, language) == [sentence]


def test_an_abbreviation_stands_in_one_list_only() -> None:
    path = files("globesumm").joinpath("data", "abbreviations.toml")
    for language, own in tomllib.loads(path.read_text(encoding="utf-8")).items():
        lists = [own.get(name, "").split() for name in ("join", "either", "ends")]
        twice = [word for word, times in Counter(chain(*lists)).items() if times > 1]
        assert twice == [], language


def test_every_globesumm_language_has_a_case() -> None:
    assert set(GLOBESUMM) <= set(CASES)


def _boundaries(sentences: Sequence[str]) -> set[int]:
    """Places of sentence ends, counted in characters that are not white space."""
    place, places = 0, set()
    for sentence in sentences:
        place += len("".join(sentence.split()))
        places.add(place)
    return places


def test_the_reference_sentences_are_split_no_worse_than_before() -> None:
    folder = os.environ.get("GLOBESUMM_DATA")
    if folder is None:
        pytest.skip("GLOBESUMM_DATA does not name the folder of reference data")
    text = (Path(folder) / "metrics/own/sentences.json").read_text(encoding="utf-8")
    gold: dict[str, list[str]] = json.loads(text)
    right = found = expected = exact = 0
    for language, sentences in gold.items():
        got = split(" ".join(sentences), language)
        right += len(_boundaries(got) & _boundaries(sentences))
        found, expected = found + len(got), expected + len(sentences)
        exact += len(set(got) & set(sentences))
    assert 2 * right / (found + expected) >= F1_FLOOR
    assert exact / expected >= EXACT_FLOOR


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n  \n", "\u2028", "\u2029", "\f"])
def test_a_line_end_ends_a_sentence(end: str) -> None:
    assert split(f"A headline{end}the text goes on", "en") == ["A headline", "the text goes on"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \r\n"])
def test_no_text_has_no_sentences(text: str) -> None:
    assert split(text, "en") == []


@pytest.mark.parametrize("text", ["***", "…", "»", "? ! ."])
def test_marks_alone_are_kept(text: str) -> None:
    assert split(text, "en") == [text]


def test_marks_belong_to_the_sentence_beside_them() -> None:
    assert split("It ended. ***", "en") == ["It ended. ***"]
    assert split("... It ended. He left.", "en") == ["... It ended.", "He left."]


def test_an_unknown_language_gets_the_common_rules() -> None:
    assert split("Dr. A. Ruiz left. He won.", "und") == ["Dr. A. Ruiz left.", "He won."]


PIECES = st.sampled_from(
    [*"aAб中अא.!?…;。”“«»\"')( -,5\n\r\x00\u00a0\u0301\ud800।؟", "Dr. ", "U.S. ", "3. ", "... "]
)


@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from(list(LANGUAGES)))
def test_no_character_is_lost_or_invented(text: str, language: str) -> None:
    sentences = split(text, language)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)


@given(st.text(max_size=200), st.sampled_from(list(LANGUAGES)))
def test_any_text_keeps_its_characters(text: str, language: str) -> None:
    assert "".join("".join(split(text, language)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "Hello there. ",
        "! ",
        "中。",
        "J. ",
        "… A",
        "» ",
        ". ",
        " ",
        "“",
        "…»",
        "1. ",
        "\n",
        "A.B.",
    ],
)
def test_a_huge_line_is_split_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.perf_counter()
    split(text, "de")
    assert time.perf_counter() - started < 15


def test_the_splitter_names_the_rule_and_the_icu_version() -> None:
    name, _, rules = SPLITTER.partition("+")
    assert name.startswith("icu-")
    assert int(name.removeprefix("icu-")) >= 70
    assert rules.startswith("joins-")
