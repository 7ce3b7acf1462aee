"""Each kind of page that is no report, in the languages it comes in, and reports like it."""

import random
import re
import tomllib
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from globesumm.languages import GLOBESUMM, LANGUAGES
from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract import extract
from retrieval.extract_page import Extraction
from retrieval.gate import signs
from retrieval.gate.judge import letters_of
from retrieval.gate.phrases import how_many, is_said, phrases, said_share
from retrieval.gate.same_title import is_other_page, likeness
from retrieval.kinds import KINDS
from retrieval.read import read

BODY = (
    "The bridge over the river closed on Monday after engineers found cracks in two pillars.",
    "The mayor said that repairs would take six weeks and cost about four million euros.",
    "Until then buses will go by way of the old bridge in the north of the city, she added.",
)
TABLE = tomllib.loads(
    files("globesumm").joinpath("data", "page_gate", "phrases.toml").read_text(encoding="utf-8")
)
KIND_OF = {"consent": "consent-page", "script": "script-wall", "gone": "soft-404"}


def paragraphs(*lines: str) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def page(
    body: str,
    *,
    title: str = "",
    head: str = "",
    url: str = "https://daily.example/news/bridge-closed-4711",
    expected: str | None = None,
    language: str | None = None,
) -> RawPage:
    html = f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return RawPage(content=html.encode(), where="page", url=url, title=expected, language=language)


def outcome(raw: RawPage, **settings: int) -> Document | Rejected:
    (one,) = extract([raw], settings=Extraction(**settings))  # type: ignore[arg-type]
    return one


def kind(raw: RawPage, **settings: int) -> str | None:
    one = outcome(raw, **settings)
    assert not isinstance(one, Rejected) or one.kind in KINDS
    return one.kind if isinstance(one, Rejected) else None


def test_an_ordinary_report_passes() -> None:
    assert kind(page(paragraphs(*BODY), title="Bridge closed")) is None


def test_every_language_of_the_data_set_has_phrases_of_every_kind() -> None:
    assert set(TABLE) == {"consent", "paywall", "script", "gone", "script_titles", "gone_titles"}
    for name, by_language in TABLE.items():
        assert set(by_language) <= set(LANGUAGES), name
        if name.endswith("_titles"):
            continue
        assert set(by_language) >= set(GLOBESUMM), name
        for code, own in by_language.items():
            assert len(own) >= 2, (name, code)
            assert len(set(own)) == len(own), (name, code)
            assert all(one == " ".join(one.split()) for one in own)


@pytest.mark.parametrize("code", GLOBESUMM)
@pytest.mark.parametrize("name", KIND_OF)
def test_a_page_titled_like_a_wall_is_one_in_every_language(name: str, code: str) -> None:
    phrase = TABLE[name][code][0]
    raw = page(paragraphs(phrase.capitalize() + " …", "x" * 120), title=f"{phrase} | The Daily")
    assert kind(raw) == KIND_OF[name]


@pytest.mark.parametrize("code", GLOBESUMM)
def test_a_short_text_that_asks_to_subscribe_is_a_paywall_in_every_language(code: str) -> None:
    one, other = TABLE["paywall"][code][:2]
    raw = page(paragraphs(f"{one.capitalize()}. {other} " * 4), title="Bridge closed")
    assert kind(raw) == "paywall"


@pytest.mark.parametrize("code", GLOBESUMM)
def test_a_short_text_of_consent_in_two_phrases_is_a_consent_page(code: str) -> None:
    one, other = TABLE["consent"][code][-2:]
    raw = page(paragraphs(f"{one.capitalize()}. {other} " * 4), title="The Daily")
    assert kind(raw) == "consent-page"


@pytest.mark.parametrize("name", ["consent", "paywall", "script", "gone"])
def test_a_report_that_quotes_a_wall_passes(name: str) -> None:
    phrase = TABLE[name]["en"][0]
    aside = f"“{phrase.capitalize()}”, the site of the bridge authority said to visitors."
    assert kind(page(paragraphs(*BODY, aside), title=f"Why “{phrase}” is everywhere")) is None


@pytest.mark.parametrize(
    "line",
    [
        "Die vermissten Wanderer konnten bislang nicht gefunden werden, wie die Polizei mitteilt.",
        "The black box of the aircraft has still not been found, and may never be, officials said.",
        "El arma no se ha encontrado, ya no está disponible ningún testigo, según la fiscalía.",
        "Access denied to the harbour: protesters blocked the gates, which caused unusual traffic.",
        "Het wrak werd niet gevonden; de opgevraagde beelden zijn niet meer beschikbaar.",
        "The permit has expired, and just a moment of inattention set the hillside on fire.",
    ],
)
def test_a_report_of_one_sentence_may_miss_something(line: str) -> None:
    article = '<meta property="og:type" content="article">'
    assert kind(page(paragraphs(line * 2), title="Search goes on"), fewest_letters=60) is None
    assert kind(page(paragraphs(line), title="x", head=article), fewest_letters=60) is None


