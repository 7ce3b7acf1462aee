"""Each alteration changes the stated detail and nothing else."""

from difflib import SequenceMatcher

import pytest
import regex

from baselines.studies.alterations import KINDS, alter
from baselines.studies.rewordings import reworded
from baselines.studies.spotting import languages
from globesumm.text.details import details

# One sentence a language with a number, a month with a day, and a verb that can be negated.
SENTENCES = {
    "en": "On 12 June the storm was reported by 340 people in the valley.",
    "fr": "Le 12 juin, les secours sont arrivés et 340 personnes ont quitté la vallée.",
    "cs": "Dne 12. června bylo evakuováno celkem 340 lidí z údolí.",
    "el": "Στις 12 Ιουνίου η καταιγίδα είχε πλήξει 340 σπίτια στην κοιλάδα.",
    "ar": "في 12 يونيو كانت العاصفة قد دمرت 340 منزلا في الوادي.",
    "he": "ב-12 ביוני הסופה הייתה חזקה ופגעה ב 340 בתים בעמק.",
    "hi": "12 जून को घाटी में 340 लोगों ने तूफान की सूचना दी थी।",
}


def _replaced(before: str, after: str) -> list[tuple[str, str]]:
    """The stretches in which two texts differ, by words."""
    left, right = (regex.findall(r"[\p{L}\p{M}\p{Nd}]+|[^\s]", text) for text in (before, after))
    matcher = SequenceMatcher(a=left, b=right, autojunk=False)
    return [
        ("".join(left[a:b]), "".join(right[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def test_there_is_a_sentence_for_every_language_with_rules() -> None:
    assert languages() == sorted(SENTENCES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("seed", range(5))
def test_an_alteration_replaces_one_stretch_by_what_it_says(
    language: str, kind: str, seed: int
) -> None:
    before = SENTENCES[language]
    made = alter(before, language, kind, seed)
    assert made is not None
    assert made.kind == kind
    assert made.text != before
    places = [
        place
        for place in range(len(before))
        if before[:place] + made.after + before[place + len(made.before) :] == made.text
        and before.startswith(made.before, place)
    ]
    assert places


@pytest.mark.parametrize("language", SENTENCES)
def test_an_altered_number_keeps_its_form_and_moves_by_a_fifth_or_more(language: str) -> None:
    for seed in range(8):
        made = alter(SENTENCES[language], language, "number", seed)
        assert made is not None
        (old, new), *more = _replaced(SENTENCES[language], made.text)
        assert not more
        assert old == made.whole == "340"
        assert len(new) == 3
        assert abs(int(new) - int(old)) / int(old) >= 0.2


@pytest.mark.parametrize("language", SENTENCES)
def test_an_altered_date_leaves_numbers_and_negation_as_they_are(language: str) -> None:
    before = details(SENTENCES[language], language)
    for seed in range(8):
        made = alter(SENTENCES[language], language, "date", seed)
        assert made is not None
        after = details(made.text, language)
        assert [q.value for q in after.quantities] == [q.value for q in before.quantities]
        assert after.negated == before.negated


@pytest.mark.parametrize("language", SENTENCES)
def test_a_negated_sentence_has_one_negation_and_the_same_digits(language: str) -> None:
    made = alter(SENTENCES[language], language, "negation", 0)
    assert made is not None
    assert regex.findall(r"\p{Nd}+", made.text) == regex.findall(r"\p{Nd}+", SENTENCES[language])
    assert alter(made.text, language, "negation", 0) is None, "negated sentences are left alone"


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The match began at 15:30 on flight 447 in 2005.", "en"),
        ("Call 0800 789321 or +44 800 789321 for help.", "en"),
        ("The A320 left on 12 June.", "en"),
        ("Le 12 juin 2005 à 15h30.", "fr"),
        ("в 5-летний", "en"),
    ],
)
def test_years_days_times_and_names_are_not_altered_as_numbers(
    sentence: str, language: str
) -> None:
    assert alter(sentence, language, "number", 0) is None


@pytest.mark.parametrize("sentence", ["The March on the capital.", "It may rain."])
def test_words_that_only_look_like_months_are_left_alone(sentence: str) -> None:
    assert alter(sentence, "en", "date", 0) is None


def test_equal_keys_give_equal_alterations_and_others_differ() -> None:
    texts = [alter(SENTENCES["en"], "en", "date", seed) for seed in range(12)]
    assert texts == [alter(SENTENCES["en"], "en", "date", seed) for seed in range(12)]
    assert len({made.text for made in texts if made}) > 3


@pytest.mark.parametrize(
    ("before", "language", "after", "rule"),
    [
        ("It costs 25,000 euros.", "en", "It costs 25000 euros.", "number regrouped"),
        ("Il coûte 25000 euros.", "fr", "Il coûte 25 000 euros.", "number regrouped"),
        ("Κοστίζει 25.000 ευρώ.", "el", "Κοστίζει 25000 ευρώ.", "number regrouped"),
        ("It fell by 12 percent.", "en", "It fell by 12%.", "percent sign or word"),
        ("Klesl o 12%.", "cs", "Klesl o 12 procent.", "percent sign or word"),
        ("It burst on June 12, 2005.", "en", "It burst on 12 June 2005.", "date format"),
        ("Le 2 juin 2005 il cède.", "fr", "Le 02/06/2005 il cède.", "date format"),
        ("Praskla 2. června 2005.", "cs", "Praskla 2. 6. 2005.", "date format"),
        ("Only seven men came.", "en", "Only 7 men came.", "digit for number word"),
        ("وصل خمسة رجال.", "ar", "وصل 5 رجال.", "digit for number word"),
        (
            "According to the mayor, it broke late in the night.",
            "en",
            "It broke late in the night.",
            "attribution left out",
        ),
        (
            "Selon le maire, il a cédé cette nuit.",
            "fr",
            "Il a cédé cette nuit.",
            "attribution left out",
        ),
        ("The office (ONEMI) is shut.", "en", "The office is shut.", "aside left out"),
        ("१५ नाविक आए।", "hi", "15 नाविक आए।", "other digits"),
    ],
)
def test_rewording_keeps_every_detail(before: str, language: str, after: str, rule: str) -> None:
    made = reworded(before, language, 0)
    assert made is not None
    assert (made.text, made.rule, made.kind) == (after, rule, None)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("According to 12 witnesses, it broke.", "en"),
        ("The office (shut since June) is small.", "en"),
        ("Twenty-three men came.", "en"),
        ("Přišlo dvacet tři mužů.", "cs"),
        ("Ήρθαν είκοσι τρεις άνδρες.", "el"),
        ("وصل ثلاثة عشر رجلا.", "ar"),
        ("الساعة ثلاثة وعشرون.", "ar"),
    ],
)
def test_what_would_lose_a_detail_is_no_rewording(sentence: str, language: str) -> None:
    assert reworded(sentence, language, 0) is None
