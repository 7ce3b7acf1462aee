"""ROUGE against values that others computed, and its behaviour at the edges."""

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import UnknownName, UsageError
from globesumm.languages import GLOBESUMM
from metrics import Candidate, Rouge
from metrics.overlap import RougeType
from metrics.subsequence import Reference, length

TYPES: tuple[RougeType, ...] = ("rouge1", "rouge2", "rougeL", "rougeLsum")

OWN_TEXTS = {
    "fr": "Le ferry a coulé lundi au large de l'île. Douze personnes sont mortes.",
    "bg": "Фериботът потъна в понеделник. Загинаха дванадесет души.",
    "sv": "Färjan sjönk på måndagen utanför ön. Tolv människor dog.",
    "hi": "सोमवार को द्वीप के पास नौका डूब गई। बारह लोगों की मौत हुई।",
    "it": "Il traghetto è affondato lunedì al largo dell'isola. Dodici i morti.",
    "hu": "Hétfőn elsüllyedt a komp a sziget közelében. Tizenketten meghaltak.",
    "nl": "De veerboot zonk maandag bij het eiland. Twaalf mensen kwamen om.",
    "pt": "O ferry afundou na segunda-feira. Doze pessoas morreram.",
    "ru": "Паром затонул в понедельник у острова. Погибли двенадцать человек.",
    "ar": "غرقت العبّارة يوم الاثنين قرب الجزيرة. قُتل اثنا عشر شخصا.",
    "ro": "Feribotul s-a scufundat luni lângă insulă. Doisprezece oameni au murit.",
    "da": "Færgen sank mandag ud for øen. Tolv mennesker døde.",
    "mk": "Фериботот потона во понеделникот. Загинаа дванаесет лица.",
    "tr": "Feribot pazartesi günü ADANIN İskelesinde battı. On iki kişi öldü.",
    "uk": "Пором затонув у понеділок біля острова. Загинули дванадцять людей.",
    "ca": "El transbordador es va enfonsar dilluns. Van morir dotze persones.",
    "pl": "Prom zatonął w poniedziałek koło wyspy. Zginęło dwanaście osób.",
    "ko": "여객선이 월요일 섬 근처에서 침몰했다. 열두 명이 숨졌다.",
    "el": "Το πλοίο βυθίστηκε τη Δευτέρα κοντά στο νησί. Δώδεκα νεκροί.",
    "fi": "Lautta upposi maanantaina saaren lähellä. Kaksitoista ihmistä kuoli.",
    "es": "El transbordador se hundió el lunes cerca de la isla. Murieron doce personas.",
    "cs": "Trajekt se v pondělí potopil u ostrova. Zemřelo dvanáct lidí.",
    "de": "Die Fähre sank am Montag vor der Insel. Zwölf Menschen starben.",
    "he": "המעבורת טבעה ביום שני ליד האי. שנים עשר בני אדם נהרגו.",
    "sq": "Trageti u mbyt të hënën pranë ishullit. Vdiqën dymbëdhjetë veta.",
    "en": "The ferry sank on Monday near the island. Twelve people died.",
    "zh": "渡轮星期一在岛屿附近沉没。十二人死亡。",
    "ja": "フェリーは月曜日に島の近くで沈没した。十二人が死亡した。",
    "th": "เรือเฟอร์รี่จมเมื่อวันจันทร์ใกล้เกาะ มีผู้เสียชีวิตสิบสองคน",
}

SHARED_DIGIT = {
    "ru": ("Погибли 12 человек на пароме", "Выборы пройдут через 12 месяцев в столице"),
    "ko": ("섬 근처 여객선 침몰로 12 명이 숨졌다", "수도의 다음 선거는 내년 12 월에 열린다"),
    "el": ("Νεκροί 12 άνθρωποι στο ναυάγιο", "Οι εκλογές σε 12 μήνες στην πρωτεύουσα"),
    "ar": ("قتل 12 شخصا إثر غرق العبارة", "تجرى الانتخابات بعد 12 شهرا في العاصمة"),
    "hi": ("नौका डूबने से 12 लोगों की मौत", "राजधानी में चुनाव 12 महीने बाद होंगे"),
    "he": ("במעבורת נהרגו 12 בני אדם", "הבחירות ייערכו בעוד 12 חודשים בבירה"),
    "bg": ("Загинаха 12 души на ферибота", "Изборите са след 12 месеца в столицата"),
    "zh": ("渡轮沉没造成 12 人死亡", "首都选举将在 12 个月后举行"),
    "ja": ("フェリー沈没で 12 人が死亡", "首都の選挙は 12 か月後に行われる"),
    "th": ("เรือเฟอร์รี่จม เสียชีวิต 12 คน", "การเลือกตั้งในเมืองหลวงจะจัดขึ้นใน 12 เดือน"),
}


def candidate(text: str, *references: str, language: str = "en") -> Candidate:
    return Candidate(id="x", text=text, language=language, references=references)