def test_one_long_paragraph_is_weighed_by_its_sentences() -> None:
    body = " ".join(BODY) + " Its web site said: page not found."
    assert kind(page(paragraphs(body), title="Bridge closed")) is None


@pytest.mark.parametrize(
    "title", ["Access Denied", "Just a moment...", "Not Found", "Nicht gefunden"]
)
def test_words_that_only_a_title_tells_by_tell_there(title: str) -> None:
    assert kind(page(paragraphs(*BODY), title=f"{title} | The Daily")) in {
        "soft-404",
        "script-wall",
    }


def test_a_footer_about_cookies_does_not_make_a_report_a_consent_page() -> None:
    footer = "We value your privacy. We and our partners use cookies and similar techniques."
    assert kind(page(paragraphs(*BODY, footer), title="Bridge closed")) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://consent.daily.example/collect?continue=https%3A%2F%2Fdaily.example",
        "https://www.daily.example/gdpr-consent/?destination=%2fnews",
        "https://www.zeitung.example/zustimmung?url=%2Fartikel",
        "https://choice.npr.example/index.html?origin=https://www.npr.example/2023/05/15/x",
    ],
)
def test_an_address_of_consent_is_enough(url: str) -> None:
    assert kind(page(paragraphs(*BODY), title="The Daily", url=url)) == "consent-page"


def test_an_article_on_consent_is_not_told_by_its_address() -> None:
    for url in ("https://d.example/law/new-consent-rules", "https://d.example/gdpr/fine-of-a-bank"):
        assert kind(page(paragraphs(*BODY), title="New rules", url=url)) is None


@pytest.mark.parametrize("mark", signs.marks()["script"])
def test_marks_of_challenges_count_where_there_is_hardly_any_text(mark: str) -> None:
    script = f'<script src="https://x.example/{mark}/a"></script>'
    assert kind(page(script + paragraphs("One moment"), title="daily.example")) == "script-wall"
    assert kind(page(script, title="")) == "script-wall"
    assert kind(page(script + paragraphs(*BODY))) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://daily.example/",
        "https://www.daily.example",
        "http://daily.example/index.php",
        "https://daily.example/en/",
        "https://daily.example/?utm_source=feed",
        "https://daily.example/de/startseite",
    ],
)
def test_a_front_page_is_told_by_its_address(url: str) -> None:
    assert kind(page(paragraphs(*BODY), title="The Daily", url=url)) == "home-page"


@pytest.mark.parametrize(
    "url",
    [
        "https://daily.example/?p=4711",
        "https://daily.example/index.php?id=4711",
        "https://daily.example/en/bridge",
        "https://daily.example/bridge-closed",
    ],
)
def test_an_address_that_names_a_report_is_no_front_page(url: str) -> None:
    assert not signs.is_root(url)
    assert kind(page(paragraphs(*BODY), title="Bridge closed", url=url)) is None


def teaser(number: int) -> str:
    return (
        f'<div class="teaser"><h3><a href="/news/{number}">Report number {number}</a></h3>'
        f"<p>What report {number} is about in one line that is long enough to be text, and "
        f"then a little more of the matter {number * 7}.</p></div>"
    )


def test_a_list_of_teasers_is_a_section_and_at_the_root_a_front_page() -> None:
    many = "".join(map(teaser, range(12)))
    assert kind(page(many, title="Local", url="https://daily.example/local-news")) == "section-page"
    few = "".join(map(teaser, range(4)))
    tag = "https://daily.example/tag/bridges"
    assert kind(page(few, title="Bridges", url=tag)) == "section-page"
    root = '<link rel="canonical" href="https://daily.example/">'
    assert (
        kind(page(many, title="The Daily", head=root, url="https://f.example/r/1")) == "home-page"
    )


def test_a_report_with_teasers_below_it_is_no_section() -> None:
    body = f"<article>{paragraphs(*BODY * 2)}</article>" + "".join(map(teaser, range(12)))
    assert kind(page(body, title="Bridge closed")) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://www.google.com/imgres?imgurl=https://i.example/a.jpg",
        "https://forum.example/threads/where-did-it-go.2675645/",
        "https://board.example/viewtopic.php?t=12",
        "https://wiki.example/index.php?title=Bridge&diff=591343&oldid=588001",
        "https://www.youtube.com/watch?v=abcdefghijk",
    ],
)
def test_pictures_films_threads_and_versions_are_told_by_their_addresses(url: str) -> None:
    assert kind(page(paragraphs(*BODY), title="Something", url=url)) == "not-an-article"


