"""Every way in which portal pages have been written since 2005: frames, headings, sources."""

from datetime import date

import pytest

pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")

from globesumm.errors import DataError
from retrieval.portal import Parsed, PortalEvent
from retrieval.portal.categories import NOT_NEWS, categories, class_of
from retrieval.portal.days import day_in, title_of
from retrieval.portal.events import Origin
from retrieval.portal.outlets import names_in
from retrieval.portal.titles import name_from, page_of
from retrieval.portal.wikitext import read_wikitext

DAY = date(2023, 5, 15)
NEWS = "'''Sports'''\n*[[A Cup]]\n**B beats C. [https://a.example/1 (AP)]"


def days(wikitext: str) -> list[Parsed]:
    return read_wikitext(wikitext, Origin(where="page"))


def parsed(body: str) -> Parsed:
    (day,) = days(f"{{{{Current events|year=2023|month=05|day=15|content=\n{body}\n}}}}")
    return day


def one(bullet: str) -> PortalEvent:
    (event,) = parsed(bullet).events
    return event


FRAMES = {
    "header and footer": "{{Current events header|2023|05|15}}\n%s\n{{Current events footer}}",
    "header and table end": "{{Current events header|2023|05|15}}\n%s\n|}",
    "header with names": "{{Current events header|year=2023|month=5|day=15}}\n%s\n|}",
    "header and nothing": "{{Current events header|2023|5|15}}\n%s",
    "content": "{{Current events|year=2023|month=05|day=15|content=\n%s\n}}",
    "content, lower case": "{{current events | year=2023 | month=May | day = 15 | content =\n%s}}",
    "content, underscore": "{{Current_events|year=2023|month=05|day=15|content=%s}}",
    "top and bottom": (
        "{{Current events|year=2023|month=05|day=15|top=yes}}\n%s\n"
        "{{Current events|year=2023|month=05|day=15|bottom=yes}}"
    ),
    "top alone": "{{Current events|year=2023|month=05|day=15|top=yes}}\n%s",
    "no arguments but the day": "{{Current events|year=2023|month=05|day=15}}\n%s",
    "anchors before the header": (
        "<!-- All news items below this line -->{{Current events header|2023|05|15}}\n%s\n"
        "<!-- All news items above this line -->{{Current events footer}}"
    ),
    "never closed": "{{Current events|year=2023|month=05|day=15|content=\n%s\n",
    "never closed, with an anchor": (
        "{{Current events|year=2023|month=05|day=15|content=\n%s\n"
        "<!-- All news items above this line -->"
    ),
    "a template left open inside": (
        "{{Current events|year=2023|month=05|day=15|content=\n{{open\n%s\n"
        "<!-- All news items above this line -->}}"
    ),
    "closed too early": (
        "{{Current events|year=2023|month=05|day=15|content=\n}}\n%s\n"
        "<!-- All news items above this line -->}}"
    ),
    "line ends of Windows": "{{Current events|year=2023|month=05|day=15|content=\r\n%s\r\n}}",
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_frame_gives_the_same_day(frame: str) -> None:
    (day,) = days(frame % NEWS)
    (event,) = day.events
    assert day.date == DAY
    assert (event.description, event.category) == ("B beats C.", "Sports")
    assert [topic.text for topic in event.topics] == ["A Cup"]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_what_stands_outside_a_frame_is_no_news_and_counted(frame: str) -> None:
    (day,) = days(f"*Vandal was here. [https://v.example (V)]\n{frame % NEWS}")
    assert [event.description for event in day.events] == ["B beats C."]
    assert any(note.startswith("1 bullets outside") for note in day.notes)


def test_a_page_without_a_frame_is_read_between_its_anchors_for_the_day_it_was_asked_for() -> None:
    text = (
        f"*Before. [https://v.example (V)]\n<!-- All news items below this line -->\n{NEWS}\n"
        "<!-- All news items above this line -->\n*After. [https://v.example (V)]"
    )
    (day,) = read_wikitext(text, Origin(where="page"), DAY)
    assert [event.description for event in day.events] == ["B beats C."]
    assert day.notes[0] == "2 bullets outside the day's frame passed over"


def test_the_day_asked_for_wins_over_a_frame_that_says_another_and_a_note_tells() -> None:
    (day,) = read_wikitext(FRAMES["content"] % NEWS, Origin(where="page"), date(2023, 5, 16))
    assert day.date == date(2023, 5, 16)
    assert "its frame says 2023-05-15" in day.notes


def test_a_longer_page_gives_each_of_its_days() -> None:
    other = (FRAMES["content"] % NEWS).replace("day=15", "day=14").replace("beats", "meets")
    found = days(f"{FRAMES['content'] % NEWS}\n{other}")
    assert [(day.date, day.events[0].description) for day in found] == [
        (date(2023, 5, 14), "B meets C."),
        (DAY, "B beats C."),
    ]


def test_events_of_no_stated_day_are_refused_by_name() -> None:
    (day,) = days(NEWS)
    assert (day.date, day.events) == (None, ())
    assert day.rejected[0].reason == "nothing says which day these 1 events are of"


def test_a_redirect_is_no_page() -> None:
    with pytest.raises(DataError, match="a redirect"):
        days("#REDIRECT [[Portal:Current events/2023 May 16]]")


HEADINGS = [
    ";Law and crime",
    "; Law and crime ",
    ";'''Law and crime'''",
    "'''Law and crime'''",
    "''' Law  and crime '''",
    "'''Law and crime:'''",
    "'''Law and crime''':",
    "'''Law & Crime'''",
    "'''LAW AND CRIME'''",
    "'''''Law and crime'''''",
    "'''[[Law]] and [[crime]]'''",
    "<b>Law and crime</b>",
    "==Law and crime==",
    "=== Law and crime ===",
    "*'''Law and crime'''",
    "Law and crime",
    "\t'''Law and crime'''",
    "'''Law and crime'''<!-- keep sorted -->",
    "'''Law and crimes'''",
    "'''Crime'''",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_every_notation_of_a_heading_is_its_category(heading: str) -> None:
    event = parsed(f"{heading}\n*Foo. [https://a.example (A)]").events[0]
    assert event.category == "Law and crime"
    assert event.heading is not None


def test_headings_that_are_none_of_the_usual_are_kept_as_written() -> None:
    event = parsed("'''Religion'''\n*Foo. [https://a.example (A)]").events[0]
    assert (event.category, event.heading) == (None, "Religion")


def test_a_heading_glued_to_its_first_bullet_loses_neither() -> None:
    event = parsed("'''Sports'''*Foo. [https://a.example (A)]").events[0]
    assert (event.category, event.description) == ("Sports", "Foo.")


@pytest.mark.parametrize("name", categories())
def test_each_usual_heading_is_its_own_class(name: str) -> None:
    assert class_of(name) == name
    assert class_of(f" {name.upper()}: ") == name


def test_there_are_ten_usual_headings_and_holidays_are_no_news() -> None:
    assert len(categories()) == 10
    assert class_of("Holidays not aligned to the Gregorian Calendar") == NOT_NEWS
    assert class_of("Spot") is None
    assert class_of("x" * 100_000) is None


def test_news_under_holidays_is_counted_and_left_out() -> None:
    day = parsed("'''Holidays and observances'''\n*[[Eid]]\n**Holiday.\n'''Sports'''\n*Foo.")
    assert [event.description for event in day.events] == ["Foo."]
    assert day.not_news == 2


SOURCES = {
    "Foo. [https://a.example/1 (Reuters)]": [("https://a.example/1", "Reuters", None)],
    "Foo.[https://a.example/1 Reuters]": [("https://a.example/1", "Reuters", None)],
    "Foo ([https://a.example/1 Reuters]).": [("https://a.example/1", "Reuters", None)],
    "Foo. [https://a.example/1 (''The Hindu'')]": [("https://a.example/1", "The Hindu", None)],
    "Foo. [https://a.example/1 ''(BBC)'']": [("https://a.example/1", "BBC", None)],
    "Foo. [https://a.example/1 ([[BBC News|BBC]])]": [("https://a.example/1", "BBC", None)],
    "Foo. [https://a.example/1 (AFP via ''Barron's'')]": [
        ("https://a.example/1", "Barron's", "AFP")
    ],
    "Foo. [https://a.example/1 (AP)][https://b.example/2 (BBC)]": [
        ("https://a.example/1", "AP", None),
        ("https://b.example/2", "BBC", None),
    ],
    "Foo. [https://a.example/1 (AP)], [https://b.example/2 (BBC)], [https://c.example/3 (MLS)]": [
        ("https://a.example/1", "AP", None),
        ("https://b.example/2", "BBC", None),
        ("https://c.example/3", "MLS", None),
    ],
    "Foo. [https://a.example/1]": [("https://a.example/1", None, None)],
    "Foo. https://a.example/1": [("https://a.example/1", None, None)],
    "Foo. (https://a.example/1)": [("https://a.example/1", None, None)],
    "Foo. [//a.example/1 (AP)]": [("https://a.example/1", "AP", None)],
    "Foo. (Reuters)": [(None, "Reuters", None)],
    "Foo. (Reuters) (AFP via ''X'')": [(None, "Reuters", None), (None, "X", "AFP")],
    "Foo. {{cite news|url=https://a.example/1|title=T|work=[[The Times]]}}": [
        ("https://a.example/1", "The Times", None)
    ],
    "Foo. {{Cite web |title=T |website=BBC |agency=AP |url= https://a.example/1 }}": [
        ("https://a.example/1", "BBC", "AP")
    ],
    "Foo. {{cite news|title=T|agency=AP}}": [(None, "AP", None)],
    "Foo.<ref>{{cite web|url=https://a.example/1|publisher=P}}</ref>": [
        ("https://a.example/1", "P", None)
    ],
    "Foo.<ref name=x>[https://a.example/1 The Sun]</ref><ref name=x/>": [
        ("https://a.example/1", "The Sun", None)
    ],
    "Foo. [https://a.example/1 (El País, in Spanish)]": [("https://a.example/1", "El País", None)],
    "Foo. [https://a.example/1 (Yahoo! Finance)]{{Dead link|date=May 2020}}": [
        ("https://a.example/1", "Yahoo! Finance", None)
    ],
    "Foo. [https://user:word@a.example/1 (AP)]": [("https://a.example/1", "AP", None)],
    "Foo.[url=https://a.example/1 (AP)]": [("https://a.example/1", "AP", None)],
    "Foo. [[https://a.example/1 (AP)]]": [("https://a.example/1", "AP", None)],
    "Foo. [ https://a.example/1 (AP)]": [("https://a.example/1", "AP", None)],
    "Foo. [https://a.example/1|(AP)]": [("https://a.example/1", "AP", None)],
    "Foo. (https://a.example/1 AP)": [("https://a.example/1", "AP", None)],
    "Foo. https://a.example/1 (AP)": [("https://a.example/1", "AP", None)],
    "Foo. [https://a.example/1?a=1&amp;b=2 (AP)]": [("https://a.example/1?a=1&b=2", "AP", None)],
    "Foo. [https://a.example/1 (AP)] [https://a.example/1 (AP)]": [
        ("https://a.example/1", "AP", None)
    ],
}


@pytest.mark.parametrize(("bullet", "sources"), SOURCES.items())
def test_every_notation_of_a_source_is_read_and_leaves_the_sentence_alone(
    bullet: str, sources: list[tuple[str | None, str | None, str | None]]
) -> None:
    event = one(f"*{bullet}")
    assert [(it.url, it.outlet, it.agency) for it in event.sources] == sources
    assert event.description == "Foo."
    assert event.notes == ()


def test_a_link_within_the_sentence_stays_in_it_and_is_a_source() -> None:
    event = one("*He read [https://a.example/1 the report] and left. [https://b.example (BBC)]")
    assert event.description == "He read the report and left."
    assert [source.outlet for source in event.sources] == [None, "BBC"]


def test_a_source_between_two_sentences_leaves_both() -> None:
    event = one("*One. [https://a.example/1 (AP)] Two. [https://b.example (BBC)]")
    assert event.description == "One. Two."
    assert [source.outlet for source in event.sources] == ["AP", "BBC"]


def test_a_bullet_that_is_only_a_linked_headline_is_described_by_it() -> None:
    event = one("*[https://a.example/1 Ten die as a bridge falls in the north of Foo]")
    assert event.description == "Ten die as a bridge falls in the north of Foo"
    assert event.sources[0].outlet is None


def test_brackets_that_belong_to_the_sentence_stay() -> None:
    assert one("*Foo joins the party (PDP). [https://a.example (A)]").description == (
        "Foo joins the party (PDP)."
    )
    assert one("*Foo wins (3–1)").description == "Foo wins (3–1)"


def test_links_to_wikipedia_itself_and_addresses_that_are_none_are_no_sources() -> None:
    event = one("*Foo [https://en.wikipedia.org/wiki/Bar bar] [mailto:a@b.example me] baz.")
    assert event.sources == ()
    assert event.description == "Foo bar me baz."


INLINE = {
    "[[Belarus]]ian troops": "Belarusian troops",
    "[[A#B|the b]] and [[A b (c)|]]": "the b and A b",
    "[[File:X.jpg|thumb|A caption]]Foo": "Foo",
    "{{flagicon|FRA}} {{flag|France}} wins": "France wins",
    "{{nowrap|10 km}} of {{convert|5|km|mi}}": "10 km of 5 km",
    "{{ill|Foo Bar|de|Föö Bar|lt=Foo}} speaks": "Foo speaks",
    "''Italic'', '''bold''' and '''''both'''''": "Italic, bold and both",
    "an unclosed ''italic [[Foo]]": "an unclosed italic Foo",
    "the Smiths''' house": "the Smiths house",
    "A&nbsp;B &amp; C&#39;s&ndash;D": "A B & C's–D",
    "a\u200bb\u2060c": "abc",
    "foo<!-- no -->bar": "foobar",
    "line<br>break<br />here": "line break here",
    "{{USD|5 million}} and {{GBP|3}}": "US$5 million and £3",
    "{{USS|Cole|DDG-67}} sails": "USS Cole sails",
    "H<sub>2</sub>O and <small>so on</small>": "H2O and so on",
    "{{lang|fr|''Le Monde''}} says": "Le Monde says",
    "gone <s>wrong</s> right": "gone right",
    "<nowiki>[[x]]</nowiki> stays": "[[x]] stays",
    "1{{ndash}}2{{'}}s": "1–2's",
}


@pytest.mark.parametrize(("wikitext", "text"), INLINE.items())
def test_markup_inside_a_sentence_becomes_plain_text(wikitext: str, text: str) -> None:
    event = one(f"*{wikitext}. [https://a.example (A)]")
    assert event.description == f"{text}."


def test_an_article_of_another_wikipedia_brings_its_name_along() -> None:
    event = one("*{{ill|Foo Bar|de|Föö Bar|iw|פו|lt=Foo}} speaks.")
    assert event.pages == ("Foo Bar",)
    assert event.names == {"Foo Bar": {"de": "Föö Bar", "he": "פו"}}


def test_a_template_nobody_knows_is_left_out_and_named() -> None:
    event = one("*Foo {{wondrous|x}} bar. [https://a.example (A)]")
    assert event.description == "Foo bar."
    assert event.notes == ("template left out: wondrous",)


LINK_TARGETS = {
    "Gaza war": "Gaza war",
    "gaza_war#History": "Gaza war",
    ":Gaza war": "Gaza war",
    "#Section": None,
    "File:X.jpg": None,
    "Category:X": None,
    ":fr:Gaza": None,
    "wikt:war": None,
    "Portal:Foo": None,
    "w:Foo": "Foo",
    "2001: A Space Odyssey": "2001: A Space Odyssey",
    "Mission: Impossible": "Mission: Impossible",
    "Caf%C3%A9 &amp; bar": "Caf%C3%A9 & bar",
    "bad|title": None,
    "x" * 256: None,
}


@pytest.mark.parametrize(("target", "page"), LINK_TARGETS.items())
def test_the_target_of_a_link_is_the_article_it_names(target: str, page: str | None) -> None:
    assert page_of(target)[0] == page


def test_a_name_is_a_title_without_the_remark_that_tells_it_from_others() -> None:
    assert name_from("Merkur (Planet)") == "Merkur"
    assert name_from("水星（行星）") == "水星"
    assert name_from("(15) Eunomia") == "(15) Eunomia"
    assert name_from("(…)") == "(…)"


def test_topics_are_links_alone_or_words_above_others_that_are_no_sentence() -> None:
    day = parsed(
        "*Aftermath of the [[X election]]\n**One. [https://a.example/1 (A)]\n"
        "*[[Y]]; [[Z]] ([[sport]])\n**Two. [https://a.example/2 (A)]\n"
        "*[[Old war]]:\n**Three. [https://a.example/3 (A)]\n"
        "*[[Alone]]\n"
    )
    assert [event.topics[0].text for event in day.events] == [
        "Aftermath of the X election",
        "Y; Z (sport)",
        "Old war",
    ]
    assert (day.topics, day.empty_topics) == (3, 1)
    assert day.events[1].topics[0].pages == ("Y", "Z", "Sport")


def test_a_parent_with_a_source_or_a_whole_sentence_is_an_event_itself() -> None:
    day = parsed(
        "*[[Topic]]\n**The sea rises. [https://a.example/1 (A)]\n***A dam breaks. (B)\n"
        "*A storm comes.\n**It leaves. [https://a.example/2 (A)]\n"
    )
    rises, breaks, comes, leaves = day.events
    assert [rises.parent, breaks.parent, comes.parent, leaves.parent] == [
        *(None, rises.id, None, comes.id)
    ]
    assert [topic.text for topic in breaks.topics] == ["Topic", "The sea rises."]
    assert comes.notes == ("no source",)


def test_levels_may_jump_and_start_anywhere() -> None:
    day = parsed(
        "**[[War]]\n****A. [https://a.example/1 (A)]\n***B. [https://a.example/2 (A)]\n"
        "*****C. [https://a.example/3 (A)]\n*D. [https://a.example/4 (A)]\n"
    )
    assert [(it.description, it.level, len(it.topics)) for it in day.events] == [
        *(("A.", 4, 1), ("B.", 3, 1), ("C.", 5, 2), ("D.", 1, 0))
    ]


def test_blank_lines_and_comments_between_bullets_do_not_part_a_topic_from_its_events() -> None:
    day = parsed("*[[War]]\n\n<!--\n*hidden\n-->\n**A. [https://a.example/1 (A)]")
    assert [topic.text for topic in day.events[0].topics] == ["War"]


def test_a_new_heading_ends_all_topics() -> None:
    day = parsed("*[[War]]\n'''Sports'''\n**A. [https://a.example/1 (A)]")
    assert day.events[0].topics == ()


def test_a_template_over_several_lines_belongs_to_its_bullet_and_lines_keep_their_numbers() -> None:
    day = parsed(
        "*A. {{cite web\n|url=https://a.example/1\n|work=W\n}}\n*B. [https://b.example (B)]"
    )
    first, second = day.events
    assert first.sources[0].outlet == "W"
    assert (first.line, second.line) == (2, 6)


def test_a_continued_bullet_is_one_event() -> None:
    event = one("*A falls. [https://a.example/1 (A)]\n*:So does B. [https://b.example/2 (B)]")
    assert event.description == "A falls. So does B."
    assert len(event.sources) == 2


def test_news_whose_bullet_was_forgotten_is_an_event_and_other_stray_text_is_named() -> None:
    day = parsed("Ten die in Foo. [https://a.example/1 (A)]\nlorem ipsum\n__NOTOC__ x")
    assert [event.notes for event in day.events] == [("not in a list",)]
    assert day.rejected[0].where == "page:3"
    assert day.rejected[0].reason == "text outside any list, without a source"


def test_ids_stay_when_other_events_are_added_and_equal_ones_differ() -> None:
    before = parsed("*A. [https://a.example/1 (A)]").events
    after = parsed("*New. (B)\n*A. [https://a.example/1 (A)]\n*A. [https://a.example/1 (A)]").events
    assert after[1].id == before[0].id
    assert len({event.id for event in after}) == 3


def test_days_are_read_in_titles_ids_and_file_names() -> None:
    for name in (
        *("Portal:Current events/2023 May 15", "Portal:Current_events/2023_May_15"),
        *("2023-05-15.1155135755.wiki", "20230515.html", "2023_05_15", "2023_May_15"),
    ):
        assert day_in(name) == DAY
    assert title_of(date(2023, 10, 7)) == "Portal:Current events/2023 October 7"
    assert day_in("2023-02-31.wiki") is None
    assert day_in("1155135755.wiki") is None


def test_the_agency_and_the_outlet_of_a_label_are_told_apart() -> None:
    assert names_in("(AFP via RTL)") == ("RTL", "AFP")
    assert names_in("''Le Monde'' (in French)".replace("'", "")) == ("Le Monde", None)
    assert names_in("()") == (None, None)
