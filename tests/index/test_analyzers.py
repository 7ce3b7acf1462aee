"""Each of the 26 languages has a stated analyzer, the same for documents and for queries."""

from pathlib import Path

import pytest

pytest.importorskip("pyserini", reason="needs the extra retrieval")

from globesumm.errors import UnknownName
from globesumm.languages import GLOBESUMM
from globesumm.values import Document
from retrieval.index import Index, analyses, analysis

FORMS = {
    "ar": ("الزلزال", "زلزال"),
    "bg": ("земетресението", "земетресение"),
    "ca": ("víctimes", "víctima"),
    "cs": ("městech", "město"),
    "da": ("jordskælvet", "jordskælv"),
    "de": ("Städten", "Städte"),
    "el": ("σεισμού", "σεισμός"),
    "en": ("earthquakes", "earthquake"),
    "es": ("terremotos", "terremoto"),
    "fi": ("maanjäristyksessä", "maanjäristyksen"),
    "fr": ("séismes", "séisme"),
    "he": ("רעידות", "רעידה"),
    "hi": ("देशों", "देश"),
    "hu": ("földrengést", "földrengés"),
    "it": ("terremoti", "terremoto"),
    "ko": ("지진이", "지진"),
    "mk": ("земјотресот", "земјотрес"),
    "nl": ("aardbevingen", "aardbeving"),
    "pl": ("trzęsienia", "trzęsienie"),
    "pt": ("terremotos", "terremoto"),
    "ro": ("cutremurului", "cutremur"),
    "ru": ("землетрясения", "землетрясение"),
    "sq": ("tërmetit", "tërmeti"),
    "sv": ("jordbävningen", "jordbävning"),
    "tr": ("şehirlerin", "şehirler"),
    "uk": ("землетрусу", "землетрус"),
}
"""Two forms of one word that anyone who reads the language would want to match."""

MISSED = {"he"}
"""Languages whose analyzer does not match them; the table names it a makeshift."""


def test_every_language_of_the_paper_has_an_analyzer() -> None:
    assert set(GLOBESUMM) <= set(analyses())
    assert set(FORMS) == set(GLOBESUMM)


def test_only_the_languages_that_lucene_lacks_have_a_makeshift_and_it_is_named() -> None:
    assert {code for code, row in analyses().items() if row.fallback} == {"he", "mk", "sq"}


@pytest.mark.parametrize("language", sorted(FORMS))
def test_an_inflected_form_in_a_query_finds_the_other_in_a_document(
    language: str, tmp_path: Path
) -> None:
    written, asked = FORMS[language]
    index = Index(tmp_path)
    index.add([Document(id="a", text=f"2023 {written} 2024", language=language)])
    found = bool(index.search(asked, language))
    assert found is (language not in MISSED)
    # The very form is found in every language, so both sides go the same way.
    assert index.search(written, language)


def test_no_language_but_english_has_the_english_analyzer() -> None:
    english = analysis("en").name
    assert [code for code, row in analyses().items() if row.name == english] == ["en"]


def test_aliases_of_a_language_lead_to_its_analyzer() -> None:
    assert analysis("iw") == analysis("he")
    assert analysis("Bulgarian") == analysis("bg")


def test_a_language_without_an_analyzer_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="language with an analyzer"):
        analysis("is")