def test_a_short_page_that_calls_itself_a_film_is_none_and_a_report_with_a_film_is() -> None:
    film = '<meta property="og:type" content="video.other">'
    assert kind(page(paragraphs(*BODY), title="A film", head=film)) == "not-an-article"
    assert kind(page(paragraphs(*BODY, "And so on. " * 40), title="F", head=film)) is None


def moved(text: str) -> str:
    return "".join(chr(ord(char) + 1) if char.isalpha() else char for char in text)


def shuffled(text: str) -> str:
    order = random.Random(1)

    def mixed(word: re.Match[str]) -> str:
        return "".join(order.sample(word[0], len(word[0])))

    return re.sub(r"[^\W\d_]+", mixed, text)


LONG = {
    "de": (
        "Die Polizei sucht nach dem Unfall auf der Brücke weiter nach Zeugen. Nach ersten "
        "Erkenntnissen war ein Lastwagen am frühen Morgen von der Fahrbahn abgekommen und "
        "gegen das Geländer gestoßen. Der Fahrer kam mit leichten Verletzungen davon, wie ein "
        "Sprecher am Montag mitteilte. Die Bergung des Fahrzeugs dauerte bis in den Nachmittag."
    ),
    "en": (
        "Police are looking for witnesses of the accident on the bridge. The lorry had left the "
        "road early in the morning and struck the railing, a spokesman said on Monday. The "
        "driver escaped with minor injuries. It took until the afternoon to recover the "
        "vehicle, and traffic was diverted through the villages in the north of the county."
    ),
    "ru": (
        "Полиция продолжает искать свидетелей аварии на мосту. По предварительным данным, "
        "грузовик рано утром съехал с дороги и ударился об ограждение, сообщил представитель "
        "ведомства в понедельник. Водитель отделался лёгкими травмами. Подъём машины продолжался "
        "до вечера, движение было направлено в объезд через соседние деревни."
    ),
    "el": (
        "Η αστυνομία αναζητεί μάρτυρες του ατυχήματος στη γέφυρα. Σύμφωνα με τα πρώτα στοιχεία, "
        "το φορτηγό βγήκε από τον δρόμο νωρίς το πρωί και χτύπησε στα κιγκλιδώματα, ανακοίνωσε "
        "εκπρόσωπος τη Δευτέρα. Ο οδηγός τραυματίστηκε ελαφρά. Η ανάσυρση του οχήματος κράτησε "
        "μέχρι το απόγευμα και η κυκλοφορία έγινε μέσα από τα γύρω χωριά."
    ),
}


@pytest.mark.parametrize("code", LONG)
def test_moved_and_shuffled_letters_are_named_and_plain_ones_pass(code: str) -> None:
    lines = re.split(r"(?<=\.) ", LONG[code])

    def made(text: str) -> RawPage:
        head = f'<meta http-equiv="content-language" content="{code}">'
        parts = paragraphs(*(re.split(r"(?<=\.) ", text)))
        return page(parts, title="", head=head, language=code)

    assert len(lines) >= 4
    assert kind(made(LONG[code])) is None
    assert kind(made(moved(LONG[code]))) == "cipher-text"
    assert kind(made(shuffled(LONG[code]))) == "cipher-text"


def test_a_text_that_turns_into_cipher_half_way_is_named() -> None:
    body = paragraphs(BODY[0], moved(LONG["en"]), moved(LONG["de"]))
    assert kind(page(body, title="Bridge closed", language="en")) == "cipher-text"


def test_a_language_nobody_named_is_no_cipher() -> None:
    zulu = (
        "Abantu abaningi bahlangene edolobheni ngoMsombuluko ukuze bakhulume ngebhuloho elidala. "
        "Imeya yathi umsebenzi wokulungisa uzothatha amasonto ayisithupha futhi uzobiza imali "
        "eningi. Amaphoyisa acele umphakathi ukuba usebenzise omunye umgwaqo kuze kuphele."
    )
    assert kind(page(paragraphs(zulu), title="Ibhuloho", head="", language="en")) is None


@pytest.mark.parametrize(
    ("expected", "title", "same"),
    [
        ("Which Is the Better Small-Cap ETF for Now", "Ihre Datenschutzeinstellungen", False),
        ("Bridge over the river closed for six weeks", "Mayor opens the new theatre", False),
        ("Bridge over the river closed for six weeks", "River bridge closed", True),
        ("Bridge over the river closed | The Daily", "Bridge over the river closed", True),
        ("橋梁にひび割れ、月曜から通行止め、市長が会見", "市長が会見 橋梁ひび割れで通行止め", True),
        (
            "橋梁にひび割れ、月曜から通行止め、市長が会見",
            "新しい劇場が開館し大勢の人が訪れる",
            False,
        ),
        ("Short", "Another thing entirely", True),
    ],
)
def test_titles_tell_whether_it_is_the_page_pointed_at(
    expected: str, title: str, *, same: bool
) -> None:
    assert (is_other_page(expected, [title], "nothing of it") is None) == same


