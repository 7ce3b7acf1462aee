"""Names of articles in other languages: which Wikipedia speaks which language, and keeping them."""

from pathlib import Path

import pytest

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import GLOBESUMM
from retrieval.portal.names import NameStore, wanted_languages


@pytest.fixture
def store(tmp_path: Path) -> NameStore:
    return NameStore(tmp_path / "names.sqlite")


def test_names_come_in_the_languages_asked_for_without_remarks_that_tell_articles_apart(
    store: NameStore,
) -> None:
    store.put(
        {"Mercury": ("Mercury (planet)", {"de": "Merkur (Planet)", "fr": "Mercure", "xx": ""})}
    )
    assert store.names(["Mercury"], ["en", "de", "it"]) == {
        "Mercury": {"en": "Mercury", "de": "Merkur"}
    }


def test_wikipedias_whose_code_means_another_language_elsewhere_are_not_believed(
    store: NameStore,
) -> None:
    """als is Alemannic there and Tosk Albanian elsewhere; simple is no language of its own."""
    links = {"als": "Elsisch", "zh-classical": "文", "simple": "S", "sh": "S", "be-x-old": "Б"}
    store.put({"A": ("A", links)})
    assert store.names(["A"], ["sq", "zh", "sr", "be", "en"]) == {"A": {"en": "A"}}


def test_old_codes_of_languages_are_understood_and_the_own_code_comes_first(
    store: NameStore,
) -> None:
    store.put({"A": ("A", {"iw": "ישן", "nb": "Bokmål"}), "B": ("B", {"iw": "ישן", "he": "חדש"})})
    assert store.names(["A", "B"], ["he", "no"]) == {
        "A": {"he": "ישן", "no": "Bokmål"},
        "B": {"he": "חדש"},
    }


def test_an_article_that_does_not_exist_has_no_name_and_one_never_asked_for_is_an_error(
    store: NameStore,
) -> None:
    store.put({"Gone": (None, {})})
    assert store.names(["Gone"], ["de"]) == {}
    with pytest.raises(DataError, match=r"the names of 1 articles could not be had: Never"):
        store.names(["Gone", "Never"], ["de"])
    assert store.lacking(["Gone", "Never"]) == ["Never"]


def test_a_damaged_store_is_told_so(store: NameStore) -> None:
    store.path.write_bytes(b"no database" * 100)
    with pytest.raises(UsageError, match="remove it to start anew"):
        store.lacking(["A"])


def test_languages_are_listed_in_any_way_and_each_counts_once() -> None:
    assert wanted_languages("de, German iw") == ("de", "he")
    assert wanted_languages("globesumm") == GLOBESUMM
    assert wanted_languages("") == ()
    with pytest.raises(UsageError, match="no language to find names in"):
        wanted_languages("und")
    with pytest.raises(UnknownName, match="unknown language"):
        wanted_languages("qq")