def test_the_reference_values_of_four_implementations_come_out(shared_data: Path) -> None:
    rows = json.loads((shared_data / "metrics/own/rouge_reference.json").read_text())
    assert len({row["lang"] for row in rows}) == 5
    for row in rows:
        found = Rouge(types=TYPES).compare(row["candidate"], row["reference"], row["lang"])
        for kind in TYPES:
            assert found[kind] == pytest.approx(row["rouge_score"][kind], abs=1e-9), row["lang"]


def test_the_official_scorers_sample_comes_out(shared_data: Path) -> None:
    folder = shared_data / "metrics/rouge155"
    expected = json.loads((folder / "expected.json").read_text())
    targets = (folder / "target.txt").read_text().splitlines()
    predictions = (folder / "prediction.txt").read_text().splitlines()
    compared = 0
    for row in expected["lines"]:
        metric = Rouge(tokenizer="rouge-score", stem=row["stem"])
        found = metric.compare(predictions[row["line"]], targets[row["line"]], "en")
        for kind in metric.types:
            if kind in row:
                p, r, f = found[kind]
                assert {"p": p, "r": r, "f": f} == pytest.approx(row[kind], abs=1e-5)
                compared += 1
    for row in expected["strings"]:
        kinds = [kind for kind in TYPES if kind in row]
        found = Rouge(types=TYPES).compare(row["prediction"], row["target"], "en")
        for kind in kinds:
            p, r, f = found[kind]
            assert {"p": p, "r": r, "f": f} == pytest.approx(row[kind], abs=5e-5)
            compared += 1
    assert compared == 16


def random_text(numbers: random.Random) -> str:
    words = ["ferry", "sank", "the", "a", "12", "dead", "Ports", "porting", "coast's", "3.5"]
    return "".join(
        numbers.choice(words) + numbers.choice([" ", " ", " ", "\n", ". ", " – "])
        for _ in range(numbers.randint(0, 60))
    )


@pytest.mark.parametrize("stem", [False, True])
def test_with_its_tokenizer_a_thousand_random_pairs_score_as_in_rouge_score(stem: bool) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    numbers = random.Random(4)
    theirs = RougeScorer(list(TYPES), use_stemmer=stem)
    ours = Rouge(types=TYPES, tokenizer="rouge-score", stem=stem)
    for _ in range(500):
        prediction, target = random_text(numbers), random_text(numbers)
        expected = theirs.score(target, prediction)
        found = ours.compare(prediction, target, "en")
        assert {kind: tuple(value) for kind, value in found.items()} == {
            kind: pytest.approx(tuple(value), abs=1e-12) for kind, value in expected.items()
        }


def test_several_references_by_max_are_those_of_rouge_score() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    texts = ("the ferry sank on monday", "a ferry sank", "twelve people died when it sank")
    metric = Rouge(types=TYPES, tokenizer="rouge-score", report="prf")
    expected = RougeScorer(list(TYPES)).score_multi(list(texts), "the ferry sank and twelve died")
    scores = metric.score([candidate("the ferry sank and twelve died", *texts)])
    found = {score.metric: score.value for score in scores}
    for kind in TYPES:
        assert found[kind] == pytest.approx(expected[kind].fmeasure)
        assert found[f"{kind}_p"] == pytest.approx(expected[kind].precision)
        assert found[f"{kind}_r"] == pytest.approx(expected[kind].recall)


def test_several_references_by_mean_are_averaged_and_the_signature_says_so() -> None:
    one, two = "the ferry sank", "twelve people died"
    metric = Rouge(types=("rouge1",), references="mean")
    assert metric.score([candidate(one, one, two)])[0].value == pytest.approx(0.5)
    assert "refs:mean" in str(metric.signature)
    assert metric.signature != Rouge(types=("rouge1",)).signature


@pytest.mark.parametrize("language", [*GLOBESUMM, "zh", "ja", "th"])
def test_a_text_against_itself_scores_one_in_every_language(language: str) -> None:
    text = OWN_TEXTS[language]
    for metric in (Rouge(types=TYPES), Rouge(types=TYPES, tokenizer="characters")):
        scores = metric.score([candidate(text, text, language=language)])
        assert [score.value for score in scores] == pytest.approx([1, 1, 1, 1])


@pytest.mark.parametrize("language", SHARED_DIGIT)
def test_different_texts_that_share_a_digit_score_below_a_fifth(language: str) -> None:
    left, right = SHARED_DIGIT[language]
    for score in Rouge(types=TYPES).score([candidate(left, right, language=language)]):
        assert score.value is not None
        assert score.value < 0.2


@pytest.mark.parametrize("language", SHARED_DIGIT)
def test_a_tokenizer_blind_to_a_script_leaves_it_unscored_with_the_reason(language: str) -> None:
    left, right = SHARED_DIGIT[language]
    metric = Rouge(tokenizer="rouge-score")
    for score in metric.score([candidate(left, right, language=language)]):
        assert score.value is None
        assert "sees 0 of the" in str(score.note)