def test_a_rewritten_headline_is_forgiven_where_the_text_has_the_old_one() -> None:
    old = "Cracks found in pillars: bridge closed on Monday"
    new = "Six weeks of detours for commuters"
    assert kind(page(paragraphs(*BODY), title=new, expected=old)) is None
    other = "Champions win cup after extra time drama"
    one = outcome(page(paragraphs(*BODY), title=new, expected=other))
    assert isinstance(one, Rejected)
    assert (one.kind, one.language) == ("wrong-page", "en")


def test_an_expected_title_that_is_itself_a_wall_says_nothing() -> None:
    raw = page(paragraphs(*BODY), title="Bridge closed", expected="We value your privacy")
    assert kind(raw) is None


def test_few_letters_are_too_short_and_the_limit_can_be_moved() -> None:
    raw = page(paragraphs("The bridge over the river closed on Monday after cracks were found."))
    assert kind(raw) == "too-short"
    assert kind(raw, fewest_letters=20) is None
    assert kind(replace(raw, picked=True)) is None


def test_saved_pages_pass_the_gate_when_they_are_read(tmp_path: Path) -> None:
    html = "<html><head><title>{}</title></head><body>{}</body></html>"
    report = html.format("Bridge closed", paragraphs("The bridge closed on Monday."))
    wall = html.format("Page not found | The Daily", paragraphs("We are sorry."))
    (tmp_path / "report.html").write_text(report, encoding="utf-8")
    (tmp_path / "wall.html").write_text(wall, encoding="utf-8")
    good, bad = read(tmp_path)
    assert isinstance(good, Document)
    assert isinstance(bad, Rejected)
    assert (bad.kind, bad.where) == ("soft-404", str(tmp_path / "wall.html"))


def test_a_chinese_letter_counts_as_three() -> None:
    assert letters_of("大橋關閉了") == 15
    assert letters_of("abc de!") == 5


def test_without_the_gate_what_has_text_becomes_a_document() -> None:
    raw = page(paragraphs("Page not found, we are very sorry."), title="Page not found")
    (one,) = extract([raw], settings=Extraction(gate=False))
    assert isinstance(one, Document)


def test_a_text_from_many_addresses_of_one_host_is_boilerplate() -> None:
    pages = [
        page(paragraphs(*BODY), title="Bridge", url=f"https://daily.example/news/{number}")
        for number in range(6)
    ]
    pages.append(page(paragraphs(*BODY), title="Bridge", url="https://other.example/news/1"))
    found = Counter(one.kind if isinstance(one, Rejected) else "document" for one in extract(pages))
    assert found == {"document": 4, "boilerplate-page": 3}


def test_one_canonical_address_for_all_does_not_hide_boilerplate() -> None:
    head = '<link rel="canonical" href="https://daily.example/terms">'
    pages = [
        page(paragraphs(*BODY), head=head, url=f"https://daily.example/news/{number}")
        for number in range(5)
    ]
    kinds = [one.kind if isinstance(one, Rejected) else None for one in extract(pages)]
    assert kinds == [None, None, None, "boilerplate-page", "boilerplate-page"]
    assert kind(page(paragraphs(*BODY), head=head)) is None


def test_a_report_that_led_to_the_front_page_is_one_whatever_that_says() -> None:
    about = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "x"}</script>'
    raw = page(paragraphs(*BODY), head=about, url="https://daily.example/")
    assert kind(raw) is None
    asked = replace(raw, requested="https://daily.example/news/bridge-closed-4711")
    assert kind(asked) == "home-page"


def test_a_page_that_only_points_elsewhere_is_named() -> None:
    refresh = '<meta http-equiv="refresh" content="0; url=https://daily.example/real">'
    assert kind(page("", head=refresh)) == "redirect-page"
    assert kind(page(paragraphs("You are being taken there."), head=refresh)) == "redirect-page"
    assert kind(page(paragraphs(*BODY), head=refresh)) is None


def test_phrases_are_matched_as_whole_words_and_without_case() -> None:
    assert is_said("PAGE NOT FOUND", "gone")
    assert is_said("404 | The Daily", "gone")
    assert is_said("The Daily – Error 404", "gone")
    assert not is_said("A page not found in any archive", "gone")
    assert how_many("She was unenabled javascripting", "script") == 0
    assert said_share("Subscribers only\nfree", "paywall") == pytest.approx(15 / 19)
    assert said_share("", "paywall") == 0.0
    assert "page not found" in phrases("gone")


def test_likeness_of_titles_is_from_nothing_to_all() -> None:
    assert likeness("", "Bridge") == 0.0
    assert likeness("Bridge closed", "Bridge closed – again") == 1.0
    assert likeness("Bridge", "θέατρο") == 0.0