def test_decomposed_text_scores_as_composed() -> None:
    scores = Rouge().score([candidate("Fa\u0308hre sank", "Fähre sank", language="de")])
    assert [score.value for score in scores] == [1, 1, 1]


def test_a_candidate_without_words_scores_zero_and_says_so() -> None:
    for text in ("", "  \n ", "… — !?"):
        for score in Rouge().score([candidate(text, "the ferry sank")]):
            assert score.value == 0
            assert score.note == "the candidate has no words"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (candidate("the ferry sank"), "no reference"),
        (candidate("the ferry sank", "", "?!"), "no reference has 1 word"),
        (
            Candidate(
                id="x",
                text="le ferry",
                language="fr",
                references=("the ferry",),
                reference_language="en",
            ),
            "the candidate is in fr, its references in en",
        ),
    ],
)
def test_what_cannot_be_compared_is_unscored_with_the_reason(given: Candidate, reason: str) -> None:
    for score in Rouge(types=("rouge1", "rougeL", "rougeLsum")).score([given]):
        assert (score.value, score.note) == (None, reason)


def test_a_reference_without_word_pairs_leaves_only_rouge_2_unscored() -> None:
    one, two, whole = Rouge().score([candidate("sunk", "sunk")])
    assert (one.value, whole.value) == (1, 1)
    assert (two.value, two.note) == (None, "no reference has 2 words")


def test_references_without_words_are_left_out_and_counted() -> None:
    for score in Rouge().score([candidate("the ferry", "the ferry", "–")]):
        assert score.value == 1
        assert score.note == "1 of 2 references had too few words"


def test_a_stemmer_without_its_tokenizer_is_refused_not_ignored() -> None:
    with pytest.raises(UsageError, match="cannot stem"):
        Rouge(stem=True)


def test_unknown_settings_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="'words'"):
        Rouge(tokenizer="word")


def test_the_newline_convention_is_part_of_the_signature_and_of_the_value() -> None:
    reference = "The ferry sank. Twelve died."
    given = candidate("Twelve died. The ferry sank.", reference)
    lines, split = (Rouge(types=("rougeLsum",), lines=lines) for lines in ("newline", "split"))
    assert lines.score([given])[0].value == pytest.approx(3 / 5)
    assert split.score([given])[0].value == 1
    assert lines.signature.differences(split.signature)


tokens = st.lists(st.integers(0, 4), max_size=40)


def table(left: list[int], right: list[int]) -> list[list[int]]:
    cells = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row, one in enumerate(left, 1):
        for column, two in enumerate(right, 1):
            cells[row][column] = (
                cells[row - 1][column - 1] + 1
                if one == two
                else max(cells[row - 1][column], cells[row][column - 1])
            )
    return cells


@given(tokens, tokens)
@settings(max_examples=150, deadline=None)
def test_bit_vectors_find_a_common_subsequence_as_long_as_the_table_says(
    left: list[int], right: list[int]
) -> None:
    longest = table(left, right)[-1][-1]
    places = Reference(left).places(right)
    assert length(left, right) == len(places) == longest
    assert all(one > two for one, two in pairwise(places))
    rest = iter(reversed(right))
    assert all(any(token == left[place] for token in rest) for place in places)


words = st.text(st.sampled_from("abcdeабв היש\n.,1"), max_size=80)


@given(words, words)
@settings(max_examples=150, deadline=None)
def test_swapping_the_texts_swaps_precision_and_recall(left: str, right: str) -> None:
    metric = Rouge(types=("rouge1", "rouge2", "rougeL"))
    forth, back = metric.compare(left, right, "en"), metric.compare(right, left, "en")
    for kind in metric.types:
        assert forth[kind].precision == back[kind].recall
        assert 0 <= forth[kind].f <= 1


@given(
    st.one_of(
        st.text(st.characters(max_codepoint=127), max_size=80),
        st.text(max_size=40),
        st.text(st.sampled_from("aбİIשّ१ाกာខ船ふー船한ẞ\u0301 \u200d,·"), max_size=40),
    ),
    st.sampled_from(["en", "tr", "th", "hi", "und"]),
)
def test_the_short_ways_give_the_tokens_of_the_rule(written: str, language: str) -> None:
    from globesumm.text.words import words as rule
    from metrics.tokens import TOKENIZERS

    assert TOKENIZERS["words"].split(written, language) == rule(written, language)


def test_no_character_of_an_unspaced_script_takes_the_short_way() -> None:
    import regex

    from metrics.tokens import UNSPACED

    scripts = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
    unspaced = regex.compile("[ー" + "".join(f"\\p{{{name}}}" for name in scripts) + "]")
    every = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
    assert [char for char in unspaced.findall(every) if not UNSPACED.match(char)] == []
